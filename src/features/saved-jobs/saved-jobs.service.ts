import type { Tx } from '../../db/database.ts'
import type { ActorAccount } from '../../lib/scopes.ts'
import { getVisibleJob, isActive, presentJobListItem } from '../jobs/index.ts'
import { type SavedJobRow, upsertSavedJob } from './saved-jobs.queries.ts'
import type { MarkedSavedJob, SavedJob } from './saved-jobs.schemas.ts'

export const presentSavedJob = (row: SavedJobRow, { origin, now }: { origin: string; now: Date }): SavedJob => ({
  job_id: row.id,
  saved_at: row.saved_at.toISOString(),
  job: { ...presentJobListItem(row, origin), is_active: isActive(row, now) },
})

/** Returns a saved job with the upgrades that only pages show. A job that is off the board shows none. */
export function presentMarkedSavedJob(row: SavedJobRow, view: { origin: string; now: Date }): MarkedSavedJob {
  const saved = presentSavedJob(row, view)
  const { is_active, is_featured } = saved.job
  const marks = {
    is_featured: is_active && is_featured,
    is_urgent: is_active && row.is_urgent,
    is_highlighted: is_active && row.is_highlighted,
  }
  return { ...saved, job: { ...saved.job, ...marks } }
}

/** Saves a job that the candidate may see, even if it is no longer on the board. */
export async function saveJob(tx: Tx, actor: ActorAccount, jobId: string, now: Date) {
  const job = await getVisibleJob(tx, jobId, actor)
  const { saved_at, is_new } = await upsertSavedJob(tx, actor.accountId, jobId, now)
  return { row: { ...job, saved_at }, isNew: is_new }
}
