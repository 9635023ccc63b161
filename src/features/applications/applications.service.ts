import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { attempt, type Database, type Reader, type Tx } from '../../db/database.ts'
import { isViolationOf } from '../../db/errors.ts'
import { noteIfAdmin, type Performer } from '../../db/operator-actions.ts'
import { appendEvent, writeWithEvent } from '../../events/outbox.ts'
import type { Change, Submission } from '../../lib/changes.ts'
import { AppError, accountGone, type BodyFault, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { mergeBody } from '../../lib/merge.ts'
import { type ActorAccount, type Author, authorOf, ownerOf } from '../../lib/scopes.ts'
import type { NewMail } from '../../mail/queue.ts'
import { fold } from '../../search/text/fold.ts'
import { queueToEmployer } from '../employers/index.ts'
import { addToApplicationCounts, type CustomQuestion, findJob, lockJobRows } from '../jobs/index.ts'
import { removeUncarriedResumes } from '../resumes/index.ts'
import { checkAnswers } from './applications.answers.ts'
import { queueStatusMail } from './applications.mails.ts'
import { presentEmployerApplication } from './applications.present.ts'
import {
  type ApplicationRow,
  applicationInsertion,
  deleteStaleApplications,
  type EmployerApplicationRow,
  finalStatuses,
  findApplication,
  findEmployerApplication,
  findOpening,
  findStandingApplicationId,
  listStaleApplications,
  lockApplication,
  lockEmployerApplication,
  lockEmployerApplications,
  markWithdrawn,
  type Opening,
  type StatusChange,
  updateAssessment,
  updateStatus,
} from './applications.queries.ts'
import {
  type ApplicationReceipt,
  type ApplicationStatus,
  type ApplyBody,
  type EmployerApplicationBody,
  transitions,
} from './applications.schemas.ts'

export const isWithdrawable = ({ status, withdrawn_at }: ApplicationRow) =>
  withdrawn_at === null && !finalStatuses.includes(status)

/** Maximum number of attempts while concurrent requests change the data. */
const ATTEMPTS_MAX = 10

export interface JobApplication extends Submission<ApplyBody> {
  candidateId: string
  jobId: string
}

/**
 * Returns the job with the candidate and the resume, the checked answers, and the source. Throws if the candidate may
 * not apply with this body. A draft may lack required answers.
 */
export async function checkApplication(
  tx: Tx,
  { candidateId, jobId, body, faults: schemaFaults, now }: JobApplication,
  { isDraft }: { isDraft: boolean },
) {
  const isSound = (member: string) => !schemaFaults.some(({ pointer }) => pointer.split('/')[1] === member)
  const resumeId = isSound('resume_id') ? (body.resume_id ?? null) : null
  const opening = await findOpening(tx, { candidateId, jobId, resumeId }, now)
  // The candidate was erased within the last second, while the API key was still cached.
  if (!opening) throw accountGone()
  if (opening.job_id === null) throw new AppError('not_found')
  const faults = [...schemaFaults]
  if (resumeId !== null && opening.resume_id === null) {
    faults.push({ pointer: '#/resume_id', code: 'not_found', detail: 'You have no resume with this ID.' })
  }
  const checked = checkAnswers(opening.custom_questions, (isSound('custom_questions') && body.custom_questions) || {})
  if (isSound('custom_questions')) {
    faults.push(...checked.faults.filter(({ code }) => !isDraft || code !== 'required'))
  }
  if (faults.length > 0) throw validationFailed(faults)
  if (!opening.is_open) {
    throw new AppError('job_not_open', { detail: 'This job is closed or expired, so you cannot apply.' })
  }
  return { opening, answers: checked.answers, source: body.source?.toLowerCase() ?? null }
}

export const alreadyApplied = (id: string) => new AppError('already_applied', { extra: { application_id: id } })

/**
 * Applies to a job. A successful attempt runs one read and one write, which need a transaction only if the request has
 * an idempotency key.
 */
export async function applyToJob(tx: Tx, sent: JobApplication): Promise<ApplicationReceipt> {
  const { candidateId, jobId, body, now } = sent
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { opening, answers, source } = await checkApplication(tx, sent, { isDraft: false })
    const { employer_id, resume_id, title, company } = opening
    const id = newId('application')
    const application = {
      id,
      job_id: jobId,
      employer_id,
      candidate_id: candidateId,
      cover_letter: body.cover_letter,
      answers: JSON.stringify(answers),
      resume_id,
      source,
    }
    if (await insertApplication(tx, opening, application, now)) {
      const at = now.toISOString()
      return { id, job: { id: jobId, title, company }, status: 'pending', applied_at: at, updated_at: at }
    }
    const standing = await findStandingApplicationId(tx, candidateId, jobId)
    if (standing !== undefined) throw alreadyApplied(standing)
    // The job, the resume or an earlier application has changed since the query, so the loop checks everything again.
  }
  throw new AppError('unavailable', { headers: { 'retry-after': '2' } })
}

