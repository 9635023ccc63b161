/**
 * A run is the paid time for which a job can be on the board, from activation to expiry. This file also contains
 * removals by admins.
 */
import type { Tx } from '../../db/database.ts'
import { noteIfAdmin } from '../../db/operator-actions.ts'
import { appendEvents, writeWithEvent } from '../../events/outbox.ts'
import type { Action } from '../../lib/changes.ts'
import { AppError, found } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { searchVector } from '../../search/text/words.ts'
import { assertMayChange, assertNotFed, assertNotRemoved } from './jobs.access.ts'
import { jobUpdated } from './jobs.events.ts'
import { presentJobCreateForm } from './jobs.present.ts'
import {
  type BareJobRow,
  claimExpiredJobs,
  type JobRow,
  jobChange,
  lockEmployerOf,
  lockJob,
  markExpiryAnnounced,
  updateJobRow,
} from './jobs.queries.ts'
import {
  after,
  idsOf,
  invalidTransition,
  isRunning,
  JOB_POST,
  type JobSettings,
  jobState,
  type Moment,
} from './jobs.state.ts'

export interface PaidRun {
  /** Number of days that the job runs if no expiry is planned. */
  durationDays: number
  flags: { is_featured: boolean; is_urgent: boolean; is_highlighted: boolean }
}

/** Consumes a payment for a run of this job. Returns undefined if there is none. */
export type ConsumePaidRun = (
  tx: Tx,
  job: { id: string; employer_id: string },
  now: Date,
) => Promise<PaidRun | undefined>

export async function changeState(
  tx: Tx,
  { settings, now }: Moment,
  row: JobRow,
  change: Partial<Omit<BareJobRow, 'custom_questions'>> & { close_reason?: string | null },
): Promise<JobRow> {
  const isPutOnBoard = change.state === 'active'
  // An inactive job may lack a search vector.
  const entry = isPutOnBoard && { visible_since: now, ...(row.state === 'inactive' && { search: searchVector(row) }) }
  const updated = { ...row, ...change, updated_at: now }
  const written = jobChange(tx, row.id, { ...change, updated_at: now, ...entry })
  const event = jobUpdated(settings, { before: row, after: updated, changedFields: ['is_active'], now })
  await writeWithEvent(tx, written, event)
  return updated
}

/** Locks a job that the caller may put on the board. Throws if the job was removed or its employer is suspended. */
async function lockToPost(tx: Tx, actor: Actor, id: string): Promise<JobRow> {
  const isSuspended = await lockEmployerOf(tx, id)
  const row = await lockJob(tx, id)
  assertMayChange(row, actor)
  assertNotRemoved(row)
  if (isSuspended) {
    throw new AppError('account_suspended', {
      detail: "The employer's account is suspended. Resume the account first.",
      words: { key: 'problem.employer_suspended' },
    })
  }
  return row
}

/** Puts a paid job on the board and consumes its payment. Does nothing if the job is already active. */
export async function activateJob(
  tx: Tx,
  settings: JobSettings,
  consumePaidRun: ConsumePaidRun,
  { actor, id, now }: Action,
): Promise<JobRow> {
  const row = await lockToPost(tx, actor, id)
  const state = jobState(row, now)
  if (state === 'active') return row
  if (state === 'closed') throw invalidTransition(state, ['reopen'])
  const run = await consumePaidRun(tx, row, now)
  if (!run) {
    throw new AppError('payment_required', {
      detail: 'The job needs a payment before it can be activated.',
      extra: { payment_url: `${settings.origin}/v1/employers/payments`, products: [JOB_POST] },
    })
  }
  await noteIfAdmin(tx, actor, { action: 'job.activate', subject: id }, now)
  return startRun(tx, { settings, now }, row, run)
}

/**
 * Locks the account of a job's employer, then locks and returns the job. Payments and publications use this order
 * before they put a job on the board.
 */
export async function lockJobToPost(tx: Tx, id: string): Promise<JobRow | undefined> {
  await lockEmployerOf(tx, id)
  return lockJob(tx, id)
}

/** Returns whether a job's publication is planned and still ahead. */
export function awaitsPublication(
  { publish_at, published_for }: Pick<JobRow, 'publish_at' | 'published_for'>,
  now: Date,
) {
  return publish_at !== null && publish_at > now && publish_at.getTime() !== published_for?.getTime()
}

