/** Rules for failing webhooks: when a breaker opens and closes, and when a webhook is disabled (decision 0024). */
import type { WebhookRow } from './webhooks.queries.ts'
import { HOUR_MS, MINUTE_MS } from './webhooks.schedule.ts'

/** The columns of a webhook that the results of attempts change. */
export type Health = Pick<
  WebhookRow,
  | 'consecutive_failures'
  | 'first_failure_at'
  | 'last_success_at'
  | 'breaker_trips'
  | 'breaker_until'
  | 'status'
  | 'disabled_reason'
  | 'disabled_at'
>

export interface AttemptResult {
  is_success: boolean
  /** True if the receiver responded with 410, which refuses all further deliveries. */
  is_gone: boolean
  at: Date
}

/** After `failures` in a row over at least `overMs`, sends one attempt at a time, with pauses. */
export const BREAKER = { failures: 10, overMs: MINUTE_MS, pauseMs: MINUTE_MS, pauseMaxMs: 15 * MINUTE_MS }
/**
 * Disables a webhook after `failures` in a row over at least `overMs`, if there has been no success for `silenceMs`.
 */
export const FAILING = { failures: 20, overMs: 12 * HOUR_MS, silenceMs: 120 * HOUR_MS }

/** Health of a webhook without failures. A success erases all earlier failures. */
export const HEALTHY = { consecutive_failures: 0, first_failure_at: null, breaker_trips: 0, breaker_until: null }

/** Returns the health after a success. The earlier health does not matter. */
export const healthAfterSuccess = (at: Date) => ({ ...HEALTHY, last_success_at: at })

/** Returns the health after a batch of results, in order. Requires at least one result. */
export function healthAfter(
  before: Health & Pick<WebhookRow, 'watched_from'>,
  results: readonly AttemptResult[],
  { hasBreaker }: { hasBreaker: boolean },
): Health {
  // Uses the latest time, because the clock may have been set back between two attempts.
  const at = results.map((result) => result.at).reduce(later)
  const counted = results.reduce(count, healthOf(before))
  const { consecutive_failures: failures, first_failure_at, last_success_at } = counted
  // A success closes the breaker only if no later attempt in the same batch failed.
  const { breaker_trips, breaker_until } = failures > 0 ? before : counted
  const failingMs = first_failure_at === null ? 0 : msBetween(first_failure_at, at)
  const silentMs = msBetween(later(last_success_at, before.watched_from), at)
  const isFailing = failures >= FAILING.failures && failingMs >= FAILING.overMs && silentMs >= FAILING.silenceMs
  const isGone = results.some(({ is_gone }) => is_gone)
  const isPaused = breaker_until !== null && breaker_until > at
  const isTripped = hasBreaker && !isPaused && failures >= BREAKER.failures && failingMs >= BREAKER.overMs
  return {
    ...counted,
    breaker_trips,
    breaker_until,
    ...(isTripped && { breaker_trips: breaker_trips + 1, breaker_until: pauseEnd(at, breaker_trips) }),
    ...(counted.status === 'active' &&
      (isGone || isFailing) && { status: 'disabled', disabled_reason: isGone ? 'gone' : 'failing', disabled_at: at }),
  }
}

/**
 * Returns only the members of `Health`, because the row also contains secrets, which must not reach other statements.
 */
const healthOf = ({ status, disabled_reason, disabled_at, ...row }: Health): Health => ({
  consecutive_failures: row.consecutive_failures,
  first_failure_at: row.first_failure_at,
  last_success_at: row.last_success_at,
  breaker_trips: row.breaker_trips,
  breaker_until: row.breaker_until,
  status,
  disabled_reason,
  disabled_at,
})

function count(health: Health, { is_success, at }: AttemptResult): Health {
  if (is_success) return { ...health, ...healthAfterSuccess(later(health.last_success_at, at)) }
  return {
    ...health,
    consecutive_failures: health.consecutive_failures + 1,
    first_failure_at: health.first_failure_at ?? at,
  }
}

/** Returns the end of a pause that begins at `at`. Each pause is twice as long as the previous one, up to a maximum. */
const pauseEnd = (at: Date, trips: number) =>
  new Date(at.getTime() + Math.min(BREAKER.pauseMs * 2 ** trips, BREAKER.pauseMaxMs))

const msBetween = (from: Date, to: Date) => to.getTime() - from.getTime()
export const later = (one: Date | null, other: Date) => (one !== null && one > other ? one : other)
