/** Creates the events about changed and deleted jobs. */
import { presentJobCreateForm } from './jobs.present.ts'
import type { JobRow } from './jobs.queries.ts'
import type { JobSettings } from './jobs.state.ts'

export function jobUpdated(
  { origin }: JobSettings,
  { before, after, changedFields, now }: { before: JobRow; after: JobRow; changedFields: readonly string[]; now: Date },
) {
  const view = { origin, now }
  const former: Record<string, unknown> = {
    ...presentJobCreateForm(before, view),
    contact_email: before.contact_email,
  }
  return {
    type: 'job.updated' as const,
    subjectId: after.id,
    employerId: after.employer_id,
    at: now,
    data: {
      job: presentJobCreateForm(after, view),
      changed_fields: [...changedFields],
      previous: Object.fromEntries(changedFields.map((name) => [name, former[name]])),
    },
  }
}

export function jobDeleted({ id, title, company, employer_id }: JobRow, now: Date) {
  return {
    type: 'job.deleted' as const,
    subjectId: id,
    employerId: employer_id,
    at: now,
    data: { job: { id, title, company, employer_id, deleted_at: now.toISOString() } },
  }
}
