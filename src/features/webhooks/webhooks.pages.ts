/** Console pages for managing and testing webhooks, viewing their deliveries, and sending deliveries again. */
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import { DAY_MS } from '../../lib/time.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { problemInWords } from '../../pages/fault-words.ts'
import { Form } from '../../pages/forms.ts'
import type { Html } from '../../pages/html.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { listed, type PageContext, seeOther, showPage } from '../../pages/page.ts'
import { findEvent, presentEvent } from '../events/index.ts'
import {
  presentDelivery,
  presentDeliveryDetail,
  presentRecovery,
  presentTest,
  presentWebhook,
} from './webhooks.present.ts'
import {
  listAttempts,
  listDeliveries,
  listLastFailures,
  listRecentDeliveries,
  listWebhooks,
  type WebhookRow,
} from './webhooks.queries.ts'
import { DeliveryParams, RecoveryParams, WebhookParams, type WebhooksDeps } from './webhooks.routes.ts'
import { MINUTE_MS } from './webhooks.schedule.ts'
import {
  deliveryList,
  RecoveryBody,
  RotationBody,
  TestBody,
  type Webhook,
  WebhookBody,
  WebhookMergeBody,
  webhookList,
} from './webhooks.schemas.ts'
import {
  beginTest,
  createWebhook,
  deleteWebhook,
  getDelivery,
  getRecovery,
  getWebhook,
  recoverEvents,
  retryDelivery,
  rotateSecret,
  sendSample,
  updateWebhook,
  withUrlFaults,
} from './webhooks.service.ts'
import {
  renderDelivery,
  renderRecovery,
  renderRecoveryForm,
  renderSecret,
  renderSecretForm,
  renderTest,
  renderWebhook,
  renderWebhookForm,
  renderWebhooks,
  type TestResult,
  type WatchedWebhook,
} from './webhooks.views.ts'

const path = '/console/webhooks'
/** Members that the webhook form can change. */
const EDITED = ['url', 'events', 'description']

const reading = { access: { scope: 'webhooks:read' } } as const
const writing = { access: { scope: 'webhooks:write' } } as const
const ownUrl = (id: string) => `${path}/${id}`

/** Returns a function that finds the webhook in a request's path, if the caller owns it. */
const ownWebhook = (database: Database) => (request: FastifyRequest) =>
  database.read((db) => getWebhook(db, request.actor.accountId, (request.params as { id: string }).id))

/** Returns a function that renders a form for the webhook in a request's path. */
const ownForm =
  (database: Database, render: (page: PageContext, form: Form, webhook: Webhook) => Html) =>
  async (request: FastifyRequest, form: Form) =>
    render(request.page, form, presentWebhook(await ownWebhook(database)(request)))

/** Returns the webhooks with the results of their latest deliveries. */
async function watch(database: Database, rows: readonly WebhookRow[], now: Date): Promise<WatchedWebhook[]> {
  const ids = rows.map(({ id }) => id)
  const [recent, failures] = await Promise.all([
    database.read((db) => listRecentDeliveries(db, ids, now)),
    database.read((db) => listLastFailures(db, ids)),
  ])
  return rows.map((row) => {
    const failure = failures.find(({ webhook_id }) => webhook_id === row.id)
    return {
      ...presentWebhook(row),
      hours: recent.filter(({ webhook_id }) => webhook_id === row.id),
      isFailing: row.consecutive_failures > 0,
      lastFailure: failure && { at: failure.started_at.toISOString(), status: failure.status },
    }
  })
}

export function registerWebhookPages(pages: App, deps: WebhooksDeps): void {
  registerWebhookList(pages, deps)
  registerWebhook(pages, deps)
  registerSecret(pages, deps)
  registerTest(pages, deps)
  registerDelivery(pages, deps)
  registerRecovery(pages, deps)
}

