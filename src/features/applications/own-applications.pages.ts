/** Candidate pages for applying to jobs and tracking applications. */
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { UPLOAD_BYTES_MAX } from '../../http/upload.ts'
import { characterFault } from '../../lib/characters.ts'
import { AppError, type BodyFault, validationFailed } from '../../lib/errors.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form, type FormFields, formBody } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import type { OfferBeside } from '../board/index.ts'
import { findCandidate } from '../candidates/index.ts'
import type { Kit } from '../feature.ts'
import { type CustomQuestion, getVisibleJob, isAppliedForHere, jobPath, presentJobDetail } from '../jobs/index.ts'
import {
  addResume,
  findRecognized,
  listResumes,
  presentResume,
  RECOGNIZED_MAX,
  reportingFile,
  resumeList,
  resumeOfForm,
} from '../resumes/index.ts'
import { deleteDraft, findDraft, listDrafts } from './application-drafts.queries.ts'
import { presentApplication, presentApplicationListItem } from './applications.present.ts'
import { findStandingApplicationId, listApplications } from './applications.queries.ts'
import { ApplicationParams, idOf, JobParams } from './applications.routes.ts'
import { ApplyBody, applicationList, SOURCE_MAX, WithdrawBody } from './applications.schemas.ts'
import {
  applyToJob,
  findQuestions,
  getApplication,
  isWithdrawable,
  withdrawApplication,
} from './applications.service.ts'
import { inPlainWords, worded } from './apply-faults.ts'
import { MessageForm, sendFromForm } from './messages.pages.ts'
import { listAllMessages } from './messages.queries.ts'
import { partyIn } from './messages.routes.ts'
import { presentMessage, readMessages } from './messages.service.ts'
import {
  KEPT_FILE,
  renderApplication,
  renderApplications,
  renderApply,
  renderApplyLink,
  renderStandingLink,
} from './own-applications.views.ts'

const reading = { access: { kinds: ['candidate'], scope: 'applications:read' } } as const
const writing = { access: { kinds: ['candidate'], scope: 'applications:write' } } as const

export function registerOwnApplicationPages(pages: App, kit: Kit): void {
  registerApply(pages, kit)
  registerList(pages, kit)
  registerApplication(pages, kit)
}

/**
 * On a job's page, adds a link to apply or, if the candidate has already applied, a link to the application. Only
 * candidates and readers who are not signed in see the link.
 */
export function applyLinks(database: Database): OfferBeside {
  return async ({ actor, origin, path, may }, [job]) => {
    const isForThem = may('GET', '/jobs/:id/apply')
    // Jobs without an application form on this board have an external application link instead.
    if (!job?.is_active || !isForThem || !isAppliedForHere(job, origin)) return () => undefined
    const standing = actor && (await database.read((db) => findStandingApplicationId(db, actor.accountId, job.id)))
    if (standing === undefined) return ({ id }) => renderApplyLink(id, sourceIn(path))
    return () => may('GET', `/me/applications/${standing}`) && renderStandingLink(standing)
  }
}

/** Returns the source in a URL's query, or null if the source is absent or invalid. */
function sourceIn(url: string): string | null {
  const source = new URLSearchParams(url.split(/\?(.*)/s, 2)[1]).get('source')?.trim().slice(0, SOURCE_MAX)
  return !source || characterFault(source, 'name') ? null : source
}

/** Schemas for parsing form answers that are not text. `checkAnswers` validates the values later. */
const answerSchemas: Partial<Record<CustomQuestion['type'], object>> = {
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  multi_select: { type: 'array', items: { type: 'string' } },
}

function answersOf(questions: readonly CustomQuestion[], fields: FormFields): Record<string, unknown> {
  const properties = Object.fromEntries(
    questions.map(({ id, type }) => [id, answerSchemas[type] ?? { type: 'string' }]),
  )
  const schema = { properties: { custom_questions: { type: 'object', properties } } }
  const { custom_questions = {} } = formBody(schema, fields) as { custom_questions?: Record<string, unknown> }
  return custom_questions
}

