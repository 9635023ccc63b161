/** Allows pages from other origins to read responses (CORS). Sends no CORS headers if no origins are allowed. */
import type { FastifyInstance } from 'fastify'

/** The origins whose pages may read responses. Undefined: none. */
export type AllowedOrigins = '*' | readonly string[] | undefined

const METHODS = 'GET, HEAD, POST, PUT, DELETE'
const REQUEST_HEADERS =
  'Accept, Authorization, Content-Disposition, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, X-Request-Id'
const EXPOSED_HEADERS =
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id'
/** How long browsers may cache a preflight response, in seconds: the maximum that all browsers accept. */
const PREFLIGHT_S = 7_200

/**
 * Responds to preflight requests and adds CORS headers in this scope. Call this function before adding authentication,
 * because preflight requests contain no API key. Browsers send an API key only if a page sets the header, so the
 * service never allows CORS credentials. With `*`, a page can therefore read only data that its own server could also
 * request.
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
