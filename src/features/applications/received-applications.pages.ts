/** Employer pages for reviewing applications: a board by status, a list, and a page per application. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError, validationFailed } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Choice, Strict } from '../../lib/schema.ts'
import { markedAsUtf8, sendCsv } from '../../lists/csv.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form, fieldFault } from '../../pages/forms.ts'
import type { Html } from '../../pages/html.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { listOwnJobTitles } from '../jobs/index.ts'
import { findResumeText } from '../resumes/index.ts'
import { renderApplicant } from './applicant.views.ts'
import { exportApplications } from './applications.csv.ts'
import { presentEmployerApplication } from './applications.present.ts'
import {
  countByStatus,
  type EmployerApplicationRow,
  findNeighbors,
  listEmployerApplications,
} from './applications.queries.ts'
import { ApplicationParams, idOf } from './applications.routes.ts'
import {
  type ApplicationStatus,
  type EmployerApplication,
  EmployerApplicationBody,
  employerApplicationList,
  MOVED_MAX,
} from './applications.schemas.ts'
import {
  type ApplicationChange,
  emailsOf,
  findQuestions,
  getEmployerApplication,
  moveApplications,
  nextStatuses,
  updateApplication,
} from './applications.service.ts'
import { MessageForm, sendFromForm } from './messages.pages.ts'
import { listAllMessages } from './messages.queries.ts'
import { partyIn } from './messages.routes.ts'
import { presentMessage, readMessages } from './messages.service.ts'
import { listAllNotes } from './notes.queries.ts'
import { NoteParams, ownedIn } from './notes.routes.ts'
import { NoteBody } from './notes.schemas.ts'
import { addNote, deleteNote, presentNote } from './notes.service.ts'
import {
  EXPORT,
  type ListAddress,
  MOVE_SELECTED,
  RECEIVED,
  readAddress,
  stages,
} from './received-applications.address.ts'
import {
  describeMoves,
  nameOf,
  renderReceivedBoard,
  renderReceivedList,
  statusNotice,
} from './received-applications.views.ts'

/** Maximum number of cards per board column. Each column links to the full list for its status. */
const COLUMN_MAX = 15
const JOBS_MAX = 200
const EDITED = ['status']
const ASSESSED = ['rating', 'tags']
/** Maximum number of characters of a resume to show on a page: about ten printed pages. The file contains the rest. */
const RESUME_TEXT_MAX = 30_000

const MoveBody = Strict({ status: Choice(stages) })
const MoveSelectedBody = Strict({
  status: Choice(stages),
  ids: Type.Optional(Type.Array(Type.String({ pattern: idPattern('application') }), { maxItems: MOVED_MAX })),
})

const reading = { access: { kinds: ['employer'], scope: 'applications:read' } } as const
const writing = { access: { kinds: ['employer'], scope: 'applications:write' } } as const

/** The form that was rejected, for display with its faults. */
type SentForms = { move?: Form; assessment?: Form; note?: Form; reply?: Form }

export function registerReceivedApplicationPages(pages: App, kit: Kit): void {
  registerList(pages, kit)
  registerApplication(pages, kit)
}

