import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { Action, Submission } from '../../lib/changes.ts'
import { AppError, type BodyFault, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Actor } from '../../lib/scopes.ts'
import { queueMails } from '../../mail/queue.ts'
import { listStaffToEmail, lockAccountRow } from '../accounts/index.ts'
import { queueToEmployer } from '../employers/index.ts'
import { assertVisible, type JobRow, type JobSettings, lockJob, removeJob, restoreJob } from '../jobs/index.ts'
import {
  decideOpenReports,
  findOpenReportId,
  findReport,
  hasOtherOpenReport,
  insertReport,
  type ReportRow,
} from './job-reports.queries.ts'
import type { ReportBody } from './job-reports.schemas.ts'

/** The reporter: an account, or a visitor who is identified only by their network. */
type Reporter = { actor: Actor } | { network: string; secret: Uint8Array }

/** Reports a visible job. A unique index prevents an account or a network from having two open reports about a job. */
export async function reportJob(
  tx: Tx,
  { reporter, jobId, body, faults: schemaFaults, now }: Submission<ReportBody> & { reporter: Reporter; jobId: string },
): Promise<ReportRow> {
  const actor = 'actor' in reporter ? reporter.actor : undefined
  // Prevents a concurrent erasure of the account. Must precede the lock on the job.
  if (actor) await lockAccountRow(tx, sql`${actor.accountId}`, 'key share')
  const job = await lockJob(tx, jobId)
  assertVisible(job, actor)
  const faults = [...schemaFaults, ...messageFaults(body, schemaFaults)]
  if (faults.length > 0) throw validationFailed(faults)
  const id = newId('jobReport')
  const isNew = await insertReport(tx, {
    id,
    job_id: jobId,
    employer_id: job.employer_id,
    reporter_id: actor?.accountId ?? null,
    network_hash: 'network' in reporter ? networkHash(reporter, jobId) : null,
    reason: body.reason,
    message: body.message ?? null,
    created_at: now,
  })
  if (!isNew) throw await alreadyReported(tx, jobId, actor)
  await queueReportMails(tx, { id, jobId, now })
  return (await findReport(tx, id))!
}

/** Emails the board's staff about a job's first open report. The caller must hold the job's lock. */
async function queueReportMails(tx: Tx, { id, jobId, now }: { id: string; jobId: string; now: Date }): Promise<void> {
  if (await hasOtherOpenReport(tx, jobId, id)) return
  const staff = await listStaffToEmail(tx, 'moderator')
  await queueMails(
    tx,
    staff.map((recipient) => ({ kind: 'job-reported', ...recipient, subjectId: id, at: now })),
  )
}

function messageFaults({ reason, message }: ReportBody, schemaFaults: readonly BodyFault[]): BodyFault[] {
  const isMissing = reason === 'other' && (message === undefined || message === null)
  if (!isMissing || schemaFaults.some(({ pointer }) => pointer === '#/message')) return []
  const detail = 'message is required if reason is other.'
  return [{ pointer: '#/message', code: 'required', detail, words: { key: 'fault.message_needed' } }]
}

/** Returns a hash that distinguishes the networks of visitors for one job, but does not reveal them. */
function networkHash({ network, secret }: { network: string; secret: Uint8Array }, jobId: string): string {
  return createHmac('sha256', secret).update(`${jobId} ${network}`).digest('base64url')
}

async function alreadyReported(tx: Tx, jobId: string, actor: Actor | undefined): Promise<AppError> {
  if (!actor) {
    return new AppError('already_reported', {
      detail: 'Someone has already reported this job from your network. The operator will review it.',
      words: { key: 'problem.network_reported' },
    })
  }
  return new AppError('already_reported', {
    detail: 'You have already reported this job. The operator will review it.',
    words: { key: 'problem.already_reported' },
    extra: { report_id: await findOpenReportId(tx, jobId, actor.accountId) },
  })
}

export async function getReport(reader: Reader, id: string): Promise<ReportRow> {
  return found(await findReport(reader, id))
}

/**
 * Locks the job of an open report. `job` is undefined if the job was deleted. Throws if the report has already been
 * decided.
 */
async function lockJobOfOpenReport(tx: Tx, id: string) {
  const { job_id } = await getReport(tx, id)
  const job = await lockJob(tx, job_id)
  // Reads the report again under the job's lock, because every decision takes this lock.
  const { status } = await getReport(tx, id)
  if (status !== 'open') {
    throw new AppError('invalid_transition', {
      detail: `The report is already ${status}.`,
      words: { key: 'problem.report_closed' },
      extra: { state: status, allowed: [] },
    })
  }
  return { job_id, job }
}

/** Upholds an open report and all other open reports about the same job, and removes the job. */
export async function upholdReport(
  tx: Tx,
  { id, ...removal }: Action & { settings: JobSettings; reason: string },
): Promise<ReportRow> {
  const { job_id, job } = await lockJobOfOpenReport(tx, id)
  await remove(tx, job, { ...removal, id: job_id })
  return getReport(tx, id)
}

/** Removes a job and upholds its open reports, if there are any. */
export async function removeReportedJob(
  tx: Tx,
  removal: Action & { settings: JobSettings; reason: string },
): Promise<void> {
  const job = found(await lockJob(tx, removal.id))
  await remove(tx, job, removal)
}

/**
 * Upholds the open reports about a job, removes the job, and emails the reason to its employer and the team members who
 * post. The caller must hold the job's lock. `job` is undefined if the job is deleted.
 */
async function remove(
  tx: Tx,
  job: JobRow | undefined,
  { settings, actor, id, reason, now }: Action & { settings: JobSettings; reason: string },
): Promise<void> {
  await decideOpenReports(tx, id, { status: 'upheld', note: reason, decidedBy: actor.accountId }, now)
  await noteOperatorAction(tx, actor, { action: 'job.remove', subject: id, note: reason }, now)
  if (!job) return
  await removeJob(tx, { settings, now }, job, reason)
  await queueToEmployer(tx, job.employer_id, { kind: 'job-removed', subjectId: id, at: now })
}

export async function dismissReport(
  tx: Tx,
  { actor, id, note, now }: Action & { note: string | null },
): Promise<ReportRow> {
  const { job_id } = await lockJobOfOpenReport(tx, id)
  await decideOpenReports(tx, job_id, { status: 'dismissed', note, decidedBy: actor.accountId }, now)
  await noteOperatorAction(tx, actor, { action: 'report.dismiss', subject: id, note: note ?? undefined }, now)
  return getReport(tx, id)
}

/** Restores a removed job. Does nothing if the job has not been removed. */
export async function restoreReportedJob(
  tx: Tx,
  { settings, actor, id, now }: Action & { settings: JobSettings },
): Promise<JobRow> {
  const { job, isRestored } = await restoreJob(tx, settings, id, now)
  if (isRestored) await noteOperatorAction(tx, actor, { action: 'job.restore', subject: id }, now)
  return job
}
