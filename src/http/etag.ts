/** Conditional requests: tags on answers, 304 and 412 (decision 0038). */
import type { FastifyInstance, FastifyRequest, onSendHookHandler, RouteOptions } from 'fastify'
import { entityTag, matchesNone, matchesSome, type Precondition, unconditionally } from '../lib/entity-tags.ts'
import { AppError } from '../lib/errors.ts'

export { entityTag, matchesNone } from '../lib/entity-tags.ts'

/** The tag of a thing whose GET answers `{ data: resource }`. */
export function resourceTag(resource: object): string {
  return entityTag(JSON.stringify({ data: resource }))
}

/** What If-Match and If-None-Match of a change ask for. */
export function preconditionOf({ headers }: FastifyRequest): Precondition {
  const { 'if-match': wanted, 'if-none-match': unwanted } = headers
  if (wanted === undefined && unwanted === undefined) return unconditionally
  return (current) => {
    const tag = typeof current === 'object' ? resourceTag(current) : current
    if (!matchesSome(wanted, tag) || !matchesNone(unwanted, tag)) throw new AppError('precondition_failed')
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of what is another thing at every reading. */
    isUntagged?: boolean
  }
}

/** Whether a route answers GET with one thing, `{ data: {…} }`, that has a tag. */
export function answersOneThing({ method, schema, config }: RouteOptions): boolean {
  const response = schema?.response as Record<string, { properties?: { data?: { type?: unknown } } }> | undefined
  const data = response?.[200]?.properties?.data
  return (method === 'GET' || method === 'HEAD') && data !== undefined && data.type !== 'array' && !config?.isUntagged
}

/**
 * Gives the answers of this scope their tags: of what a GET of one thing answers, and of what a PUT does, which is the
 * same. A route that makes its own tag keeps it; what no cache may store has none.
 */
export function addEntityTags(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.method === 'PUT' || answersOneThing(route)) route.onSend = [tagAnswer, ...[route.onSend ?? []].flat()]
  })
}

const tagAnswer: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const isTaggable = reply.statusCode === 200 && typeof payload === 'string'
  if (!isTaggable || reply.hasHeader('etag') || reply.getHeader('cache-control') === 'no-store')
    return done(null, payload)
  const tag = entityTag(payload)
  reply.header('etag', tag)
  if (request.method === 'PUT' || matchesNone(request.headers['if-none-match'], tag)) return done(null, payload)
  reply.code(304)
  // The body of an answer to HEAD is taken off after this.
  if (request.method === 'HEAD') return done(null, payload)
  reply.removeHeader('content-type')
  done(null, null)
}
