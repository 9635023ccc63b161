/** Prepares responses: ETags, 304 and compression (decision 0040). */
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { entityTag, matchesNone } from '../lib/entity-tags.ts'
import type { Actor } from '../lib/scopes.ts'
import type { AllowedOrigins } from './cors.ts'
import { isInnerCall } from './inner-calls.ts'
import { type Coding, codingOf } from './negotiation.ts'

/** Minimum size of a body to compress, in bytes. Compressing a body that fits into one packet gains nothing. */
const COMPRESSED_BYTES_MIN = 1_400

/** At quality 4, Brotli compresses a list better than gzip in the same time. */
const BROTLI_QUALITY = 4

const [compressGzip, compressBrotli] = [promisify(gzip), promisify(brotliCompress)]

/** Compresses on a separate thread, so the event loop keeps running. */
function compress(body: string | Buffer, coding: Coding): Promise<Buffer> {
  if (coding === 'gzip') return compressGzip(body)
  return compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
}

const SUFFIX = /--(?:br|gzip)"/g

/** Returns the ETag of a representation: the ETag of the uncompressed bytes, with a suffix if compressed. */
function suffixed(tag: string, coding: Coding | undefined): string {
  return coding === undefined ? tag : `${tag.slice(0, -1)}--${coding}"`
}

/**
 * Returns the Vary header. Responses to requests without Origin need it too; otherwise, caches could use them for
 * requests with Origin.
 */
export function varyOf(origins: AllowedOrigins): string {
  return origins === undefined || origins === '*' ? 'accept-encoding' : 'origin, accept-encoding'
}

/**
 * Compresses GET responses in this scope, adds ETags, and responds 304 if the client has the current version. Leaves
 * errors unchanged, as well as responses with secrets, which must not be cached.
 */
export function describeRepresentations(app: FastifyInstance, origins: AllowedOrigins): void {
  const vary = varyOf(origins)
  app.addHook('onRequest', ({ headers }, reply, done) => {
    reply.header('vary', vary)
    // The ETag of a compressed representation identifies the same state as the ETag of the uncompressed representation.
    for (const name of ['if-match', 'if-none-match'] as const) {
      if (headers[name] !== undefined) headers[name] = headers[name].replace(SUFFIX, '"')
    }
    done()
  })
  app.addHook('onRoute', (route) => {
    // Runs first, because the hook for HEAD responses removes the body that the ETag is computed from.
    const others = [route.onSend ?? []].flat()
    if (route.method === 'GET') route.onSend = [representText, ...others]
    if (route.method === 'HEAD') route.onSend = [representText, ...others, forgetLength]
    if (route.config?.ready) route.onRequest = [...[route.onRequest ?? []].flat(), sendIfReady]
  })
}

/** Sends a cached response, if there is one, and skips all later processing of the request. */
const sendIfReady: onRequestHookHandler = (request, reply, done) => {
  const ready = request.routeOptions.config.ready!(request.raw.url!, request.actor)
  if (ready) sendReady(request, reply, ready)
  else done()
}

function isStorable(reply: FastifyReply): boolean {
  return reply.statusCode === 200 && reply.getHeader('cache-control') !== 'no-store'
}

/**
 * Adds ETags to text responses and compresses them. Cached responses and files are buffers or streams at this point,
 * and are already prepared.
 */
const representText: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || !isStorable(reply) || isInnerCall(request.raw)) return done(null, payload)
  const coding = codingFor(request.headers, payload.length)
  if (hasAlready(request, reply, entityTag(payload), coding)) {
    reply.code(304)
    // Fastify's hook for HEAD responses removes the body later.
    if (request.method === 'HEAD') return done(null, payload)
    reply.removeHeader('content-type')
    return done(null, null)
  }
  if (coding === undefined) return done(null, payload)
  const send = (bytes: Buffer) => {
    reply.header('content-encoding', coding)
    done(null, bytes)
  }
  compress(payload, coding).then(send, done)
}

/** Removes Content-Length from a 304 response to HEAD. Fastify sets it to the uncompressed length or to 0. */
const forgetLength: onSendHookHandler<unknown> = (_request, reply, payload, done) => {
  if (reply.statusCode === 304) reply.removeHeader('content-length')
  done(null, payload)
}

