import type { Problem } from './api.ts'

/** A fault in one member of a body (`pointer`) or in one query parameter (`parameter`). */
export type Fault = NonNullable<Problem['errors']>[number]

/**
 * The client's own error codes, in order: a broken connection, a timeout, a response from another program (such as a
 * proxy), and an invalid webhook signature.
 */
export type ClientErrorCode = 'connection_failed' | 'timeout' | 'unexpected_response' | 'invalid_signature'

/** A failed call. Contains the service's problem document if there is one. */
export class JobMarketplaceError extends Error {
  override readonly name = 'JobMarketplaceError'
  /** The HTTP status. Undefined if no complete response arrived, or if the signature of a webhook is invalid. */
  readonly status: number | undefined
  /** Identifies the kind of error. A newer service may send codes that this type does not list. */
  readonly code: Problem['code'] | ClientErrorCode
  /** All faults of a rejected body or query. */
  readonly errors: readonly Fault[]
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined
  /** How long the service asks the client to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The whole problem document. Some codes have additional members. */
  readonly problem: (Problem & Record<string, unknown>) | undefined

  constructor(
    message: string,
    about: {
      code: JobMarketplaceError['code']
      status?: number
      requestId?: string | undefined
      retryAfterMs?: number | undefined
      problem?: JobMarketplaceError['problem']
      cause?: unknown
    },
  ) {
    super(message, { cause: about.cause })
    this.code = about.code
    this.status = about.status
    this.errors = about.problem?.errors ?? []
    this.requestId = about.requestId
    this.retryAfterMs = about.retryAfterMs
    this.problem = about.problem
  }
}
