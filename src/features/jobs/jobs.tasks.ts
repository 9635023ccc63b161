import { batchTask, type Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import { geocode } from '../../geo/gazetteer.ts'
import type { Clock } from '../../lib/time.ts'
import { geocodeRows } from '../../lists/radius.ts'
import { queueEndingMails } from './jobs.mails.ts'
import { findExpiryBacklog, listDueJobs } from './jobs.queries.ts'
import { announceExpiredJobs, type ConsumePaidRun, publishDueJob } from './jobs.runs.ts'
import type { JobSettings } from './jobs.state.ts'
import { detectMissingLanguages, makeMissingWords } from './jobs.words.ts'

const BATCH = 200

/** Announces expired jobs. Lists do not depend on this task, because they check the expiry themselves. */
export const expirySweeper = (database: Database, clock: Clock, settings: JobSettings): Task => ({
  ...batchTask('job-expiry', 30_000, BATCH, (limit) =>
    database.inTx((tx) => announceExpiredJobs(tx, settings, limit, clock.now())),
  ),
  backlog: () => database.read((db) => findExpiryBacklog(db, clock.now())),
})

/** Puts paid jobs that are due for publication on the board. Each job has its own transaction. */
export const jobPublisher = (
  database: Database,
  clock: Clock,
  { settings, consumePaidRun }: { settings: JobSettings; consumePaidRun: ConsumePaidRun },
): Task =>
  batchTask('job-publication', 15_000, BATCH, async (limit) => {
    const now = clock.now()
    const ids = await database.read((db) => listDueJobs(db, now, limit))
    for (const id of ids) await database.inTx((tx) => publishDueJob(tx, { settings, now }, id, consumePaidRun))
    return ids.length
  })

/** Emails employers about jobs that end within three days. */
export const endingJobs = (database: Database, clock: Clock): Task =>
  batchTask('ending-jobs', 60_000, BATCH, (limit) => database.inTx((tx) => queueEndingMails(tx, clock.now(), limit)))

/** Geocodes the locations of jobs from an earlier release. */
export const jobPlacer = (database: Database): Task => ({
  name: 'job-places',
  everyMs: 60_000,
  // Every process reloads each of these jobs. Without a pause, searches would take seconds until the task is done.
  soonMs: 500,
  async once() {
    const count = await database.inTx((tx) => geocodeRows(tx, 'job', BATCH, geocode))
    return count === BATCH ? 'some' : 'done'
  },
})

/** Detects the languages of jobs from an earlier release. */
export const jobLanguages = (database: Database): Task => ({
  name: 'job-languages',
  everyMs: 60_000,
  // As in `job-places`: every process reloads each of these jobs.
  soonMs: 500,
  once: async () => ((await database.inTx(detectMissingLanguages)) ? 'some' : 'done'),
})

/** Creates search vectors for drafts before a search needs them, and for active jobs from an earlier release. */
export function jobWords(database: Database): Task {
  return {
    name: 'job-words',
    everyMs: 60_000,
    async once() {
      return (await database.inTx((tx) => makeMissingWords(tx, null))) ? 'more' : 'done'
    },
  }
}
