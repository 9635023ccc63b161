import type { Tx } from '../../db/database.ts'
import type { ActorAccount } from '../../lib/scopes.ts'
import { getVisibleJob } from '../jobs/index.ts'
import { type SavedJobRow, upsertSavedJob } from './saved-jobs.queries.ts'

/** Saves a job that the candidate may see, even if it is no longer on the board. */
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
