/**
 * Finds the time up to which mirrors have received every change to the board (decision 0030).
 */
import type { Database } from '../../db/database.ts'
import { Horizon } from '../../db/horizon.ts'
import type { ListQuery } from '../../lists/query.ts'

/**
 * Finds the latest time before which no new changes can appear. `now()` is the time at which a transaction started,
 * before it received its ID. The trigger that records a change assigns the ID before it reads the clock.
 */
export class ChangeHorizon extends Horizon<Date> {
  constructor() {
    super("date_trunc('milliseconds', now())")
  }
}

/** Returns the time since which a query requests changes, or undefined if the query requests the board itself. */
export function sinceOf({ filters }: Pick<ListQuery, 'filters'>): Date | undefined {
  return filters.find(({ filter }) => filter === 'updated_since')?.value as Date | undefined
}

/**
 * Returns the time from which a mirror continues after reading all pages, or null if the query requests a later page.
 * Only the first page contains this time, because changes that belong on earlier pages may be committed while the
 * mirror reads later pages. The time is never later than `now`, because later expiries have not been reported yet.
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
