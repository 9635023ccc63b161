/**
 * Allows pages from other origins to read responses (CORS). If no origins are allowed, only routes for publishable keys
 * send CORS headers.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'

/** The origins whose pages may read responses. Undefined: none. */
export type AllowedOrigins = '*' | readonly string[] | undefined

const METHODS = 'GET, HEAD, POST, PUT, DELETE'
const REQUEST_HEADERS =
  'Accept, Authorization, Content-Disposition, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, X-Request-Id'
const EXPOSED_HEADERS =
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, Deprecation, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id'
/** How long browsers may cache a preflight response, in seconds: the maximum in Chromium. */
const PREFLIGHT_S = 7_200

/**
 * Responds to preflight requests and adds CORS headers in this scope. Call this function before adding authentication,
 * because preflight requests contain no API key. Browsers send an API key only if a page sets the Authorization header,
 * so the service never allows CORS credentials. With `*`, a page can therefore read only data that its own server could
 * also request. The allowed origins of a publishable key are unknown during its preflight, which does not contain the
 * key. Preflights for reading with publishable keys therefore succeed from any origin.
 */
export function allowOrigins(app: FastifyInstance, origins: AllowedOrigins): void {
  const allowed = new Set(origins)
  /** The paths that publishable keys may read. */
  const published = new Set<string | undefined>()
  app.addHook('onRoute', ({ method, url, config }) => {
    if (method === 'GET' && config?.takesPublishable) published.add(url)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asked } = request.headers
    if (origin === undefined) return done()
    const isPreflight = request.method === 'OPTIONS' && asked !== undefined
    const isAllowed = origins === '*' || allowed.has(origin)
    const isPublished = isPreflight && (asked === 'GET' || asked === 'HEAD') && published.has(request.routeOptions.url)
    if (!isAllowed && !isPublished) return done()
    reply.header('access-control-allow-origin', origins === '*' || !isAllowed ? '*' : origin)
    if (!isPreflight) {
      reply.header('access-control-expose-headers', EXPOSED_HEADERS)
      return done()
    }
    reply
      .code(204)
      .header('access-control-allow-methods', isAllowed ? METHODS : 'GET, HEAD')
      .header('access-control-allow-headers', REQUEST_HEADERS)
      .header('access-control-max-age', String(PREFLIGHT_S))
      .send()
  })
}

/**
 * Lets a page read the response to a request with a publishable key. Returns the error if the key does not allow the
 * page's origin. `allowed`: the key's origins, or null for all.
 */
export function admitOrigin(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  allowed: readonly string[] | null,
): AppError | undefined {
  reply.header('vary', 'origin, accept-encoding')
  if (origin === undefined) return undefined
  if (allowed !== null && !allowed.includes(origin)) {
    return new AppError('origin_not_allowed', {
      detail: "The key's allowed_origins do not contain the Origin of this request.",
    })
  }
  const pages = allowed === null ? '*' : origin
  reply.header('access-control-allow-origin', pages).header('access-control-expose-headers', EXPOSED_HEADERS)
  return undefined
}
