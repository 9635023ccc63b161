/** Calls operations from the handler of another request, with its API key and its client address (decision 0113). */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Ready } from './representation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Marks routes that only call operations. Those operations check and charge the account's storage, and store the
     * responses to requests with an idempotency key.
     */
    callsOperations?: true
    /** Returns the call in the body of a plain request, for the fast path. */
    innerCall?: (body: unknown, headers: IncomingHttpHeaders) => AnsweredCall | undefined
  }
  interface FastifyInstance {
    /** Returns the response to an inner GET request, if the fast path has it. */
    recallResponse(request: Caller, url: string): Ready | undefined
  }
}

/** A call of an operation. The path includes `/v1` and the query. */
export interface InnerCall {
  method: string
  path: string
  body?: unknown
  idempotencyKey?: string | undefined
}

/** A call of an operation, and the response to the request that makes the call. */
export interface AnsweredCall extends InnerCall {
  respond(answer: InnerAnswer): InnerCallResponse
}

export interface InnerCallResponse {
  type: string
  /** The parts of the body. */
  parts: readonly Buffer[]
}

export interface InnerAnswer {
  status: number
  body: Buffer
  /** Set if the body belongs to a cached response that has been requested repeatedly. */
  isAskedAgain?: true | undefined
}

/** The headers that identify a client. */
const CLIENT_HEADERS = [
  ...['authorization', 'forwarded', 'host', 'origin', 'traceparent', 'user-agent', 'x-forwarded-for', 'x-real-ip'],
] as const

const calls = new AsyncLocalStorage<true>()

/**
 * Returns whether the current request is an inner call. The request that makes the call is counted toward the general
 * quotas, and charged for the response.
 */
export const isInnerCall = (): boolean => calls.getStore() === true

/** The bodies of responses to inner calls, by the request of the call. */
const bodies = new WeakMap<object, string | Buffer>()

/** Takes the body of a response to an inner call. Saves four copies of it. Returns false for other requests. */
export function takeBody({ raw }: FastifyRequest, body: string | Buffer): boolean {
  // A request from a connection is never an inner call, even if its handler runs in the context of one.
  if (!isInnerCall() || raw instanceof IncomingMessage) return false
  bodies.set(raw, body)
  return true
}

/** The request that makes a call. */
export type Caller = Pick<FastifyRequest, 'actor' | 'headers' | 'id' | 'raw' | 'server'>

/** Calls an operation and returns its status and its body. All hooks of the operation run, as for any other request. */
export async function callOperation(
  request: Caller,
  { method, path, body, idempotencyKey }: InnerCall,
): Promise<InnerAnswer> {
  const { headers, id, raw, server } = request
  const cached = method === 'GET' ? server.recallResponse(request, path) : undefined
  if (cached) return { status: 200, body: cached.body, isAskedAgain: cached.isAskedAgain }
  const sent: Record<string, string> = { 'x-request-id': id }
  for (const name of CLIENT_HEADERS) {
    const value = headers[name]
    if (value !== undefined) sent[name] = String(value)
  }
  if (body !== undefined) sent['content-type'] = 'application/json'
  if (idempotencyKey !== undefined) sent['idempotency-key'] = idempotencyKey
  const call = {
    method: method as 'GET',
    url: path,
    headers: sent,
    ...(body !== undefined && { payload: JSON.stringify(body) }),
    // Absent after the client has disconnected. The default is 127.0.0.1, which may be a trusted proxy.
    remoteAddress: raw.socket.remoteAddress ?? 'unknown',
  }
  // The call starts when it is awaited, so this must happen inside `run`.
  const { statusCode, rawPayload, raw: inner } = await calls.run(true, async () => await server.inject(call))
  const taken = bodies.get(inner.req)
  return { status: statusCode, body: typeof taken === 'string' ? Buffer.from(taken) : (taken ?? rawPayload) }
}
