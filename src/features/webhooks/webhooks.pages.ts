/** Console pages to create and change webhooks, view their deliveries, and send deliveries again. */
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import { describePage } from '../../lists/meta.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { findEvent, presentEvent } from '../events/index.ts'
import {
  presentDelivery,
  presentDeliveryDetail,
  presentRecovery,
  presentTest,
  presentWebhook,
} from './webhooks.present.ts'
import { findRecovery, listAttempts, listDeliveries, listWebhooks } from './webhooks.queries.ts'
import { DeliveryParams, RecoveryParams, WebhookParams, type WebhooksDeps } from './webhooks.routes.ts'
import {
  deliveryList,
  RecoveryBody,
  RotationBody,
  TestBody,
  WebhookBody,
  WebhookMergeBody,
  webhookList,
} from './webhooks.schemas.ts'
import {
  beginTest,
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  recoverEvents,
  retryDelivery,
  rotateSecret,
  sendSample,
  updateWebhook,
  urlFaults,
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
} from './webhooks.views.ts'

const path = '/console/webhooks'
/** Members that the webhook form can change. */
const EDITED = ['url', 'events', 'description']
/** Default period of a recovery in milliseconds: the last day. */
const RECOVERED_MS = 86_400_000

/** Returns a function that reads the webhook in a request's path for its owner. */
const ownWebhook = (database: Database) => (request: FastifyRequest) =>
  database.read((db) => getWebhook(db, signedIn(request).accountId, (request.params as { id: string }).id))

const reading = { access: { scope: 'webhooks:read' } } as const
const writing = { access: { scope: 'webhooks:write' } } as const
const ownUrl = (id: string) => `${path}/${id}`

export function registerWebhookPages(pages: App, deps: WebhooksDeps): void {
  registerWebhookList(pages, deps)
  registerWebhook(pages, deps)
  registerSecretAndTest(pages, deps)
  registerDelivery(pages, deps)
  registerRecovery(pages, deps)
}

function registerWebhookList(pages: App, deps: WebhooksDeps): void {
  const { database, clock, cursorSecret, guard, secrets } = deps

  pages.get(
    path,
    {
      config: {
        ...reading,
        again: async (request: FastifyRequest, form: Form) => renderWebhooks(request.page, form, [], {}),
      },
      schema: { querystring: ListQuerystring(webhookList) },
    },
    async (request, reply) => {
      const { query } = request
      const found = await database.read((db) => listWebhooks(db, signedIn(request).accountId, query, cursorSecret))
      const { meta } = describePage(request.raw.url!, query, found)
      const form = Form.of(query.applied)
      return showPage(reply, renderWebhooks(request.page, form, found.rows.map(presentWebhook), meta.pagination))
    },
  )

  pages.get(`${path}/new`, { config: writing }, async (request, reply) =>
    showPage(reply, renderWebhookForm(request.page, Form.of(), undefined)),
  )

  pages.post(
    path,
    {
      config: {
        ...writing,
        again: (request: FastifyRequest, form: Form) => renderWebhookForm(request.page, form, undefined),
      },
      attachValidation: true,
      schema: { body: WebhookBody },
    },
    async (request, reply) => {
      const { body } = request
      const found = bodyFaultsOf(request)
      const faults = [...found, ...(await urlFaults(guard, body, found))]
      const { webhook, secret } = await doOnce(request, database, async (tx) => {
        const { row, secret } = await createWebhook(tx, {
          secrets,
          actor: signedIn(request),
          body,
          faults,
          now: clock.now(),
        })
        return { webhook: presentWebhook(row), secret }
      })
      // Shows the secret in this response instead of redirecting, so that the secret need not be stored in plain text.
      return showPage(reply, renderSecret(request.page, webhook, secret, 'created'), 201)
    },
  )
}