function registerList(pages: App, { database, clock, cursorSecret, settings, budgets }: Kit): void {
  const present = (row: EmployerApplicationRow) => presentEmployerApplication(row, settings.origin)

  const findColumn = (employerId: string, { query }: ListAddress, status: ApplicationStatus) =>
    database.read(async (db) => {
      const filters = [...query.filters, { filter: 'status', operator: 'is', value: status } as const]
      const column = { ...query, filters, limit: COLUMN_MAX, page: 1 }
      const { rows, total } = await listEmployerApplications(db, { employerId, isStanding: true }, column)
      return { status, total, items: rows.map(present) }
    })

  const render = async (request: FastifyRequest, form: Form) => {
    const address = readAddress(request.raw.url!, cursorSecret)
    const { accountId } = signedIn(request)
    const jobs = await database.read((db) => listOwnJobTitles(db, accountId, JOBS_MAX))
    if (address.isBoard) {
      const columns = []
      for (const status of stages) columns.push(await findColumn(accountId, address, status))
      return renderReceivedBoard(request.page, { address, form, jobs, columns, now: clock.now() })
    }
    // The list of a stage contains the same applications as that stage on the board.
    const owner = { employerId: accountId, isStanding: address.status !== undefined }
    const { counts, found } = await database.read(async (db) => ({
      counts: await countByStatus(db, accountId, address.query),
      found: await listEmployerApplications(db, owner, address.query),
    }))
    return renderReceivedList(request.page, {
      address,
      form,
      jobs,
      counts,
      ...listed(request, found, present, address.query),
    })
  }

  pages.get(RECEIVED, {
    config: { ...reading, again: render },
    schema: { querystring: ListQuerystring(employerApplicationList) },
    handler: (request) => render(request, Form.of()),
  })

  pages.get(EXPORT, {
    config: reading,
    schema: { querystring: ListQuerystring(employerApplicationList) },
    handler: async (request, reply) => {
      const { query, status } = readAddress(request.raw.url!, cursorSecret)
      const owner = { employerId: signedIn(request).accountId, isStanding: status !== undefined }
      const lines = exportApplications(database, { owner, query, origin: settings.origin })
      return sendCsv(request, reply, 'applications.csv', markedAsUtf8(lines))
    },
  })

  pages.post(MOVE_SELECTED, {
    config: { ...writing, again: render },
    schema: { body: MoveSelectedBody },
    handler: async (request, reply) => {
      const actor = signedIn(request)
      const { status, ids = [] } = request.body
      if (ids.length === 0) throw validationFailed([fieldFault('ids', t('received.select_someone'))])
      const { notice, tone } = await budgets.spend('emails', actor.accountId, ids.length, () =>
        resultOnce(request, database, async (tx) => {
          const results = await moveApplications(tx, { actor, ids, move: { status }, now: clock.now() })
          const notice = describeMoves(results, status)
          const failed = results.filter(({ outcome }) => outcome === 'refused' || outcome === 'unknown').length
          if (failed === results.length) throw new AppError('invalid_transition', { words: notice })
          return { notice, tone: failed > 0 ? ('warn' as const) : ('good' as const) }
        }),
      )
      return seeOther(reply, readAddress(request.raw.url!, cursorSecret).pathTo(RECEIVED), notice, tone)
    },
  })
}

/** Renders an application as its employer sees it. `sent` contains the rejected form, if any. */
async function renderReceived(
  { database, clock, cursorSecret, settings }: Kit,
  request: FastifyRequest,
  sent: SentForms = {},
): Promise<Html> {
  const { origin } = settings
  const address = readAddress(request.raw.url!, cursorSecret)
  const party = partyIn(request, 'employer')
  const view = await database.read(async (db) => {
    const row = await getEmployerApplication(db, signedIn(request), idOf(request))
    const resumeText = row.resume && (await findResumeText(db, row.resume.id, RESUME_TEXT_MAX))
    // If the URL names no list, the neighbors are the applications to the same job.
    const ofJob = { filter: 'job_id', operator: 'is', value: row.job_id } as const
    const list = address.isNamed
      ? { query: address.query, isStanding: address.isBoard || address.status !== undefined }
      : { query: { ...address.query, filters: [ofJob] }, isStanding: true }
    return {
      row,
      questions: await findQuestions(db, row),
      neighbors: await findNeighbors(db, row, list),
      resumeText,
      notes: await listAllNotes(db, ownedIn(request)),
      conversation: await listAllMessages(db, party),
    }
  })
  const application = presentEmployerApplication(view.row, origin)
  return renderApplicant(request.page, {
    ...view,
    address,
    application,
    notes: view.notes.map(presentNote),
    note: sent.note ?? Form.of(),
    conversation: (
      await readMessages(database, { ...party, method: request.method }, view.conversation, clock.now())
    ).map(presentMessage.employer),
    reply: sent.reply ?? Form.of(),
    allowed: nextStatuses(view.row),
    isErased: view.row.erased_at !== null,
    messages: view.row.history.map(({ message }) => message),
    // Does not preselect a new status.
    move: sent.move ?? editorForm(application, EDITED, { status: undefined, notify: true }),
    assessment: sent.assessment ?? editorForm(application, ASSESSED, { rating: application.rating ?? '' }),
  })
}

