import { type Static, Type } from 'typebox'
import { areasNamed, resolvePlace } from '../../geo/gazetteer.ts'
import { LOCATIONS_MAX } from '../../lib/locations.ts'
import { payPeriods, SALARY_MAX } from '../../lib/salary.ts'
import {
  Choice,
  DistanceMember,
  Email,
  HttpUrl,
  Id,
  Integer,
  inDocument,
  MergeBody,
  Moment,
  Name,
  Nullable,
  Ref,
  RenderedText,
  Resource,
  ShownUrl,
  Slug,
  Strict,
  Text,
  Timestamp,
} from '../../lib/schema.ts'
import { workplaces } from '../../lib/workplaces.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'
import { experienceLevels, jobParameters } from '../../search/filters.ts'
import { plainMembers } from './jobs.members.ts'

export { experienceLevels }

export const JobParams = Strict({ id: Id('job') })

const jobStates = ['inactive', 'active', 'closed', 'expired'] as const
export type JobState = (typeof jobStates)[number]

export const questionTypes = [
  'text',
  'textarea',
  'boolean',
  'number',
  'date',
  'url',
  'single_select',
  'multi_select',
] as const

const isSelect = (type: string) => type.endsWith('_select')

const questionMembers = {
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 64 }),
  label: Name(1, 500),
  type: Choice(questionTypes),
  required: Type.Boolean(),
  options: Type.Optional(Type.Array(Text(1, 200), { maxItems: 100, uniqueItems: true })),
}

const CustomQuestion = Strict(questionMembers, {
  'x-only-with': { member: 'options', of: 'type', values: questionTypes.filter(isSelect) },
  ...inDocument({
    anyOf: [
      {
        properties: { type: { enum: questionTypes.filter(isSelect) }, options: { minItems: 1 } },
        required: ['options'],
      },
      { properties: { type: { enum: questionTypes.filter((type) => !isSelect(type)) }, options: { maxItems: 0 } } },
    ],
  }),
})
export type CustomQuestion = Static<typeof CustomQuestion>

const bound = () => Nullable(Integer(0, SALARY_MAX))

/** A salary in responses. */
export const SalarySchema = Strict({
  min: Nullable(Type.Integer()),
  max: Nullable(Type.Integer()),
  currency: Type.String(),
  period: Choice(payPeriods),
})

const SalaryBody = Strict(
  {
    min: Type.Optional(bound()),
    max: Type.Optional(bound()),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', format: 'currency' })),
    period: Type.Optional(Choice(payPeriods)),
  },
  {
    'x-range': ['min', 'max'],
    'x-some-of': ['min', 'max'],
    ...inDocument({
      anyOf: ['min', 'max'].map((name) => ({ required: [name], properties: { [name]: { type: 'integer' } } })),
    }),
  },
)

const TextList = Type.Array(Text(1, 500), { maxItems: 50 })

// `remote` is separate because its position in the OpenAPI document must not change.
const { remote, ...laterMembers } = plainMembers

const workplace = Choice(
  workplaces,
  '`remote` is true exactly if `workplace` is `remote`. If a request contains only one of the two, the service sets the other.',
)

const writable = {
  title: Name(1, 200),
  description: Text(1, 50_000),
  location: Name(1, 200),
  category: Slug(),
  type: Slug('A job type, such as full-time, part-time, contract, temporary, internship or freelance.'),
  salary: Nullable(SalaryBody),
  requirements: Nullable(TextList),
  benefits: Nullable(TextList),
  remote,
  expires_at: Nullable(
    Moment(
      'At most 365 days from now. For an active or closed job: at most 365 days from its activation, or the current value if that is later. A date without a time means the end of that day.',
    ),
  ),
  publish_at: Nullable(
    Moment(
      'When a paid job becomes active automatically, at most 365 days ahead. A date without a time means the start of that day.',
    ),
  ),
  skills: Nullable(Type.Array(Name(1, 64), { maxItems: 100 })),
  ...laterMembers,
  workplace,
  locations: Nullable(
    Type.Array(Name(1, 200), {
      maxItems: LOCATIONS_MAX,
      description:
        'All locations, beginning with `location`. If a request contains only `location` or only `locations`, the service sets the other.',
    }),
  ),
  custom_questions: Nullable(Type.Array(CustomQuestion, { maxItems: 50, 'x-unique-by': 'id' })),
  application_url: Nullable(HttpUrl("Default: this board's own URL for applying to the job.")),
  contact_email: Nullable(Email()),
}
export const writableJobMembers = Object.keys(writable) as (keyof typeof writable)[]

const { title, description, location, category, type, ...optional } = writable

export const JobBody = Strict({
  title,
  description,
  location,
  category,
  type,
  ...Type.Partial(Type.Object(optional)).properties,
})
export type JobBody = Static<typeof JobBody>

export const CloseBody = Strict({ reason: Type.Optional(Nullable(Text(1, 500))) })

export const JobMergeBody = MergeBody(writable, [
  'id',
  'company',
  'posted_at',
  'is_featured',
  'is_urgent',
  'is_highlighted',
  'is_active',
  'company_logo_url',
  'company_website',
  'description_html',
  'employer_id',
  'application_count',
  'source',
  'duplicate_of',
])
export type JobMergeBody = Static<typeof JobMergeBody>

