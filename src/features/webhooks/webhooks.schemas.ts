import { type Static, Type } from 'typebox'
import { Choice, Integer, inDocument, MergeBody, Moment, Nullable, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { type ListDeclaration, parameter } from '../../lists/query.ts'
import { describedEventTypes } from '../events/index.ts'

const eventTypes = describedEventTypes.map(({ type }) => type)

export const webhookStatuses = ['active', 'paused', 'disabled'] as const
export const deliveryStates = ['pending', 'delivered', 'exhausted', 'canceled'] as const

const Secret = Type.String({
  minLength: 16,
  maxLength: 256,
  pattern: '^[\\x20-\\x7e]*$',
  description: 'Signs what is sent. Printable ASCII; made by the service when absent.',
})
const writable = {
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    ...inDocument({ pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }),
    description: 'An https address that is public.',
  }),
  events: Type.Array(Choice(eventTypes), { minItems: 1, maxItems: 100 }),
  description: Nullable(Text(1, 500)),
}

export const WebhookBody = Strict({
  ...writable,
  description: Type.Optional(writable.description),
  secret: Type.Optional(Secret),
})
export type WebhookBody = Static<typeof WebhookBody>

const changeable = { ...writable, status: Choice(webhookStatuses, 'active or paused; disabled is the service’s.') }
export const changeableMembers = Object.keys(changeable) as (keyof typeof changeable)[]
export const WebhookMergeBody = MergeBody(changeable, [
  'id',
  'created_at',
  'updated_at',
  'disabled_reason',
  'disabled_at',
])
export type WebhookMergeBody = Static<typeof WebhookMergeBody>

export const RotationBody = Strict({
  grace_period_seconds: Type.Optional(Integer(0, 604_800, 'The former secret signs as well for so long; 86400.')),
  force: Type.Optional(Type.Boolean({ description: 'Also within a grace period, which ends then.' })),
  secret: Type.Optional(Secret),
})
export type RotationBody = Static<typeof RotationBody>

export const TestBody = Strict({
  type: Type.Optional(Choice(eventTypes, "The type of the sample; the webhook's first when absent.")),
})
export type TestBody = Static<typeof TestBody>

export const RecoveryBody = Strict({
  since: Moment('Events from then on.'),
  until: Type.Optional(Moment('To then; now when absent.')),
})
export type RecoveryBody = Static<typeof RecoveryBody>

const shown = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Choice(eventTypes)),
  description: Nullable(Type.String()),
}
const state = {
  status: Choice(webhookStatuses),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  disabled_reason: Nullable(
    Choice(
      ['gone', 'failing', 'key_revoked'],
      'gone: the receiver answered 410; failing: nothing arrived for days; key_revoked: the API key that created or last changed it was deleted or expired.',
    ),
  ),
  disabled_at: Nullable(Timestamp()),
}

export const WebhookSchema = Type.Object({ ...shown, ...state }, { $id: 'Webhook', additionalProperties: false })
export type Webhook = Static<typeof WebhookSchema>

export const WebhookWithSecretSchema = Type.Object(
  { ...shown, secret: Type.String({ description: 'Shown only here.' }), ...state },
  { $id: 'WebhookWithSecret', additionalProperties: false },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecretSchema>

const attemptErrors = [
  'dns',
  'blocked_address',
  'connect',
  'tls',
  'timeout',
  'reset',
  'http_status',
  'internal',
] as const
const answer = {
  started_at: Timestamp(),
  duration_ms: Type.Integer(),
  response_status: Nullable(Type.Integer({ description: 'Of the answer, if one came.' })),
  error_class: Nullable(Choice(attemptErrors, 'null: delivered.')),
  error: Nullable(Type.String({ description: 'What went wrong, in a sentence.' })),
  response_excerpt: Nullable(Type.String({ description: 'The beginning of the answer, at most 4 KiB.' })),
}

export const WebhookTestSchema = Type.Object(
  { event_id: Type.String(), event_type: Choice(eventTypes), is_success: Type.Boolean(), ...answer },
  { $id: 'WebhookTest', additionalProperties: false },
)
export type WebhookTest = Static<typeof WebhookTestSchema>

const delivery = {
  id: Type.String(),
  event_id: Type.String(),
  event_type: Choice(eventTypes),
  status: Choice(deliveryStates),
  attempt_count: Type.Integer({ description: 'Attempts that have begun.' }),
  next_attempt_at: Nullable(Timestamp()),
  last_response_status: Nullable(Type.Integer()),
  last_error: Nullable(Type.String()),
  created_at: Timestamp(),
  settled_at: Nullable(Timestamp('When it became what it is, unless it is pending.')),
}
export const WebhookDeliverySchema = Type.Object(delivery, { $id: 'WebhookDelivery', additionalProperties: false })
export type WebhookDelivery = Static<typeof WebhookDeliverySchema>

const Attempt = Strict({
  number: Type.Integer({ minimum: 1 }),
  trigger: Choice(['scheduled', 'manual']),
  ...answer,
})
export const WebhookDeliveryDetailSchema = Type.Object(
  { ...delivery, attempts: Type.Array(Attempt, { description: 'Those that have ended, in their order.' }) },
  { $id: 'WebhookDeliveryDetail', additionalProperties: false },
)
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetailSchema>

const Count = (description: string) => Type.Integer({ minimum: 0, description })
export const WebhookRecoverySchema = Type.Object(
  {
    id: Type.String(),
    since: Timestamp(),
    until: Timestamp(),
    status: Choice(['running', 'done', 'canceled'], 'canceled: the webhook did not stay active.'),
    examined: Count('Events of its types looked at so far.'),
    created: Count('Of those, queued for the first time.'),
    requeued: Count('Of those, exhausted or canceled before and queued anew.'),
    unchanged: Count('Of those, delivered or pending already.'),
    created_at: Timestamp(),
    finished_at: Nullable(Timestamp()),
  },
  { $id: 'WebhookRecovery', additionalProperties: false },
)
export type WebhookRecovery = Static<typeof WebhookRecoverySchema>

export const webhookComponents = [
  WebhookSchema,
  WebhookWithSecretSchema,
  WebhookTestSchema,
  WebhookDeliverySchema,
  WebhookDeliveryDetailSchema,
  WebhookRecoverySchema,
]

export const webhookList = {
  name: 'webhooks',
  filters: {
    status: parameter.choice('Status.', webhookStatuses),
    created_at: parameter.time('When it was made.'),
  },
  sorts: { created_at: {}, updated_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration

export const deliveryList = {
  name: 'webhooks/deliveries',
  filters: {
    status: parameter.choice('Status.', deliveryStates),
    type: parameter.choice('Type of the event.', eventTypes),
    created_at: parameter.time('When it was queued.'),
  },
  sorts: { created_at: {}, settled_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
