/** Corrects stored times that lie in the future after the clock has been set back. */
import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** Maximum backward step, in milliseconds, that counts as a routine clock adjustment. */
const ADJUSTED_MS = 1_000

/**
 * Number of correction rounds after a step. They take about one minute in total. A single round can miss wrong times
 * that are written later. Other processes use the wrong time until they next compare clocks (within 5 s). Transactions
 * that are still running may have started with the wrong time.
 */
const CORRECTIONS = 12

/**
 * Returns the task that detects when the clock has been set back and corrects stored times that are now too far in the
 * future. The task repeats the corrections, because other processes may still write wrong times. The task also makes
 * corrections after startup, because it cannot detect steps that occurred earlier.
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
      // Updated before the corrections; otherwise, the next round would miss a step that occurs during them.
      latestMs = now.getTime()
      if (toCome === 0) return 'done'
      for (const correct of corrections) await database.inTx((tx) => correct(tx, now))
      toCome--
      return 'done'
    },
  }
}