function findToApply({ database, clock, cursorSecret, settings }: Kit, request: FastifyRequest) {
  return database.read(async (db) => {
    const actor = signedIn(request)
    const job = await getVisibleJob(db, idOf(request), actor)
    const standing = await findStandingApplicationId(db, actor.accountId, job.id)
    const { query } = parseListQuery(resumeList, {}, cursorSecret)
    const mayRead = actor.scopes.includes('profile:read')
    const rows = mayRead ? (await listResumes(db, actor.accountId, query)).rows : []
    const present = rows.find(({ is_default }) => is_default)
    const draft = await findDraft(db, { candidateId: actor.accountId, jobId: job.id }, clock.now())
    const candidate = mayRead ? await findCandidate(db, actor.accountId) : undefined
    const now = clock.now()
    const { origin } = settings
    return {
      job: presentJobDetail(job, { origin, now }),
      questions: job.custom_questions as CustomQuestion[],
      standing,
      draft,
      resumes: rows.map((row) => presentResume(row, origin)),
      recognized: present && (await findRecognized(db, present.id, RECOGNIZED_MAX)),
      profile: candidate && { ...candidate, name: actor.name, email: actor.email ?? '' },
      now,
    }
  })
}

function registerApply(pages: App, kit: Kit): void {
  const { database, clock, budgets, catalogue } = kit

  /** Stages the uploaded resume, if any. Adds faults in the file to `faults`. */
  const stageUpload = async (request: FastifyRequest, faults: BodyFault[]) => {
    const { accountId, scopes } = signedIn(request)
    const file = request.form.get('_file')?.at(-1)
    if (!(file instanceof File) || file.name === '' || !scopes.includes('profile:write')) return undefined
    try {
      return await reportingFile('_file', () => resumeOfForm(kit, accountId, { body: { file }, headers: {} }))
    } catch (error) {
      faults.push(...faultsOf(error))
      return undefined
    }
  }

  const config = { ...writing, registerAt: '/register/candidate' } as const
  pages.get('/jobs/:id/apply', { config, schema: { params: JobParams } }, async (request, reply) => {
    const found = await findToApply(kit, request)
    const { job, standing, resumes, draft } = found
    if (standing !== undefined) {
      return seeOther(reply, `/me/applications/${standing}`, t('applications.already_applied'), 'warn')
    }
    if (!job.is_active) return seeOther(reply, jobPath(job))
    const source = sourceIn(request.raw.url!) ?? undefined
    const [chosen = resumes.find(({ is_default }) => is_default)] = resumes.filter(({ id }) => id === draft?.resume_id)
    const form = Form.of({
      resume_id: chosen?.id,
      source: source ?? draft?.source,
      ...(draft && { cover_letter: draft.cover_letter, custom_questions: draft.answers }),
    })
    return renderApply(request.page, catalogue, { ...found, form })
  })

  pages.post('/jobs/:id/apply', {
    bodyLimit: UPLOAD_BYTES_MAX,
    config: {
      ...writing,
      limit: 'applications',
      again: async (request, form) =>
        renderApply(request.page, catalogue, { ...(await findToApply(kit, request)), form }),
    },
    attachValidation: true,
    schema: { params: JobParams, body: ApplyBody },
    handler: async (request, reply) => {
      const faults: BodyFault[] = [...request.faults]
      const { accountId } = signedIn(request)
      const { questions, standing } = await findToApply(kit, request)
      const upload = standing === undefined ? await stageUpload(request, faults) : undefined
      const custom_questions = answersOf(questions, request.form)
      try {
        const id = await budgets.spend('emails', accountId, 1, () =>
          resultOnce(request, database, async (tx) => {
            const resume_id = upload ? (await addResume(tx, upload)).id : request.body.resume_id
            const body = { ...request.body, resume_id, custom_questions } as ApplyBody
            const application = { candidateId: accountId, jobId: request.params.id, body, faults, now: clock.now() }
            const { id } = await applyToJob(tx, application)
            await deleteDraft(tx, accountId, request.params.id)
            return id
          }),
        )
        return seeOther(reply, `/me/applications/${id}`, t('applications.applied'))
      } catch (error) {
        const isSecond = error instanceof AppError && error.code === 'already_applied'
        const former = isSecond ? String(error.options.extra?.application_id) : standing
        if (former !== undefined) {
          return seeOther(reply, `/me/applications/${former}`, t('applications.already_applied'), 'warn')
        }
        // If the application is refused, keeps the uploaded resume and preselects it.
        if (upload && error instanceof AppError && error.status < 500) {
          const { id, filename } = await database.inTx((tx) => addResume(tx, upload))
          request.form = new Map([...request.form, ['resume_id', [id]], [KEPT_FILE, [filename]]])
        }
        throw validationFailed(faultsOf(error).map((fault) => worded(inPlainWords(fault, questions))))
      }
    },
  })
}

