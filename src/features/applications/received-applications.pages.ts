/** Application pages of the employer dashboard: a board by status, a list, and each application with its actions. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import type { Budgets } from '../../lib/budgets.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { describePage } from '../../lists/meta.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { type CustomQuestion, findJob, listOwnJobTitles } from '../jobs/index.ts'
import { presentEmployerApplication } from './applications.present.ts'
import { type EmployerApplicationRow, listEmployerApplications } from './applications.queries.ts'
import { applicationStatuses, EmployerApplicationBody, employerApplicationList } from './applications.schemas.ts'
import { getEmployerApplication, transitions, updateApplicationStatus } from './applications.service.ts'
import {
  renderApplicationBoard,
  renderApplicationList,
  renderReceived,
  statusNotice,
} from './received-applications.views.ts'

export interface ReceivedApplicationPagesDeps {
  database: Database
  clock: Clock
  cursorSecret: Uint8Array
  settings: { origin: string }
  budgets: Budgets
}

/** Maximum cards per column of the board. Each column links to the full list of its status. */
const COLUMN_MAX = '15'
const JOBS_MAX = 200
/** Members that the application form can change. */
const EDITED = ['status']

const params = Strict({ id: Type.String({ pattern: idPattern('application') }) })

export function registerReceivedApplicationPages(pages: App, deps: ReceivedApplicationPagesDeps): void {
  const { database, clock, cursorSecret, settings, budgets } = deps
  const { origin } = settings
  const reading = { kinds: ['employer'], scope: 'applications:read' } as const
  const writing = { kinds: ['employer'], scope: 'applications:write' } as const
  const present = (row: EmployerApplicationRow) => presentEmployerApplication(row, origin)
  const listJobs = (request: FastifyRequest) =>
    database.read((db) => listOwnJobTitles(db, signedIn(request).accountId, JOBS_MAX))

  pages.get(
    '/employer/applications',
    {
      config: {
        access: reading,
        again: async (request, form) => renderApplicationList(request.page, form, await listJobs(request), undefined),
      },
      schema: { querystring: ListQuerystring(employerApplicationList) },
    },
    async (request, reply) => {
      const { query } = request
      const { accountId } = signedIn(request)
      const form = Form.of(query.applied)
      const jobs = await listJobs(request)
      // Shows the list instead of the board if any parameter other than `job_id` is set.
      const isBoard = Object.keys(request.query.applied).every((name) => name === 'job_id') && (query.page ?? 1) === 1
      if (!isBoard) {
        const found = await database.read((db) => listEmployerApplications(db, accountId, query, cursorSecret))
        const { pagination } = describePage(request.raw.url!, query, found).meta
        const list = { items: found.rows.map(present), pagination }
        return showPage(reply, renderApplicationList(request.page, form, jobs, list))
      }
      const columns = await database.read(async (db) => {
        const found = []
        for (const status of applicationStatuses) {
          const raw = { status, limit: COLUMN_MAX, job_id: form.value('job_id') }
          const column = parseListQuery(employerApplicationList, raw, cursorSecret).query
          const { rows, total } = await listEmployerApplications(db, accountId, column, cursorSecret)
          found.push({ status, total, items: rows.map(present) })
        }
        return found
      })
      return showPage(reply, renderApplicationBoard(request.page, form, jobs, columns))
    },
  )

  const render = async (request: FastifyRequest, form?: Form) => {
    const { id } = request.params as { id: string }
    const { row, job } = await database.read(async (db) => {
      const row = await getEmployerApplication(db, signedIn(request), id)
      return { row, job: await findJob(db, row.job_id) }
    })
    const isOpen = row.erased_at === null && row.withdrawn_at === null
    const application = present(row)
    return renderReceived(request.page, {
      application,
      // The questions may have changed since the application. A deleted job has no questions.
      questions: (job?.custom_questions ?? []) as CustomQuestion[],
      allowed: isOpen ? transitions[row.status] : [],
      isErased: row.erased_at !== null,
      // No next status is preselected.
      form: form ?? editorForm(application, EDITED, { status: undefined }),
    })
  }

  pages.get('/employer/applications/:id', { config: { access: reading }, schema: { params } }, async (request, reply) =>
    showPage(reply, await render(request)),
  )

  pages.post(
    '/employer/applications/:id',
    {
      config: { access: writing, again: render },
      attachValidation: true,
      schema: { params, body: EmployerApplicationBody },
    },
    async (request, reply) => {
      const { id } = request.params
      const faults = bodyFaultsOf(request)
      const precondition = unlessChanged(request, EDITED)
      const actor = signedIn(request)
      const notice = await budgets.spend('emails', actor.accountId, 1, () =>
        doOnce(request, database, async (tx) => {
          const now = clock.now()
          const row = await updateApplicationStatus(tx, {
            origin,
            actor,
            id,
            body: request.body,
            faults,
            precondition,
            now,
          })
          return statusNotice(present(row))
        }),
      )
      return seeOther(reply, `/employer/applications/${id}`, notice)
    },
  )
}
