/** Employer pages for reviewing applications: a board by status, a list, and a page per application. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { idPattern } from '../../lib/ids.ts'
import { Choice, Strict } from '../../lib/schema.ts'
import { describePage } from '../../lists/meta.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { withQuery } from '../../pages/components.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { listOwnJobTitles } from '../jobs/index.ts'
import { findResumeText } from '../resumes/index.ts'
import { presentEmployerApplication } from './applications.present.ts'
import { findNeighbors, listEmployerApplications } from './applications.queries.ts'
import { ApplicationParams, idOf } from './applications.routes.ts'
import { EmployerApplicationBody, employerApplicationList, transitions } from './applications.schemas.ts'
import { findQuestions, getEmployerApplication, updateApplicationStatus } from './applications.service.ts'
import {
  renderReceivedApplication,
  renderReceivedBoard,
  renderReceivedList,
  statusNotice,
} from './received-applications.views.ts'

/** The columns of the board, in the order in which applicants move. */
const stages = ['pending', 'reviewed', 'contacted', 'hired', 'rejected'] as const

/** Maximum number of cards per board column. Each column links to the full list for its status. */
const COLUMN_MAX = '15'
const JOBS_MAX = 200
const EDITED = ['status']
/** Maximum number of characters of a resume to show on a page: about ten printed pages. The file contains the rest. */
const RESUME_TEXT_MAX = 30_000

/** A move on the board. `job_id` is the job that the board shows. */
const MoveBody = Strict({
  status: Choice(stages),
  job_id: Type.Optional(Type.String({ pattern: idPattern('job') })),
})

const reading = { access: { kinds: ['employer'], scope: 'applications:read' } } as const
const writing = { access: { kinds: ['employer'], scope: 'applications:write' } } as const

export function registerReceivedApplicationPages(pages: App, kit: Kit): void {
  registerList(pages, kit)
  registerApplication(pages, kit)
}

function registerList(pages: App, { database, clock, cursorSecret, settings }: Kit): void {
  const listJobs = (request: FastifyRequest) =>
    database.read((db) => listOwnJobTitles(db, signedIn(request).accountId, JOBS_MAX))

  const listColumns = (employerId: string, job_id: string) =>
    database.read(async (db) => {
      const columns = []
      for (const status of stages) {
        const { query } = parseListQuery(employerApplicationList, { status, limit: COLUMN_MAX, job_id }, cursorSecret)
        const { rows, total } = await listEmployerApplications(
          db,
          { employerId, isStanding: true },
          query,
          cursorSecret,
        )
        columns.push({ status, total, items: rows.map((row) => presentEmployerApplication(row, settings.origin)) })
      }
      return columns
    })

  pages.get('/employer/applications', {
    config: {
      ...reading,
      again: async (request, form) => renderReceivedList(request.page, form, await listJobs(request), undefined),
    },
    schema: { querystring: ListQuerystring(employerApplicationList) },
    handler: async (request, reply) => {
      const { query } = request
      const { accountId } = signedIn(request)
      const form = Form.of(query.applied)
      const jobs = await listJobs(request)
      // Shows the list instead of the board if the URL has any parameter other than `job_id`.
      const [, parameters = ''] = request.raw.url!.split('?', 2)
      const isBoard = [...new URLSearchParams(parameters).keys()].every((name) => name === 'job_id')
      if (isBoard) {
        const columns = await listColumns(accountId, form.value('job_id'))
        return showPage(reply, renderReceivedBoard(request.page, { form, jobs, columns, now: clock.now() }))
      }
      // The list of a stage has the same applications as the stage on the board.
      const owner = { employerId: accountId, isStanding: 'status' in query.applied }
      const found = await database.read((db) => listEmployerApplications(db, owner, query, cursorSecret))
      const { pagination } = describePage(request.raw.url!, query, found).meta
      const items = found.rows.map((row) => presentEmployerApplication(row, settings.origin))
      return showPage(reply, renderReceivedList(request.page, form, jobs, { items, pagination }))
    },
  })
}

function registerApplication(pages: App, { database, clock, settings, budgets }: Kit): void {
  const { origin } = settings

  const render = async (request: FastifyRequest, form?: Form) => {
    const { row, questions, neighbors, resumeText } = await database.read(async (db) => {
      const row = await getEmployerApplication(db, signedIn(request), idOf(request))
      const resumeText = row.resume && (await findResumeText(db, row.resume.id, RESUME_TEXT_MAX))
      return { row, questions: await findQuestions(db, row), neighbors: await findNeighbors(db, row), resumeText }
    })
    const isOpen = row.erased_at === null && row.withdrawn_at === null
    const application = presentEmployerApplication(row, origin)
    return renderReceivedApplication(request.page, {
      application,
      questions,
      neighbors,
      resumeText,
      allowed: isOpen ? transitions[row.status] : [],
      isErased: row.erased_at !== null,
      // Does not preselect a new status.
      form: form ?? editorForm(application, EDITED, { status: undefined }),
    })
  }

  pages.get(
    '/employer/applications/:id',
    { config: reading, schema: { params: ApplicationParams } },
    async (request, reply) => showPage(reply, await render(request)),
  )

  pages.post('/employer/applications/:id/move', {
    config: { ...writing, again: render },
    schema: { params: ApplicationParams, body: MoveBody },
    handler: async (request, reply) => {
      const { id } = request.params
      const actor = signedIn(request)
      const { status, job_id } = request.body
      const change = { origin, actor, id, body: { status }, faults: [], precondition: unconditionally }
      const notice = await budgets.spend('emails', actor.accountId, 1, () =>
        doOnce(request, database, async (tx) => {
          const row = await updateApplicationStatus(tx, { ...change, now: clock.now() })
          return statusNotice(presentEmployerApplication(row, origin))
        }),
      )
      const board = withQuery('/employer/applications', { job_id: job_id ?? '' })
      return seeOther(reply, `${board}#stage-${status}`, notice)
    },
  })

  pages.post('/employer/applications/:id', {
    config: { ...writing, again: render },
    attachValidation: true,
    schema: { params: ApplicationParams, body: EmployerApplicationBody },
    handler: async (request, reply) => {
      const { id } = request.params
      const actor = signedIn(request)
      const precondition = unlessChanged(request, EDITED)
      const change = { origin, actor, id, body: request.body, faults: bodyFaultsOf(request), precondition }
      const notice = await budgets.spend('emails', actor.accountId, 1, () =>
        doOnce(request, database, async (tx) => {
          const row = await updateApplicationStatus(tx, { ...change, now: clock.now() })
          return statusNotice(presentEmployerApplication(row, origin))
        }),
      )
      return seeOther(reply, `/employer/applications/${id}`, notice)
    },
  })
}
