/** What waits for a time that a wrong clock has named is found when the clock is right again. */
import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** As far back a clock goes that is only adjusted. */
const ADJUSTED_MS = 1_000

/**
 * So many rounds in a row: a minute. Other processes go by the wrong time until they compare clocks again (5 s), and a
 * transaction that began with it may last: what they write comes after the first correction.
 */
const CORRECTIONS = 12

/**
 * Watches for a clock that is set back, and brings back with it what lies too far ahead then, also what is still written by
 * the wrong time. The first rounds do so as well: nobody knows what happened before.
 */
export function clockWatch(
  database: Database,
  clock: Clock,
  corrections: readonly ((tx: Tx, now: Date) => Promise<void>)[],
): Task {
  let latestMs = Number.NEGATIVE_INFINITY
  let toCome = CORRECTIONS
  return {
    name: 'clock-steps',
    everyMs: 5_000,
    async once() {
      const now = clock.now()
      if (now.getTime() < latestMs - ADJUSTED_MS) toCome = CORRECTIONS
      // Before the corrections: a step that comes while they last is seen by the next round.
      latestMs = now.getTime()
      if (toCome === 0) return 'done'
      for (const correct of corrections) await database.inTx((tx) => correct(tx, now))
      toCome--
      return 'done'
    },
  }
}
