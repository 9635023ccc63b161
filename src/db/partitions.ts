/** Partitions tables by the day in their row IDs. Dropping an empty partition frees its disk space (decision 0080). */
import { sql } from 'kysely'
import { firstId, type IdKind } from '../lib/ids.ts'
import { DAY_MS } from '../lib/time.ts'
import type { Database, Reader } from './database.ts'

/** A table partitioned by ranges of IDs. */
export interface DailyTable {
  name: 'event' | 'webhook_attempt'
  idKind: IdKind
}

/**
 * Number of days for which partitions are created in advance: enough for a weekend without a worker. If they run out,
 * rows go to the default partition.
 */
const DAYS_AHEAD = 3

/**
 * Maximum wait for the table lock that is needed briefly to add or drop a partition. While the task waits, for example
 * for a backup, all later queries on the table wait too. The task retries after an hour.
 */
const LOCK_TIMEOUT = sql`set local lock_timeout = '50ms'`

/** Creates the partitions for the next days, starting after the last existing partition. */
export function addPartitions(database: Database, { name, idKind }: DailyTable, now: number): Promise<void> {
  return database.inTx(async (tx) => {
    await LOCK_TIMEOUT.execute(tx)
    // This lock mode conflicts with itself, so only one process adds partitions at a time.
    await sql`lock table only ${sql.id(name)} in share update exclusive mode`.execute(tx)
    const partitions = await listPartitions(tx, name)
    const tomorrow = Math.ceil(now / DAY_MS) * DAY_MS
    // If no partitions have been added for days, the default partition may already contain today's IDs.
    let from = [firstId(idKind, tomorrow), ...partitions.map(({ end }) => end)].sort().at(-1)!
    for (let day = tomorrow; day <= now + DAYS_AHEAD * DAY_MS; day += DAY_MS) {
      const to = firstId(idKind, day + DAY_MS)
      if (to <= from) continue
      const partition = sql.id(`${name}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`)
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

/** Drops empty partitions that end before a given time. */
export async function dropEmptyPartitions(
  database: Database,
  { name, idKind }: DailyTable,
  before: number,
): Promise<void> {
  const partitions = await database.read((db) => listPartitions(db, name))
  const limit = firstId(idKind, before)
  for (const { partition, end } of partitions) {
    if (end > limit) continue
    await database.inTx(async (tx) => {
      await LOCK_TIMEOUT.execute(tx)
      await sql`lock table ${sql.id(partition)} in access exclusive mode`.execute(tx)
      const { rows } = await sql`select 1 from ${sql.id(partition)} limit 1`.execute(tx)
      if (rows.length > 0) return
      await sql`alter table ${sql.id(name)} detach partition ${sql.id(partition)}`.execute(tx)
      await sql`drop table ${sql.id(partition)}`.execute(tx)
    })
  }
}

interface Partition {
  partition: string
  /** The exclusive upper bound of the partition's IDs. */
  end: string
}

/** Returns the partitions of a table except the default one, oldest first. */
async function listPartitions(reader: Reader, table: string): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select relname as partition, bound.end from pg_inherits join pg_class on pg_class.oid = inhrelid
    cross join substring(pg_get_expr(relpartbound, pg_class.oid) from 'TO \\(''(\\w+)''\\)') as bound("end")
    where inhparent = ${table}::regclass and bound.end is not null order by bound.end`.execute(reader)
  return rows
}
