/** What operators watch of a process: its connections to the database, its reads from a replica, and what Node tells of itself. */
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { type Replica, replicaOutcomes } from '../db/replica.ts'

export function registerProcessMetrics(registry: Registry, database: Database, replica?: Replica): void {
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database, by state: busy or idle',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle } = database.connections
      this.set({ state: 'busy' }, open - idle)
      this.set({ state: 'idle' }, idle)
    },
  })
  new Gauge({
    name: 'database_pool_size',
    help: 'Connections that there may be',
    registers,
    collect() {
      this.set(database.connections.most)
    },
  })
  new Gauge({
    name: 'database_pool_waiting',
    help: 'Questions that wait for a connection',
    registers,
    collect() {
      this.set(database.connections.waiting)
    },
  })
  new Counter({
    name: 'database_replica_reads_total',
    help: 'Reads that the replica served, or the primary, as the replica was busy, behind, failed, or paused after either, or was not asked',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const outcome of replicaOutcomes) this.inc({ outcome }, replica?.reads[outcome] ?? 0)
    },
  })
  new Gauge({
    name: 'database_replica_used',
    help: 'Whether reads go to the replica now; not a number without one',
    registers,
    collect() {
      this.set(replica ? Number(replica.isUsed) : Number.NaN)
    },
  })
  new Gauge({
    name: 'database_replica_lag_bytes',
    help: 'How much log the replica had still to replay when it was last asked; not a number before that',
    registers,
    collect() {
      this.set(replica ? replica.lagBytes : Number.NaN)
    },
  })
}