/** Returns the encoding for a body of this length, or undefined if the body is sent uncompressed. */
function codingFor(headers: IncomingHttpHeaders, length: number): Coding | undefined {
  return length < COMPRESSED_BYTES_MIN ? undefined : codingOf(headers['accept-encoding'])
}

/** Sets the ETag of a response, including a 304, and returns whether the client already has the response. */
function hasAlready(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  tag: string,
  coding: Coding | undefined,
): boolean {
  reply.header('etag', suffixed(tag, coding))
  return !matchesNone(headers['if-none-match'], tag)
}

/** A cached response. List responses may have a Link header. */
export interface Ready {
  body: Buffer
  /** The media type. Default: JSON. */
  type?: string
  /**
   * When the response was last known to be current, in milliseconds of `performance.now()`. Absent: the response is
   * current.
   */
  staleSinceMs?: number | undefined
  link?: string | undefined
  /** Computed on first use if absent. */
  etag?: string | undefined
  /** Set if clients request the response repeatedly. Only such responses are compressed, once per encoding. */
  isAskedAgain?: true
  compressed?: Partial<Record<Coding, Buffer | Promise<Buffer>>>
  representations?: Partial<Record<Coding | 'identity', Representation | undefined>>
  /** Called for each request for the response, even if the client gets a 304. */
  note?(by: { actor: Actor; method: string; headers: IncomingHttpHeaders }): void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the cached response for a URL and an authorized caller, if there is one. */
    ready?: (url: string, actor: Actor) => Ready | undefined
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** The bytes of a cached response and their headers, as alternating names and values. */
export interface Representation {
  head: readonly string[]
  bytes: Buffer
}

/**
 * Returns the representation of a cached response that the client accepts, or `undefined` if its headers or bytes have
 * not been computed yet.
 */
export function representationFor(headers: IncomingHttpHeaders, answer: Ready): Representation | undefined {
  const coding = answer.isAskedAgain && codingFor(headers, answer.body.length)
  answer.representations ??= {}
  answer.representations[coding ?? 'identity'] ??= represent(answer, coding)
  return answer.representations[coding ?? 'identity']
}

function represent(
  { etag, link, body, type, compressed }: Ready,
  coding: Coding | undefined,
): Representation | undefined {
  const bytes = coding === undefined ? body : compressed?.[coding]
  if (etag === undefined || !Buffer.isBuffer(bytes)) return undefined
  const head = [
    'etag',
    suffixed(etag, coding),
    'content-type',
    type ?? JSON_TYPE,
    'content-length',
    String(bytes.length),
  ]
  if (coding !== undefined) head.push('content-encoding', coding)
  if (link !== undefined) head.push('link', link)
  return { head, bytes }
}

/** Sets the Age header of a stale response: the seconds since it was last known to be current (decision 0070). */
export function tellAge(reply: FastifyReply, staleSinceMs: number | undefined): void {
  if (staleSinceMs !== undefined) reply.header('age', Math.floor((performance.now() - staleSinceMs) / 1_000))
}

/** Sends a cached response, or 304 if the client already has it. */
export function sendReady(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Ready,
  type = answer.type ?? JSON_TYPE,
): FastifyReply {
  if (answer.link !== undefined) reply.header('link', answer.link)
  tellAge(reply, answer.staleSinceMs)
  answer.note?.(request)
  if (isInnerCall(request.raw)) return reply.type(type).send(answer.body)
  answer.etag ??= entityTag(answer.body)
  const coding = answer.isAskedAgain && codingFor(request.headers, answer.body.length)
  if (hasAlready(request, reply, answer.etag, coding)) return reply.code(304).send()
  reply.type(type)
  if (coding === undefined) return reply.send(answer.body)
  answer.compressed ??= {}
  answer.compressed[coding] ??= compress(answer.body, coding)
  const { compressed } = answer
  const known = compressed[coding]!
  const send = (bytes: Buffer) => reply.header('content-encoding', coding).send(bytes)
  if (Buffer.isBuffer(known)) return send(known)
  known.then(
    (bytes) => {
      compressed[coding] = bytes
      send(bytes)
    },
    (error) => reply.send(error),
  )
  return reply
}
