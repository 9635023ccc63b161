/**
 * All event types with the schemas of their `data`. Only this module and the composition root import the internals of
 * several features. Apart from the feature `events`, which shows the catalog, features import only types from this
 * module.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { EmployerSchema } from '../features/employers/employers.schemas.ts'
import { JobCreateSchema } from '../features/jobs/jobs.schemas.ts'
import { Ref, Resource, Strict, Timestamp } from '../lib/schema.ts'

const ChangedFields = Type.Array(Type.String(), { description: 'Names of the changed fields.' })
const Previous = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'Previous values of the changed fields.',
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

export const eventDescriptions: Readonly<Record<EventType, string>> = {
  'job.created': 'A job is created or imported.',
  'job.updated': 'A job is updated, activated, closed, reopened or upgraded.',
  'job.expired': 'A job expires.',
  'job.deleted': 'A job is deleted.',
  'application.submitted': 'A candidate submits an application.',
  'application.status_updated': "An application's status is updated.",
  'application.withdrawn': 'A candidate withdraws an application.',
  'candidate.registered': 'A candidate registers.',
  'candidate.profile_updated': 'A candidate updates their profile.',
  'employer.registered': 'An employer registers.',
  'employer.profile_updated': "An employer's profile is updated.",
}

/** The payload that receivers get for an event of this type. */
export interface EventEnvelope<T extends EventType = EventType> {
  id: string
  type: T
  created_at: string
  data: EventData[T]
}

/** Returns the name of an envelope's schema component, for example `JobCreatedEvent` for `job.created`. */
export function eventComponentName(type: EventType): string {
  const words = type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** Schemas of the envelopes, as components of the OpenAPI document. */
export const eventSchemas = Object.fromEntries(
  eventTypes.map((type) => [
    type,
    Resource(
      eventComponentName(type),
      {
        id: Type.String({ description: 'ID of the event, the same in every delivery.' }),
        type: Type.Literal(type),
        created_at: Timestamp('When the event occurred.'),
        data: eventDataSchemas[type],
      },
      { description: eventDescriptions[type] },
    ),
  ]),
) as unknown as Readonly<Record<EventType, TSchema>>

const referable: Readonly<Record<string, TSchema>> = { 'JobOfOwner#': JobCreateSchema, 'Employer#': EmployerSchema }

/** Returns the standalone schema of an envelope, without references or custom keywords. */
export function standaloneEventSchema(type: EventType): Record<string, unknown> {
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    if ($ref !== undefined) return inlined(referable[$ref])
    const kept = Object.entries(value).filter(([name]) => name !== '$id' && !name.startsWith('x-'))
    return Object.fromEntries(kept.map(([name, inner]) => [name, inlined(inner)]))
  }
  const schema = inlined(eventSchemas[type]) as Record<string, unknown>
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: type, ...schema }
}
