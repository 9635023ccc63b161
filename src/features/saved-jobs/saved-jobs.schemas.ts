import { type Static, Type } from 'typebox'
import { Resource, Strict, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'
import { JobListSchema } from '../jobs/index.ts'

export const SavedJobSchema = Resource('SavedJob', {
  job_id: Type.String(),
  saved_at: Timestamp(),
  job: Strict({
    ...JobListSchema.properties,
    is_active: Type.Boolean({ description: 'Whether the job is on the board.' }),
  }),
})
export type SavedJob = Static<typeof SavedJobSchema>

/** A saved job with the upgrades that only pages show. */
export type MarkedSavedJob = SavedJob & { job: { is_urgent: boolean; is_highlighted: boolean } }

export const savedJobList = {
  name: 'candidates/jobs/saved',
  filters: { saved_at: parameter.time('When the job was saved.') },
  sorts: { saved_at: {} },
  defaultSort: [{ field: 'saved_at', direction: 'desc' }],
} as const satisfies ListDeclaration