function registerWebhookList(pages: App, deps: WebhooksDeps): void {
  const { database, clock, guard, secrets } = deps

  pages.get(path, {
    config: { ...reading, again: async (request, form) => renderWebhooks(request.page, form) },
    schema: { querystring: ListQuerystring(webhookList) },
    handler: async (request) => {
      const { actor, query } = request
      const found = await database.read((db) => listWebhooks(db, actor.accountId, query))
      const rows = await watch(database, found.rows, clock.now())
      const webhooks = listed(request, { ...found, rows }, (webhook) => webhook)
      return renderWebhooks(request.page, Form.of(query.applied), webhooks)
    },
  })

  pages.get(`${path}/new`, { config: writing }, (request) => renderWebhookForm(request.page, Form.of()))

  pages.post(path, {
    config: { ...writing, again: (request, form) => renderWebhookForm(request.page, form) },
    attachValidation: true,
    schema: { body: WebhookBody },
    handler: async (request, reply) => {
      const { actor, body } = request
      const faults = await withUrlFaults(guard, body, request.faults)
      const { webhook, secret } = await resultOnce(request, database, async (tx) => {
        const { row, secret } = await createWebhook(tx, { secrets, actor, body, faults, now: clock.now() })
        return { webhook: presentWebhook(row), secret }
      })
      // Shows the secret in this response instead of redirecting. The secret then need not be stored in plain text.
      return showPage(reply, renderSecret(request.page, webhook, secret, 'created'), 201)
    },
  })
}

function registerWebhook(pages: App, deps: WebhooksDeps): void {
  const { database, clock, guard } = deps
  const getOwn = ownWebhook(database)
  const showForm = ownForm(database, renderWebhookForm)
  const getWatched = async (request: FastifyRequest) => {
    const row = await getOwn(request)
    const [webhook] = await watch(database, [row], clock.now())
    return webhook!
  }

  pages.get(`${path}/:id`, {
    config: {
      ...reading,
      again: async (request, form) => renderWebhook(request.page, form, await getWatched(request)),
    },
    schema: { params: WebhookParams, querystring: ListQuerystring(deliveryList) },
    handler: async (request) => {
      const { params, query } = request
      const webhook = await getWatched(request)
      const found = await database.read((db) => listDeliveries(db, params.id, query))
      const deliveries = listed(request, found, presentDelivery)
      return renderWebhook(request.page, Form.of(query.applied), webhook, deliveries)
    },
  })

  pages.get(`${path}/:id/edit`, { config: writing, schema: { params: WebhookParams } }, async (request) => {
    const webhook = presentWebhook(await getOwn(request))
    return renderWebhookForm(request.page, editorForm(webhook, EDITED), webhook)
  })

  pages.post(`${path}/:id`, {
    config: { ...writing, again: showForm },
    attachValidation: true,
    schema: { params: WebhookParams, body: WebhookMergeBody },
    handler: async (request, reply) => {
      const { actor, params, body } = request
      let faults = request.faults
      if ((await getOwn(request)).url !== body.url) faults = await withUrlFaults(guard, body, faults)
      const precondition = unlessChanged(request, EDITED)
      await doOnce(request, database, (tx) =>
        updateWebhook(tx, { actor, id: params.id, body, faults, precondition, now: clock.now() }),
      )
      const notices = { paused: t('webhooks.notice_paused'), active: t('webhooks.notice_resumed') }
      const { status } = body
      const notice = status === undefined ? t('webhooks.notice_saved') : notices[status as keyof typeof notices]
      return seeOther(reply, ownUrl(params.id), notice)
    },
  })

  pages.post(`${path}/:id/delete`, { config: writing, schema: { params: WebhookParams } }, async (request, reply) => {
    const { actor, params } = request
    await doOnce(request, database, (tx) => deleteWebhook(tx, actor.accountId, params.id, unconditionally))
    return seeOther(reply, path, t('webhooks.notice_deleted'))
  })
}

function registerSecret(pages: App, { database, clock, secrets }: WebhooksDeps): void {
  const showForm = ownForm(database, renderSecretForm)

  pages.get(`${path}/:id/secret`, { config: writing, schema: { params: WebhookParams } }, (request) =>
    showForm(request, Form.of({ grace_period_seconds: 86_400 })),
  )

  pages.post(`${path}/:id/rotate-secret`, {
    config: { ...writing, again: showForm },
    schema: { params: WebhookParams, body: RotationBody },
    handler: async (request) => {
      const { actor, params, body } = request
      const { webhook, secret } = await resultOnce(request, database, async (tx) => {
        const { row, secret } = await rotateSecret(tx, { secrets, owner: actor, params, body, now: clock.now() })
        return { webhook: presentWebhook(row), secret }
      })
      return renderSecret(request.page, webhook, secret, 'rotated')
    },
  })
}