function registerApplication(pages: App, kit: Kit): void {
  const { database, clock, cursorSecret, settings, budgets } = kit
  const { origin } = settings

  const render = (request: FastifyRequest, sent?: SentForms) => renderReceived(kit, request, sent)

  pages.get(`${RECEIVED}/:id`, { config: reading, schema: { params: ApplicationParams } }, (request) => render(request))

  const backTo = (request: FastifyRequest, part = '') =>
    `${readAddress(request.raw.url!, cursorSecret).pathTo(`${RECEIVED}/${idOf(request)}`)}${part}`

  /** Changes the application, and returns a notice about the change. */
  const update = (
    request: FastifyRequest,
    change: Pick<ApplicationChange, 'body' | 'faults' | 'precondition'>,
    describe = statusNotice,
  ) => {
    const actor = signedIn(request)
    return budgets.spend('emails', actor.accountId, emailsOf(change.body, 1), () =>
      resultOnce(request, database, async (tx) => {
        const row = await updateApplication(tx, { ...change, origin, actor, id: idOf(request), now: clock.now() })
        return describe(presentEmployerApplication(row, origin), change.body)
      }),
    )
  }

  pages.post(`${RECEIVED}/:id/move`, {
    config: { ...writing, again: (request, form) => render(request, { move: form }) },
    schema: { params: ApplicationParams, body: MoveBody },
    handler: async (request, reply) => {
      const { body } = request
      const notice = await update(request, { body, faults: [], precondition: unconditionally })
      const board = readAddress(request.raw.url!, cursorSecret).pathTo(RECEIVED)
      return seeOther(reply, `${board}#stage-${body.status}`, notice)
    },
  })

  for (const [path, name, members, describe] of [
    ['', 'move', EDITED, statusNotice],
    ['/assessment', 'assessment', ASSESSED, (each) => t('received.assessed', { name: nameOf(each) })],
  ] satisfies [string, keyof SentForms, readonly string[], (application: EmployerApplication) => string][]) {
    pages.post(`${RECEIVED}/:id${path}`, {
      config: { ...writing, again: (request, form) => render(request, { [name]: form }) },
      attachValidation: true,
      schema: { params: ApplicationParams, body: EmployerApplicationBody },
      handler: async (request, reply) => {
        const precondition = unlessChanged(request, members)
        const change = { body: request.body, faults: request.faults, precondition }
        return seeOther(reply, backTo(request), await update(request, change, describe))
      },
    })
  }

  pages.post(`${RECEIVED}/:id/messages`, {
    config: { ...writing, again: (request, form) => render(request, { reply: form }) },
    schema: { params: ApplicationParams, body: MessageForm },
    handler: async (request, reply) => {
      await sendFromForm(kit, request, 'employer')
      return seeOther(reply, backTo(request, '#messages'), t('messages.sent'))
    },
  })

  const notes = { access: { ...writing.access, role: 'viewer' } } as const
  pages.post(`${RECEIVED}/:id/notes`, {
    config: { ...notes, again: (request, form) => render(request, { note: form }) },
    schema: { params: ApplicationParams, body: NoteBody },
    handler: async (request, reply) => {
      const owned = ownedIn(request)
      await doOnce(request, database, (tx) => addNote(tx, owned, request.body.text, clock.now()))
      return seeOther(reply, backTo(request, '#notes'), t('received.note_added'))
    },
  })

  pages.post(`${RECEIVED}/:id/notes/:note_id/delete`, {
    config: { ...notes, again: (request) => render(request) },
    schema: { params: NoteParams },
    handler: async (request, reply) => {
      const owned = ownedIn(request)
      const chosen = { id: request.params.note_id, precondition: unconditionally, member: request.actor.member }
      await doOnce(request, database, (tx) => deleteNote(tx, owned, chosen))
      return seeOther(reply, backTo(request, '#notes'), t('received.note_deleted'))
    },
  })
}
