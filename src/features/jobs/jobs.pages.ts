import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError, type BodyFault } from '../../lib/errors.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { problemInWords } from '../../pages/fault-words.ts'
import { emptyFaults, Form, type FormFields } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import { detectLanguage } from '../../search/text/language.ts'
import type { Kit } from '../feature.ts'
import { listPaidProducts, paidRunConsumer } from '../payments/index.ts'
import { findJobCompany } from './job-company.ts'
import { assertMayChange } from './jobs.access.ts'
import { placingOf } from './jobs.columns.ts'
import { countOwnJobs, listOwnJobs } from './jobs.list-queries.ts'
import { presentJobDetail } from './jobs.present.ts'
import { findJob, type JobRow } from './jobs.queries.ts'
import { activateJob, awaitsPublication, closeJob, reopenJob } from './jobs.runs.ts'
import { CloseBody, JobBody, JobMergeBody, JobParams, ownJobList, writableJobMembers } from './jobs.schemas.ts'
import { createJob, deleteJob, draftJob, updateJob } from './jobs.service.ts'
import { jobState, postingOf } from './jobs.state.ts'
import {
  type Editor,
  type OwnJob,
  PLACE,
  PLACE_OF,
  PREVIEW_PATH,
  renderDeletion,
  renderEditor,
  renderLivePreview,
  renderOwnJob,
  renderOwnJobs,
  renderPreview,
} from './jobs.views.ts'
import { readyForSearch } from './jobs.words.ts'
import { changeQuestions } from './question-builder.pages.ts'

const NEEDED = ['title', 'location', 'type', 'category', 'description']
type JobRequest = FastifyRequest<{ Params: { id: string } }>

const reading = { access: { kinds: ['employer'], scope: 'jobs:read' } } as const
const writing = { access: { kinds: ['employer'], scope: 'jobs:write' } } as const
const params = JobParams
const pathOf = (id: string, page = '') => `/employer/jobs/${id}${page}`

function partsOf(kit: Kit) {
  const { database, clock, settings, catalogue, provider } = kit
  const { isFree } = provider
  const presentOwn = (row: JobRow): OwnJob => {
    const now = clock.now()
    return {
      ...presentJobDetail(row, { ...settings, now }),
      application_count: row.application_count,
      state: jobState(row, now),
      plannedFor: awaitsPublication(row, now) ? row.publish_at!.toISOString() : null,
      removal: row.removed_at && { at: row.removed_at.toISOString(), reason: row.removal_reason ?? '' },
    }
  }
  const getOwn = async (request: FastifyRequest): Promise<JobRow> => {
    const row = await database.read((db) => findJob(db, (request.params as { id: string }).id))
    assertMayChange(row, signedIn(request))
    return row
  }
  const readinessOf = async ({ id, state }: OwnJob) => {
    const paid = await database.read((db) => listPaidProducts(db, id))
    return { isReady: isFree || postingOf(state, paid) === 'paid', isFree }
  }
  const warnOfCopy = ({ page }: FastifyRequest, id: string) =>
    database.read(async (db) => kit.collect('copyWarning')[0]?.(db, id, page))
  return {
    ...kit,
    presentOwn,
    getOwn,
    readinessOf,
    warnOfCopy,
    async renderOverview(request: FastifyRequest, form: Form = Form.of()) {
      const row = await getOwn(request)
      const job = presentOwn(row)
      return renderOwnJob(request.page, catalogue, job, {
        readiness: await readinessOf(job),
        placing: placingOf(row.location),
        warning: await warnOfCopy(request, row.id),
        form,
      })
    },
    actionOf: (request: JobRequest) => ({ actor: signedIn(request), id: request.params.id, now: clock.now() }),
    create: (request: FastifyRequest, body: JobBody, faults: readonly BodyFault[]) =>
      resultOnce(
        request,
        database,
        async (tx) => (await createJob(tx, settings, signedIn(request), { body, faults, now: clock.now() })).id,
      ),
  }
}
type Parts = ReturnType<typeof partsOf>

export function registerJobPages(pages: App, kit: Kit): void {
  const parts = partsOf(kit)
  registerList(pages, parts)
  registerCreation(pages, parts)
  registerEditor(pages, parts)
  registerJob(pages, parts)
  registerActions(pages, parts)
}

