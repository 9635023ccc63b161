import type { Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { geocode } from '../../geo/gazetteer.ts'
import { geocodeRows } from '../../lists/radius.ts'

const BATCH = 200

/** Geocodes locations that an earlier release stored in candidate profiles. */
export function candidatePlacer(database: Database): Task {
  return {
    name: 'candidate-places',
    everyMs: 60_000,
    async once() {
      const unplaced = await database.inTx((tx) => geocodeRows(tx, 'candidate', BATCH, geocode))
      return unplaced === BATCH ? 'more' : 'done'
    },
  }
}
