/**
 * Metrics for all webhooks together. Metrics per webhook would need an unlimited number of series, because accounts can
 * create any number of webhooks over time. The state of a single webhook is visible in its list of deliveries.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Database, Reader } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import { countPending, countWebhooksByState, findOldestDue } from './webhooks.queries.ts'

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>

export function createDispatcherMetrics(registry: Registry) {
  const registers = [registry]
  return {
    inFlight: new Gauge({
      name: 'webhook_attempts_in_flight',
      help: 'Attempts in progress in this process',
      registers,
    }),
    attempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Finished attempts by class: delivered, or the failure class',
      labelNames: ['class'],
      registers,
    }),
    firstAttemptSeconds: new Histogram({
      name: 'webhook_first_attempt_delay_seconds',
      help: 'Time from the event to the start of the first attempt',
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600],
      registers,
    }),
    disabled: new Counter({
      name: 'webhooks_disabled_total',
      help: 'Webhooks that this process disabled because their receivers were gone or failing',
      registers,
    }),
    leasesExpired: new Counter({
      name: 'webhook_leases_expired_total',
      help: 'Attempts that this process recorded as lost because their leases expired, for example after a crash',
      registers,
    }),
  }
}

/**
 * Registers gauges that read the database and report the same value in every process. Their value is NaN while the
 * database is unavailable.
 */
export function registerWebhookGauges(registry: Registry, database: Database, clock: Clock): void {
  const registers = [registry]
  const ask = <T>(question: (reader: Reader) => Promise<T>) => database.read(question).catch(() => undefined)
  new Gauge({
    name: 'webhook_deliveries_pending',
    help: 'Deliveries that are due, scheduled or in progress',
    registers,
    async collect() {
      this.set((await ask(countPending)) ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'webhook_oldest_pending_age_seconds',
    help: 'Time for which the oldest due delivery of an active webhook has waited; 0 if none waits',
    registers,
    async collect() {
      const found = await ask(findOldestDue)
      const dueAt = found && (found.due_at ?? clock.now())
      this.set(dueAt === undefined ? Number.NaN : Math.max(0, (clock.now().getTime() - dueAt.getTime()) / 1_000))
    },
  })
  new Gauge({
    name: 'webhooks',
    help: 'Webhooks by status; breaker: active, but limited to one delivery at a time after consecutive failures',
    labelNames: ['status'],
    registers,
    async collect() {
      const counts = await ask(countWebhooksByState)
      for (const status of ['active', 'breaker', 'paused', 'disabled'] as const) {
        this.set({ status }, counts ? counts[status] : Number.NaN)
      }
    },
  })
}
