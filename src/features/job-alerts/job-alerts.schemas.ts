import { type Static, Type } from 'typebox'
import { Choice, Id, inDocument, MergeBody, Name, Nullable, Resource, Strict, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import { controlParameters, type ListDeclaration, parameterNames } from '../../lists/query.ts'
import { filterSchemas } from '../../lists/schema.ts'
import { plainJobList } from '../jobs/index.ts'

export const frequencies = ['instant', 'daily', 'weekly'] as const
export type Frequency = (typeof frequencies)[number]

/** The schemas of the GET /jobs filters, but without empty strings, which count as absent in a query. */
const criteriaProperties = Object.fromEntries(
  Object.entries(filterSchemas(plainJobList)).map(([name, schema]) => [
    name,
    schema.type === 'string' ? { minLength: 1, ...schema } : schema,
  ]),
)

/** Criteria as typed JSON. The parser of GET /jobs validates the members (job-alerts.criteria.ts). */
const Criteria = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  ...inDocument({ properties: criteriaProperties, additionalProperties: false }),
  description:
    'GET /jobs filters, keyed by parameter name, including suffixed names. Values are JSON numbers, booleans, strings or arrays. An empty object matches all jobs.',
  example: { search: 'battery', location: 'Sweden', salary_min: 50000, skills_in: ['CAN', 'LIN'], remote: true },
})

const writable = {
  name: Name(1, 200),
  criteria: Criteria,
  frequency: Choice(frequencies),
  is_active: Type.Boolean(),
}
export const writableAlertMembers = Object.keys(writable) as (keyof typeof writable)[]

export const JobAlertBody = Strict({ ...writable, is_active: Type.Optional(writable.is_active) })
export type JobAlertBody = Static<typeof JobAlertBody>

export const JobAlertSchema = Resource('JobAlert', {
  id: Type.String(),
  ...writable,
  name: Type.String(),
  last_run_at: Nullable(Timestamp('When the alert last ran or, if it is instant, last found a job.')),
  next_run_at: Nullable(Timestamp('When the alert next runs; null if it is instant or inactive.')),
  created_at: Timestamp(),
  updated_at: Timestamp(),
})
export type JobAlert = Static<typeof JobAlertSchema>

export const JobAlertMergeBody = MergeBody(writable, JobAlertSchema)
export type JobAlertMergeBody = Static<typeof JobAlertMergeBody>

export const AlertParams = Strict({ id: Id('jobAlert') })

export const jobAlertList = {
  name: 'candidates/job-alerts',
  filters: {
    name: parameter.text('Name, ignoring case and accents.'),
    frequency: parameter.choice('Frequency.', frequencies),
    is_active: parameter.boolean('Whether the alert is active.'),
    created_at: parameter.time('When the alert was created.'),
  },
  sorts: { created_at: {}, updated_at: {}, name: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration

/** Parameters of the list of an alert's matches, with all filters. */
export const matchList = { ...plainJobList, name: 'candidates/job-alerts/matches' } as const satisfies ListDeclaration

/** `matchList` without filters, for the API. Clients cannot send filters, because the alert's criteria replace them. */
export const matchListWithoutFilters = {
  ...matchList,
  filters: {},
  filterAliases: {},
  ranges: [],
} as const satisfies ListDeclaration

export const criteriaNames: readonly string[] = parameterNames(plainJobList).filter(
  (name) => !controlParameters.has(name),
)
