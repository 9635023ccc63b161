import { namesOf, pickMembers } from '../../lib/members.ts'
import type { Outcome } from './webhooks.contract.ts'
import type { AttemptRow, DeliveryRow, RecoveryRow, WebhookRow } from './webhooks.queries.ts'
import {
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  WebhookDeliverySchema,
  type WebhookRecovery,
  WebhookRecoverySchema,
  type WebhookTest,
  type WebhookWithSecret,
} from './webhooks.schemas.ts'

const deliveryNames = namesOf(WebhookDeliverySchema.properties)
const recoveryNames = namesOf(WebhookRecoverySchema.properties)

export const presentWebhook = (row: WebhookRow): Webhook => ({ ...shownOf(row), ...stateOf(row) })

/**
 * Returns a webhook with its secret, for responses to requests that create a secret. No other representation contains
 * the secret.
 */
export function presentWebhookWithSecret({ row, secret }: { row: WebhookRow; secret: string }): WebhookWithSecret {
  return { ...shownOf(row), secret, ...stateOf(row) }
}

function shownOf({ id, url, events, description }: WebhookRow) {
  return { id, url, events: events as Webhook['events'], description }
}

function stateOf({ status, created_at, updated_at, disabled_reason, disabled_at }: WebhookRow) {
  return {
    status,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    disabled_reason,
    disabled_at: disabled_at?.toISOString() ?? null,
  }
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
  return {
    ...presentDelivery(row),
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      trigger: attempt.trigger,
      started_at: attempt.started_at.toISOString(),
      duration_ms: attempt.duration_ms,
      response_status: attempt.status,
      error_class: attempt.error_class as WebhookTest['error_class'],
      error: attempt.reason,
      response_excerpt: attempt.response_excerpt,
    })),
  }
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
