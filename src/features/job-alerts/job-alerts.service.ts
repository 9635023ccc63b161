import type { Reader, Tx } from '../../db/database.ts'
import type { Change, Submission } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, accountGone, type BodyFault, found, validationFailed } from '../../lib/errors.ts'
import type { Exchange } from '../../lib/exchange.ts'
import { newId } from '../../lib/ids.ts'
import { mergeBody, soundMembers } from '../../lib/merge.ts'
import { DAY_MS } from '../../lib/time.ts'
import { lockPendingMails, queueMails } from '../../mail/queue.ts'
import { fold } from '../../search/text/fold.ts'
import { lockCandidate } from '../candidates/index.ts'
import { forgetNewJobs, takeNewJobs } from '../jobs/index.ts'
import { ANCHORS_VERSION, anchorsOf, jobTerms } from './job-alerts.anchors.ts'
import { type Criteria, criteriaFaults, criteriaFilters } from './job-alerts.criteria.ts'
import { presentAlert } from './job-alerts.present.ts'
import {
  type AlertRow,
  claimDueAlert,
  countAlerts,
  deleteAlertRow,
  findAlert,
  hasInstantAlerts,
  insertAlert,
  insertMatches,
  insertNewMatches,
  listAnchored,
  listMet,
  lockAlert,
  lockInstantAlerts,
  lockOutdatedAlerts,
  updateAlertRow,
} from './job-alerts.queries.ts'
import {
  type Frequency,
  type JobAlertBody,
  type JobAlertMergeBody,
  writableAlertMembers,
} from './job-alerts.schemas.ts'

const ALERTS_MAX = 50

const periodsMs: Record<Frequency, number | null> = { instant: null, daily: DAY_MS, weekly: 7 * DAY_MS }

/** Returns the time of the first run of an alert that starts now, or null if the alert is instant or inactive. */
function firstRun(frequency: Frequency, isActive: boolean, now: Date): Date | null {
  const periodMs = periodsMs[frequency]
  return periodMs === null || !isActive ? null : new Date(now.getTime() + periodMs)
}

/** Returns the time of a schedule's next run. Skips missed runs. */
export function nextRun(due: Date, periodMs: number, now: Date): Date {
  const passed = Math.floor((now.getTime() - due.getTime()) / periodMs)
  return new Date(due.getTime() + (passed + 1) * periodMs)
}

/** Returns faults in the criteria. Returns none if the criteria are absent or the schema has already rejected them. */
function faultsOfCriteria(body: { criteria?: unknown }, faults: readonly BodyFault[]): BodyFault[] {
  const isJudged = body.criteria === undefined || faults.some(({ pointer }) => pointer === '#/criteria')
  return isJudged ? [] : criteriaFaults(body.criteria as Criteria)
}

export async function createJobAlert(
  tx: Tx,
  { candidateId, body, faults, now }: Submission<JobAlertBody> & { candidateId: string },
): Promise<AlertRow> {
  const allFaults = [...faults, ...faultsOfCriteria(body, faults)]
  if (allFaults.length > 0) throw validationFailed(allFaults)
  // The lock prevents concurrent requests from exceeding the limit together.
  if (!(await lockCandidate(tx, candidateId))) throw accountGone()
  if ((await countAlerts(tx, candidateId)) >= ALERTS_MAX) {
    const detail = `You can have at most ${ALERTS_MAX} job alerts. Delete an alert first.`
    const words = { key: 'problem.alerts_max', values: { limit: ALERTS_MAX } } as const
    throw new AppError('limit_reached', { detail, words, extra: { limit: ALERTS_MAX } })
  }
  const { name, criteria, frequency, is_active = true } = body
  const row: AlertRow = {
    id: newId('jobAlert'),
    candidate_id: candidateId,
    name,
    criteria,
    frequency,
    is_active,
    watches_from: now,
    last_run_at: null,
    next_run_at: firstRun(frequency, is_active, now),
    created_at: now,
    updated_at: now,
  }
  await insertAlert(tx, { ...row, ...derived(name, criteria) })
  return row
}

/** Returns the columns that are derived from the name and the criteria. */
function derived(name: string, criteria: Criteria) {
  return { name_sort: fold(name), criteria: JSON.stringify(criteria), ...anchored(criteria) }
}

const anchored = (criteria: Criteria) => ({
  anchors: anchorsOf(criteriaFilters(criteria)),
  anchors_version: ANCHORS_VERSION,
})

/**
 * Recomputes the anchors of up to `limit` alerts that an earlier release stored. Returns the number of these alerts.
 */
export async function anchorAlerts(tx: Tx, limit: number): Promise<number> {
  const outdated = await lockOutdatedAlerts(tx, limit)
  for (const { id, criteria } of outdated) await updateAlertRow(tx, id, anchored(criteria))
  return outdated.length
}