function registerList(pages: App, { database, searches, clock, rates, presentOwn }: Parts): void {
  const countStates = (request: FastifyRequest) =>
    database.read((db) => countOwnJobs(db, signedIn(request).accountId, clock.now()))

  pages.get('/employer/jobs', {
    config: {
      ...reading,
      again: async (request, form) => renderOwnJobs(request.page, form, await countStates(request), undefined),
    },
    schema: { querystring: ListQuerystring(ownJobList) },
    handler: async (request) => {
      const { query } = request
      const now = clock.now()
      const { accountId } = signedIn(request)
      await readyForSearch(database, accountId, query)
      const listing = { now, exchange: rates.now }
      const found = await searches.read(accountId, (db) => listOwnJobs(db, accountId, query, listing))
      const ofCompany = { company_logo_url: null, company_website: null, is_of_suspended: false }
      const jobs = listed(request, found, (row) => presentOwn({ ...row, ...ofCompany }))
      return renderOwnJobs(request.page, Form.of(query.applied), await countStates(request), jobs)
    },
  })
}

/** Returns the town that the employer chose for an ambiguous location, unless the location has changed since. */
function chosenPlace(fields: FormFields): string | undefined {
  const [location, offeredFor, place] = ['location', PLACE_OF, PLACE].map((name) => fields.get(name)?.at(-1))
  const isChosen = typeof location === 'string' && typeof place === 'string' && location.trim() === offeredFor
  return isChosen ? place : undefined
}

/** Replaces an ambiguous location in a form with the town that the employer chose. */
async function choosePlace(request: FastifyRequest): Promise<void> {
  const place = chosenPlace(request.form)
  if (place === undefined) return
  request.form = new Map([...request.form, ['location', [place]]])
  request.body = { ...(request.body as object), location: place }
}

/**
 * Applies the pressed button of the question editor to the form. Returns undefined if no such button was pressed.
 */
function builtAnew(request: FastifyRequest): Form | undefined {
  const asked = request.form.get('_do')?.at(-1)
  const fields = typeof asked === 'string' ? changeQuestions(request.form, asked) : undefined
  return fields && Form.sent(fields, [])
}

function afterSaving(request: FastifyRequest, reply: FastifyReply, id: string): FastifyReply {
  const next = request.form.get('_do')?.at(-1)
  return seeOther(reply, pathOf(id, next === 'preview' || next === 'pay' ? `/${next}` : ''), t('jobs.saved'))
}

function registerCreation(pages: App, parts: Parts): void {
  const { database, clock, settings, catalogue, create } = parts
  const newEditor: Editor = {
    catalogue,
    action: '/employer/jobs/new',
    job: undefined,
    currency: settings.defaultCurrency,
    placingOf,
  }

  pages.get('/employer/jobs/new', { config: { ...writing, registerAt: '/register/employer' } }, (request) =>
    renderEditor(request.page, newEditor, Form.of({ type: 'full-time' })),
  )

  pages.post('/employer/jobs/new', {
    config: { ...writing, again: (request, form) => renderEditor(request.page, newEditor, form) },
    attachValidation: true,
    preValidation: choosePlace,
    schema: { body: JobBody },
    handler: async (request, reply) => {
      const built = builtAnew(request)
      if (built) return renderEditor(request.page, newEditor, built)
      const faults = request.faults
      const id = await create(request, request.body, faults)
      return afterSaving(request, reply, id)
    },
  })

  pages.post(PREVIEW_PATH, {
    config: writing,
    attachValidation: true,
    schema: { body: JobBody },
    handler: async (request) => {
      const form = Form.sent(request.form, [])
      const location = chosenPlace(request.form) ?? request.body.location
      const sent = { body: { ...request.body, location }, faults: request.faults, now: clock.now() }
      const job = await database.read((db) => draftJob(db, settings, signedIn(request), sent))
      return renderLivePreview(newEditor, form, job, sent.now)
    },
  })
}

