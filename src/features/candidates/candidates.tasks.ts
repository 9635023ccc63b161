import type { Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { placeColumn } from '../../geo/gazetteer.ts'
import { placeUnplaced } from '../../lists/places.ts'

const BATCH = 200

/** Geocodes the locations in candidate profiles that were written by an earlier release. */
export function candidatePlacer(database: Database): Task {
  return {
    name: 'candidate-places',
    everyMs: 60_000,
    async once() {
      const unplaced = await database.inTx((tx) => placeUnplaced(tx, 'candidate', BATCH, placeColumn))
      return unplaced === BATCH ? 'more' : 'done'
    },
  }
}
