/** Conditional requests that change resources: ETags and 412 (decision 0038). */
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from 'fastify'
import { entityTag, matchesNone, matchesSome, type Precondition, unconditionally } from '../lib/entity-tags.ts'
import { AppError } from '../lib/errors.ts'

/** Returns the ETag of a resource whose GET returns `{ data: resource }`. */
export function resourceTag(resource: object): string {
  return entityTag(JSON.stringify({ data: resource }))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The precondition in the If-Match and If-None-Match headers. */
    readonly precondition: Precondition
  }
}

function preconditionOf({ headers }: FastifyRequest): Precondition {
  const { 'if-match': wanted, 'if-none-match': unwanted } = headers
  if (wanted === undefined && unwanted === undefined) return unconditionally
  return (current) => {
    const tag = typeof current === 'object' && current !== null ? resourceTag(current) : current
    if (!matchesSome(wanted, tag) || !matchesNone(unwanted, tag)) throw new AppError('precondition_failed')
  }
}

/**
 * Adds `precondition` to requests. Gives the response to a PUT the same ETag as a GET of the resource. A route whose
 * response differs from the GET response sets its own ETag.
 */
export function tagChanges(app: FastifyInstance): void {
  app.decorateRequest('precondition', {
    getter(this: FastifyRequest) {
      return preconditionOf(this)
    },
  })
  app.addHook('onRoute', (route) => {
    if (route.method === 'PUT') route.onSend = [tagAnswer, ...[route.onSend ?? []].flat()]
  })
}

const tagAnswer: onSendHookHandler<unknown> = (_request, reply, payload, done) => {
  const isTaggable = reply.statusCode === 200 && typeof payload === 'string'
  if (isTaggable && !reply.hasHeader('etag')) reply.header('etag', entityTag(payload))
  done(null, payload)
}
