/** What waits for a time that a wrong clock has named is found when the clock is right again. */
import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** As far back a clock goes that is only adjusted. */
const ADJUSTED_MS = 1_000

/**
 * Watches for a clock that is set back, and brings back with it what lies too far ahead then. The first round does so as well:
 * nobody knows what happened before.
 */
export function clockWatch(
  database: Database,
  clock: Clock,
  corrections: readonly ((tx: Tx, now: Date) => Promise<void>)[],
): Task {
  let latestMs = Number.POSITIVE_INFINITY
  return {
    name: 'clock-steps',
    everyMs: 5_000,
    async once() {
      const now = clock.now()
      if (now.getTime() < latestMs - ADJUSTED_MS) {
        for (const correct of corrections) await database.inTx((tx) => correct(tx, now))
      }
      latestMs = now.getTime()
      return 'done'
    },
  }
}