type NewApplication = Parameters<typeof applicationInsertion>[0] & { id: string; job_id: string; candidate_id: string }

/** Inserts an application. Returns false if the checked data has changed or the candidate has already applied. */
function insertApplication(tx: Tx, opening: Opening, application: NewApplication, now: Date): Promise<boolean> {
  const { title, company, employer_id, employer_account_id: accountId, candidate_name, candidate_email } = opening
  const { id, job_id, candidate_id } = application
  const seen = { title, company, custom_questions: JSON.stringify(opening.custom_questions), at: now }
  const recipients =
    accountId === null ? [] : [null, ...opening.member_ids].map((memberId) => ({ accountId, memberId }))
  const about = { subjectId: id, at: now }
  const cause = applicationInsertion(application, seen, [
    ...recipients.map((recipient): NewMail => ({ kind: 'application-received', ...recipient, ...about })),
    { kind: 'application-sent', accountId: candidate_id, ...about },
  ])
  const row = { id, job_id, title, company, candidate_id, status: 'pending', applied_at: now }
  const event = {
    type: 'application.submitted' as const,
    subjectId: id,
    employerId: employer_id,
    candidateId: candidate_id,
    at: now,
    data: { application: applicationOfEvent(row, { name: candidate_name, email: candidate_email }) },
  }
  return attempt(tx, () => writeWithEvent(tx, cause, event)).catch((error: unknown) => {
    if (isViolationOf(error, 'application_candidate_job_key')) return false
    throw error
  })
}

export const getApplication = async (reader: Reader, candidateId: string, id: string) =>
  found(await findApplication(reader, candidateId, id))

/** Returns an application to one of the caller's jobs, or to any job if the caller is an admin. */
export const getEmployerApplication = async (reader: Reader, actor: ActorAccount, id: string) =>
  found(await findEmployerApplication(reader, ownerOf(actor), id))

/** Returns the current questions of the application's job, or undefined if the job has been deleted. */
export async function findQuestions(reader: Reader, { job_id }: ApplicationRow): Promise<CustomQuestion[] | undefined> {
  return (await findJob(reader, job_id))?.custom_questions as CustomQuestion[] | undefined
}

export function invalidTransition(state: string, allowed: readonly string[]): AppError {
  const next = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}` : 'No change is allowed'
  const detail = `The application's state is ${state}. ${next}.`
  return new AppError('invalid_transition', { detail, extra: { state, allowed } })
}

type RowOfEvent = Pick<ApplicationRow, 'id' | 'job_id' | 'title' | 'company' | 'candidate_id' | 'applied_at'> & {
  status: string
}

function applicationOfEvent(row: RowOfEvent, candidate: { name: string; email: string | null }) {
  return {
    id: row.id,
    job: { id: row.job_id, title: row.title, company: row.company },
    candidate: { id: row.candidate_id!, name: candidate.name, email: candidate.email ?? '' },
    status: row.status,
    applied_at: row.applied_at.toISOString(),
  }
}

