/**
 * Registers metrics of a process: its database connections, its reads from a replica, its budget use, and Node's own
 * metrics. Also registers the metrics of backups, which are the same in every process.
 */
import { getHeapStatistics } from 'node:v8'
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import type { Database } from '../db/database.ts'
import { type Replica, replicaOutcomes } from '../db/replica.ts'
import { backupSteps, listTaskHealth } from '../db/task-health.ts'
import { type Budgets, budgetNames } from '../lib/budgets.ts'

/** Registers a gauge that is measured at each scrape. */
export function gauge(registry: Registry, name: string, help: string, measure: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(measure())
    },
  })
}

export function registerProcessMetrics(registry: Registry, database: Database, replica?: Replica): void {
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  new Gauge({
    name: 'build_info',
    help: 'Always 1; the labels contain the release and the Node version',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: packageJson.version, node: process.versions.node }, 1)
  new Gauge({
    name: 'nodejs_heap_limit_bytes',
    help: 'Heap size at which V8 runs out of memory',
    registers,
  }).set(getHeapStatistics().heap_size_limit)
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
  gauge(
    registry,
    'database_pool_size',
    'Maximum number of connections to the database',
    () => database.connections.most,
  )
  gauge(registry, 'database_pool_waiting', 'Queries waiting for a connection', () => database.connections.waiting)
  gauge(
    registry,
    'database_away',
    '1 while the database is unavailable: reads are served from memory, writes are refused',
    () => Number(database.presence?.isAway ?? false),
  )
  new Counter({
    name: 'database_replica_reads_total',
    help: 'Reads by outcome: served by the replica, or the reason why the primary served them',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const outcome of replicaOutcomes) this.inc({ outcome }, replica?.reads[outcome] ?? 0)
    },
  })
  gauge(registry, 'database_replica_used', '1 if reads go to the replica; NaN without a replica', () =>
    replica ? Number(replica.isUsed) : Number.NaN,
  )
  gauge(
    registry,
    'database_replica_lag_bytes',
    'Bytes of WAL that the replica had not replayed at the last check; NaN before the first check or without a replica',
    () => (replica ? replica.lagBytes : Number.NaN),
  )
}

/** Registers metrics for budget use, and for requests refused because a budget was spent. */
export function registerBudgetMetrics(registry: Registry, budgets: Budgets): void {
  for (const [member, help] of [
    ['charged', 'Budget use of all accounts, in milliseconds, KiB or emails'],
    ['refused', 'Requests refused because the account had used up a budget'],
  ] as const) {
    new Counter({
      name: `budget_${member}_total`,
      help,
      labelNames: ['budget'],
      registers: [registry],
      collect() {
        this.reset()
        for (const budget of budgetNames) this.inc({ budget }, budgets.totals[budget][member])
      },
    })
  }
}

/** Registers metrics for the last successful backup and verification, which the commands record in the database. */
export function registerBackupMetrics(registry: Registry, database: Database): void {
  new Gauge({
    name: 'backup_last_success_timestamp_seconds',
    help: 'Time of the last success, by backup step (written or verified); 0 if never, NaN while the database is unavailable',
    labelNames: ['step'],
    registers: [registry],
    async collect() {
      const health = await database.read(listTaskHealth).catch(() => undefined)
      for (const [step, name] of Object.entries(backupSteps)) {
        const doneAt = health?.find(({ task }) => task === name)?.done_at
        this.set({ step }, health ? (doneAt?.getTime() ?? 0) / 1_000 : Number.NaN)
      }
    },
  })
}
