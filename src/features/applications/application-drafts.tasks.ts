import { periodicTask, type Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'

export const draftPurge = (database: Database, clock: Clock): Task =>
  periodicTask('application-drafts', 600_000, () =>
    database.inTx((tx) => tx.deleteFrom('application_draft').where('expires_at', '<=', clock.now()).execute()),
  )
