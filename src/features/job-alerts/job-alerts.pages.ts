import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError, isForLater } from '../../lib/errors.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { filterSchemas } from '../../lists/schema.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form, formBody } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, seeOther, signedIn } from '../../pages/page.ts'
import { besideListed, cardsOf, inMiles, unitOf } from '../board/index.ts'
import type { Kit } from '../feature.ts'
import { plainJobList } from '../jobs/index.ts'
import { criteriaQuery, parseMatchQuery } from './job-alerts.criteria.ts'
import { presentAlert } from './job-alerts.present.ts'
import { listAlerts } from './job-alerts.queries.ts'
import { AlertParams, JobAlertBody, JobAlertMergeBody, jobAlertList } from './job-alerts.schemas.ts'
import { createJobAlert, deleteJobAlert, getJobAlert, updateJobAlert } from './job-alerts.service.ts'
import { nameOfSearch, renderAlert, renderAlerts, renderNewAlert } from './job-alerts.views.ts'

const reading = { access: { kinds: ['candidate'], scope: 'alerts:read' } } as const
const writing = { access: { kinds: ['candidate'], scope: 'alerts:write' } } as const

/** Schema of the form. Each criterion has the type of its filter. */
const FormShape = {
  properties: {
    ...JobAlertBody.properties,
    criteria: { type: 'object', properties: filterSchemas(plainJobList) },
  },
}
const MATCHES_SHOWN = '5'
/** The members that the alert form can change. */
const EDITED = ['name', 'criteria', 'frequency']

/**
 * Parses the form. By default, criteria are an empty object, which matches every job. Drops the currency unless the
 * form limits the salary, because the form sends a currency even without a salary.
 */
async function readCriteria(request: FastifyRequest): Promise<void> {
  const body = { criteria: {} as Record<string, unknown>, ...(formBody(FormShape, request.form) as object) }
  const { salary_in: _, ...others } = body.criteria
  const isPayLimited = Object.keys(others).some((name) => name.startsWith('salary_m'))
  request.body = isPayLimited ? body : { ...body, criteria: others }
}

/** Returns the values needed to describe a search in words, and the currency of a new minimum salary. */
const wordsIn = ({ catalogue, settings }: Pick<Kit, 'catalogue' | 'settings'>, request: FastifyRequest) => ({
  catalogue,
  unit: unitOf(request),
  currency: settings.defaultCurrency,
})

export function registerJobAlertPages(pages: App, kit: Kit): void {
  registerAlertList(pages, kit)
  registerAlert(pages, kit)
}

function registerAlertList(pages: App, kit: Kit): void {
  const { database, clock } = kit
  const wordsFor = (request: FastifyRequest) => wordsIn(kit, request)

  pages.get(
    '/me/alerts',
    { config: reading, schema: { querystring: ListQuerystring(jobAlertList) } },
    async (request) => {
      const { accountId } = signedIn(request)
      const found = await database.read((db) => listAlerts(db, accountId, request.query))
      return renderAlerts(request.page, wordsFor(request), listed(request, found, presentAlert))
    },
  )

  const newAgain = (request: FastifyRequest, form: Form) => renderNewAlert(request.page, wordsFor(request), form)

  pages.get(
    '/me/alerts/new',
    {
      config: { ...writing, registerAt: '/register/candidate' },
      schema: { querystring: ListQuerystring(plainJobList) },
    },
    (request) => {
      const criteria = inMiles(request.query.applied)
      const form = Form.of({ name: nameOfSearch(criteria, wordsFor(request)), frequency: 'daily', criteria })
      return renderNewAlert(request.page, wordsFor(request), form)
    },
  )

  pages.post('/me/alerts/new', {
    config: { ...writing, again: newAgain },
    attachValidation: true,
    preValidation: readCriteria,
    schema: { body: JobAlertBody },
    handler: async (request, reply) => {
      const faults = request.faults
      const { accountId: candidateId } = signedIn(request)
      const id = await resultOnce(request, database, async (tx) => {
        const alert = await createJobAlert(tx, { candidateId, body: request.body, faults, now: clock.now() })
        return alert.id
      })
      return seeOther(reply, `/me/alerts/${id}`, t('job_alerts.created'))
    },
  })
}

function registerAlert(pages: App, kit: Kit): void {
  const { database, clock, cursorSecret, lists } = kit
  const cardsIn = cardsOf(kit)
  const offerBeside = besideListed(kit)

  const render = async (request: FastifyRequest, form?: Form) => {
    const { id } = request.params as { id: string }
    const alert = presentAlert(await database.read((db) => getJobAlert(db, signedIn(request).accountId, id)))
    const findMatches = async () => {
      const query = parseMatchQuery({ limit: MATCHES_SHOWN }, alert.criteria, cursorSecret)
      const { items, meta } = await lists.page('/jobs', query, cardsIn(), { account: request.chargedTo })
      const search = `/jobs?${new URLSearchParams(criteriaQuery(alert.criteria) as Record<string, string>)}`
      const beside = await offerBeside(request.page, items)
      return { items, beside, total: meta.pagination.total, search, found: meta.search }
    }
    // Finding the matches fails while the service is busy, or if the stored criteria have become invalid, for example
    // because a location is no longer known. The page shows the form anyway, so that the candidate can change the
    // criteria.
    const matches = await findMatches().catch((error) => {
      if (error instanceof AppError && (error.status === 400 || isForLater(error))) return error
      throw error
    })
    return renderAlert(request.page, {
      words: wordsIn(kit, request),
      alert,
      form: form ?? editorForm(alert, EDITED, { criteria: inMiles(alert.criteria) }),
      matches,
    })
  }

  pages.get('/me/alerts/:id', { config: reading, schema: { params: AlertParams } }, (request) => render(request))

  pages.post('/me/alerts/:id', {
    config: { ...writing, again: render },
    attachValidation: true,
    preValidation: async (request) => {
      await readCriteria(request)
      // `formBody` drops empty fields. Restores an empty name, so that it is reported as a fault.
      request.body = { name: '', ...(request.body as object) }
    },
    schema: { params: AlertParams, body: JobAlertMergeBody },
    handler: async (request, reply) => {
      const faults = request.faults
      const { id } = request.params
      const change = { id, body: request.body, faults, precondition: unlessChanged(request, EDITED) }
      await doOnce(request, database, (tx) =>
        updateJobAlert(tx, { candidateId: signedIn(request).accountId, ...change, now: clock.now() }),
      )
      return seeOther(reply, `/me/alerts/${id}`, t('job_alerts.notice_saved'))
    },
  })

  for (const [action, is_active] of [
    ['pause', false],
    ['resume', true],
  ] as const) {
    pages.post(
      `/me/alerts/:id/${action}`,
      { config: writing, schema: { params: AlertParams } },
      async (request, reply) => {
        const { id } = request.params as { id: string }
        const change = { id, body: { is_active }, faults: [], precondition: unconditionally }
        await database.inTx((tx) =>
          updateJobAlert(tx, { candidateId: signedIn(request).accountId, ...change, now: clock.now() }),
        )
        return seeOther(reply, '/me/alerts', is_active ? t('job_alerts.notice_resumed') : t('job_alerts.notice_paused'))
      },
    )
  }

  pages.post('/me/alerts/:id/delete', { config: writing, schema: { params: AlertParams } }, async (request, reply) => {
    const { accountId } = signedIn(request)
    await doOnce(request, database, (tx) => deleteJobAlert(tx, accountId, request.params.id, unconditionally))
    return seeOther(reply, '/me/alerts', t('job_alerts.notice_deleted'))
  })
}
