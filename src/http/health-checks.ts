/** The health checks: whether the process runs, and whether it can serve requests. */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../lib/errors.ts'
import type { HttpOptions } from './app.ts'

/**
 * Time limit of the readiness check, in milliseconds. Probes wait only briefly: a database that takes longer counts as
 * unavailable.
 */
const READY_MS_MAX = 2_000

export function registerHealthChecks(
  app: FastifyInstance,
  { stopping, isReady }: Pick<HttpOptions, 'stopping' | 'isReady'>,
): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  let asking: Promise<boolean> | undefined
  app.get('/readyz', async () => {
    if (stopping.isAnnounced) throw unavailable()
    // Concurrent readiness checks share one result.
    asking ??= isReady().finally(() => {
      asking = undefined
    })
    try {
      if (!(await Promise.race([asking, pause(READY_MS_MAX, false, { ref: false })]))) throw unavailable()
    } catch (error) {
      // If the check fails with any error, the service is not ready.
      throw unavailable(error)
    }
    return { status: 'ok' }
  })
}
