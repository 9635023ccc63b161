import type { Tx } from '../../db/database.ts'
import type { ActorAccount } from '../../lib/scopes.ts'
import type { PersonalData } from '../candidates/index.ts'
import { getVisibleJob } from '../jobs/index.ts'
import { deleteSavedJobs, listSavedJobIds, type SavedJobRow, upsertSavedJob } from './saved-jobs.queries.ts'

/** Saves a job that the candidate may see, also one that is not on the board any more. */
export async function saveJob(
  tx: Tx,
  actor: ActorAccount,
  jobId: string,
  now: Date,
): Promise<{ row: SavedJobRow; isNew: boolean }> {
  const job = await getVisibleJob(tx, jobId, actor)
  const { saved_at, is_new } = await upsertSavedJob(tx, actor.accountId, jobId, now)
  return { row: { ...job, saved_at }, isNew: is_new }
}

/** What is held of a candidate here. */
export const savedJobsPersonalData: PersonalData = {
  name: 'saved_jobs',
  export: async (reader, candidateId) => {
    const rows = await listSavedJobIds(reader, candidateId)
    return rows.map(({ job_id, saved_at }) => ({ job_id, saved_at: saved_at.toISOString() }))
  },
  erase: deleteSavedJobs,
}
