/**
 * All error codes. Services throw `AppError`; the HTTP layer renders it as an RFC 9457 problem document. The table in
 * the documentation is generated from `errorCatalogue`.
 */
import type { MessageKey, MessageValues } from '../locale/messages.ts'

export const errorCatalogue = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_parameter: { status: 400, title: 'Invalid query parameter' },
  unknown_parameter: { status: 400, title: 'Unknown query parameter' },
  invalid_cursor: { status: 400, title: 'The cursor does not match this list, sort and filters' },
  pagination_conflict: { status: 400, title: 'Use only one paging style' },
  location_not_resolved: { status: 400, title: 'Unknown location' },
  bad_request: { status: 400, title: 'Malformed request' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  payment_required: { status: 402, title: 'Payment required' },
  employer_account_required: { status: 403, title: 'Only employer accounts may do this' },
  candidate_account_required: { status: 403, title: 'Only candidate accounts may do this' },
  admin_account_required: { status: 403, title: 'Only admin accounts may do this' },
  publishable_key: { status: 403, title: 'Publishable keys may not do this' },
  origin_not_allowed: { status: 403, title: 'Requests from this origin are not allowed' },
  insufficient_scope: { status: 403, title: 'The API key lacks a required scope' },
  insufficient_role: { status: 403, title: 'Your role in the team does not allow this' },
  fresh_sign_in_required: { status: 403, title: 'Sign in again to do this' },
  form_refused: { status: 403, title: 'The form has expired or was not sent from this website' },
  account_suspended: { status: 403, title: 'The account is suspended' },
  email_blocked: { status: 403, title: 'This email address is blocked' },
  network_blocked: { status: 403, title: 'Requests from this network are blocked' },
  not_owner: { status: 403, title: 'The resource belongs to another account' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  not_acceptable: { status: 406, title: 'No acceptable media type' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  already_applied: { status: 409, title: 'You have already applied to this job' },
  already_reported: { status: 409, title: 'You have already reported this job' },
  job_not_open: { status: 409, title: 'The job is not open' },
  fed_job: { status: 409, title: 'A feed maintains this job' },
  job_removed: { status: 409, title: 'The operator removed this job' },
  invalid_transition: { status: 409, title: 'Not allowed in the current state' },
  email_taken: { status: 409, title: 'An account with this email address already exists' },
  last_owner: { status: 409, title: 'The account needs an owner' },
  limit_reached: { status: 409, title: 'Limit reached' },
  conflict: { status: 409, title: 'Conflict with the current state' },
  idempotency_in_progress: { status: 409, title: 'A request with this Idempotency-Key is still running' },
  iterator_expired: { status: 410, title: 'The iterator has expired' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The URL is too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type or content encoding' },
  range_not_satisfiable: { status: 416, title: 'The requested range is beyond the end of the file' },
  expectation_failed: { status: 417, title: 'Unsupported Expect header' },
  validation_failed: { status: 422, title: 'The body is not valid' },
  idempotency_key_reuse: { status: 422, title: 'This Idempotency-Key was already used for a different request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorCatalogue

/** Returns the `type` of a problem document: the path of the page that explains the code (decision 0115). */
export const problemType = (code: string): string => `/docs/errors/${code}`

/** A sentence for people: a message key, a text in the reader's language, or a function that returns such a text. */
export type Words = { key: MessageKey; values?: MessageValues } | string | (() => string)

/** The rule that a value breaks. Pages build their sentence from it; API responses omit it. */
export interface BrokenRule {
  /**
   * A JSON Schema keyword, one of our own keywords, or `future` for a time that must be between now and `limit`, a
   * Date.
   */
  keyword: string
  /** The keyword's limit, pattern, format or type, if it has one. */
  limit?: unknown
}

/** A fault in one field of a body. */
export interface BodyFault {
  /** JSON pointer as a URI fragment, such as `#/salary/max`. */
  pointer: string
  code: string
  detail: string
  rule?: BrokenRule
  /** Pages show these words instead of a sentence about the rule; API responses omit them. */
  words?: Words
}

/** A fault in one query parameter. */
export interface ParameterFault {
  parameter: string
  code: ErrorCode
  detail: string
  rule?: BrokenRule
  words?: Words
}

export type Fault = BodyFault | ParameterFault

interface AppErrorOptions {
  /** The message for the client. It never contains another account's data or internal details. */
  detail?: string
  /** Pages show these words instead of the sentence about the code; API responses omit them. */
  words?: Words
  errors?: readonly Fault[]
  /** Additional fields of the problem document, such as `allowed` or `payment_url`. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  /** For the log only. */
  cause?: unknown
}

/** An error with a code, which the HTTP layer renders as an error response. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly options: AppErrorOptions

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.detail ?? errorCatalogue[code].title, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.options = options
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }
}

/** Returns a row that must exist. Throws `not_found` if it does not. */
export function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new AppError('not_found')
  return row
}

/** Returns the 401 error for an API key that is not valid. */
export function invalidKey(detail: string, cause?: unknown): AppError {
  return new AppError('unauthorized', {
    detail,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    cause,
  })
}

/** Returns the 401 error for a key whose account was erased during the request. */
export const accountGone = (cause?: unknown): AppError => invalidKey("This API key's account no longer exists.", cause)

/** Returns the 401 error for a key that was deleted during the request. */
export const keyGone = (cause?: unknown): AppError => invalidKey('The API key was deleted.', cause)

/** Returns the 403 error for a key or a session of a suspended account. */
export function accountSuspended(): AppError {
  return new AppError('account_suspended', {
    detail: 'This account is suspended. Contact the operator of the board.',
  })
}

/** Returns the 409 error for a request whose Idempotency-Key another request is currently using. */
export function idempotencyInProgress(): AppError {
  return new AppError('idempotency_in_progress', { headers: { 'retry-after': '1' } })
}

/** Returns the 503 error for a request that the client may repeat after `retryS` seconds. */
export function unavailable(cause?: unknown, retryS = 2): AppError {
  return new AppError('unavailable', { cause, headers: { 'retry-after': String(retryS) } })
}

/**
 * Returns whether a request that failed with this error may succeed later. Pages omit optional sections that fail with
 * such an error.
 */
export const isForLater = ({ code }: AppError): boolean => code === 'unavailable' || code === 'rate_limited'

export function emailTaken(cause?: unknown): AppError {
  return new AppError('email_taken', {
    errors: [
      {
        pointer: '#/email',
        code: 'email_taken',
        detail: 'Another account uses this email address.',
        words: { key: 'fault.email_taken' },
      },
    ],
    cause,
  })
}

/** Maximum number of faults in a response, because a 1 MiB body can contain half a million faults. */
export const FAULTS_MAX = 100

/** Returns a sentence with the number of faults. Above `FAULTS_MAX`, the sentence contains only this limit. */
function countFaults(errors: readonly Fault[], what: string): string {
  return `${errors.length > FAULTS_MAX ? `More than ${FAULTS_MAX}` : errors.length} ${what} are not valid.`
}

/** Returns the 422 error for an invalid body, with at most `FAULTS_MAX` faults. */
export function validationFailed(errors: readonly BodyFault[]): AppError {
  const detail = errors.length === 1 ? errors[0]!.detail : countFaults(errors, 'fields of the body')
  return new AppError('validation_failed', { detail, errors: errors.slice(0, FAULTS_MAX) })
}

/**
 * Returns the 400 error for an invalid query, with at most `FAULTS_MAX` faults. If all faults have the same code, the
 * error has that code too.
 */
export function badQuery(errors: readonly ParameterFault[]): AppError {
  const first = errors[0]!
  const code = errors.every((fault) => fault.code === first.code) ? first.code : 'invalid_parameter'
  const detail = errors.length === 1 ? first.detail : countFaults(errors, 'query parameters')
  return new AppError(code, { detail, errors: errors.slice(0, FAULTS_MAX) })
}