function faultsOf(error: unknown): readonly BodyFault[] {
  if (!(error instanceof AppError) || !error.options.errors) throw error
  return error.options.errors as BodyFault[]
}

function registerList(pages: App, { database, clock }: Kit): void {
  pages.get(
    '/me/applications',
    { config: reading, schema: { querystring: ListQuerystring(applicationList) } },
    async (request) => {
      const { accountId } = signedIn(request)
      const found = await database.read((db) => listApplications(db, accountId, request.query))
      const drafts = await database.read((db) => listDrafts(db, accountId, clock.now()))
      return renderApplications(request.page, listed(request, found, presentApplicationListItem), drafts)
    },
  )
}

function registerApplication(pages: App, kit: Kit): void {
  const { database, clock, settings } = kit
  const render = async (request: FastifyRequest, form: Form, reply = Form.of()) => {
    const actor = signedIn(request)
    const party = partyIn(request, 'candidate')
    const { row, questions, messages } = await database.read(async (db) => {
      const row = await getApplication(db, actor.accountId, idOf(request))
      return { row, questions: await findQuestions(db, row), messages: await listAllMessages(db, party) }
    })
    return renderApplication(request.page, {
      statusMessages: row.history.map(({ message }) => message),
      messages: (await readMessages(database, { ...party, method: request.method }, messages, clock.now())).map(
        presentMessage.candidate,
      ),
      reply,
      application: presentApplication(row, settings.origin),
      questions,
      mayWithdraw: isWithdrawable(row) && actor.scopes.includes('applications:write'),
      form,
    })
  }

  pages.get('/me/applications/:id', { config: reading, schema: { params: ApplicationParams } }, (request) =>
    render(request, Form.of()),
  )

  pages.post('/me/applications/:id/messages', {
    config: { ...writing, again: (request, form) => render(request, Form.of(), form) },
    schema: { params: ApplicationParams, body: MessageForm },
    handler: async (request, reply) => {
      await sendFromForm(kit, request, 'candidate')
      return seeOther(reply, `/me/applications/${request.params.id}#messages`, t('messages.sent'))
    },
  })

  pages.post(
    '/me/applications/:id/withdraw',
    {
      config: { ...writing, again: (request, form) => render(request, form) },
      schema: { params: ApplicationParams, body: WithdrawBody },
    },
    async (request, reply) => {
      const { id } = request.params
      const withdrawal = { candidateId: signedIn(request).accountId, id, reason: request.body.reason ?? null }
      await doOnce(request, database, (tx) => withdrawApplication(tx, { ...withdrawal, now: clock.now() }))
      return seeOther(reply, `/me/applications/${id}`, t('applications.withdrew'))
    },
  )
}
