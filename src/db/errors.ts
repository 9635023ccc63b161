/** Interprets database errors by their codes, because the drivers of PostgreSQL and PGlite use different classes. */
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
  '25006', // read only: a standby, or a server whose disk is nearly full
  '25P03', // idle in a transaction for too long
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '53400', // configuration limit exceeded
  '55P03', // waited for a lock longer than the settings allow
  '57014', // ran longer than the settings allow
  '57P01', // terminated by an administrator
  '57P02',
  '57P03', // starting up or shutting down
  '57P05', // idle for longer than the settings allow
  '08000',
  '08003',
  '08006',
  '08P01', // PgBouncer cannot reach the server or lost the connection
  '40001', // serialization failure
  '40P01', // deadlock victim
])

/** Client errors by constraint. A transaction can violate these constraints because of a concurrent request. */
const violations: Record<string, (cause: unknown) => AppError> = {
  account_kind_email_key: emailTaken,
  // The account was erased after its API key was looked up.
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

/** Messages of driver errors that have no code. */
const UNAVAILABLE_MESSAGES = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'timeout exceeded when trying to connect',
])

/** Returns whether the database is unreachable or failed temporarily. A retry may then succeed. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as DatabaseError
  return (code !== undefined && UNAVAILABLE.has(code)) || (message !== undefined && UNAVAILABLE_MESSAGES.has(message))
}

/** Returns the client error for a violated constraint that `violations` lists, or undefined for any other error. */
export function violationOf(error: unknown): AppError | undefined {
  const { code, constraint } = error as DatabaseError
  const isViolation = code === '23503' || code === '23505'
  return isViolation && constraint !== undefined ? violations[constraint]?.(error) : undefined
}

/** Returns whether the error reports a violation of this unique constraint or index. */
export function isViolationOf(error: unknown, name: string): boolean {
  const { code, constraint } = error as DatabaseError
  return code === '23505' && constraint === name
}
