/** Job states, and rules that depend on them. */
import { AppError } from '../../lib/errors.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { JobRow } from './jobs.queries.ts'
import type { JobState } from './jobs.schemas.ts'

export interface JobSettings {
  /** Public origin. */
  origin: string
  /** ISO 4217 code for salaries without a currency. */
  defaultCurrency: string
}

export interface Moment {
  settings: JobSettings
  now: Date
}

/** Maximum number of days to a job's expiry or publication, counted from the job's activation or from now. */
export const RUN_DAYS_MAX = 365

export function jobState(row: Pick<JobRow, 'state' | 'expires_at'>, now: Date): JobState {
  if (row.state === 'inactive') return 'inactive'
  if (row.expires_at !== null && row.expires_at <= now) return 'expired'
  return row.state === 'closed' ? 'closed' : 'active'
}

/** Returns whether a job's run is still in progress. The run of a closed job continues until its expiry. */
export function isRunning(row: Pick<JobRow, 'state' | 'expires_at'>, now: Date): boolean {
  const state = jobState(row, now)
  return state === 'active' || state === 'closed'
}

/** Returns the number of days by which a post can extend a run. The run must end within a year from now. */
export function daysToAdd({ expires_at }: Pick<JobRow, 'expires_at'>, days: number, now: Date): number {
  if (expires_at === null) return 0
  const room = Math.floor((after(now, RUN_DAYS_MAX).getTime() - expires_at.getTime()) / DAY_MS)
  return Math.max(0, Math.min(days, room))
}

export const JOB_POST = 'job-post'

/**
 * Returns whether a job is posted. If not, returns whether its post is paid for. `paid` lists products that are paid
 * for but unused.
 */
export function postingOf(state: JobState, paid: readonly string[]): 'posted' | 'unpaid' | 'paid' {
  if (state === 'active' || state === 'closed') return 'posted'
  return paid.includes(JOB_POST) ? 'paid' : 'unpaid'
}

export const after = (start: Date, days: number) => new Date(start.getTime() + days * DAY_MS)

export function invalidTransition(state: JobState, allowed: readonly string[]): AppError {
  const next = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}` : 'No change is allowed'
  const detail = `The job is ${state}. ${next}.`
  return new AppError('invalid_transition', { detail, extra: { state, allowed } })
}

export const idsOf = (rows: readonly JobRow[]) => rows.map(({ id }) => id)
