import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { resourceTag } from '../../http/etag.ts'
import { answerDone, answerPost } from '../../http/idempotency.ts'
import { Envelope, Id, NoContent, Ref, Strict } from '../../lib/schema.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import type { WebhookParts } from './webhooks.contract.ts'
import {
  presentDelivery,
  presentDeliveryDetail,
  presentRecovery,
  presentTest,
  presentWebhook,
  presentWebhookWithSecret,
} from './webhooks.present.ts'
import { listAttempts, listDeliveries, listWebhooks } from './webhooks.queries.ts'
import {
  deliveryList,
  RecoveryBody,
  RotationBody,
  TestBody,
  WebhookBody,
  WebhookDeliveryDetailSchema,
  WebhookDeliverySchema,
  WebhookMergeBody,
  WebhookRecoverySchema,
  WebhookSchema,
  WebhookTestSchema,
  WebhookWithSecretSchema,
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

export type WebhooksDeps = Pick<Kit, 'database' | 'reads' | 'clock' | 'cursorSecret'> & WebhookParts

export const WebhookParams = Strict({ id: Id('webhook') })
export const DeliveryParams = Strict({ id: Id('webhook'), delivery_id: Id('webhookDelivery') })
export const RecoveryParams = Strict({ id: Id('webhook'), recovery_id: Id('webhookRecovery') })
const path = '/webhooks'

const reading = { access: { scope: 'webhooks:read' } } as const
const writing = { access: { scope: 'webhooks:write' } } as const

export function registerWebhooks(app: App, deps: WebhooksDeps): void {
  const { database, reads, clock, guard, secrets } = deps
  const getOwn = ({ actor, params }: ResourceRequest) => reads.read((db) => getWebhook(db, actor.accountId, params.id))
  const getOwnDelivery = ({ actor, params }: ResourceRequest<{ id: string; delivery_id: string }>) =>
    reads.read((db) => getDelivery(db, actor.accountId, params))

  app.post(path, {
    config: writing,
    attachValidation: true,
    schema: {
      operationId: 'createWebhook',
      summary: 'Create a webhook; it receives the events of the given types that the account may see',
      body: WebhookBody,
      response: { 201: Envelope(Ref(WebhookWithSecretSchema)) },
    },
    handler: async ({ actor, body, faults: bodyFaults }, reply) => {
      const faults = await withUrlFaults(guard, body, bodyFaults)
      return answerPost(reply, database, async (tx) => {
        const created = await createWebhook(tx, { secrets, actor, body, faults, now: clock.now() })
        const location = `/v1${path}/${created.row.id}`
        return {
          headers: { location, etag: resourceTag(presentWebhook(created.row)), 'cache-control': 'no-store' },
          body: { data: presentWebhookWithSecret(created) },
        }
      })
    },
  })

  app.get(path, {
    config: reading,
    schema: {
      operationId: 'listWebhooks',
      summary: "List the account's webhooks",
      querystring: ListQuerystring(webhookList),
      response: { 200: ListEnvelope(Ref(WebhookSchema)) },
    },
    handler: async ({ actor, query }, reply) =>
      presentList(reply, await reads.read((db) => listWebhooks(db, actor.accountId, query)), presentWebhook),
  })

  app.get(`${path}/:id`, {
    config: { ...reading, guard: getOwn },
    schema: {
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      params: WebhookParams,
      response: { 200: Envelope(Ref(WebhookSchema)) },
    },
    handler: async (request) => ({ data: presentWebhook(await getOwn(request)) }),
  })

  app.put(`${path}/:id`, {
    config: { ...writing, guard: getOwn },
    attachValidation: true,
    schema: {
      operationId: 'updateWebhook',
      summary: 'Change, pause or resume a webhook; absent fields keep their values',
      description:
        'Pausing cancels pending deliveries. Resuming does not send them: use `recover`. A new URL also applies to ' +
        'pending deliveries. The webhook is disabled when the API key that created or last changed it is deleted or ' +
        'expires. To assign the webhook to another key, send `{}` with that key.',
      params: WebhookParams,
      body: WebhookMergeBody,
      response: { 200: Envelope(Ref(WebhookSchema)) },
    },
    handler: async (request) => {
      const { actor, params, body } = request
      let faults = request.faults
      // Skips an unchanged URL: it was checked before, and is checked again for every connection.
      if ((await getOwn(request)).url !== body.url) faults = await withUrlFaults(guard, body, faults)
      const precondition = request.precondition
      const row = await database.inTx((tx) =>
        updateWebhook(tx, { actor, id: params.id, body, faults, precondition, now: clock.now() }),
      )
      return { data: presentWebhook(row) }
    },
  })

  app.delete(`${path}/:id`, {
    config: { ...writing, guard: getOwn },
    schema: {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook and its deliveries',
      params: WebhookParams,
      response: { 204: NoContent },
    },
    handler: async ({ actor, params, precondition }) => {
      await database.inTx((tx) => deleteWebhook(tx, actor.accountId, params.id, precondition))
    },
  })

  app.post(`${path}/:id/rotate-secret`, {
    config: { ...writing, guard: getOwn },
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: "Rotate a webhook's secret; both secrets sign requests until the grace period ends",
      params: WebhookParams,
      body: RotationBody,
      response: { 200: Envelope(Ref(WebhookWithSecretSchema)) },
    },
    handler: async ({ actor, params, body }, reply) =>
      answerPost(reply, database, async (tx) => {
        const rotated = await rotateSecret(tx, { secrets, owner: actor, params, body, now: clock.now() })
        return { headers: { 'cache-control': 'no-store' }, body: { data: presentWebhookWithSecret(rotated) } }
      }),
  })

  app.post(`${path}/:id/test`, {
    config: { ...writing, guard: getOwn },
    schema: {
      operationId: 'testWebhook',
      summary: "Send one sample event now and return the receiver's response; at most every five seconds",
      params: WebhookParams,
      body: TestBody,
      response: { 200: Envelope(Ref(WebhookTestSchema)) },
    },
    handler: async (request, reply) => {
      const webhook = await getOwn(request)
      await database.inStatement((tx) => beginTest(tx, webhook, clock.now()))
      const { event, outcome } = await sendSample(deps, webhook, request.body)
      return answerDone(reply, database, { body: { data: presentTest(event, outcome) } })
    },
  })

  app.get(`${path}/:id/deliveries`, {
    config: { ...reading, guard: getOwn },
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: "List a webhook's deliveries",
      params: WebhookParams,
      querystring: ListQuerystring(deliveryList),
      response: { 200: ListEnvelope(Ref(WebhookDeliverySchema)) },
    },
    handler: async (request, reply) => {
      const { id } = await getOwn(request)
      const page = await reads.read((db) => listDeliveries(db, id, request.query))
      return presentList(reply, page, presentDelivery)
    },
  })

  app.get(`${path}/:id/deliveries/:delivery_id`, {
    config: { ...reading, guard: getOwnDelivery },
    schema: {
      operationId: 'getWebhookDelivery',
      summary: 'Get a delivery with its attempts',
      params: DeliveryParams,
      response: { 200: Envelope(Ref(WebhookDeliveryDetailSchema)) },
    },
    handler: async (request) => {
      const delivery = await getOwnDelivery(request)
      const attempts = await reads.read((db) => listAttempts(db, delivery.id))
      return { data: presentDeliveryDetail(delivery, attempts) }
    },
  })

  app.post(`${path}/:id/deliveries/:delivery_id/retry`, {
    config: { ...writing, guard: getOwnDelivery },
    schema: {
      operationId: 'retryWebhookDelivery',
      summary: 'Queue an extra attempt for a delivery, in addition to its schedule',
      description: 'A success ends the schedule. A failure does not change it.',
      params: DeliveryParams,
      body: Strict({}),
      response: { 202: Envelope(Ref(WebhookDeliverySchema)) },
    },
    handler: async ({ actor, params }, reply) =>
      answerPost(reply, database, async (tx) => {
        const row = await retryDelivery(tx, { owner: actor, params, now: clock.now() })
        return { body: { data: presentDelivery(row) } }
      }),
  })

  app.post(`${path}/:id/recover`, {
    config: { ...writing, guard: getOwn },
    attachValidation: true,
    schema: {
      operationId: 'recoverWebhook',
      summary: 'Queue the undelivered events in a time range',
      description: 'Runs in the background. Does not change delivered or pending deliveries.',
      params: WebhookParams,
      body: RecoveryBody,
      response: {
        202: {
          ...Envelope(Ref(WebhookRecoverySchema)),
          headers: { Location: { type: 'string', description: 'URL of the recovery, which shows its progress.' } },
        },
      },
    },
    handler: async ({ actor, params, body, faults }, reply) =>
      answerPost(reply, database, async (tx) => {
        const row = await recoverEvents(tx, { owner: actor, params, body, faults, now: clock.now() })
        const headers = { location: `/v1${path}/${params.id}/recoveries/${row.id}` }
        return { headers, body: { data: presentRecovery(row) } }
      }),
  })

  app.get(`${path}/:id/recoveries/:recovery_id`, {
    config: reading,
    schema: {
      operationId: 'getWebhookRecovery',
      summary: 'Get the progress of a recovery',
      params: RecoveryParams,
      response: { 200: Envelope(Ref(WebhookRecoverySchema)) },
    },
    handler: async ({ actor, params }) => {
      const row = await reads.read((db) => getRecovery(db, actor.accountId, params))
      return { data: presentRecovery(row) }
    },
  })
}
