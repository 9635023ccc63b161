import { type Static, Type } from 'typebox'
import { resolvePlace } from '../../geo/gazetteer.ts'
import {
  DistanceMember,
  Email,
  FirstKey,
  HttpUrl,
  inDocument,
  MergeBody,
  Name,
  Nullable,
  Ref,
  Resource,
  Strict,
  Text,
  Timestamp,
} from '../../lib/schema.ts'
import { distanceUnit, type Parameter, parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

// The OpenAPI document describes this format as a pattern, because `year-month` is not a standard format.
const inWords = inDocument({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })
const YearMonth = () => Type.String({ format: 'year-month', description: 'YYYY-MM', ...inWords })

export const Experience = Strict({
  title: Type.String(),
  company: Type.String(),
  location: Nullable(Type.String()),
  start_date: Type.String(),
  end_date: Nullable(Type.String()),
  current: Type.Boolean({ description: 'Whether end_date is null.' }),
  description: Nullable(Type.String()),
})
export type Experience = Static<typeof Experience>

const ExperienceBody = Strict({
  title: Name(1, 200),
  company: Name(1, 200),
  location: Type.Optional(Nullable(Name(1, 200))),
  start_date: YearMonth(),
  end_date: Type.Optional(Nullable(YearMonth())),
  current: Type.Optional(
    Type.Boolean({
      description: 'Must be true if end_date is null, and false otherwise. Default: derived from end_date.',
    }),
  ),
  description: Type.Optional(Nullable(Text(1, 5_000))),
})
export type ExperienceBody = Static<typeof ExperienceBody>

export const Education = Strict({
  institution: Type.String(),
  degree: Nullable(Type.String()),
  field: Nullable(Type.String()),
  start_date: Nullable(Type.String()),
  end_date: Nullable(Type.String()),
  description: Nullable(Type.String()),
})
export type Education = Static<typeof Education>

const EducationBody = Strict({
  institution: Name(1, 200),
  degree: Type.Optional(Nullable(Name(1, 200))),
  field: Type.Optional(Nullable(Name(1, 200))),
  start_date: Type.Optional(Nullable(YearMonth())),
  end_date: Type.Optional(Nullable(YearMonth())),
  description: Type.Optional(Nullable(Text(1, 5_000))),
})
export type EducationBody = Static<typeof EducationBody>

const describedMembers = {
  summary: Nullable(Type.String()),
  experience: Type.Array(Experience),
  education: Type.Array(Education),
}
const addresses = {
  website: Nullable(Type.String()),
  github: Nullable(Type.String()),
  linkedin: Nullable(Type.String()),
}

const profileMembers = {
  id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  email: Type.String(),
  phone: Nullable(Type.String()),
  location: Nullable(Type.String()),
  headline: Nullable(Type.String()),
  ...describedMembers,
  skills: Type.Array(Type.String()),
  resume_url: Nullable(Type.String({ description: 'URL of the newest resume.' })),
  ...addresses,
  is_searchable: Type.Boolean({ description: 'Whether all employers can find the candidate.' }),
  mail_on_status_change: Type.Boolean({ description: 'Whether to email the candidate about their applications.' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
}

export const CandidateSchema = Resource('Candidate', profileMembers)
export type Candidate = Static<typeof CandidateSchema>

export const CandidateRegisteredSchema = Resource('CandidateRegistered', { ...profileMembers, api_key: FirstKey() })

export const CandidateRegistrationBody = Strict({ first_name: Name(1, 100), last_name: Name(1, 100), email: Email() })
export type CandidateRegistrationBody = Static<typeof CandidateRegistrationBody>

const writable = {
  first_name: Name(1, 100),
  last_name: Name(1, 100),
  email: Email(),
  phone: Nullable(Type.String({ format: 'phone', maxLength: 50, 'x-trim': true })),
  location: Nullable(Name(1, 200)),
  headline: Nullable(Name(1, 200)),
  summary: Nullable(Text(1, 5_000)),
  experience: Nullable(Type.Array(ExperienceBody, { maxItems: 50 })),
  education: Nullable(Type.Array(EducationBody, { maxItems: 30 })),
  skills: Nullable(Type.Array(Name(1, 64), { maxItems: 100 })),
  website: Nullable(HttpUrl()),
  github: Nullable(HttpUrl()),
  linkedin: Nullable(HttpUrl()),
  is_searchable: Type.Boolean(),
  mail_on_status_change: Type.Boolean(),
}
export const writableCandidateMembers = Object.keys(writable) as (keyof typeof writable)[]

export const CandidateBody = MergeBody(writable, ['id', 'created_at', 'updated_at', 'resume_url'])
export type CandidateBody = Static<typeof CandidateBody>

export const CandidateExportSchema = Type.Object(
  {
    exported_at: Timestamp(),
    account: Strict({
      id: Type.String(),
      name: Type.String(),
      email: Nullable(Type.String()),
      language: Nullable(
        Type.String({ description: "The language of emails. Null means the board's default language." }),
      ),
      created_at: Timestamp(),
    }),
    profile: Ref(CandidateSchema),
    last_active: Timestamp(),
  },
  {
    $id: 'CandidateExport',
    additionalProperties: true,
    description: 'All stored data about the candidate, with one field per kind of data.',
  },
)

const contact = (what: string) =>
  Nullable(
    Type.String({ description: `${what}. Employers see it only if the candidate applied to one of their jobs.` }),
  )

export const foundMembers = {
  id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  headline: Nullable(Type.String()),
  location: Nullable(Type.String()),
  skills: Type.Array(Type.String()),
  last_active: Timestamp('Accurate to the minute.'),
  created_at: Timestamp(),
  email: contact('Email address'),
  phone: contact('Telephone number'),
}

export const FoundCandidateSchema = Resource('FoundCandidate', { ...foundMembers, ...DistanceMember })
export type FoundCandidate = Static<typeof FoundCandidateSchema>

export const FoundCandidateDetailSchema = Resource('FoundCandidateDetail', {
  ...foundMembers,
  ...describedMembers,
  ...addresses,
})
export type FoundCandidateDetail = Static<typeof FoundCandidateDetailSchema>

const filters = {
  search: parameter.search('Words in the profile or the resume. Supports "phrases", -exclusions and or.'),
  location: parameter.text('Whole words of the location. With distance: the center of the search.'),
  distance: parameter.distance('Maximum distance from `location`, in `distance_unit` (default: miles).'),
  distance_unit: distanceUnit,
  skills: parameter.textList('All of these skills. With _in: any of them. With _not: none of them.'),
  last_active: parameter.time('When the candidate last used the board.'),
  created_at: parameter.time('When the candidate registered.'),
} satisfies Record<string, Parameter>

export const candidateList = {
  name: 'candidates',
  filters,
  sorts: {
    last_active: {},
    created_at: {},
    last_name: {},
    distance: { within: 'distance' },
    relevance: { within: 'search' },
  },
  defaultSort: [{ field: 'last_active', direction: 'desc' }],
  pairSorts: ['relevance'],
  geocode: resolvePlace,
} as const satisfies ListDeclaration
