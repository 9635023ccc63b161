/**
 * Supports `Idempotency-Key` on POST operations: only the first request takes effect, and a repeated request gets the
 * same response (draft-ietf-httpapi-idempotency-key-header, decision 0037).
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Database, Tx } from '../db/database.ts'
import type { IdempotentAnswers, KeptAnswer } from '../db/idempotent-answers.ts'
import { AppError, idempotencyInProgress } from '../lib/errors.ts'

/** The response to a POST. */
export interface Answer<Body> {
  /** Required only if the route declares several success statuses. Default: the declared status. */
  status?: number
  headers?: Record<string, string>
  body: Body
  /**
   * The account that the response concerns, if it is not the caller's own. The stored response is deleted with that
   * account.
   */
  accountId?: string
  /** Stored instead of `body` for callers without an API key; required if `body` contains a secret. */
  bodyWithoutSecret?: Body
  /** Updates the state of this process after the commit, before the response is sent. */
  onceCommitted?: () => void | Promise<void>
}

/** A POST with an idempotency key. */
interface Keyed {
  answers: IdempotentAnswers
  /** Hash of the caller and the idempotency key. */
  id: string
  fingerprint: string
  /** Whether this or an earlier request has stored the response. */
  isKept: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if the request is a POST with an Idempotency-Key. */
    keyed: Keyed | null
  }
}

/** Formats of a key: bare, as most clients send it, or a structured-field string, as the draft requires. */
const BARE = /^[\x21\x23-\x7e]{1,255}$/
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/

/** Returns the key in a header, or undefined if it is invalid. */
function parseIdempotencyKey(header: string): string | undefined {
  if (BARE.test(header)) return header
  const [, quoted] = QUOTED.exec(header) ?? []
  return quoted?.replace(/\\(.)/g, '$1')
}

/** Adds support for idempotency keys to the POST routes of this scope, except those that only call operations. */
export function acceptIdempotencyKeys(
  app: FastifyInstance,
  answers: IdempotentAnswers,
  networkOf: (request: IncomingMessage) => string,
): void {
  app.decorateRequest('keyed', null)
  /**
   * Hashes of the keys whose requests are in progress in this process. A concurrent duplicate request fails without
   * waiting for a database connection.
   */
  const running = new Set<string>()

  /** Runs after the body is read, but before validation, because validation trims strings. */
  const begin = async (request: FastifyRequest, reply: FastifyReply) => {
    const header = request.headers['idempotency-key']
    if (header === undefined) return
    const key = parseIdempotencyKey(String(header))
    if (key === undefined) {
      throw new AppError('bad_request', {
        detail: 'Idempotency-Key must be one key of 1 to 255 printable ASCII characters, optionally quoted.',
      })
    }
    // Registrations without an API key are identified by network only. Never use the prefix `network`: responses stored
    // under it contain API keys and must not be replayed.
    const caller = request.actor?.accountId ?? `open ${networkOf(request.raw)}`
    const id = sha256(`${caller}\n${key}`)
    const keyed = { answers, id, fingerprint: await fingerprintOf(request), isKept: false }
    if (running.has(id)) throw idempotencyInProgress()
    running.add(id)
    request.keyed = keyed
    const kept = await answers.find(id)
    if (kept) return replay(request, reply, keyed, kept)
  }

  const end = async (request: FastifyRequest, reply: FastifyReply) => {
    const { keyed } = request
    if (!keyed) return
    running.delete(keyed.id)
    if (reply.statusCode < 400 && !keyed.isKept)
      throw new Error(`${request.routeOptions.url} did not store its response`)
  }

  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || route.config?.callsOperations) return
    route.preValidation = [begin, ...[route.preValidation ?? []].flat()]
    route.onSend = [...[route.onSend ?? []].flat(), end]
  })
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/**
 * Returns a hash of everything that must match in a repeated request. Hashes multipart forms field by field, because
 * their boundaries differ each time.
 */
async function fingerprintOf({ method, raw, body, headers }: FastifyRequest): Promise<string> {
  const hash = createHash('sha256').update(`${method} ${raw.url}\n`)
  if (Buffer.isBuffer(body)) {
    hash.update(`${headers['content-disposition'] ?? ''}\n`).update(body)
    return hash.digest('base64url')
  }
  hash.update(JSON.stringify(body))
  for (const [name, value] of Object.entries(Object(body) as object)) {
    for (const file of [value].flat()) {
      if (!(file instanceof File)) continue
      hash.update(`\n${JSON.stringify([name, file.name, file.size])}\n`)
      hash.update(new Uint8Array(await file.arrayBuffer()))
    }
  }
  return hash.digest('base64url')
}

