/** Background tasks that belong to no feature. Features declare their tasks in their manifests. */
import { clockWatch } from '../background/clock-steps.ts'
import type { Task } from '../background/loop.ts'
import { retention } from '../background/retention.ts'
import { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { IdempotentAnswers } from '../db/idempotent-answers.ts'
import { forgetPastWindows, shareQuotas } from '../db/rate-limits.ts'
import type { Kit } from '../features/feature.ts'
import type { Quota } from '../lib/quota.ts'
import type { Clock } from '../lib/time.ts'
import { registerSearchMetrics } from '../search/engine/metrics.ts'

export interface UpkeepDeps {
  kit: Kit
  answers: IdempotentAnswers
  /** Quotas that are shared between processes. */
  quotas: readonly Quota[]
  /** Reloads settings that another process may have changed. */
  refresh(): Promise<void>
}

export function upkeepTasks({ kit, answers, quotas, refresh }: UpkeepDeps): Task[] {
  const { database, clock, collect } = kit
  return [
    clockComparer(clock),
    clockWatch(database, clock, collect('afterClockStep')),
    {
      name: 'desk',
      everyMs: 1_000,
      runsIn: 'all',
      async once() {
        await refresh()
        return 'done'
      },
    },
    {
      name: 'idempotent-answers',
      everyMs: 600_000,
      once: () => answers.sweep(),
    },
    // An embedded database has no other processes to share quotas with.
    ...(quotas.length > 0 && !database.isEmbedded ? [quotaSharer(database, clock, quotas)] : []),
    ...collect('retention')
      .flat()
      .flatMap(({ name, days, purge }) => (purge ? retention(name, days, clock, purge) : [])),
  ]
}

/**
 * How long the task pauses after a failure of the search engine, in milliseconds. Without a pause, each round would
 * log the failure.
 */
const SEARCH_PAUSE_MS = 5_000

/** Returns the task that applies changes in the database to the search engine, or no task without a search engine. */
export async function searchTasks({ engine, metrics, ...kit }: Kit): Promise<Task[]> {
  if (!engine) return []
  const { Follower } = await import('../search/engine/follower.ts')
  const onWritten = registerSearchMetrics(metrics, kit)
  const follower = new Follower({ ...kit, engine, onWritten })
  let pausedUntil = Number.NEGATIVE_INFINITY
  return [
    {
      name: 'search-index',
      everyMs: 500,
      async once(ending) {
        if (performance.now() < pausedUntil) return 'done'
        return follower.once(ending).catch((error) => {
          pausedUntil = performance.now() + SEARCH_PAUSE_MS
          throw error
        })
      },
    },
  ]
}

/** Returns the task that compares this machine's clock with the database's clock. */
const clockComparer = (clock: Clock): Task => ({
  name: 'clock',
  everyMs: 5_000,
  runsIn: 'all',
  async once() {
    if (clock instanceof DatabaseClock) await clock.compare()
    return 'done'
  },
})

/** Returns the task that shares this process's quota use with other processes. */
function quotaSharer(database: Database, clock: Clock, shared: readonly Quota[]): Task {
  let forgottenAt = Number.NEGATIVE_INFINITY
  return {
    name: 'quotas',
    everyMs: 500,
    soonMs: 250,
    runsIn: 'http',
    async once() {
      const now = clock.now()
      if (performance.now() - forgottenAt >= 60_000) {
        await forgetPastWindows(database, now)
        forgottenAt = performance.now()
      }
      return (await shareQuotas(database, shared, now)) > 0 ? 'some' : 'done'
    },
  }
}