/**
 * Puts a job on the board after a payment for its post. If the job was removed, its employer is suspended, or its
 * publication is planned, the job keeps the paid post until it can be activated. The caller must lock the job with
 * `lockJobToPost` first.
 */
export async function postPaidJob(tx: Tx, moment: Moment, id: string, consumePaidRun: ConsumePaidRun): Promise<void> {
  const row = await lockJob(tx, id)
  if (!row || row.removed_at !== null || row.is_of_suspended || isRunning(row, moment.now)) return
  // If the publication lapsed while the payment waited for the lock, `published_for` shows this, and the payment puts
  // the job on the board.
  if (awaitsPublication(row, moment.now)) return
  const run = await consumePaidRun(tx, row, moment.now)
  if (run) await startRun(tx, moment, row, run)
}

/**
 * Puts a job that is due for publication on the board, unless it is already there or was removed, or its employer is
 * suspended. Without a payment, the publication lapses: the next payment puts the job on the board.
 */
export async function publishDueJob(tx: Tx, moment: Moment, id: string, consumePaidRun: ConsumePaidRun): Promise<void> {
  const row = await lockJobToPost(tx, id)
  const isDue =
    row?.publish_at && row.publish_at <= moment.now && row.published_for?.getTime() !== row.publish_at.getTime()
  if (!isDue || row.state !== 'inactive' || row.removed_at !== null || row.is_of_suspended) return
  const run = await consumePaidRun(tx, row, moment.now)
  if (run) await startRun(tx, moment, row, run)
  else await updateJobRow(tx, id, { published_for: row.publish_at })
}

async function startRun(tx: Tx, { settings, now }: Moment, row: JobRow, run: PaidRun): Promise<JobRow> {
  if (jobState(row, now) === 'expired') await announceExpiry(tx, settings, [row], now)
  const isPlanned = row.expires_at !== null && row.expires_at > now
  return changeState(tx, { settings, now }, row, {
    state: 'active',
    posted_at: row.first_activated_at ? row.posted_at : now,
    first_activated_at: row.first_activated_at ?? now,
    activated_at: now,
    expires_at: isPlanned ? row.expires_at : after(now, run.durationDays),
    expiry_announced_at: null,
    published_for: row.publish_at,
    // Replaces the upgrades of an earlier run, because upgrades end with their run.
    ...(row.first_activated_at && run.flags),
  })
}

/** Takes an active job off the board. A closed job stays closed, even after a removal or a suspension ends. */
export async function closeJob(
  tx: Tx,
  settings: JobSettings,
  { actor, id, now }: Action,
  reason: string | null,
): Promise<JobRow> {
  const row = await lockJob(tx, id)
  assertMayChange(row, actor)
  const state = jobState(row, now)
  if (state === 'closed') {
    // If the job is removed or its employer is suspended, closing it prevents its return to the board.
    if (row.removed_from_board || row.suspended_from_board) {
      await updateJobRow(tx, id, { removed_from_board: false, suspended_from_board: false, close_reason: reason })
      await noteIfAdmin(tx, actor, { action: 'job.close', subject: id, note: reason ?? undefined }, now)
    }
    return row
  }
  if (state !== 'active') throw invalidTransition(state, ['activate'])
  await noteIfAdmin(tx, actor, { action: 'job.close', subject: id, note: reason ?? undefined }, now)
  return changeState(tx, { settings, now }, row, { state: 'closed', close_reason: reason })
}

/** Puts a closed job back on the board for the rest of its paid run. Does nothing if the job is already active. */
export async function reopenJob(tx: Tx, settings: JobSettings, { actor, id, now }: Action): Promise<JobRow> {
  const row = await lockToPost(tx, actor, id)
  const state = jobState(row, now)
  if (state === 'active') return row
  if (state !== 'closed') throw invalidTransition(state, ['activate'])
  assertNotFed(row)
  await noteIfAdmin(tx, actor, { action: 'job.reopen', subject: id }, now)
  return changeState(tx, { settings, now }, row, { state: 'active', close_reason: null })
}

/**
 * Hides a locked job from everyone except its employer and admins. If it is already removed, changes only the reason.
 */