function registerEditor(pages: App, parts: Parts): void {
  const { database, clock, settings, catalogue, presentOwn, getOwn, warnOfCopy, renderOverview } = parts
  const editorOf = async (request: FastifyRequest, row: JobRow): Promise<Editor> => ({
    catalogue,
    action: pathOf(row.id, '/edit'),
    job: presentOwn(row),
    currency: settings.defaultCurrency,
    placingOf,
    warning: await warnOfCopy(request, row.id),
  })

  pages.get('/employer/jobs/:id/edit', { config: writing, schema: { params } }, async (request: JobRequest) => {
    const row = await getOwn(request)
    const job = presentOwn(row)
    const shown = {
      expires_at: job.expires_at?.slice(0, 10),
      publish_at: job.publish_at?.slice(0, 10),
      application_url: row.application_url,
      locations: job.locations.filter((location) => location !== job.location),
      // Omits a detected language, because it must follow later changes to the text.
      language: job.language === detectLanguage(job) ? null : job.language,
    }
    const form = editorForm(job, writableJobMembers, shown)
    return renderEditor(request.page, await editorOf(request, row), form)
  })

  pages.post('/employer/jobs/:id/edit', {
    config: {
      ...writing,
      // The form that asks which town is meant has no title field.
      again: async (request, form) =>
        request.form.has('title')
          ? renderEditor(request.page, await editorOf(request, await getOwn(request)), form)
          : renderOverview(request, form),
    },
    attachValidation: true,
    preValidation: choosePlace,
    schema: { params, body: JobMergeBody },
    handler: async (request, reply) => {
      const row = await getOwn(request)
      const built = builtAnew(request)
      if (built) return renderEditor(request.page, await editorOf(request, row), built)
      const faults = [...request.faults, ...emptyFaults(request.form, NEEDED)]
      // The two date fields contain only days. If a day has not changed, the job keeps its exact time.
      const isSame = (name: 'expires_at' | 'publish_at') =>
        request.body[name] === (row[name]?.toISOString().slice(0, 10) ?? null)
      const kept = (['expires_at', 'publish_at'] as const).filter(isSame)
      const body = { ...request.body }
      for (const name of kept) delete body[name]
      const precondition = unlessChanged(request, writableJobMembers)
      await doOnce(request, database, (tx) =>
        updateJob(tx, settings, {
          ...{ actor: signedIn(request), id: row.id, body, faults, precondition },
          now: clock.now(),
        }),
      )
      return afterSaving(request, reply, row.id)
    },
  })
}

function registerJob(pages: App, parts: Parts): void {
  const { database, clock, catalogue, presentOwn, getOwn, readinessOf, warnOfCopy, renderOverview } = parts
  pages.get('/employer/jobs/:id/preview', { config: reading, schema: { params } }, async (request: JobRequest) => {
    const row = await getOwn(request)
    const company = await database.read((db) => findJobCompany(db, row.employer_id))
    const job = presentOwn(row)
    const [readiness, warning] = [await readinessOf(job), await warnOfCopy(request, row.id)]
    const view = { company, readiness, warning, now: clock.now() }
    return renderPreview(request.page, catalogue, job, view)
  })

  pages.get('/employer/jobs/:id', { config: reading, schema: { params } }, (request: JobRequest) =>
    renderOverview(request),
  )

  pages.get('/employer/jobs/:id/delete', { config: writing, schema: { params } }, async (request: JobRequest) =>
    renderDeletion(request.page, presentOwn(await getOwn(request))),
  )
}

function registerActions(pages: App, parts: Parts): void {
  const { database, settings, provider, presentOwn, getOwn, create, renderOverview, actionOf } = parts
  const consumePaidRun = paidRunConsumer(provider)
  const acting = { ...writing, again: renderOverview } as const

  pages.post(
    '/employer/jobs/:id/activate',
    { config: acting, schema: { params } },
    async (request: JobRequest, reply) => {
      const { id } = request.params
      try {
        await doOnce(request, database, (tx) => activateJob(tx, settings, consumePaidRun, actionOf(request)))
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'payment_required')) throw error
        return seeOther(reply, pathOf(id, '/pay'), problemInWords(error), 'bad')
      }
      return seeOther(reply, pathOf(id), t('jobs.activated'))
    },
  )

  pages.post(
    '/employer/jobs/:id/close',
    { config: acting, schema: { params, body: CloseBody } },
    async (request, reply) => {
      const { id } = request.params
      const reason = request.body.reason ?? null
      await doOnce(request, database, (tx) => closeJob(tx, settings, actionOf(request), reason))
      return seeOther(reply, pathOf(id), t('jobs.was_closed'))
    },
  )

  pages.post(
    '/employer/jobs/:id/reopen',
    { config: acting, schema: { params } },
    async (request: JobRequest, reply) => {
      const { id } = request.params
      await doOnce(request, database, (tx) => reopenJob(tx, settings, actionOf(request)))
      return seeOther(reply, pathOf(id), t('jobs.reopened'))
    },
  )

  pages.post(
    '/employer/jobs/:id/duplicate',
    { config: acting, schema: { params } },
    async (request: JobRequest, reply) => {
      const row = await getOwn(request)
      const copied = { ...presentOwn(row), application_url: row.application_url }
      const members = writableJobMembers.filter((member) => member !== 'expires_at' && member !== 'publish_at')
      const body = Object.fromEntries(members.map((member) => [member, copied[member]])) as JobBody
      const id = await create(request, body, [])
      return seeOther(reply, pathOf(id, '/edit'), t('jobs.duplicated'))
    },
  )

  pages.post(
    '/employer/jobs/:id/delete',
    { config: acting, schema: { params } },
    async (request: JobRequest, reply) => {
      await doOnce(request, database, (tx) => deleteJob(tx, settings, actionOf(request), unconditionally))
      return seeOther(reply, '/employer/jobs', t('jobs.deleted'))
    },
  )
}
