import { type RawBuilder, sql } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { isOfSuspended, type JobListRow, type JobRow, jobListSelection, joinJob } from '../jobs/index.ts'
import type { savedJobList } from './saved-jobs.schemas.ts'

export type SavedJobRow = JobListRow & Pick<JobRow, 'state' | 'is_urgent' | 'is_highlighted'> & { saved_at: Date }

/** Saves a job. If the job is already saved, keeps its original `saved_at`. */
export function upsertSavedJob(tx: Tx, candidateId: string, jobId: string, now: Date) {
  // `xmax` is the ID of the transaction that locked the row; for a new row, it is 0.
  return statement<{ saved_at: Date; is_new: boolean }>`
    insert into saved_job (candidate_id, job_id, saved_at) values (${candidateId}, ${jobId}, ${now})
    on conflict (candidate_id, job_id) do update set saved_at = saved_job.saved_at
    returning saved_at, xmax = 0 as is_new`.one(tx)
}

export async function deleteSavedJob(tx: Tx, candidateId: string, jobId: string): Promise<void> {
  await tx.deleteFrom('saved_job').where('candidate_id', '=', candidateId).where('job_id', '=', jobId).execute()
}

export async function deleteSavedJobs(tx: Tx, candidateId: string): Promise<void> {
  await tx.deleteFrom('saved_job').where('candidate_id', '=', candidateId).execute()
}

export function listSavedAmong(reader: Reader, candidateId: string, jobIds: readonly string[]): Promise<string[]> {
  return statement<{ job_id: string }>`
    select job_id from saved_job
    where candidate_id = ${candidateId} and job_id = any(${[...jobIds]}::text[])`.allValues(reader)
}

/** Returns the IDs of a candidate's saved jobs, including deleted jobs, and when they were saved. Oldest first. */
export function listSavedJobIds(reader: Reader, candidateId: string) {
  return reader
    .selectFrom('saved_job')
    .select(['job_id', 'saved_at'])
    .where('candidate_id', '=', candidateId)
    .orderBy('saved_at')
    .orderBy('job_id')
    .execute()
}

/** Lists a candidate's saved jobs. Omits deleted and removed jobs, and jobs of suspended employers. */
export function listSavedJobs(
  reader: Reader,
  candidateId: string,
  query: QueryOf<typeof savedJobList>,
): Promise<Page<SavedJobRow>> {
  return listPage(reader, query, {
    table: 'saved_job',
    from: sql`saved_job ${joinJob('saved_job.job_id')}`,
    id: sql.ref('saved_job.job_id'),
    columns: sql`${jobListSelection()}, job.state, job.is_urgent, job.is_highlighted, saved_job.saved_at`,
    where: [
      sql`saved_job.candidate_id = ${candidateId}`,
      sql`job.state <> 'deleted' and job.removed_at is null and not ${isOfSuspended()}`,
    ],
    filters: { saved_at: comparing('saved_job.saved_at') },
    sorts: { saved_at: sortKey.time('saved_job.saved_at') },
  })
}

/** Selects the number of candidates who currently have a job saved, by the UTC day on which they saved it. */
export function savesByDay(jobId: string): RawBuilder<{ day: string; count: number }> {
  return sql`
    select to_char(saved_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as count
    from saved_job where job_id = ${jobId} group by 1`
}

export const countSavedJobHoldings = async (reader: Reader, candidateId: string) => ({
  saved_jobs: await countRows(reader, sql`saved_job where candidate_id = ${candidateId}`),
})
