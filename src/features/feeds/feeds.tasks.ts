import { batchTask, type Task } from '../../background/loop.ts'
import { inUnshownTx } from '../../db/database.ts'
import { DAY_MS } from '../../lib/time.ts'
import { queueFailingMails } from './feeds.mails.ts'
import { deleteOldRuns, deleteStrayDocuments } from './feeds.queries.ts'
import { queueDueRuns, type RunnerDeps, runNext } from './feeds.runner.ts'

const MAILS_MAX = 100

/** Executes due and requested runs, and emails the owners of failing feeds. */
export const feedRunner = (deps: RunnerDeps): Task => ({
  name: 'feeds',
  everyMs: 10_000,
  async once(ending) {
    await queueDueRuns(deps)
    await inUnshownTx(deps.database, (tx) => queueFailingMails(tx, deps.clock.now(), MAILS_MAX))
    return (await runNext(deps, { ending })) ? 'more' : 'done'
  },
})

/** Retention of runs and their reports, in milliseconds. */
const RUNS_KEPT_MS = 90 * DAY_MS

/** Deletes old runs, and documents whose requests failed. */
export const feedPurge = ({ database, clock }: Pick<RunnerDeps, 'database' | 'clock'>): Task =>
  batchTask('feed-purge', 3_600_000, 1_000, (limit) =>
    inUnshownTx(database, async (tx) => {
      const now = clock.now().getTime()
      await deleteStrayDocuments(tx, new Date(now - DAY_MS))
      return deleteOldRuns(tx, new Date(now - RUNS_KEPT_MS), limit)
    }),
  )
