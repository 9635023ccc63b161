/** Checks whether a caller may see or change a job. */
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type Actor, type ActorAccount, onlyEmployerOf } from '../../lib/scopes.ts'
import { type FoundJob, findJob, type JobRow } from './jobs.queries.ts'

/** Reports a request for a job to the job statistics, which decide whether the request counts as a view. */
export type NoteView = (job: { id: string; employer_id: string }, by: ViewedBy) => void

export interface ViewedBy {
  actor: Actor | undefined
  /** True for page requests. The `user-agent` header of API requests does not distinguish people from programs. */
  isPage: boolean
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Throws unless the caller may change the job: `not_owner` if the job is public, otherwise `not_found`. */
export function assertMayChange(row: JobRow | undefined, actor: Actor): asserts row is JobRow {
  if (!row) throw new AppError('not_found')
  if (actor.kind === 'admin' || row.employer_id === actor.accountId) return
  throw new AppError(isPublic(row) ? 'not_owner' : 'not_found')
}

/**
 * Returns whether a job is public: it has been on the board, has not been removed, and its employer is not suspended.
 */
function isPublic(row: Pick<JobRow, 'first_activated_at' | 'removed_at' | 'is_of_suspended'>): boolean {
  return row.first_activated_at !== null && row.removed_at === null && !row.is_of_suspended
}

/** Throws `not_found` if a reader may not see the job. Only the owner and admins may see jobs that are not public. */
export function assertVisible<Row extends JobRow>(
  row: Row | undefined,
  actor: ActorAccount | undefined,
): asserts row is Row {
  const isOwn = actor !== undefined && (actor.kind === 'admin' || row?.employer_id === actor.accountId)
  if (!row || !(isOwn || isPublic(row))) throw new AppError('not_found')
}

/**
 * Returns a job. Throws `not_found` if the reader may not see it. A publishable key sees only what visitors see. An
 * employer's publishable key sees only the employer's jobs.
 */
export async function getVisibleJob(
  reader: Reader,
  id: string,
  actor: ActorAccount & Partial<Pick<Actor, 'key'>>,
): Promise<FoundJob> {
  const row = await findJob(reader, id, onlyEmployerOf(actor))
  assertVisible(row, actor.key?.publishable ? undefined : actor)
  return row
}

/** Throws if the operator removed the job. A removed job cannot be posted or paid for until it is restored. */
export function assertNotRemoved({ removed_at, removal_reason }: JobRow): void {
  if (removed_at === null) return
  throw new AppError('job_removed', {
    detail: `The operator removed this job: ${removal_reason}`,
    words: { key: 'problem.job_removed_for', values: { reason: removal_reason ?? '' } },
    extra: { removed_at: removed_at.toISOString(), reason: removal_reason },
  })
}

/** Throws if a feed maintains the job, because the feed's next run would undo the change. */
export function assertNotFed({ source }: Pick<JobRow, 'source'>): void {
  if (source !== null) throw new AppError('fed_job', { extra: { feed_id: source.feed_id } })
}
