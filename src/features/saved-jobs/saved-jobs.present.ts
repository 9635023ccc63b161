import { isActive, presentJobListItem } from '../jobs/index.ts'
import type { SavedJobRow } from './saved-jobs.queries.ts'
import type { SavedJob } from './saved-jobs.schemas.ts'

export function presentSavedJob(row: SavedJobRow, { origin, now }: { origin: string; now: Date }): SavedJob {
  return {
    job_id: row.id,
    saved_at: row.saved_at.toISOString(),
    job: { ...presentJobListItem(row, origin), is_active: isActive(row, now) },
  }
}
