/**
 * Finds the time up to which mirrors have received every change to the board (decision 0030). A change gets its
 * timestamp when it is written, but becomes visible only when it is committed. If a mirror continued from the last
 * timestamp that it received, it would miss changes with an earlier timestamp and a later commit.
 */
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ListQuery } from '../../lists/query.ts'

/** A transaction ID and a time. All transactions with higher IDs received their IDs after this time. */
interface Mark {
  /** Identifies the server, because another server may use the same IDs again, for example after a failover. */
  server: string
  xid: number
  at: Date
}

/**
 * Finds the latest time before which no new changes can appear.
 *
 * Each call creates a mark with the ID of its own transaction. Once all transactions up to that ID have ended, the mark
 * is settled: every unseen change has a higher ID and a later time, because the trigger takes the ID before the time.
 * The horizon keeps the latest settled mark and the earliest open mark, which settles even if newer marks never do.
 */
export class ChangeHorizon {
  #settled: Mark | undefined
  #open: Mark | undefined

  /** Returns the horizon, or undefined if no mark has settled yet. Call this method before reading the changes. */
  async find(database: Database): Promise<Date | undefined> {
    // Does not use the xmax of pg_current_snapshot(), which is only one above the latest transaction that has ended.
    // Later transactions may still be open. Skips standbys, which do not assign IDs. now() is the time at which this
    // transaction started, before it received its ID.
    const mark = await one<Mark>(
      database,
      `select pg_postmaster_start_time()::text as server, pg_current_xact_id()::text::bigint as xid,
        date_trunc('milliseconds', now()) as at
      where not pg_is_in_recovery()`,
    )
    if (!mark) return undefined
    const { ended } = (await one<{ ended: number }>(
      database,
      'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as ended',
    ))!
    if (this.#settled?.server !== mark.server) this.#settled = undefined
    if (this.#open?.server !== mark.server) this.#open = undefined
    if (mark.xid < ended) {
      this.#settled = mark
      this.#open = undefined
    } else if (this.#open && this.#open.xid < ended) {
      this.#settled = this.#open
      this.#open = mark
    } else this.#open ??= mark
    return this.#settled?.at
  }
}

async function one<Row>(database: Database, statement: string): Promise<Row | undefined> {
  return (await database.read((db) => sql.raw<Row>(statement).execute(db))).rows[0]
}

/**
 * Returns the start of the period of changes that a query requests, or undefined if the query requests the board
 * itself.
 */
export function sinceOf({ filters }: Pick<ListQuery, 'filters'>): Date | undefined {
  return filters.find(({ filter }) => filter === 'updated_since')?.value as Date | undefined
}

/**
 * Returns the time from which a mirror continues after reading all pages, or null if the query requests a later page.
 * Only the first page contains this time. While the mirror reads later pages, changes that belong on earlier pages may
 * be committed. The time is never later than `now`, because later expiries have not been reported yet.
 */
export async function getUpdatedUntil(
  database: Database,
  horizon: ChangeHorizon,
  query: ListQuery,
  now: Date,
): Promise<Date | null> {
  const isFirst = query.page === undefined ? query.cursor.key === null : query.page === 1
  if (!isFirst) return null
  const until = (await horizon.find(database)) ?? sinceOf(query)!
  return until < now ? until : now
}
