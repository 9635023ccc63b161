import { type RawBuilder, sql } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { joinJob, visibleJob } from '../jobs/index.ts'

export type DraftRow = Omit<Row<'application_draft'>, 'candidate_id'> & Pick<Row<'job'>, 'title' | 'company'>

const found = (candidateId: string, where: RawBuilder<unknown>) => statement<DraftRow>`
  select draft.job_id, job.title, job.company, draft.cover_letter, draft.answers, draft.resume_id, draft.source,
    draft.created_at, draft.expires_at
  from application_draft as draft ${joinJob('draft.job_id')}
  where draft.candidate_id = ${candidateId} and ${where}
  order by draft.created_at, draft.job_id`

export function findDraft(
  reader: Reader,
  { candidateId, jobId }: { candidateId: string; jobId: string },
  now: Date,
): Promise<DraftRow | undefined> {
  const where = sql`draft.job_id = ${jobId} and draft.expires_at > ${now}`
  return found(candidateId, where).first(reader)
}

/**
 * Returns a candidate's unexpired drafts for jobs on the board. Omits drafts for jobs with an application that the
 * candidate has not withdrawn.
 */
export function listDrafts(reader: Reader, candidateId: string, now: Date): Promise<DraftRow[]> {
  const hasApplied = sql`exists (
    select from application as standing
    where standing.candidate_id = ${candidateId} and standing.job_id = draft.job_id and standing.withdrawn_at is null)`
  const where = sql`draft.expires_at > ${now} and ${visibleJob(now)} and not ${hasApplied}`
  return found(candidateId, where).all(reader)
}

export const listDraftsForExport = (reader: Reader, candidateId: string): Promise<DraftRow[]> =>
  found(candidateId, sql`true`).all(reader)

export const countOtherDrafts = (tx: Tx, candidateId: string, jobId: string, now: Date) =>
  countRows(
    tx,
    sql`application_draft
    where candidate_id = ${candidateId} and job_id <> ${jobId} and expires_at > ${now}`,
  )

export async function upsertDraft(tx: Tx, draft: Row<'application_draft'>): Promise<void> {
  const row = { ...draft, answers: JSON.stringify(draft.answers) }
  await tx
    .insertInto('application_draft')
    .values(row)
    .onConflict((conflict) => conflict.columns(['candidate_id', 'job_id']).doUpdateSet(row))
    .execute()
}

export async function deleteDraft(tx: Tx, candidateId: string, jobId: string): Promise<void> {
  await tx.deleteFrom('application_draft').where('candidate_id', '=', candidateId).where('job_id', '=', jobId).execute()
}

export async function deleteDraftsOf(tx: Tx, candidateId: string): Promise<void> {
  await tx.deleteFrom('application_draft').where('candidate_id', '=', candidateId).execute()
}

export async function deleteExpiredDrafts(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom('application_draft').where('expires_at', '<=', now).execute()
}
