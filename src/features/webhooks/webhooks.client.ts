/** Makes one attempt to deliver an event: sends a signed POST and reads the response. */

import { type Clock, DAY_MS } from '../../lib/time.ts'
import { type Connection, Connections, type ErrorClass, Failure } from './webhooks.connections.ts'
import type { Guard } from './webhooks.guard.ts'
import { attemptHeaders } from './webhooks.signature.ts'

export type { ErrorClass } from './webhooks.connections.ts'

export interface Attempt {
  url: string
  /** The serialized event, identical in every attempt. */
  body: string
  /** Signing secrets, the current one first. */
  secrets: readonly string[]
  eventId: string
  eventType: string
  deliveryId: string
  /** Attempt number, starting at 1. */
  number: number
  isTest?: boolean
}

export interface Outcome {
  startedAt: Date
  durationMs: number
  /** Null if there was no response. */
  status: number | null
  /**
   * Null if the attempt succeeded: the receiver returned 2xx, and the response was read completely or up to the size
   * limit.
   */
  errorClass: ErrorClass | null
  /** Description of the failure, written by this service. Contains no text from the receiver. */
  reason: string | null
  retryAfterMs: number | null
  /** The start of the response body, as text that PostgreSQL can store. */
  excerpt: string | null
  /** Remote address of the connection. */
  address: string | null
}

export interface WebhookClient {
  /** Sends one attempt. Never rejects. */
  send(attempt: Attempt): Promise<Outcome>
  /** Closes all connections, including those with attempts in progress. */
  close(): Promise<void>
}

interface WebhookClientOptions {
  guard: Guard
  clock: Clock
  /** Maximum duration of the whole attempt, including the response body, in milliseconds. */
  timeoutMs: number
  /** Maximum time to connect, including TLS, in milliseconds. */
  connectMs?: number
  /** Additional trusted certificate authorities in PEM. */
  ca?: string | undefined
}

export const CONNECT_MS = 5_000
const ANSWER_BYTES_MAX = 16_384
const EXCERPT_BYTES_MAX = 4_096
/**
 * Maximum number of bytes to receive for a response. Includes 1xx responses and chunk extensions, which have no
 * separate limit.
 */
const WIRE_BYTES_MAX = 1_048_576

type Result = Pick<Outcome, 'status' | 'errorClass' | 'reason' | 'retryAfterMs' | 'excerpt'>

export function createWebhookClient({
  guard,
  clock,
  timeoutMs,
  connectMs = CONNECT_MS,
  ca,
}: WebhookClientOptions): WebhookClient {
  const connections = new Connections({ guard, ca, connectMs })

  async function send(attempt: Attempt): Promise<Outcome> {
    const startedAt = clock.now()
    const start = performance.now()
    let address: string | null = null
    const outcome = (result: Result): Outcome => ({
      startedAt,
      durationMs: Math.round(performance.now() - start),
      address,
      ...result,
    })
    const url = URL.parse(attempt.url)
    if (url?.protocol !== 'https:')
      return outcome(failed(new Failure('blocked_address', 'The URL does not use https.')))
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    const exchangeOn = (connection: Connection) => {
      address = connection.address
      return exchange(connection, url, attempt, deadline.signal)
    }
    try {
      const idle = connections.takeIdle(url.origin)
      const result =
        (idle && (await exchangeOn(idle))) ?? (await exchangeOn(await connections.open(url, deadline.signal)))
      return outcome(result ?? failed(new Failure('reset', 'The connection closed before the request was sent.')))
    } catch (error) {
      return outcome(failed(error))
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Sends the request and reads the response. Returns undefined if the connection ended before anything was written.
   */
  async function exchange(
    connection: Connection,
    url: URL,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { client, socket } = connection
    const written = socket.bytesWritten
    const read = socket.bytesRead
    const hangUpOnFlood = () => {
      if (socket.bytesRead - read > WIRE_BYTES_MAX) socket.destroy()
    }
    socket.on('readable', hangUpOnFlood)
    const interruption = () =>
      signal.aborted
        ? new Failure('timeout', 'The response did not complete in time.')
        : new Failure('reset', 'The connection closed before the response was complete.')
    try {
      const { statusCode, headers, body } = await client.request({
        method: 'POST',
        path: url.pathname + url.search,
        // Signs the request only when the connection is open, because receivers reject old signatures.
        headers: attemptHeaders(attempt, clock.now()),
        body: attempt.body,
        signal,
      })
      const answer = await readStart(body)
      if (answer.end === 'whole') connections.keep(connection)
      else connections.drop(connection)
      const failure = statusFailure(statusCode) ?? (answer.end === 'broken' ? interruption() : undefined)
      return {
        status: statusCode,
        errorClass: failure?.errorClass ?? null,
        reason: failure?.message ?? null,
        retryAfterMs: failure ? retryAfterMs(headers['retry-after'], clock.now()) : null,
        excerpt: storableText(answer.bytes, EXCERPT_BYTES_MAX),
      }
    } catch {
      connections.drop(connection)
      // Nothing was written, so the receiver cannot have received anything.
      if (socket.bytesWritten === written && !signal.aborted) return undefined
      return failed(interruption())
    } finally {
      socket.off('readable', hangUpOnFlood)
    }
  }

  return {
    send,
    async close() {
      connections.close()
    },
  }
}

function failed(error: unknown): Result {
  const { errorClass, message } =
    error instanceof Failure ? error : new Failure('reset', 'The attempt failed because of an error in this service.')
  return { status: null, errorClass, reason: message, retryAfterMs: null, excerpt: null }
}

/** Returns the failure for a status other than 2xx. The service does not follow redirects. */
function statusFailure(status: number): Failure | undefined {
  if (status >= 200 && status <= 299) return undefined
  const hint = status >= 300 && status <= 399 ? ' Redirects are not followed.' : ''
  return new Failure('http_status', `The receiver responded with ${status}.${hint}`)
}

async function readStart(body: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; end: 'whole' | 'cut' | 'broken' }> {
  const chunks: Buffer[] = []
  let length = 0
  const bytes = () => Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX)
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length > ANSWER_BYTES_MAX) return { bytes: bytes(), end: 'cut' }
    }
  } catch {
    return { bytes: bytes(), end: 'broken' }
  }
  return { bytes: bytes(), end: 'whole' }
}

/** Decodes at most `bytesMax` bytes of text. Replaces NUL and drops an incomplete character at the end. */
export function storableText(bytes: Uint8Array, bytesMax: number): string | null {
  // Returns early, because most responses are empty.
  if (bytes.length === 0) return null
  // `stream` omits an incomplete character at the end.
  const text = new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true }).replaceAll('\0', '\uFFFD')
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax))
  return text.slice(0, read) || null
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Returns the delay from a `Retry-After` header in milliseconds, at most a day. Returns null if the header is missing
 * or invalid.
 */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null
  const text = header.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, DAY_MS)
  const time = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : Math.min(Math.max(time - now.getTime(), 0), DAY_MS)
}