function registerTest(pages: App, deps: WebhooksDeps): void {
  const { database, clock } = deps
  const getOwn = ownWebhook(database)
  /** Test results by form ID. Reloading a result then shows it again instead of sending another sample. */
  const results = new LRUCache<string, TestResult>({ max: 100, ttl: 10 * MINUTE_MS })

  pages.get(`${path}/:id/test`, { config: writing, schema: { params: WebhookParams } }, async (request) => {
    const webhook = presentWebhook(await getOwn(request))
    return renderTest(request.page, Form.of({ type: webhook.events[0] }), webhook)
  })

  pages.post(`${path}/:id/test`, {
    config: { ...writing, again: ownForm(database, renderTest) },
    schema: { params: WebhookParams, body: TestBody },
    handler: async (request, reply) => {
      const webhook = await getOwn(request)
      const show = (result: TestResult) =>
        renderTest(request.page, Form.of({ type: result.event.type }), presentWebhook(webhook), result)
      const formId = request.once?.id
      const known = formId === undefined ? undefined : results.get(formId)
      if (known) return show(known)
      try {
        await database.inStatement((tx) => beginTest(tx, webhook, clock.now()))
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'rate_limited')) throw error
        const form = Form.sent(request.form, [{ pointer: '#', code: error.code, detail: problemInWords(error) }])
        return showPage(reply, renderTest(request.page, form, presentWebhook(webhook)), error.status)
      }
      const { event, outcome } = await sendSample(deps, webhook, request.body)
      const result = { event, test: presentTest(event, outcome) }
      if (formId !== undefined) results.set(formId, result)
      return show(result)
    },
  })
}

function registerDelivery(pages: App, { database, clock }: WebhooksDeps): void {
  const showDelivery = async ({ actor, params, page }: FastifyRequest, form: Form) => {
    const { id, delivery_id } = params as { id: string; delivery_id: string }
    return database.read(async (db) => {
      const webhook = presentWebhook(await getWebhook(db, actor.accountId, id))
      const row = await getDelivery(db, actor.accountId, { id, delivery_id })
      const delivery = presentDeliveryDetail(row, await listAttempts(db, delivery_id))
      const event = await findEvent(db, actor, row.event_id)
      return renderDelivery(page, form, { webhook, delivery, event: event && presentEvent(event) })
    })
  }

  pages.get(`${path}/:id/deliveries/:delivery_id`, {
    config: reading,
    schema: { params: DeliveryParams },
    handler: (request) => showDelivery(request, Form.of()),
  })

  pages.post(`${path}/:id/deliveries/:delivery_id/retry`, {
    config: { ...writing, again: showDelivery },
    schema: { params: DeliveryParams },
    handler: async (request, reply) => {
      const { actor, params } = request
      await doOnce(request, database, (tx) => retryDelivery(tx, { owner: actor, params, now: clock.now() }))
      return seeOther(reply, `${ownUrl(params.id)}/deliveries/${params.delivery_id}`, t('webhooks.notice_retry'))
    },
  })
}

function registerRecovery(pages: App, { database, clock }: WebhooksDeps): void {
  const showForm = ownForm(database, renderRecoveryForm)

  pages.get(`${path}/:id/recover`, { config: writing, schema: { params: WebhookParams } }, (request) => {
    const since = new Date(clock.now().getTime() - DAY_MS).toISOString()
    return showForm(request, Form.of({ since }))
  })

  pages.post(`${path}/:id/recover`, {
    config: { ...writing, again: showForm },
    attachValidation: true,
    schema: { params: WebhookParams, body: RecoveryBody },
    handler: async (request, reply) => {
      const { actor, params, body } = request
      const faults = request.faults
      const id = await resultOnce(request, database, async (tx) => {
        const row = await recoverEvents(tx, { owner: actor, params, body, faults, now: clock.now() })
        return row.id
      })
      return seeOther(reply, `${ownUrl(params.id)}/recoveries/${id}`)
    },
  })

  pages.get(`${path}/:id/recoveries/:recovery_id`, {
    config: reading,
    schema: { params: RecoveryParams },
    handler: async (request) => {
      const { actor, params } = request
      const webhook = presentWebhook(await ownWebhook(database)(request))
      const row = await database.read((db) => getRecovery(db, actor.accountId, params))
      return renderRecovery(request.page, webhook, presentRecovery(row))
    },
  })
}
