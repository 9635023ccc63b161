/**
 * The time up to which mirrors have seen every change of the board (decision 0030). Changes are stamped when they are
 * written, but become visible when they are committed, in a different order. A mirror that continued from its last
 * timestamp would miss changes that are committed later with an earlier stamp.
 */
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ListQuery } from '../../lists/query.ts'

/** A time before which every transaction with an id up to `xid` had received that id. */
interface Mark {
  /** Another server, for example after a failover, may assign the same ids again. */
  server: string
  xid: number
  at: Date
}

/**
 * Finds the latest time before which no more changes can appear.
 *
 * Each call creates a mark: the id of a transaction of its own. Once all transactions up to that id have ended, every
 * change still unseen has a higher id. It also has a later time, because the trigger takes id and time in this order.
 * The horizon keeps the latest settled mark, and the earliest open one for transactions that stay open longer.
 */
export class ChangeHorizon {
  #settled: Mark | undefined
  #open: Mark | undefined

  /** Returns the horizon, or undefined if none is known yet. Call it before reading the changes. */
  async find(database: Database): Promise<Date | undefined> {
    // Not pg_current_snapshot(): its xmax follows the last transaction that has ended, and later ones may be open. A
    // standby assigns no ids, so it cannot know which changes are still open. now() is when the statement's
    // transaction began, before it received its id.
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

/** Returns the time since which a query requests changes, or undefined if it requests the board. */
export function sinceOf({ filters }: Pick<ListQuery, 'filters'>): Date | undefined {
  return filters.find(({ filter }) => filter === 'updated_since')?.value as Date | undefined
}

/**
 * Returns the time from which a mirror continues after it has read all pages, and null on later pages. The first page
 * carries it: while the mirror reads the other pages, transactions may commit changes before their position. The time
 * is never later than `now`, because later expiries have not been reported yet.
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
