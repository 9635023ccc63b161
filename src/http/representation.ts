/** How answers travel: their tags, 304, and compression (decision 0040). */
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { Actor } from '../lib/scopes.ts'
import type { AllowedOrigins } from './cors.ts'
import { entityTag, matchesNone } from './etag.ts'
import { type Coding, codingOf } from './negotiation.ts'

/** What fits into a packet gains nothing. */
const COMPRESSED_BYTES_MIN = 1_400

/** With 4, a list is smaller than gzip makes it and as soon done. */
const BROTLI_QUALITY = 4

const [compressGzip, compressBrotli] = [promisify(gzip), promisify(brotliCompress)]

/** In a thread of its own: the event loop goes on meanwhile. */
function compress(body: string | Buffer, coding: Coding): Promise<Buffer> {
  if (coding === 'gzip') return compressGzip(body)
  return compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
}

const SUFFIX = /--(?:br|gzip)"/g

/** The compressed bytes are a representation of their own, with a tag of its own: that of the plain ones and a suffix. */
function suffixed(tag: string, coding: Coding | undefined): string {
  return coding === undefined ? tag : `${tag.slice(0, -1)}--${coding}"`
}

/** What an answer depends on beside the address; also where there is no origin: no cache gives it to a page that has one. */
export function varyOf(origins: AllowedOrigins): string {
  return origins === undefined || origins === '*' ? 'accept-encoding' : 'origin, accept-encoding'
}

/**
 * Gives the answers to GET in this scope tags, answers 304, and compresses. What no cache may store shows a secret, and
 * is left as it is; errors are, too.
 */
export function describeRepresentations(app: FastifyInstance, origins: AllowedOrigins): void {
  const vary = varyOf(origins)
  app.addHook('onRequest', ({ headers }, reply, done) => {
    reply.header('vary', vary)
    // A tag of compressed bytes stands for the same thing as that of the plain ones.
    for (const name of ['if-match', 'if-none-match'] as const) {
      if (headers[name] !== undefined) headers[name] = headers[name].replace(SUFFIX, '"')
    }
    done()
  })
  app.addHook('onRoute', (route) => {
    // First of all: what makes the answer to HEAD leaves no body to look at.
    const others = [route.onSend ?? []].flat()
    if (route.method === 'GET') route.onSend = [representText, ...others]
    if (route.method === 'HEAD') route.onSend = [representText, ...others, forgetLength]
    if (route.config?.ready) route.onRequest = [...[route.onRequest ?? []].flat(), sendIfReady]
  })
}

/** Where the answer is there, nothing more of the request is looked at. */
const sendIfReady: onRequestHookHandler = (request, reply, done) => {
  const ready = request.routeOptions.config.ready!(request.raw.url!)
  if (ready) sendReady(request, reply, ready)
  else done()
}

function isStorable(reply: FastifyReply): boolean {
  return reply.statusCode === 200 && reply.getHeader('cache-control') !== 'no-store'
}

/** Answers whose bytes were ready, and files, are no text here: they have been seen to. */
const representText: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || !isStorable(reply)) return done(null, payload)
  const coding = codingFor(request.headers, payload.length)
  if (hasAlready(request, reply, entityTag(payload), coding)) {
    reply.code(304)
    // What makes the answer to HEAD takes the body away itself.
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

/** What makes the answer to HEAD gives 304 a length, too: that of plain bytes, or 0. */
const forgetLength: onSendHookHandler<unknown> = (_request, reply, payload, done) => {
  if (reply.statusCode === 304) reply.removeHeader('content-length')
  done(null, payload)
}

/** How a body of this length is compressed for a client, if it is. */
function codingFor(headers: IncomingHttpHeaders, length: number): Coding | undefined {
  return length < COMPRESSED_BYTES_MIN ? undefined : codingOf(headers['accept-encoding'])
}

/** Tags an answer, 304 as what it stands for, and tells whether the client has it already. */
function hasAlready(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  tag: string,
  coding: Coding | undefined,
): boolean {
  reply.header('etag', suffixed(tag, coding))
  return !matchesNone(headers['if-none-match'], tag)
}

/** An answer whose bytes are ready; a list's has a Link header. */
export interface Ready {
  body: Buffer
  /** When it was last known to be current, by `performance.now()`; absent: it is. */
  staleSinceMs?: number | undefined
  link?: string | undefined
  /** Made when it is first needed, if not before. */
  etag?: string | undefined
  /** Whether it will be sent again: then it is compressed, once for each coding, for those who take that. */
  isAskedAgain?: true
  compressed?: Partial<Record<Coding, Buffer | Promise<Buffer>>>
  representations?: Partial<Record<Coding | 'identity', Representation | undefined>>
  /** Told who is sent it. */
  note?(by: { actor: Actor; method: string; headers: IncomingHttpHeaders }): void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer to an address, where it is ready: it is the same for all who may have it. */
    ready?: (url: string) => Ready | undefined
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** What is sent of a ready answer: the headers that tell of it, names and values in turn, and its bytes. */
interface Representation {
  head: readonly string[]
  bytes: Buffer
}

/** What a client takes of a ready answer; `undefined` where something of it has to be made first. */
export function representationFor(headers: IncomingHttpHeaders, answer: Ready): Representation | undefined {
  const coding = answer.isAskedAgain && codingFor(headers, answer.body.length)
  answer.representations ??= {}
  answer.representations[coding ?? 'identity'] ??= represent(answer, coding)
  return answer.representations[coding ?? 'identity']
}

function represent({ etag, link, body, compressed }: Ready, coding: Coding | undefined): Representation | undefined {
  const bytes = coding === undefined ? body : compressed?.[coding]
  if (etag === undefined || !Buffer.isBuffer(bytes)) return undefined
  const head = ['etag', suffixed(etag, coding), 'content-type', JSON_TYPE, 'content-length', String(bytes.length)]
  if (coding !== undefined) head.push('content-encoding', coding)
  if (link !== undefined) head.push('link', link)
  return { head, bytes }
}

/** Sets how many seconds ago an answer was last known to be current, where the database is away (decision 0070). */
export function tellAge(reply: FastifyReply, staleSinceMs: number | undefined): void {
  if (staleSinceMs !== undefined) reply.header('age', Math.floor((performance.now() - staleSinceMs) / 1_000))
}

/** Sends an answer whose bytes are ready, or 304. */
export function sendReady(request: FastifyRequest, reply: FastifyReply, answer: Ready, type = JSON_TYPE): FastifyReply {
  if (answer.link !== undefined) reply.header('link', answer.link)
  tellAge(reply, answer.staleSinceMs)
  answer.note?.(request)
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
