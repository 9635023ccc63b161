/**
 * Calls operations from the handler of another request, with that request's API key and client address (decision 0113).
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Ready } from './representation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Marks routes that only call operations. Those operations check and charge the account's storage, and store the
     * responses to requests with an idempotency key.
     */
    callsOperations?: true
    /** For the fast path: returns the call in the body of a request, or undefined if the body contains no such call. */
    innerCall?: (body: unknown, headers: IncomingHttpHeaders) => AnsweredCall | undefined
  }
  interface FastifyInstance {
    /** Returns the response to an inner GET request, if the fast path has a cached one. */
    recallResponse(request: Caller, url: string): Ready | undefined
  }
}

/** A call to an operation. The path includes `/v1` and the query. */
export interface InnerCall {
  method: string
  path: string
  body?: unknown
  idempotencyKey?: string | undefined
}

/** A call to an operation, with a function that creates the response to the calling request. */
export interface AnsweredCall extends InnerCall {
  respond(answer: InnerAnswer): InnerCallResponse
}

export interface InnerCallResponse {
  type: string
  parts: readonly Buffer[]
}

export interface InnerAnswer {
  status: number
  body: Buffer
  /** Set if the body belongs to a cached response. */
  isCached?: boolean
}

/** The headers of the calling request that an inner call repeats. */
const CLIENT_HEADERS = [
  ...['authorization', 'forwarded', 'host', 'origin', 'traceparent', 'user-agent', 'x-forwarded-for', 'x-real-ip'],
] as const

/** The request of an inner call, with the members of Node's requests that Fastify and the hooks use. */
class InnerRequest extends Readable {
  readonly httpVersion = '1.1'
  readonly httpVersionMajor = 1
  readonly httpVersionMinor = 1
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawHeaders: readonly string[]
  readonly socket: { remoteAddress: string }

  constructor({ method, path }: InnerCall, headers: Record<string, string>, body: Buffer | null, address: string) {
    super({
      read() {
        this.push(body)
        if (body) this.push(null)
      },
    })
    this.method = method
    this.url = path
    this.headers = headers
    this.rawHeaders = Object.entries(headers).flat()
    this.socket = { remoteAddress: address }
  }
}

/** Keeps the status and the body of the response to an inner call. Nothing reads the response's headers. */
class InnerResponse extends Writable {
  readonly chunks: Buffer[] = []
  statusCode = 200
  headersSent = false

  writeHead(status: number): void {
    this.statusCode = status
    this.headersSent = true
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  hasHeader(): boolean {
    return false
  }

  getHeader(): void {}
  setHeader(): void {}
  removeHeader(): void {}
}

/**
 * Returns whether a request is an inner call, which no client can forge. Only the request that makes the call counts
 * toward the general quotas and the budget `responses`.
 */
export const isInnerCall = (request: IncomingMessage): boolean => (request as unknown) instanceof InnerRequest

/** The request that makes a call. */
export type Caller = Pick<FastifyRequest, 'actor' | 'headers' | 'id' | 'raw' | 'server'>

/**
 * Calls an operation and returns the status and the body of its response. Unless the response is cached, all hooks of
 * the operation run.
 */
export async function callOperation(request: Caller, call: InnerCall): Promise<InnerAnswer> {
  const { headers, id, raw, server } = request
  const { method, path, idempotencyKey } = call
  const cached = method === 'GET' ? server.recallResponse(request, path) : undefined
  if (cached) return { status: 200, body: cached.body, isCached: true }
  // HTTP/1.0 requests may lack Host.
  const sent: Record<string, string> = { host: '', 'x-request-id': id }
  for (const name of CLIENT_HEADERS) {
    const value = headers[name]
    if (value !== undefined) sent[name] = String(value)
  }
  if (idempotencyKey !== undefined) sent['idempotency-key'] = idempotencyKey
  const payload = call.body === undefined ? null : Buffer.from(JSON.stringify(call.body))
  if (payload) Object.assign(sent, { 'content-type': 'application/json', 'content-length': String(payload.length) })
  // `remoteAddress` is undefined after the client has disconnected.
  const inner = new InnerRequest(call, sent, payload, raw.socket.remoteAddress ?? 'unknown')
  const response = new InnerResponse()
  const closed = once(response, 'close')
  server.routing(inner as unknown as IncomingMessage, response as unknown as ServerResponse)
  await closed
  const { statusCode, chunks, writableFinished } = response
  if (!writableFinished) throw new Error(`${method} ${path} was not answered`)
  return { status: statusCode, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }
}
