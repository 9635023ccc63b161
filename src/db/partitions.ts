/**
 * Partitions tables by the time in a key column, which contains an ID or a date. Dropping a partition frees its disk
 * space (decisions 0080 and 0142).
 */
import { type RawBuilder, sql } from 'kysely'
import { firstId, type IdKind } from '../lib/ids.ts'
import { DAY_MS } from '../lib/time.ts'
import type { Database, Reader } from './database.ts'
import { statement } from './statement.ts'

type TableById = 'event' | 'webhook_attempt' | 'webhook_delivery_settled'

/** A table that is partitioned by ranges of a text column. */
export interface PartitionedTable {
  name: TableById | 'job_view_day'
  /** The UTC period of one partition. */
  period: 'day' | 'month'
  /** Returns the lower bound of the keys from a given time on. Keys of earlier rows are lower. */
  keyAt(time: number): string
}

/** Returns a table with one partition per day, by the creation time in its IDs. */
export const partitionedById = (name: TableById, kind: IdKind): PartitionedTable => ({
  name,
  period: 'day',
  keyAt: (time) => firstId(kind, time),
})

/** Returns the start of the first period after a time. */
function nextPeriod(period: PartitionedTable['period'], after: number): number {
  if (period === 'day') return (Math.floor(after / DAY_MS) + 1) * DAY_MS
  const date = new Date(after)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/**
 * How many days before its period a partition is created: enough for a weekend without a worker. If partitions run out,
 * rows go to the default partition.
 */
const DAYS_AHEAD = 3

/**
 * Maximum wait for the table lock that is needed briefly to add or drop a partition. While the task waits, for example
 * for a backup, all later queries on the table wait too. The task retries after an hour.
 */
const LOCK_TIMEOUT = sql`set local lock_timeout = '50ms'`

/** Creates the partitions of the next periods, starting after the last existing partition. */
export function addPartitions(database: Database, table: PartitionedTable, now: number): Promise<void> {
  const { name, period, keyAt } = table
  return database.inTx(async (tx) => {
    await LOCK_TIMEOUT.execute(tx)
    // This lock mode conflicts with itself, so only one process adds partitions at a time.
    await sql`lock table only ${sql.id(name)} in share update exclusive mode`.execute(tx)
    const partitions = await listPartitions(tx, name)
    const first = nextPeriod(period, now)
    // If no partitions have been added for days, the default partition may already contain rows of the current period.
    let from = [keyAt(first), ...partitions.map(({ end }) => end)].sort().at(-1)!
    for (let start = first, next: number; start <= now + DAYS_AHEAD * DAY_MS; start = next) {
      next = nextPeriod(period, start)
      const to = keyAt(next)
      if (to <= from) continue
      const partition = sql.id(`${name}_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`)
      await sql`
        create table ${partition} (like ${sql.id(name)} including defaults including constraints including storage including compression)
        with (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02)`.execute(tx)
      // Attaches the table in a separate step, because `create table … partition of` would also block reads.
      await sql`alter table ${sql.id(name)} attach partition ${partition} for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(
        tx,
      )
      from = to
    }
  })
}

export interface DropOptions {
  /**
   * The tables to lock, in the order in which other statements lock them: this table, and the tables that foreign keys
   * connect with it. Default: only this table.
   */
  locked?: readonly string[]
  /** Returns the condition under which a partition must be kept. Default: no partition is kept. */
  isNeeded?: (partition: Partition) => RawBuilder<boolean>
}

/** Drops partitions in which all rows are older than a given time, unless the partitions are still needed. */
export async function dropPartitions(
  database: Database,
  { name, keyAt }: PartitionedTable,
  before: number,
  { locked = [name], isNeeded = () => sql`false` }: DropOptions = {},
): Promise<void> {
  const partitions = await database.read((db) => listPartitions(db, name))
  const limit = keyAt(before)
  for (const partition of partitions) {
    const isKept = async (reader: Reader) => {
      return statement<{ is_needed: boolean }>`select ${isNeeded(partition)} as is_needed`.oneValue(reader)
    }
    if (partition.end > limit || (await database.read(isKept))) continue
    await database.inTx(async (tx) => {
      await LOCK_TIMEOUT.execute(tx)
      // Locks the tables before the partition, in the order that all statements use. PostgreSQL would lock tables with
      // foreign keys only later, when another statement may already have locked them and be waiting for the
      // partition.
      for (const table of locked) await sql`lock table only ${sql.id(table)} in access exclusive mode`.execute(tx)
      await sql`lock table ${sql.id(partition.name)} in access exclusive mode`.execute(tx)
      if (await isKept(tx)) return
      await sql`alter table ${sql.id(name)} detach partition ${sql.id(partition.name)}`.execute(tx)
      await sql`drop table ${sql.id(partition.name)}`.execute(tx)
    })
  }
}

interface Partition {
  name: string
  /** The lowest key, inclusive. Empty if the partition has no lower bound. */
  start: string
  /** The upper bound of the keys, exclusive. */
  end: string
}

/** Returns the partitions of a table except the default one, oldest first. */
function listPartitions(reader: Reader, table: string): Promise<Partition[]> {
  return statement<Partition>`
    select relname as name, coalesce(substring(bound from 'FROM \\(''([\\w-]+)''\\)'), '') as start, "end"
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    cross join pg_get_expr(relpartbound, pg_class.oid) as bound
    cross join substring(bound from 'TO \\(''([\\w-]+)''\\)') as "end"
    where inhparent = ${table}::regclass and "end" is not null order by "end"`.all(reader)
}
