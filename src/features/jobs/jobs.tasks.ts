import type { Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { pointsOf } from '../../geo/gazetteer.ts'
import type { Clock } from '../../lib/time.ts'
import { geocodeRows } from '../../lists/radius.ts'
import { findExpiryBacklog } from './jobs.queries.ts'
import { announceExpiredJobs, type JobSettings, makeMissingWords } from './jobs.service.ts'

const BATCH = 200

/** Announces expired jobs. Lists do not depend on this task, because they check the expiry themselves. */
export function expirySweeper(database: Database, clock: Clock, settings: JobSettings): Task {
  return {
    name: 'job-expiry',
    everyMs: 30_000,
    async once() {
      const announced = await database.inTx((tx) => announceExpiredJobs(tx, settings, BATCH, clock.now()))
      return announced === BATCH ? 'more' : 'done'
    },
    backlog: () => database.read((db) => findExpiryBacklog(db, clock.now())),
  }
}

/** Geocodes the locations of jobs that were written by an earlier release. */
export function jobPlacer(database: Database): Task {
  return {
    name: 'job-places',
    everyMs: 60_000,
    async once() {
      const unplaced = await database.inTx((tx) => geocodeRows(tx, 'job', BATCH, pointsOf))
      return unplaced === BATCH ? 'more' : 'done'
    },
  }
}

/**
 * Creates the search vectors of drafts, so that a search does not have to create many, and of jobs activated by an
 * earlier release.
 */
export function jobWords(database: Database): Task {
  return {
    name: 'job-words',
    everyMs: 60_000,
    async once() {
      return (await database.inTx((tx) => makeMissingWords(tx, null))) ? 'more' : 'done'
    },
  }
}
