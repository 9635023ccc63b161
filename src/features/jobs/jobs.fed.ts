/** Changes jobs that a feed maintains. Writes the same events as manual changes. */
import type { Tx } from '../../db/database.ts'
import type { JobSource } from '../../db/schema.ts'
import { appendEvents } from '../../events/outbox.ts'
import { workplaceIn } from '../../lib/workplaces.ts'
import { jobUpdated } from './jobs.events.ts'
import { type ImportedJob, insertPrepared, type JobImport, prepareImport } from './jobs.import.ts'
import { moveJobs } from './jobs.of-employer.ts'
import { type JobRow, lockJobs, updateJobRow, updateJobRows } from './jobs.queries.ts'
import { announceExpiry, changeState } from './jobs.runs.ts'
import { writableJobMembers } from './jobs.schemas.ts'
import { mergeIntoJob } from './jobs.service.ts'
import { after, isRunning, jobState, type Moment, RUN_DAYS_MAX } from './jobs.state.ts'

/** The close reason of jobs that a feed closes. */
const GONE = 'No longer in the feed.'

/** Creates jobs, and returns their IDs in the order of the imports. */
export async function createFedJobs(
  tx: Tx,
  { settings, now }: Moment,
  imports: readonly Required<JobImport>[],
  isActive: boolean,
): Promise<readonly string[]> {
  const prepared = await prepareImport(settings, imports, { isActive, now })
  await insertPrepared(tx, prepared)
  return prepared.ids
}

/**
 * Updates a job from its posting. Leaves the expiry unchanged if `expiresAt` is undefined, or if the job is neither
 * active nor closed.
 */
export async function updateFedJob(
  tx: Tx,
  { settings, now }: Moment,
  { id, job, source, expiresAt }: { id: string; job: ImportedJob; source: JobSource; expiresAt: Date | undefined },
): Promise<void> {
  const [row] = await lockJobs(tx, [id])
  if (!row) return
  const sent = writableJobMembers.filter(
    (name) => name !== 'expires_at' && name !== 'publish_at' && name !== 'contact_email',
  )
  const body: Record<string, unknown> = Object.fromEntries(sent.map((name) => [name, job[name] ?? null]))
  body.workplace = workplaceIn(job)
  body.remote = body.workplace === 'remote'
  if (expiresAt && isRunning(row, now)) {
    const latest = after(row.activated_at ?? now, RUN_DAYS_MAX)
    body.expires_at = (expiresAt < latest ? expiresAt : latest).toISOString()
  }
  const change = { id, body, faults: [], precondition: () => {}, now }
  await mergeIntoJob(tx, settings, row, change)
  if (row.source?.url !== source.url) await updateJobRow(tx, id, { source })
}

/**
 * Takes jobs off the board because the feed lacks their postings. `closed` is the number of jobs that were on the
 * board. `wereOpen` contains their IDs, and those of jobs that would have returned to the board after a removal or a
 * suspension.
 */
export async function closeFedJobs(tx: Tx, moment: Moment, ids: readonly string[]) {
  const rows = await lockJobs(tx, ids)
  const active = rows.filter((row) => jobState(row, moment.now) === 'active')
  const away = rows.filter((row) => row.removed_from_board || row.suspended_from_board)
  const change = { state: 'closed' as const, suspended_from_board: false, close_reason: GONE, updated_at: moment.now }
  await moveJobs(tx, moment, active, change)
  await updateJobRows(tx, idsOf(away), { removed_from_board: false, suspended_from_board: false, close_reason: GONE })
  return { wereOpen: [...idsOf(active), ...idsOf(away)], closed: active.length }
}

/**
 * Puts jobs back on the board because the feed has their postings again. Removed jobs and jobs of suspended employers
 * stay off. `renewal` is the new expiry of expired jobs. Without `renewal`, expired jobs stay off too. Returns the
 * number of reopened jobs.
 */
export async function reopenFedJobs(
  tx: Tx,
  moment: Moment,
  ids: readonly string[],
  renewal: Date | undefined,
): Promise<number> {
  const { now } = moment
  const rows = await lockJobs(tx, ids)
  const removed = rows.filter((row) => row.removed_at !== null)
  await updateJobRows(tx, idsOf(removed), { removed_from_board: true })
  const mayRun = rows.filter((row) => row.removed_at === null && !row.is_of_suspended)
  const closed = mayRun.filter((row) => jobState(row, now) === 'closed')
  const onBoard = {
    state: 'active' as const,
    suspended_from_board: false,
    close_reason: null,
    updated_at: now,
    visible_since: now,
  }
  await moveJobs(tx, moment, closed, onBoard)
  const expired = renewal ? mayRun.filter((row) => jobState(row, now) === 'expired') : []
  for (const row of expired) await restart(tx, moment, row, renewal!)
  return closed.length + expired.length
}

/**
 * Postpones the expiry of jobs, and puts expired jobs back on the board, except removed jobs and jobs of suspended
 * employers. Jobs that someone closed stay closed.
 */
export async function extendFedJobs(tx: Tx, moment: Moment, ids: readonly string[], expiresAt: Date): Promise<void> {
  const { settings, now } = moment
  const rows = await lockJobs(tx, ids)
  const running = rows.filter((row) => isRunning(row, now) && row.expires_at! < expiresAt)
  const change = { expires_at: expiresAt, updated_at: now }
  await updateJobRows(tx, idsOf(running), change)
  const changedFields = ['expires_at']
  await appendEvents(
    tx,
    running.map((row) => jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields, now })),
  )
  for (const row of rows) {
    const isEnded = row.state === 'active' && jobState(row, now) === 'expired'
    if (isEnded && row.removed_at === null && !row.is_of_suspended) await restart(tx, moment, row, expiresAt)
  }
}

/** Detaches jobs from their feed. The employers can then edit these jobs. */
export async function releaseFedJobs(tx: Tx, ids: readonly string[]): Promise<void> {
  await updateJobRows(tx, ids, { source: null })
}

async function restart(tx: Tx, moment: Moment, row: JobRow, expiresAt: Date): Promise<void> {
  const { settings, now } = moment
  await announceExpiry(tx, settings, [row], now)
  await changeState(tx, moment, row, {
    ...{ state: 'active', close_reason: null, expires_at: expiresAt, expiry_announced_at: null },
    ...{ first_activated_at: row.first_activated_at ?? now, activated_at: now },
  })
}

const idsOf = (rows: readonly JobRow[]) => rows.map(({ id }) => id)