/** Withdraws an application without changing its status. Does nothing if the application is already withdrawn. */
export async function withdrawApplication(
  tx: Tx,
  { candidateId, id, reason, now }: { candidateId: string; id: string; reason: string | null; now: Date },
): Promise<ApplicationRow> {
  const row = found(await lockApplication(tx, candidateId, id))
  if (row.withdrawn_at !== null) return row
  if (finalStatuses.includes(row.status)) throw invalidTransition(row.status, [])
  await markWithdrawn(tx, id, reason, now)
  await addToApplicationCounts(tx, [row.job_id], -1)
  await queueToEmployer(tx, row.employer_id, { kind: 'application-withdrawn', subjectId: id, at: now })
  const { name, email } = (await findEmployerApplication(tx, null, id))!
  await appendEvent(tx, {
    type: 'application.withdrawn',
    subjectId: id,
    employerId: row.employer_id,
    candidateId,
    at: now,
    data: { application: { ...applicationOfEvent(row, { name: name!, email }), withdrawn_at: now.toISOString() } },
  })
  return (await findApplication(tx, candidateId, id))!
}

export interface ApplicationChange extends Change<EmployerApplicationBody> {
  origin: string
  actor: Performer
}

interface Move extends Partial<StatusChange> {
  /** Whether the candidate gets an email. Default: true. */
  notify?: boolean
}

/** Returns the number of emails to charge for moving this many applications. */
export const emailsOf = ({ status, notify = true }: Move, count: number): number =>
  status !== undefined && notify ? count : 0

const messageFault = (detail: string, words: NonNullable<BodyFault['words']>): BodyFault => ({
  pointer: '#/message',
  code: 'not_allowed',
  detail,
  words,
})

/** Returns a fault if a move has a message but causes no email that could contain it. */
function messageFaults({ status, notify = true, message = null }: Move): BodyFault[] {
  if (message === null || (status !== undefined && notify)) return []
  const detail = 'message requires status, and notify must be true, because the email contains the message.'
  return [messageFault(detail, { key: `received.message_needs_${status === undefined ? 'status' : 'email'}` })]
}

/** Returns the tags without duplicates, ignoring case and accents. */
const distinct = (tags: readonly string[]) =>
  tags.filter((tag, n) => tags.findIndex((other) => fold(other) === fold(tag)) === n)

/** Merges a body with an optional status, rating and tags into an application. */
export async function updateApplication(
  tx: Tx,
  { origin, actor, id, body, faults, precondition, now }: ApplicationChange,
): Promise<EmployerApplicationRow> {
  const row = found(await lockEmployerApplication(tx, ownerOf(actor), id))
  const present = presentEmployerApplication(row, origin)
  const all = [...faults, ...(faults.length === 0 ? messageFaults(body) : [])]
  const { merged } = mergeBody(present, { body, faults: all }, ['status', 'rating', 'tags'])
  precondition(present)
  const { status, rating } = merged
  const tags = distinct(merged.tags)
  const isMoved = status !== row.status
  // Allows a repeated request: its message is the one in the latest entry of the history.
  if (!isMoved && (body.message ?? null) !== null && body.message !== row.history.at(-1)!.message) {
    const detail = 'message requires a new status, because the email about the status contains the message.'
    throw validationFailed([messageFault(detail, { key: 'received.message_needs_status' })])
  }
  const isAssessed = rating !== row.rating || !isDeepStrictEqual(tags, row.tags)
  if (!isMoved && !isAssessed) return row
  if (isMoved && !nextStatuses(row).includes(status)) throw invalidTransition(stateOf(row), nextStatuses(row))
  if (row.erased_at !== null) throw invalidTransition('erased', [])
  if (isAssessed) await updateAssessment(tx, id, { rating, tags })
  if (isMoved) await changeStatus(tx, row, { ...body, status, author: authorOf(actor) }, now)
  const note = isMoved ? status : 'rating and tags'
  await noteIfAdmin(tx, actor, { action: 'application.update', subject: id, note }, now)
  return (await findEmployerApplication(tx, null, id))!
}

/**
 * `erased` or `withdrawn` if the candidate was erased or withdrew the application, otherwise the application's status.
 */
export type ApplicationState = ApplicationStatus | 'withdrawn' | 'erased'

export const stateOf = ({ status, erased_at, withdrawn_at }: ApplicationRow): ApplicationState =>
  erased_at !== null ? 'erased' : withdrawn_at !== null ? 'withdrawn' : status

