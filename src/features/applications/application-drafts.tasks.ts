import { periodicTask, type Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import { deleteExpiredDrafts } from './application-drafts.queries.ts'

export const draftPurge = (database: Database, clock: Clock): Task =>
  periodicTask('application-drafts', 600_000, () => database.inTx((tx) => deleteExpiredDrafts(tx, clock.now())))