export async function removeJob(tx: Tx, { settings, now }: Moment, row: JobRow, reason: string): Promise<JobRow> {
  const isOnBoard = jobState(row, now) === 'active'
  const removal = {
    removed_at: row.removed_at ?? now,
    removal_reason: reason,
    removed_from_board: isOnBoard || row.removed_from_board,
    // Also closes expired jobs, because a removed job must not have the state `active`.
    ...(row.state === 'active' && { state: 'closed' as const }),
  }
  if (isOnBoard) return changeState(tx, { settings, now }, row, removal)
  await updateJobRow(tx, row.id, { ...removal, updated_at: now })
  return { ...row, ...removal, updated_at: now }
}

/**
 * Restores a removed job. If the removal took the job off the board, puts it back on the board, unless the job has
 * expired or its employer is suspended.
 */
export async function restoreJob(
  tx: Tx,
  settings: JobSettings,
  id: string,
  now: Date,
): Promise<{ job: JobRow; isRestored: boolean }> {
  const isSuspended = await lockEmployerOf(tx, id)
  const row = found(await lockJob(tx, id))
  if (row.removed_at === null) return { job: row, isRestored: false }
  const restored = {
    ...{ removed_at: null, removal_reason: null, removed_from_board: false },
    // The job returns to the board when the account is resumed.
    suspended_from_board: row.suspended_from_board || (isSuspended && row.removed_from_board),
  }
  if (row.removed_from_board && !isSuspended && jobState(row, now) === 'closed') {
    return { job: await changeState(tx, { settings, now }, row, { ...restored, state: 'active' }), isRestored: true }
  }
  await updateJobRow(tx, id, { ...restored, updated_at: now })
  return { job: { ...row, ...restored, updated_at: now }, isRestored: true }
}

/**
 * Ends the run of a job whose payment was refunded. A new run requires another paid post, and lasts for the full
 * duration.
 */
export async function endRun(tx: Tx, settings: JobSettings, id: string, now: Date): Promise<void> {
  const row = await lockJob(tx, id)
  if (!row) return
  const state = jobState(row, now)
  if (state !== 'active' && state !== 'closed') return
  const change = { state: 'inactive' as const, expires_at: null, updated_at: now }
  const changed = [...(state === 'active' ? ['is_active'] : []), 'expires_at']
  const event = jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields: changed, now })
  await writeWithEvent(tx, jobChange(tx, id, change), event)
}

/** Moves the end of a run by a number of days, but never into the past. */
export async function moveExpiry(tx: Tx, { settings, now }: Moment, id: string, days: number): Promise<void> {
  const row = await lockJob(tx, id)
  if (!row?.expires_at || !isRunning(row, now)) return
  const moved = after(row.expires_at, days)
  const change = { expires_at: moved > now ? moved : now, updated_at: now }
  const event = jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields: ['expires_at'], now })
  await writeWithEvent(tx, jobChange(tx, id, change), event)
}

/** Sets or removes a job's upgrades after a payment or a refund. */
export async function setJobFlags(tx: Tx, { settings, now }: Moment, id: string, flags: Partial<PaidRun['flags']>) {
  const row = await lockJob(tx, id)
  const changed = Object.keys(flags).filter(
    (name) => row && row[name as keyof PaidRun['flags']] !== flags[name as keyof PaidRun['flags']],
  )
  if (!row || changed.length === 0) return
  const change = { ...flags, updated_at: now }
  const event = jobUpdated(settings, { before: row, after: { ...row, ...change }, changedFields: changed, now })
  await writeWithEvent(tx, jobChange(tx, id, change), event)
}

export async function announceExpiry(
  tx: Tx,
  { origin }: JobSettings,
  rows: readonly JobRow[],
  now: Date,
): Promise<void> {
  const due = rows.filter((row) => row.expiry_announced_at === null)
  await markExpiryAnnounced(tx, idsOf(due), now)
  const events = due.map((row) => ({
    type: 'job.expired' as const,
    subjectId: row.id,
    employerId: row.employer_id,
    at: now,
    data: { job: presentJobCreateForm(row, { origin, now }) },
  }))
  await appendEvents(tx, events)
}

/** Announces up to `limit` expired jobs, each only once. Returns their number. */
export async function announceExpiredJobs(tx: Tx, settings: JobSettings, limit: number, now: Date): Promise<number> {
  const rows = await claimExpiredJobs(tx, now, limit)
  await announceExpiry(tx, settings, rows, now)
  return rows.length
}
