/** Personal data of saved jobs: the jobs, and when they were saved. */
import type { PersonalData } from '../feature.ts'
import { deleteSavedJobs, listSavedJobIds } from './saved-jobs.queries.ts'

export const savedJobsPersonalData: PersonalData = {
  name: 'saved_jobs',

  async export(reader, candidateId) {
    const rows = await listSavedJobIds(reader, candidateId)
    return rows.map(({ job_id, saved_at }) => ({ job_id, saved_at: saved_at.toISOString() }))
  },

  erase: deleteSavedJobs,
}
