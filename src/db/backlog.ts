/** What waits for background work, for those who watch it. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.ts'

export interface Backlog {
  waiting: number
  /** Since when the first of them has waited; null where none does. */
  since: Date | null
}

/** The backlog of a table: the rows that wait, and the column that says since when. */
export async function findBacklog(
  reader: Reader,
  { since, from }: { since: string; from: RawBuilder<unknown> },
): Promise<Backlog> {
  const { rows } = await sql<Backlog>`select count(*) as waiting, min(${sql.ref(since)}) as since from ${from}`.execute(
    reader,
  )
  return rows[0]!
}
