/** Counts rows: the backlog of background work for monitoring, and figures for operators. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.ts'

export interface Backlog {
  waiting: number
  /** When the oldest waiting row was queued; null if the backlog is empty. */
  since: Date | null
}

/** Returns the backlog that `from` selects. `since` is the column that contains the time when a row was queued. */
export async function findBacklog(
  reader: Reader,
  { since, from }: { since: string; from: RawBuilder<unknown> },
): Promise<Backlog> {
  const { rows } = await sql<Backlog>`select count(*) as waiting, min(${sql.ref(since)}) as since from ${from}`.execute(
    reader,
  )
  return rows[0]!
}

/** Counts the rows that a `from` clause selects, for example `job where state = 'closed'`. */
export async function countRows(reader: Reader, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from ${from}`.execute(reader)
  return rows[0]!.count
}

export interface DayCount {
  /** UTC day, such as `2026-03-31`. */
  day: string
  count: number
}

/** Counts rows by the UTC day of a time column. `from` must limit the time range. Days without rows are absent. */
export async function countRowsByDay(
  reader: Reader,
  { at, from }: { at: string; from: RawBuilder<unknown> },
): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select to_char(${sql.ref(at)} at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) from ${from} group by 1`.execute(
    reader,
  )
  return rows
}
