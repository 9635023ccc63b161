import type { ErrorClass } from './webhooks.contract.ts'

export interface Schedule {
  /**
   * Pause after each failed scheduled attempt, in milliseconds. The maximum number of scheduled attempts is one more
   * than the number of pauses.
   */
  pausesMs: readonly number[]
  /**
   * True if the operator configured the pauses. The minimum pause of `OVERLOADED_MS` does not apply to configured
   * pauses.
   */
  isCustom: boolean
}

const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS

/** Number of hours of deliveries that the console summarizes. */
export const RECENT_HOURS = 24

/** Ten attempts over about 75 hours: an outage on Friday night can then be repaired on Monday. */
export const standardSchedule: Schedule = {
  pausesMs: [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)],
  isCustom: false,
}

const JITTER = 0.2
/** Minimum pause in milliseconds after a timeout or a response that reports overload. */
const OVERLOADED_MS = MINUTE_MS
const RETRY_AFTER_MAX_MS = HOUR_MS

interface Failure {
  status: number | null
  errorClass: ErrorClass
  retryAfterMs: number | null
}

/** Returns the longest possible pause after each failed attempt. */
export function longestPausesMs({ pausesMs }: Schedule): number[] {
  return pausesMs.map((pauseMs) => Math.max(Math.ceil(pauseMs * (1 + JITTER)), RETRY_AFTER_MAX_MS))
}

/**
 * Returns the pause after the nth scheduled attempt failed, or null after the last attempt. `random` is between 0 and
 * 1.
 */
export function pauseMs(
  { pausesMs, isCustom }: Schedule,
  attempts: number,
  { status, errorClass, retryAfterMs }: Failure,
  random: number,
): number | null {
  const base = pausesMs[attempts - 1]
  if (base === undefined) return null
  const jittered = Math.round(base * (1 - JITTER + 2 * JITTER * random))
  const isOverloaded = errorClass === 'timeout' || (status !== null && [429, 502, 503, 504].includes(status))
  return Math.max(
    jittered,
    isOverloaded && !isCustom ? OVERLOADED_MS : 0,
    Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS),
  )
}
