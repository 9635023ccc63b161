/** Pages of other origins (CORS): which may read answers, and what of them. Without any, nothing is said of it. */
import type { FastifyInstance } from 'fastify'

/** Undefined: none. */
export type AllowedOrigins = '*' | readonly string[] | undefined

const METHODS = 'GET, HEAD, POST, PUT, DELETE'
const REQUEST_HEADERS =
  'Accept, Authorization, Content-Disposition, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, X-Request-Id'
const EXPOSED_HEADERS =
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id'
/** What browsers keep at most. */
const PREFLIGHT_S = 7_200

/**
 * Answers preflights and marks answers in this scope; to be called before authentication, as preflights have no key.
 * Keys are sent in a header that only the page itself can set, never by the browser on its own: so no origin is trusted
 * with credentials, and `*` gives a page nothing that its own server could not get.
 */
export function allowOrigins(app: FastifyInstance, origins: AllowedOrigins): void {
  if (origins === undefined) return
  const allowed = new Set(origins)
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (origin === undefined || (origins !== '*' && !allowed.has(origin))) return done()
    reply.header('access-control-allow-origin', origins === '*' ? '*' : origin)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', EXPOSED_HEADERS)
      return done()
    }
    reply
      .code(204)
      .header('access-control-allow-methods', METHODS)
      .header('access-control-allow-headers', REQUEST_HEADERS)
      .header('access-control-max-age', String(PREFLIGHT_S))
      .send()
  })
}
