import type { Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import { deleteExpired } from './sessions.queries.ts'
import { LINK_MS } from './sessions.service.ts'

/** Forgets sessions, links and requests for links that are over. */
export function sessionSweeper(database: Database, clock: Clock): Task {
  return {
    name: 'sessions',
    everyMs: 600_000,
    async once() {
      const now = clock.now()
      await database.inTx((tx) => deleteExpired(tx, now, new Date(now.getTime() - LINK_MS)))
      return 'done'
    },
  }
}
