/** Corrects times that were stored while the clock was ahead, once it has been set back. */
import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** Maximum backward step of a clock that is merely adjusted, in milliseconds. */
const ADJUSTED_MS = 1_000

/**
 * Rounds of corrections after a step, which take a minute. Other processes use the wrong time until they compare clocks
 * again (5 s), and a transaction that started with it may still run. Their writes arrive after the first correction.
 */
const CORRECTIONS = 12

/**
 * Detects a clock that was set back, and moves back stored times that are then too far ahead. It repeats this, because
 * other writes may still use the wrong clock. The first rounds after a start do the same, because earlier steps are
 * unknown.
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
      // Set before the corrections, so that the next round detects a step during them.
      latestMs = now.getTime()
      if (toCome === 0) return 'done'
      for (const correct of corrections) await database.inTx((tx) => correct(tx, now))
      toCome--
      return 'done'
    },
  }
}