function registerWebhook(pages: App, deps: WebhooksDeps): void {
  const { database, clock, cursorSecret, guard } = deps
  const getOwn = ownWebhook(database)

  /** Renders the page of a webhook with its deliveries. */
  const showWebhook = async (request: FastifyRequest, form: Form, deliveries: Parameters<typeof renderWebhook>[3]) =>
    renderWebhook(request.page, presentWebhook(await getOwn(request)), form, deliveries)

  pages.get(
    `${path}/:id`,
    {
      config: {
        ...reading,
        again: (request: FastifyRequest, form: Form) => showWebhook(request, form, undefined),
      },
      schema: { params: WebhookParams, querystring: ListQuerystring(deliveryList) },
    },
    async (request, reply) => {
      const { params, query } = request
      await getOwn(request)
      const found = await database.read((db) => listDeliveries(db, params.id, query, cursorSecret))
      const { pagination } = describePage(request.raw.url!, query, found).meta
      const deliveries = { items: found.rows.map(presentDelivery), meta: pagination }
      return showPage(reply, await showWebhook(request, Form.of(query.applied), deliveries))
    },
  )

  pages.get(`${path}/:id/edit`, { config: writing, schema: { params: WebhookParams } }, async (request, reply) => {
    const webhook = presentWebhook(await getOwn(request))
    return showPage(reply, renderWebhookForm(request.page, editorForm(webhook, EDITED), webhook))
  })

  pages.post(
    `${path}/:id`,
    {
      config: {
        ...writing,
        again: async (request: FastifyRequest, form: Form) =>
          renderWebhookForm(request.page, form, presentWebhook(await getOwn(request))),
      },
      attachValidation: true,
      schema: { params: WebhookParams, body: WebhookMergeBody },
    },
    async (request, reply) => {
      const { params, body } = request
      const found = bodyFaultsOf(request)
      const faults = [...found]
      if ((await getOwn(request)).url !== body.url) faults.push(...(await urlFaults(guard, body, found)))
      const actor = signedIn(request)
      const precondition = unlessChanged(request, EDITED)
      await doOnce(request, database, async (tx) => {
        await updateWebhook(tx, { actor, id: params.id, body, faults, precondition, now: clock.now() })
      })
      const notices = { paused: 'Webhook paused.', active: 'Webhook resumed. New events are sent.' }
      const notice = body.status === undefined ? 'Changes saved.' : notices[body.status as keyof typeof notices]
      return seeOther(reply, ownUrl(params.id), notice)
    },
  )

  pages.post(`${path}/:id/delete`, { config: writing, schema: { params: WebhookParams } }, async (request, reply) => {
    const { accountId } = signedIn(request)
    await doOnce(request, database, (tx) => deleteWebhook(tx, accountId, request.params.id, unconditionally))
    return seeOther(reply, path, 'Webhook deleted.')
  })
}

function registerSecretAndTest(pages: App, deps: WebhooksDeps): void {
  const { database, clock, secrets } = deps
  const getOwn = ownWebhook(database)

  pages.get(`${path}/:id/secret`, { config: writing, schema: { params: WebhookParams } }, async (request, reply) => {
    const webhook = presentWebhook(await getOwn(request))
    return showPage(reply, renderSecretForm(request.page, webhook, Form.of({ grace_period_seconds: 86_400 })))
  })

  pages.post(
    `${path}/:id/rotate-secret`,
    {
      config: {
        ...writing,
        again: async (request: FastifyRequest, form: Form) =>
          renderSecretForm(request.page, presentWebhook(await getOwn(request)), form),
      },
      schema: { params: WebhookParams, body: RotationBody },
    },
    async (request, reply) => {
      const { params, body } = request
      const { accountId } = signedIn(request)
      const { webhook, secret } = await doOnce(request, database, async (tx) => {
        const { row, secret } = await rotateSecret(tx, {
          secrets,
          ownerId: accountId,
          id: params.id,
          body,
          now: clock.now(),
        })
        return { webhook: presentWebhook(row), secret }
      })
      return showPage(reply, renderSecret(request.page, webhook, secret, 'rotated'))
    },
  )

  pages.get(`${path}/:id/test`, { config: writing, schema: { params: WebhookParams } }, async (request, reply) => {
    const webhook = presentWebhook(await getOwn(request))
    return showPage(reply, renderTest(request.page, webhook, Form.of({ type: webhook.events[0] }), undefined))
  })

  pages.post(
    `${path}/:id/test`,
    {
      config: {
        ...writing,
        again: async (request: FastifyRequest, form: Form) =>
          renderTest(request.page, presentWebhook(await getOwn(request)), form, undefined),
      },
      schema: { params: WebhookParams, body: TestBody },
    },
    async (request, reply) => {
      const webhook = await getOwn(request)
      await database.inStatement((tx) => beginTest(tx, webhook, clock.now()))
      const { event, outcome } = await sendSample(deps, webhook, request.body)
      const sent = { event, test: presentTest(event, outcome) }
      return showPage(reply, renderTest(request.page, presentWebhook(webhook), Form.of({ type: event.type }), sent))
    },
  )
}

