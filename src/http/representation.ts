/** How answers travel: their tags, 304, and compression (decision 0040). */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
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
function suffixed(tag: string, coding: Coding): string {
  return tag.endsWith('"') ? `${tag.slice(0, -1)}--${coding}"` : tag
}

/**
 * Gives the answers to GET in this scope tags, answers 304, and compresses. What no cache may store shows a secret, and
 * is left as it is; errors are, too.
 */
export function describeRepresentations(app: FastifyInstance, origins: AllowedOrigins): void {
  // What an answer depends on beside the address; also where there is no origin: no cache gives it to a page that has one.
  const vary = origins === undefined || origins === '*' ? 'accept-encoding' : 'origin, accept-encoding'
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
    if (route.method === 'GET' || route.method === 'HEAD') {
      route.onSend = [tagText, compressText, ...[route.onSend ?? []].flat()]
    }
  })
}

function isStorable(reply: FastifyReply): boolean {
  return reply.statusCode === 200 && reply.getHeader('cache-control') !== 'no-store'
}

/** Answers whose bytes were ready, and files, are no text here: they have been seen to. */
const tagText: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || !isStorable(reply) || reply.hasHeader('etag')) return done(null, payload)
  const tag = entityTag(payload)
  reply.header('etag', tag)
  if (matchesNone(request.headers['if-none-match'], tag)) return done(null, payload)
  reply.code(304)
  // What makes the answer to HEAD takes the body away itself.
  if (request.method === 'HEAD') return done(null, payload)
  reply.removeHeader('content-type')
  done(null, null)
}

const compressText: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || !isStorable(reply)) return done(null, payload)
  const coding = codingOf(request.headers['accept-encoding'])
  if (coding === undefined || payload.length < COMPRESSED_BYTES_MIN) return done(null, payload)
  compress(payload, coding).then((bytes) => done(null, encoded(reply, coding, bytes)), done)
}

function encoded(reply: FastifyReply, coding: Coding, bytes: Buffer): Buffer {
  reply.header('content-encoding', coding)
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string') reply.header('etag', suffixed(tag, coding))
  return bytes
}

/** An answer whose bytes are ready; a list's has a Link header. */
export interface Ready {
  body: Buffer
  link?: string
  /** Made when it is first needed, if not before. */
  etag?: string | undefined
  /** Whether it will be sent again: then it is compressed, once for each coding, for those who take that. */
  isAskedAgain?: true
  compressed?: Partial<Record<Coding, Promise<Buffer>>>
}

/** Sends an answer whose bytes are ready, or 304. */
export function sendReady(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Ready,
  type = 'application/json; charset=utf-8',
): FastifyReply {
  const { headers } = request
  if (answer.link !== undefined) reply.header('link', answer.link)
  answer.etag ??= entityTag(answer.body)
  reply.header('etag', answer.etag)
  if (!matchesNone(headers['if-none-match'], answer.etag)) {
    reply.code(304)
    return request.method === 'HEAD' ? reply.type(type).send(answer.body) : reply.send()
  }
  reply.type(type)
  if (!answer.isAskedAgain || answer.body.length < COMPRESSED_BYTES_MIN) return reply.send(answer.body)
  const coding = codingOf(headers['accept-encoding'])
  if (coding === undefined) return reply.send(answer.body)
  answer.compressed ??= {}
  answer.compressed[coding] ??= compress(answer.body, coding)
  answer.compressed[coding].then(
    (bytes) => reply.send(encoded(reply, coding, bytes)),
    (error) => reply.send(error),
  )
  return reply
}
