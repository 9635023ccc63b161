import { batchTask, type Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Exchange } from '../../lib/exchange.ts'
import type { Clock } from '../../lib/time.ts'
import { findNewJobBacklog } from '../jobs/index.ts'
import { findDueBacklog } from './job-alerts.queries.ts'
import { anchorAlerts, matchNewJobs, runDueAlert, skipDueAlert } from './job-alerts.service.ts'

const ALERTS_A_ROUND = 50

interface Rates {
  readonly now: Exchange
}

/** Runs due daily and weekly alerts, each in its own transaction. */
export function alertRunner(database: Database, clock: Clock, rates: Rates): Task {
  return {
    name: 'job-alerts-due',
    everyMs: 30_000,
    async once() {
      for (let ran = 0; ran < ALERTS_A_ROUND; ran++) {
        const isRun = await database
          .inTx((tx) => runDueAlert(tx, clock.now(), rates.now))
          .catch(async (error: unknown) => {
            // Skips the failed run: if it were retried, this alert would come first in every round and block all other
            // alerts. Does not skip runs that failed with an AppError, because the database may be temporarily
            // unavailable.
            if (!(error instanceof AppError)) await database.inTx((tx) => skipDueAlert(tx, clock.now()))
            throw error
          })
        if (!isRun) return 'done'
      }
      return 'more'
    },
    backlog: () => database.read((db) => findDueBacklog(db, clock.now())),
  }
}

/** Recomputes the anchors of alerts from an earlier release. */
export const alertAnchorer = (database: Database): Task =>
  batchTask('job-alerts-anchors', 60_000, 200, (limit) => database.inTx((tx) => anchorAlerts(tx, limit)))

/** Matches new jobs with instant alerts. */
export const alertMatcher = (database: Database, clock: Clock, rates: Rates): Task => ({
  ...batchTask('job-alerts-instant', 2_000, 20, (limit) =>
    database.inTx((tx) => matchNewJobs(tx, limit, clock.now(), rates.now)),
  ),
  backlog: () => database.read(findNewJobBacklog),
})