function replay(request: FastifyRequest, reply: FastifyReply, keyed: Keyed, kept: KeptAnswer): FastifyReply {
  // Another API key of the same account may have fewer scopes, and must not receive the secret.
  const isForeignSecret = isSecret(kept.headers) && kept.apiKeyId !== apiKeyIdOf(request)
  if (kept.fingerprint !== keyed.fingerprint || isForeignSecret) throw new AppError('idempotency_key_reuse')
  keyed.isKept = true
  return reply
    .code(kept.status)
    .headers(kept.headers)
    .header('idempotency-replayed', 'true')
    .type('application/json; charset=utf-8')
    .send(kept.body)
}

const isSecret = (headers: Record<string, string>) => headers['cache-control'] === 'no-store'
const apiKeyIdOf = (request: FastifyRequest) => request.actor?.key.id ?? null

/** The response bodies that a route declares for successful requests. */
type BodyOf<R> = R extends { routeOptions: { schema?: { response?: infer Responses } } }
  ? { [Status in keyof Responses & (200 | 201 | 202)]: StaticOf<Responses[Status]> }[keyof Responses &
      (200 | 201 | 202)]
  : never
type StaticOf<S> = S extends TSchema ? Static<S> : never

/**
 * Responds to a POST with the result of its transaction. If the request has an idempotency key, the same transaction
 * stores the response, so the request cannot take effect without a stored response.
 */
export async function answerPost<R extends FastifyReply>(
  reply: R,
  database: Pick<Database, 'inTx'>,
  work: (tx: Tx) => Promise<Answer<BodyOf<R>>>,
): Promise<FastifyReply> {
  const { request } = reply
  const { keyed } = request
  if (!keyed) return finish(reply, await database.inTx(work))
  const { answers, id, fingerprint } = keyed
  const once = async (tx: Tx) => {
    await answers.claim(tx, id)
    const answer = await work(tx)
    const { status = reply.statusCode, headers = {}, accountId = request.actor?.accountId ?? null } = answer
    if (!request.actor && isSecret(headers) && !answer.bodyWithoutSecret) {
      throw new Error(`${request.routeOptions.url} would store a secret without an owner`)
    }
    const body = JSON.stringify((!request.actor && answer.bodyWithoutSecret) || answer.body)
    await answers.keep(tx, id, accountId, { fingerprint, status, headers, body, apiKeyId: apiKeyIdOf(request) })
    return answer
  }
  // Another process may have finished the same request since the lookup, or the connection may have broken during the
  // commit.
  const outcome = await database.inTx(once).catch(async (error) => {
    const kept = await answers.find(id)
    if (!kept) throw error
    return { kept }
  })
  if ('kept' in outcome) return replay(request, reply, keyed, outcome.kept)
  keyed.isKept = true
  return finish(reply, outcome)
}

/**
 * Works like `answerPost`, but for a single statement. The statement runs without a transaction if the request has no
 * idempotency key.
 */
export async function answerPostInStatement<R extends FastifyReply>(
  reply: R,
  database: Pick<Database, 'inTx' | 'inStatement'>,
  work: (tx: Tx) => Promise<Answer<BodyOf<R>>>,
): Promise<FastifyReply> {
  return reply.request.keyed ? answerPost(reply, database, work) : finish(reply, await database.inStatement(work))
}

/**
 * Responds to a POST whose effect is outside the database and already complete. Stores the response if the request has
 * an idempotency key.
 */
export async function answerDone<R extends FastifyReply>(
  reply: R,
  database: Pick<Database, 'inTx'>,
  answer: Answer<BodyOf<R>>,
): Promise<FastifyReply> {
  return reply.request.keyed ? answerPost(reply, database, async () => answer) : send(reply, answer)
}

async function finish<Body>(reply: FastifyReply, answer: Answer<Body>): Promise<FastifyReply> {
  await answer.onceCommitted?.()
  return send(reply, answer)
}

function send<Body>(
  reply: FastifyReply,
  { status = reply.statusCode, headers = {}, body }: Answer<Body>,
): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
