import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import { getFeedHealth, type RunRow } from './feeds.queries.ts'

/** Registers the metrics of feeds. Returns a function that counts an ended or held run by its state. */
export function registerFeedMetrics(registry: Registry, database: Database, clock: Clock) {
  const registers = [registry]
  const ask = () => database.read(getFeedHealth).catch(() => undefined)
  new Gauge({
    name: 'feeds',
    help: 'Feeds that run automatically, by state',
    labelNames: ['state'],
    registers,
    async collect() {
      const health = await ask()
      for (const state of ['idle', 'failing', 'held'] as const) this.set({ state }, health?.[state] ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'feed_oldest_success_age_seconds',
    help: 'Longest time since the last success of an automatic feed, or since its creation if it has none',
    registers,
    async collect() {
      const health = await ask()
      const since = health && (health.oldest_success ?? clock.now())
      this.set(since === undefined ? Number.NaN : Math.max(0, (clock.now().getTime() - since.getTime()) / 1_000))
    },
  })
  const runs = new Counter({
    name: 'feed_runs_total',
    help: 'Feed runs that this process ended or held, by state',
    labelNames: ['state'],
    registers,
  })
  return (state: RunRow['state']) => runs.inc({ state })
}
