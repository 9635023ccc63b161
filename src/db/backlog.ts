/** Counts rows: the backlogs of background work for monitoring, and statistics for operators. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.ts'
import { statement } from './statement.ts'

export interface Backlog {
  waiting: number
  /** When the oldest waiting row was queued; null if the backlog is empty. */
  since: Date | null
}

/** Returns the backlog that `from` selects. `since` is the column that contains the time when a row was queued. */
export function findBacklog(reader: Reader, { since, from }: { since: string; from: RawBuilder<unknown> }) {
  return statement<Backlog>`select count(*) as waiting, min(${sql.ref(since)}) as since from ${from}`.one(reader)
}

/** Counts the rows that a `from` clause selects, for example `job where state = 'closed'`. */
export function countRows(reader: Reader, from: RawBuilder<unknown>): Promise<number> {
  return statement<{ count: number }>`select count(*) from ${from}`.oneValue(reader)
}

/** A number of rows. `isAbout` is true if the number is an estimate. */
export interface RoughCount {
  count: number
  isAbout: boolean
}

/** Tables with at most this many estimated rows are counted exactly, which takes about 10 ms. */
const EXACT_MAX = 100_000
/**
 * Number of rows in the sample of a large table. With this sample, the figure for each day of a month is off by 7% on
 * average.
 */
const SAMPLE_ROWS = 400_000

/** Returns PostgreSQL's estimate of the number of rows of a table, in all of its partitions. */
function estimateRows(reader: Reader, table: string): Promise<number> {
  return statement<{ count: number }>`
    select sum(greatest(reltuples, 0))::float8 as count from pg_class
    where oid = ${table}::regclass or oid in (select relid from pg_partition_tree(${table}) where isleaf)`.oneValue(
    reader,
  )
}

/** Counts the rows of a table. Returns an estimate if the table is large. */
export async function countRoughly(reader: Reader, table: string): Promise<RoughCount> {
  const estimate = await estimateRows(reader, table)
  const isAbout = estimate > EXACT_MAX
  return { count: isAbout ? Math.round(estimate) : await countRows(reader, sql.table(table)), isAbout }
}

/**
 * Returns the percentage of a table's pages that a sample contains: 100 if the table is small enough to be read
 * completely.
 */
export async function findSamplePercent(reader: Reader, table: string): Promise<number> {
  return Math.min(100, (100 * SAMPLE_ROWS) / (await estimateRows(reader, table)))
}

export interface DayCount {
  /** UTC day, such as `2026-03-31`. */
  day: string
  count: number
}

/** Counts rows by the UTC day of a time column. `from` must limit the time range. Days without rows are absent. */
export function countRowsByDay(reader: Reader, { at, from }: { at: string; from: RawBuilder<unknown> }) {
  return statement<DayCount>`
    select to_char(${sql.ref(at)} at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) from ${from} group by 1`.all(
    reader,
  )
}
