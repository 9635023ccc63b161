import type { Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import { foldChangedJobs } from './duplicates.service.ts'

/** Compares changed jobs with their possible copies. */
export const duplicateFolder = (database: Database, clock: Clock): Task => ({
  name: 'duplicates',
  everyMs: 1_000,
  once: async () => ((await database.inTx((tx) => foldChangedJobs(tx, clock.now()))) ? 'more' : 'done'),
})
