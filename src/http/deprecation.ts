/** Announces that an operation will be removed (RFC 9745 and RFC 8594, decision 0114). */
import type { FastifyInstance } from 'fastify'
import { DAY_MS } from '../lib/time.ts'

export interface Deprecation {
  /** The day on which the operation became deprecated, as `YYYY-MM-DD`. */
  since: string
  /** The first day on which the operation may be missing, as `YYYY-MM-DD`. */
  sunset: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks an operation that will be removed. */
    deprecated?: Deprecation
  }
  interface FastifySchema {
    deprecated?: boolean
  }
}

/** Minimum notice before an operation may be removed, in days. */
const NOTICE_DAYS = 365

/**
 * Adds the headers Deprecation and Sunset to the responses of deprecated operations, and marks the operations in the
 * OpenAPI document.
 */
export function announceRemovals(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const deprecated = route.config?.deprecated
    if (!deprecated) return
    const [since, sunset] = [Date.parse(deprecated.since), Date.parse(deprecated.sunset)]
    if (!(sunset - since >= NOTICE_DAYS * DAY_MS)) {
      throw new Error(`${route.url}: the sunset must be at least ${NOTICE_DAYS} days after the deprecation`)
    }
    const headers = { deprecation: `@${since / 1_000}`, sunset: new Date(sunset).toUTCString() }
    route.schema = { ...route.schema, deprecated: true }
    route.onRequest = [
      (_request, reply, done) => {
        reply.headers(headers)
        done()
      },
      ...[route.onRequest ?? []].flat(),
    ]
  })
}