/** Returns the statuses that the employer can set. */
export const nextStatuses = (row: ApplicationRow): readonly ApplicationStatus[] =>
  stateOf(row) === row.status ? transitions[row.status] : []

/**
 * Changes the status of a locked application and appends the event. Queues an email to the candidate unless `notify` is
 * false.
 */
async function changeStatus(
  tx: Tx,
  row: EmployerApplicationRow,
  {
    status,
    reason = null,
    message = null,
    notify = true,
    author,
  }: Move & Pick<StatusChange, 'status'> & { author: Author },
  now: Date,
): Promise<void> {
  const { id } = row
  const position = await updateStatus(tx, id, { status, reason, message, author }, now)
  const candidate = { name: row.name!, email: row.email }
  await appendEvent(tx, {
    type: 'application.status_updated',
    subjectId: id,
    employerId: row.employer_id,
    candidateId: row.candidate_id,
    at: now,
    data: {
      application: { ...applicationOfEvent({ ...row, status }, candidate), updated_at: now.toISOString() },
      previous_status: row.status,
    },
  })
  if (!notify) return
  await queueStatusMail(tx, {
    applicationId: id,
    candidateId: row.candidate_id!,
    details: { status, position },
    at: now,
  })
}

/** The result of moving one of several applications. `unknown`: the caller has no application with this ID. */
export type MoveResult = { id: string } & (
  | { outcome: 'moved' | 'unchanged' | 'unknown' }
  | { outcome: 'refused'; name: string | null; state: ApplicationState; allowed: readonly ApplicationStatus[] }
)

interface BulkMove {
  actor: Performer
  ids: readonly string[]
  move: Move & Pick<StatusChange, 'status'>
  now: Date
}

/**
 * Moves each application to a status if this move is allowed, and otherwise leaves the application unchanged. Returns
 * one result per distinct ID, in the order of `ids`.
 */
export async function moveApplications(tx: Tx, { actor, ids, move, now }: BulkMove): Promise<MoveResult[]> {
  const faults = messageFaults(move)
  if (faults.length > 0) throw validationFailed(faults)
  const rows = await lockEmployerApplications(tx, ownerOf(actor), ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const results: MoveResult[] = []
  for (const id of new Set(ids)) {
    const row = byId.get(id)
    const state = row && stateOf(row)
    if (!row) results.push({ id, outcome: 'unknown' })
    else if (state === move.status) results.push({ id, outcome: 'unchanged' })
    else if (!nextStatuses(row).includes(move.status)) {
      results.push({ id, outcome: 'refused', name: row.name, state: state!, allowed: nextStatuses(row) })
    } else {
      await changeStatus(tx, row, { ...move, author: authorOf(actor) }, now)
      await noteIfAdmin(tx, actor, { action: 'application.update', subject: id, note: move.status }, now)
      results.push({ id, outcome: 'moved' })
    }
  }
  return results
}

const PURGE_BATCH = 200

/**
 * Purges up to `PURGE_BATCH` applications last changed before `before`. Also purges their resumes if candidates have
 * deleted them and no other application contains them.
 */
export async function purgeApplications(database: Database, before: Date, now: Date): Promise<'more' | 'done'> {
  const stale = await database.read((db) => listStaleApplications(db, before, PURGE_BATCH))
  if (stale.length === 0) return 'done'
  await database.inTx(async (tx) => {
    const jobIds = stale.map(({ job_id }) => job_id)
    await lockJobRows(tx, sql`select unnest(${jobIds}::text[])`)
    const deleted = await deleteStaleApplications(tx, stale, before)
    const standing = deleted.filter(({ withdrawn_at }) => withdrawn_at === null)
    const byJob = Map.groupBy(standing, ({ job_id }) => job_id)
    for (const [jobId, { length }] of byJob) await addToApplicationCounts(tx, [jobId], -length)
    const resumeIds = deleted.flatMap(({ resume_id }) => resume_id ?? [])
    await removeUncarriedResumes(tx, resumeIds, now)
  })
  return stale.length === PURGE_BATCH ? 'more' : 'done'
}
