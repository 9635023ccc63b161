/** Deletes or archives data older than the configured retention (decision 0076). */
import { type Clock, DAY_MS } from '../lib/time.ts'
import type { Task } from './loop.ts'

/** Returns the task that purges one kind of data, or no task if no retention is configured. */
export function retention(
  name: string,
  days: number | undefined,
  clock: Clock,
  purge: (before: Date, now: Date) => Promise<'more' | 'done'>,
): Task[] {
  if (days === undefined) return []
  return [
    {
      name: `retention-${name}`,
      everyMs: 3_600_000,
      once() {
        const now = clock.now()
        return purge(new Date(now.getTime() - days * DAY_MS), now)
      },
    },
  ]
}

/** Creates a purge from a function that deletes one batch and returns the number of deleted rows. */
export const inBatches =
  (purgeBatch: (before: Date, limit: number) => Promise<number>) =>
  async (before: Date): Promise<'more' | 'done'> =>
    (await purgeBatch(before, BATCH)) === BATCH ? 'more' : 'done'

const BATCH = 1_000
