/**
 * All event types with the schema of their `data`. The only place beside the composition that looks into several
 * features; features import nothing of it but types, through `outbox.ts`.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { EmployerSchema } from '../features/employers/employers.schemas.ts'
import { JobCreateSchema } from '../features/jobs/jobs.schemas.ts'
import { Ref, Strict, Timestamp } from '../lib/schema.ts'

const ChangedFields = Type.Array(Type.String(), { description: 'The members that changed.' })
const Previous = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'The former values of the changed members.',
})
const JobBrief = { id: Type.String(), title: Type.String(), company: Type.String() }
const CandidateBrief = { id: Type.String(), name: Type.String(), email: Type.String() }

const application = {
  id: Type.String(),
  job: Strict(JobBrief),
  candidate: Strict(CandidateBrief),
  status: Type.String(),
  applied_at: Timestamp(),
}

/** Type to schema of `data`. */
export const eventDataSchemas = {
  'job.created': Strict({ job: Ref(JobCreateSchema) }),
  'job.updated': Strict({ job: Ref(JobCreateSchema), changed_fields: ChangedFields, previous: Previous }),
  'job.expired': Strict({ job: Ref(JobCreateSchema) }),
  'job.deleted': Strict({ job: Strict({ ...JobBrief, employer_id: Type.String(), deleted_at: Timestamp() }) }),
  'application.submitted': Strict({ application: Strict(application) }),
  'application.status_updated': Strict({
    application: Strict({ ...application, updated_at: Timestamp() }),
    previous_status: Type.String(),
  }),
  'application.withdrawn': Strict({ application: Strict({ ...application, withdrawn_at: Timestamp() }) }),
  'candidate.registered': Strict({ candidate: Strict({ ...CandidateBrief, created_at: Timestamp() }) }),
  'candidate.profile_updated': Strict({
    candidate: Strict({ ...CandidateBrief, updated_at: Timestamp() }),
    changed_fields: ChangedFields,
  }),
  'employer.registered': Strict({ employer: Ref(EmployerSchema) }),
  'employer.profile_updated': Strict({ employer: Ref(EmployerSchema), changed_fields: ChangedFields }),
} as const satisfies Record<string, TSchema>

export type EventType = keyof typeof eventDataSchemas
export type EventData = { [T in EventType]: Static<(typeof eventDataSchemas)[T]> }

export const eventTypes = Object.keys(eventDataSchemas) as EventType[]