const common = {
  id: Type.String(),
  title: Type.String(),
  company: Type.String(),
  location: Type.String(),
  description: Type.String(),
  salary: Nullable(SalarySchema),
  category: Type.String(),
  type: Type.String(),
  remote,
  posted_at: Timestamp(
    'When the job was first activated or, before that, when it was created. An import can set another time.',
  ),
  expires_at: Nullable(Timestamp()),
  is_featured: Type.Boolean(),
  application_url: ShownUrl(),
  employer_id: Type.String(),
  skills: Type.Array(Type.String()),
  ...laterMembers,
  workplace,
  locations: Type.Array(Type.String({ description: 'All locations, beginning with `location`.' })),
}
const full = {
  requirements: Type.Array(Type.String()),
  benefits: Type.Array(Type.String()),
  is_urgent: Type.Boolean(),
  is_highlighted: Type.Boolean(),
  is_active: Type.Boolean(),
  publish_at: Nullable(Timestamp()),
  custom_questions: Type.Array(Strict(questionMembers)),
}
const companyLogo = { company_logo_url: Nullable(ShownUrl()) }

export const JobListSchema = Resource('JobListItem', { ...common, ...companyLogo, ...DistanceMember })
export type JobListItem = Static<typeof JobListSchema>

export const DeletedJobSchema = Resource(
  'DeletedJob',
  { id: Type.String(), deleted_at: Timestamp('When the job left the board or stopped matching the filters.') },
  { description: 'A job that a mirror of the board must remove. Present only with include_deleted.' },
)
export type DeletedJob = Static<typeof DeletedJobSchema>

export const JobDetailSchema = Resource('Job', {
  ...common,
  ...full,
  description_html: RenderedText(),
  ...companyLogo,
  company_website: Nullable(ShownUrl()),
  contact_email: Nullable(Type.String()),
  duplicate_of: Nullable(Type.String({ description: 'ID of the copy that lists show instead of this job.' })),
})
export type JobDetail = Static<typeof JobDetailSchema>

export const JobCreateSchema = Resource('JobOfOwner', { ...common, ...full })
export type JobCreateForm = Static<typeof JobCreateSchema>

export const OwnJobSchema = Resource('JobOfOwnerWithCount', {
  ...common,
  ...full,
  application_count: Type.Integer({ minimum: 0 }),
  source: Nullable(
    Strict(
      { feed_id: Type.String(), external_id: Type.String(), url: Nullable(ShownUrl()) },
      { description: 'The posting from which a feed maintains the job. Null for all other jobs.' },
    ),
  ),
  ...DistanceMember,
})

export const NamedCountSchema = Resource('NamedCount', {
  slug: Type.String(),
  name: Type.String(),
  job_count: Type.Integer({ minimum: 0 }),
})

/** A response without pagination: `{ data: [...] }`. */
export const NamedCounts = Strict({ data: Type.Array(Ref(NamedCountSchema)) })

const sorts = {
  title: {},
  posted_at: {},
  location: {},
  salary: {},
  company_name: {},
  application_count: {},
  distance: { within: 'distance' },
} as const

const ranges = [
  ['salary_min', 'salary_max'],
  ['posted_after', 'posted_before'],
] as const

const { employer_id, include_duplicates, ...plainParameters } = jobParameters

/** Parameters of alert criteria, and of all job lists outside the admin area. */
export const plainJobList = {
  name: 'jobs',
  filters: plainParameters,
  filterAliases: { type: 'job_type' },
  sorts: { ...sorts, relevance: { within: 'search' } },
  sortAliases: { date_posted: 'posted_at' },
  defaultSort: [{ field: 'posted_at', direction: 'desc' }],
  pairSorts: ['date_posted', 'salary', 'relevance'],
  ranges,
  geocode: resolvePlace,
  areasNamed,
} as const satisfies ListDeclaration

/** Parameters of the public list. It also has facets and, for mirrors, changes (decision 0030). */
export const jobList = {
  ...plainJobList,
  filters: {
    ...plainParameters,
    employer_id,
    include_duplicates,
    updated_since: parameter.time(
      'Only jobs that changed since this time, in order of change. Use meta.updated_until from an earlier response.',
      { suffixes: [] },
    ),
    include_deleted: parameter.boolean(
      'Includes {id, deleted_at} for jobs that left the board or stopped matching the filters since updated_since.',
    ),
  },
  sorts: { ...plainJobList.sorts, updated_at: { within: 'updated_since' } },
  defaultSortWithin: { filter: 'updated_since', sort: [{ field: 'updated_at', direction: 'asc' }] },
  needs: [['include_deleted', 'updated_since']],
  facets: {
    names: ['category', 'job_type', 'remote', 'experience_level', 'language', 'workplace'],
    notWith: 'updated_since',
  },
  pagedRows: { within: 'updated_since', max: 10_000 },
} as const satisfies ListDeclaration

/** States in the admin area, where `removed` is also a state. */
export const deskJobStates = [...jobStates, 'removed'] as const

export const deskJobList = {
  name: 'desk-jobs',
  filters: {
    search: parameter.text('Prefixes of words in the title and company, or an ID.', { suffixes: [] }),
    state: parameter.choice('State of the job.', deskJobStates, { suffixes: [] }),
  },
  sorts: { created_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration

export const ownJobList = {
  ...plainJobList,
  name: 'employers/jobs',
  filters: { ...plainParameters, state: parameter.choice('State of the job.', jobStates) },
} as const satisfies ListDeclaration
