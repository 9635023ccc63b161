import { batchTask, type Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { geocode } from '../../geo/gazetteer.ts'
import { geocodeRows } from '../../lists/radius.ts'

/** Geocodes locations that an earlier release stored in candidate profiles. */
export const candidatePlacer = (database: Database): Task =>
  batchTask('candidate-places', 60_000, 200, (limit) =>
    database.inTx((tx) => geocodeRows(tx, 'candidate', limit, geocode)),
  )
