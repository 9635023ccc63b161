/** Changes all of an employer's jobs at once. */
import type { Tx } from '../../db/database.ts'
import { appendEvents } from '../../events/outbox.ts'
import type { Condition } from '../../lists/sql-page.ts'
import { searchVector } from '../../search/text/words.ts'
import { giveApplications } from '../applications/applications.sql.ts'
import { jobDeleted, jobUpdated } from './jobs.events.ts'
import {
  anyJob,
  isClaimedFrom,
  type JobRow,
  lockJobs,
  lockJobsOf,
  suspendedFromBoard,
  updateJobRows,
  visibleJob,
} from './jobs.queries.ts'
import { announceExpiry } from './jobs.runs.ts'
import { idsOf, type JobSettings, jobState, type Moment } from './jobs.state.ts'
import { updateCompanyNames } from './jobs.word-queries.ts'

const JOBS_BATCH = 500

/** Changes an employer's jobs that meet a condition, in batches. `change` changes one batch and writes its events. */
async function changeJobsOf(
  tx: Tx,
  employerId: string,
  condition: Condition,
  change: (rows: readonly JobRow[]) => Promise<void>,
): Promise<void> {
  for (let afterId = ''; ; ) {
    const rows = await lockJobsOf(tx, employerId, condition, { afterId, limit: JOBS_BATCH })
    await change(rows)
    if (rows.length < JOBS_BATCH) return
    afterId = rows.at(-1)!.id
  }
}

/**
 * Takes an employer's jobs off the board. The caller must hold the lock on the account, which prevents concurrent
 * posting.
 */
export async function suspendJobs(tx: Tx, settings: JobSettings, employerId: string, now: Date): Promise<void> {
  const change = { state: 'closed' as const, suspended_from_board: true, updated_at: now }
  await changeJobsOf(tx, employerId, visibleJob(now), (rows) => moveJobs(tx, { settings, now }, rows, change))
}

/** Puts an employer's jobs back on the board after a suspension. Skips jobs that have since expired or been removed. */
export async function resumeJobs(tx: Tx, settings: JobSettings, employerId: string, now: Date): Promise<void> {
  const onBoard = { state: 'active' as const, suspended_from_board: false, updated_at: now, visible_since: now }
  await changeJobsOf(tx, employerId, suspendedFromBoard, async (rows) => {
    const isBack = (row: JobRow) => row.removed_at === null && jobState(row, now) === 'closed'
    await moveJobs(tx, { settings, now }, rows.filter(isBack), onBoard)
    const others = rows.filter((row) => !isBack(row))
    await updateJobRows(tx, idsOf(others), { suspended_from_board: false })
    // Removed jobs return to the board when they are restored, unless they have expired.
    const removed = others.filter((row) => row.removed_at !== null)
    await updateJobRows(tx, idsOf(removed), { removed_from_board: true })
  })
}

/** Applies a change to jobs and writes an event for each job. The caller must lock the jobs first. */
export async function moveJobs(
  tx: Tx,
  { settings, now }: Moment,
  rows: readonly JobRow[],
  change: Pick<JobRow, 'state' | 'suspended_from_board' | 'updated_at'> & {
    visible_since?: Date
    close_reason?: string | null
  },
): Promise<void> {
  await updateJobRows(tx, idsOf(rows), change)
  const changedFields = ['is_active']
  const eventOf = (row: JobRow) =>
    jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields, now })
  await appendEvents(tx, rows.map(eventOf))
}

export async function deleteJobsOf(tx: Tx, settings: JobSettings, employerId: string, now: Date): Promise<void> {
  await changeJobsOf(tx, employerId, anyJob, async (rows) => {
    const expired = rows.filter((row) => jobState(row, now) === 'expired')
    await announceExpiry(tx, settings, expired, now)
    await updateJobRows(tx, idsOf(rows), { state: 'deleted', deleted_at: now, updated_at: now })
    const events = rows.map((row) => jobDeleted(row, now))
    await appendEvents(tx, events)
  })
}

/**
 * Gives an employer's jobs to another employer, with their applications. With `claimedFrom`, gives back only the jobs
 * that came from that company. Writes an event for each job.
 */
export async function giveJobs(
  tx: Tx,
  settings: JobSettings,
  { from, to, claimedFrom, now }: { from: string; to: { id: string; name: string }; claimedFrom?: string; now: Date },
): Promise<void> {
  const condition = claimedFrom === undefined ? anyJob : isClaimedFrom(claimedFrom)
  await changeJobsOf(tx, from, condition, async (jobs) => {
    const ids = idsOf(jobs)
    const vectors = jobs.map((job) => ({ id: job.id, search: searchVector({ ...job, company: to.name }) }))
    await updateCompanyNames(tx, to.name, vectors, now)
    await updateJobRows(tx, ids, { employer_id: to.id, claimed_from: claimedFrom === undefined ? from : null })
    await giveApplications(tx, ids, to.id)
    const moved = new Map((await lockJobs(tx, ids)).map((row) => [row.id, row]))
    const changedFields = ['company', 'employer_id']
    const eventOf = (before: JobRow) =>
      jobUpdated(settings, { before, after: moved.get(before.id)!, changedFields, now })
    await appendEvents(tx, jobs.map(eventOf))
  })
}

/** Writes an employer's new name to its jobs. Lists and searches then use the new name. */
export async function renameCompany(tx: Tx, employerId: string, company: string, now: Date): Promise<void> {
  await changeJobsOf(tx, employerId, anyJob, (jobs) => {
    const vectors = jobs.map((job) => ({ id: job.id, search: searchVector({ ...job, company }) }))
    return updateCompanyNames(tx, company, vectors, now)
  })
}
