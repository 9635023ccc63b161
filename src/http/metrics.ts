/** Serves all metrics of the service in the Prometheus text format. */
import type { Registry } from 'prom-client'
import type { App } from './app.ts'
import { type FindActor, requireAccess } from './authenticate.ts'
import type { RateLimiter } from './rate-limit.ts'

/** Registers `GET /metrics` for admin keys. */
export function registerMetrics(
  app: App,
  findActor: FindActor,
  registry: Registry,
  limiter: RateLimiter | undefined,
): void {
  app.register(async (scope) => {
    requireAccess(scope, findActor, () => false, limiter)
    const access = { kinds: ['admin'], scope: 'admin:read' } as const
    scope.get('/metrics', { config: { access } }, async (_request, reply) =>
      reply.type(registry.contentType).send(await registry.metrics()),
    )
  })
}
