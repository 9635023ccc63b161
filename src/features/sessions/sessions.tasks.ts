import type { Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import type { Authorities } from './sessions.authorities.ts'
import { deleteExpired } from './sessions.queries.ts'
import { REQUESTS_KEPT_MS } from './sessions.service.ts'

/** Aborts long-running work within two seconds after its key or session has ended. */
export function authorityWatch(authorities: Authorities): Task {
  return {
    name: 'authorities',
    everyMs: 500,
    runsIn: 'http',
    async once() {
      await authorities.check()
      return 'done'
    },
  }
}

/** Deletes expired sessions, links and requests for links. */
export function sessionSweeper(database: Database, clock: Clock): Task {
  return {
    name: 'sessions',
    everyMs: 600_000,
    async once() {
      const now = clock.now()
      await database.inTx((tx) => deleteExpired(tx, now, new Date(now.getTime() - REQUESTS_KEPT_MS)))
      return 'done'
    },
  }
}