function registerDelivery(pages: App, deps: WebhooksDeps): void {
  const { database, clock } = deps

  const showDelivery = async (request: FastifyRequest, form: Form) => {
    const actor = signedIn(request)
    const { id, delivery_id } = request.params as { id: string; delivery_id: string }
    return database.read(async (db) => {
      const webhook = await getWebhook(db, actor.accountId, id)
      const delivery = await getDelivery(db, actor.accountId, id, delivery_id)
      const detail = presentDeliveryDetail(delivery, await listAttempts(db, delivery_id))
      const event = await findEvent(db, actor, delivery.event_id)
      return renderDelivery(request.page, {
        webhook: presentWebhook(webhook),
        delivery: detail,
        event: event && presentEvent(event),
        form,
      })
    })
  }

  pages.get(
    `${path}/:id/deliveries/:delivery_id`,
    { config: reading, schema: { params: DeliveryParams } },
    async (request, reply) => showPage(reply, await showDelivery(request, Form.of())),
  )

  pages.post(
    `${path}/:id/deliveries/:delivery_id/retry`,
    { config: { ...writing, again: showDelivery }, schema: { params: DeliveryParams } },
    async (request, reply) => {
      const { id, delivery_id } = request.params
      const { accountId } = signedIn(request)
      await doOnce(request, database, async (tx) => {
        await retryDelivery(tx, { ownerId: accountId, webhookId: id, id: delivery_id, now: clock.now() })
      })
      return seeOther(reply, `${ownUrl(id)}/deliveries/${delivery_id}`, 'Retry queued.')
    },
  )
}

function registerRecovery(pages: App, deps: WebhooksDeps): void {
  const { database, clock } = deps
  const getOwn = ownWebhook(database)

  pages.get(`${path}/:id/recover`, { config: writing, schema: { params: WebhookParams } }, async (request, reply) => {
    const since = new Date(clock.now().getTime() - RECOVERED_MS).toISOString()
    return showPage(reply, renderRecoveryForm(request.page, presentWebhook(await getOwn(request)), Form.of({ since })))
  })

  pages.post(
    `${path}/:id/recover`,
    {
      config: {
        ...writing,
        again: async (request: FastifyRequest, form: Form) =>
          renderRecoveryForm(request.page, presentWebhook(await getOwn(request)), form),
      },
      attachValidation: true,
      schema: { params: WebhookParams, body: RecoveryBody },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const { params, body } = request
      const { accountId } = signedIn(request)
      const recovery = await doOnce(
        request,
        database,
        async (tx) =>
          (await recoverEvents(tx, { ownerId: accountId, webhookId: params.id, body, faults, now: clock.now() })).id,
      )
      return seeOther(reply, `${ownUrl(params.id)}/recoveries/${recovery}`)
    },
  )

  pages.get(
    `${path}/:id/recoveries/:recovery_id`,
    { config: reading, schema: { params: RecoveryParams } },
    async (request, reply) => {
      const { id, recovery_id } = request.params
      const webhook = await getOwn(request)
      const row = await database.read((db) => findRecovery(db, signedIn(request).accountId, id, recovery_id))
      if (!row) throw new AppError('not_found')
      return showPage(reply, renderRecovery(request.page, presentWebhook(webhook), presentRecovery(row)))
    },
  )
}
