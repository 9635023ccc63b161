import type { Outcome } from './webhooks.contract.ts'
import type { AttemptRow, DeliveryRow, RecoveryRow, WebhookRow } from './webhooks.queries.ts'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookRecovery,
  WebhookTest,
  WebhookWithSecret,
} from './webhooks.schemas.ts'

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
  return {
    id: row.id,
    event_id: row.event_id,
    event_type: row.event_type as WebhookDelivery['event_type'],
    status: row.state,
    attempt_count: row.attempts,
    next_attempt_at: row.due_at?.toISOString() ?? null,
    last_response_status: row.last_status,
    last_error: row.last_reason,
    created_at: row.created_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
  }
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
  return {
    id: row.id,
    since: row.since.toISOString(),
    until: row.until.toISOString(),
    status: row.state,
    examined: row.examined,
    created: row.created,
    requeued: row.requeued,
    unchanged: row.unchanged,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}
