import { namesOf, pickMembers } from '../../lib/members.ts'
import type { Outcome } from './webhooks.contract.ts'
import type { AttemptRow, DeliveryRow, RecoveryRow, WebhookRow } from './webhooks.queries.ts'
import {
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  WebhookDeliveryDetailSchema,
  WebhookDeliverySchema,
  type WebhookRecovery,
  WebhookRecoverySchema,
  WebhookSchema,
  type WebhookTest,
  type WebhookWithSecret,
  WebhookWithSecretSchema,
} from './webhooks.schemas.ts'

const webhookNames = namesOf(WebhookSchema.properties)
const withSecretNames = namesOf(WebhookWithSecretSchema.properties)
const deliveryNames = namesOf(WebhookDeliverySchema.properties)
const attemptNames = namesOf(WebhookDeliveryDetailSchema.properties.attempts.items.properties)
const recoveryNames = namesOf(WebhookRecoverySchema.properties)

export const presentWebhook = (row: WebhookRow): Webhook =>
  pickMembers({ ...row, events: row.events as Webhook['events'] }, webhookNames)

/**
 * Returns a webhook with its secret, for responses to requests that create a secret. No other representation contains
 * the secret.
 */
export function presentWebhookWithSecret({ row, secret }: { row: WebhookRow; secret: string }): WebhookWithSecret {
  return pickMembers({ ...row, events: row.events as Webhook['events'], secret }, withSecretNames)
}

export function presentDelivery(row: DeliveryRow): WebhookDelivery {
  const renamed = {
    event_type: row.event_type as WebhookDelivery['event_type'],
    status: row.state,
    attempt_count: row.attempts,
    next_attempt_at: row.due_at,
    last_response_status: row.last_status,
    last_error: row.last_reason,
  }
  return pickMembers({ ...row, ...renamed }, deliveryNames)
}

export function presentDeliveryDetail(row: DeliveryRow, attempts: readonly AttemptRow[]): WebhookDeliveryDetail {
  return { ...presentDelivery(row), attempts: attempts.map(presentAttempt) }
}

function presentAttempt(row: AttemptRow): WebhookDeliveryDetail['attempts'][number] {
  const error_class = row.error_class as WebhookTest['error_class']
  return pickMembers({ ...row, response_status: row.status, error_class, error: row.reason }, attemptNames)
}

export function presentTest(event: { id: string; type: WebhookTest['event_type'] }, outcome: Outcome): WebhookTest {
  return {
    event_id: event.id,
    event_type: event.type,
    is_success: outcome.errorClass === null,
    started_at: outcome.startedAt.toISOString(),
    duration_ms: Math.round(outcome.durationMs),
    response_status: outcome.status,
    error_class: outcome.errorClass,
    error: outcome.reason,
    response_excerpt: outcome.excerpt,
  }
}

export function presentRecovery(row: RecoveryRow): WebhookRecovery {
  return pickMembers({ ...row, status: row.state }, recoveryNames)
}
