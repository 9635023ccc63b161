/** What errors of the database mean, by their codes: the driver's classes differ between the two databases. */
import { type AppError, accountGone, emailTaken, keyGone } from '../lib/errors.ts'

interface DatabaseError {
  code?: string
  constraint?: string
  message?: string
}

const UNAVAILABLE = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '25006', // read only, as a standby is, or a server with the disk nearly full
  '25P03', // stood still inside a transaction for too long
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '53400', // a limit of the configuration reached
  '55P03', // waited for a lock longer than the set-up allows
  '57014', // ran longer than the set-up allows
  '57P01', // terminated by an administrator
  '57P02',
  '57P03', // starting up or shutting down
  '57P05', // idle for longer than the set-up allows
  '08000',
  '08003',
  '08006',
  '08P01', // what PgBouncer says when it cannot reach the server, or lost it
  '40001', // could not be serialised
  '40P01', // chosen to end a deadlock
])

/** What a violated constraint tells the client, where it decides a race: by the time it speaks nothing was written. */
const violations: Record<string, (cause: unknown) => AppError> = {
  account_kind_email_key: emailTaken,
  // The account was erased after its key was looked up.
  api_key_account_fkey: accountGone,
  application_candidate_fkey: accountGone,
  job_alert_candidate_fkey: accountGone,
  job_report_reporter_fkey: accountGone,
  resume_candidate_fkey: accountGone,
  saved_job_candidate_fkey: accountGone,
  // The key was deleted after it was looked up.
  webhook_key_fkey: keyGone,
  webhook_owner_fkey: accountGone,
}

/** What the driver says without a code. */
const UNAVAILABLE_MESSAGES = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'timeout exceeded when trying to connect',
])

/** Whether the database could not be reached, went away or gave up for now: trying again later may help. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as DatabaseError
  return (code !== undefined && UNAVAILABLE.has(code)) || (message !== undefined && UNAVAILABLE_MESSAGES.has(message))
}

/** What the violation of a constraint means to the client, or undefined for any other error. */
export function violationOf(error: unknown): AppError | undefined {
  const { code, constraint } = error as DatabaseError
  const isViolation = code === '23503' || code === '23505'
  return isViolation && constraint !== undefined ? violations[constraint]?.(error) : undefined
}

/** Whether it is this unique constraint or index that was violated. */
export function isViolationOf(error: unknown, name: string): boolean {
  const { code, constraint } = error as DatabaseError
  return code === '23505' && constraint === name
}
