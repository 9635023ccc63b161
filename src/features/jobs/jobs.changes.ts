/**
 * How far those who mirror the board have seen all of its changes (decision 0030). Changes are stamped with the time at
 * which they are written and seen when they are committed, in another order; a mirror that went on from the last time it
 * saw would miss what is committed later with an earlier one.
 */
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ListQuery } from '../../lib/list-query.ts'

/** A time before which every transaction had its number that has one up to `xid`. */
interface Mark {
  /** Another server, as after a failover, may give the same numbers to others. */
  server: string
  xid: number
  at: Date
}

/**
 * Tells the latest known time before which no change is still to come. It makes a mark for each question: the number of
 * a transaction of its own. Once all transactions up to that number have ended, whatever is not seen yet got a higher
 * number and, as the trigger takes number and time in this order, a later time. The latest mark that has come so far is
 * kept, and the earliest that has not, for a transaction that stays open longer.
 */
export class ChangeHorizon {
  #settled: Mark | undefined
  #open: Mark | undefined

  /** To be asked before the changes are read; undefined where nothing is known yet. */
  async find(database: Database): Promise<Date | undefined> {
    // Not pg_current_snapshot(): its xmax follows the last transaction that has ended, and later ones may be open.
    // A standby gives no numbers, and nobody can tell there what is still to come.
    // now() is when the statement's transaction began, before it got its number.
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

/** Since when a query asks for changes; undefined where it asks for the board. */
export function sinceOf({ filters }: Pick<ListQuery, 'filters'>): Date | undefined {
  return filters.find(({ filter }) => filter === 'updated_since')?.value as Date | undefined
}

/**
 * From where a mirror goes on after it has read all pages, told with the first one: while the others are read, more may
 * be committed before where they are. Nothing that expires later than `now` was told yet either.
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