export async function getJobAlert(reader: Reader, candidateId: string, id: string): Promise<AlertRow> {
  return found(await findAlert(reader, candidateId, id))
}

export async function updateJobAlert(
  tx: Tx,
  { candidateId, id, body, faults, precondition, now }: Change<JobAlertMergeBody> & { candidateId: string },
): Promise<AlertRow> {
  const row = found(await lockAlert(tx, candidateId, id))
  const sent = { body: soundMembers(body, faults), faults: [...faults, ...faultsOfCriteria(body, faults)] }
  const { changed } = mergeBody(presentAlert(row), sent, writableAlertMembers)
  precondition(presentAlert(row))
  const { name, criteria, frequency, is_active } = { ...row, ...(body as Partial<JobAlertBody>) }
  const isOther = (member: (typeof changed)[number]) => changed.includes(member)
  const next: AlertRow = {
    ...row,
    name,
    criteria,
    frequency,
    is_active,
    // An alert that is resumed or has new criteria ignores earlier jobs.
    watches_from: isOther('criteria') || (isOther('is_active') && is_active) ? now : row.watches_from,
    next_run_at: isOther('frequency') || isOther('is_active') ? firstRun(frequency, is_active, now) : row.next_run_at,
    updated_at: now,
  }
  await updateAlertRow(tx, id, { ...next, ...derived(name, criteria) })
  return next
}

/** Deletes an alert. Its pending emails are discarded when they become due. */
export async function deleteJobAlert(
  tx: Tx,
  candidateId: string,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const row = found(await lockAlert(tx, candidateId, id))
  precondition(presentAlert(row))
  await deleteAlertRow(tx, id)
}

/** Runs one due alert. Returns false if no alert is due. */
export async function runDueAlert(tx: Tx, now: Date, exchange: Exchange): Promise<boolean> {
  const alert = await claimDueAlert(tx, now)
  if (!alert) return false
  const mailId = newId('mail')
  const found = await insertNewMatches(tx, alert, { mailId, now, exchange })
  if (found > 0) await queueMails(tx, [alertMail(mailId, alert, now)])
  await updateAlertRow(tx, alert.id, { last_run_at: now, next_run_at: followingRun(alert, now) })
  return true
}

/**
 * Skips a due run. The next run finds the jobs that the skipped run would have found, if they are still on the board.
 */
export async function skipDueAlert(tx: Tx, now: Date): Promise<void> {
  const alert = await claimDueAlert(tx, now)
  if (alert) await updateAlertRow(tx, alert.id, { next_run_at: followingRun(alert, now) })
}

function followingRun({ frequency, next_run_at }: AlertRow, now: Date): Date | null {
  const periodMs = periodsMs[frequency]
  return periodMs === null ? null : nextRun(next_run_at!, periodMs, now)
}

function alertMail(id: string, alert: { id: string; candidate_id: string }, at: Date) {
  return { id, kind: 'job-alert' as const, accountId: alert.candidate_id, subjectId: alert.id, at }
}

/**
 * Matches up to `limit` new jobs against the instant alerts. Returns the number of jobs that were taken from the queue.
 */
export async function matchNewJobs(tx: Tx, limit: number, now: Date, exchange: Exchange): Promise<number> {
  // Empties the queue if there are no instant alerts, because an import can add thousands of jobs.
  await forgetNewJobs(tx, now, hasInstantAlerts)
  const jobs = await takeNewJobs(tx, limit, now)
  for (const job of jobs) {
    if (!job.is_visible) continue
    const anchored = await listAnchored(tx, jobTerms(job), job.visible_at)
    const met = await listMet(tx, job.id, anchored, exchange)
    // Handles one job at a time, because the matches of a single job can already need much memory.
    const alertIds = met.flatMap(({ ids }) => ids)
    await queueMatches(tx, job.id, alertIds, now)
  }
  return jobs.length
}

/** Adds the job to the pending email of each alert. Queues an email for each alert that has none. */
async function queueMatches(tx: Tx, jobId: string, alertIds: readonly string[], now: Date): Promise<void> {
  if (alertIds.length === 0) return
  const alerts = await lockInstantAlerts(tx, alertIds)
  const ids = alerts.map(({ id }) => id)
  const waiting = await lockPendingMails(tx, 'job-alert', ids)
  const matches = alerts.map((alert) => ({ ...alert, mailId: waiting.get(alert.id) ?? newId('mail') }))
  const withNews = await insertMatches(tx, jobId, matches, now)
  const isNewMail = ({ id }: { id: string }) => withNews.has(id) && !waiting.has(id)
  const mails = matches.filter(isNewMail).map((match) => alertMail(match.mailId, match, now))
  await queueMails(tx, mails)
}
