import { type Static, Type } from 'typebox'
import { Choice, Integer, MergeBody, Name, Nullable, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'
import { Author } from '../accounts/index.ts'
import { SalarySchema } from '../jobs/index.ts'
import { ResumeBriefSchema } from '../resumes/index.ts'

export const applicationStatuses = ['pending', 'reviewed', 'contacted', 'rejected', 'hired'] as const
export type ApplicationStatus = (typeof applicationStatuses)[number]

/** Statuses that the employer can set, by current status. */
export const transitions: Readonly<Record<ApplicationStatus, readonly ApplicationStatus[]>> = {
  pending: ['reviewed', 'contacted', 'rejected', 'hired'],
  reviewed: ['contacted', 'rejected', 'hired'],
  contacted: ['reviewed', 'rejected', 'hired'],
  rejected: ['reviewed'],
  hired: [],
}

/** Maximum number of characters of a source. */
export const SOURCE_MAX = 50

export const ApplyBody = Strict({
  cover_letter: Text(1, 20_000),
  resume_id: Type.Optional(
    Nullable(Type.String({ description: "ID of one of the candidate's resumes. Default: the newest resume." })),
  ),
  custom_questions: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      description:
        "Answers to the job's custom questions by question ID: text (up to 1,000 characters), textarea (10,000), boolean, " +
        'number, date (YYYY-MM-DD), url, single_select (an option), multi_select (a list of options).',
    }),
  ),
  source: Type.Optional(
    Nullable(
      Name(
        1,
        SOURCE_MAX,
        'Where the candidate found the job, such as the name of a partner board. Stored in lowercase. Visible to the employer and admins. Candidates see it only in their export.',
      ),
    ),
  ),
})
export type ApplyBody = Static<typeof ApplyBody>

export const WithdrawBody = Strict({ reason: Type.Optional(Nullable(Text(1, 2_000))) })

const Status = Choice(applicationStatuses)
const jobBrief = { id: Type.String(), title: Type.String(), company: Type.String() }
const times = { applied_at: Timestamp(), updated_at: Timestamp() }
const withdrawn = {
  withdrawn_at: Nullable(Timestamp('When the candidate withdrew the application. The status does not change.')),
}

export const ApplicationReceiptSchema = Resource('ApplicationReceipt', {
  id: Type.String(),
  job: Strict(jobBrief),
  status: Status,
  ...times,
})
export type ApplicationReceipt = Static<typeof ApplicationReceiptSchema>

const listed = {
  id: Type.String(),
  job: Strict({ ...jobBrief, location: Type.String(), type: Type.String(), salary: Nullable(SalarySchema) }),
  cover_letter: Type.String(),
  status: Status,
  ...times,
  ...withdrawn,
}

export const ApplicationListSchema = Resource('ApplicationListItem', listed)
export type ApplicationListItem = Static<typeof ApplicationListSchema>

const content = {
  custom_questions: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: "Answers to the job's custom questions by question ID.",
  }),
  resume: Nullable(ResumeBriefSchema),
}

export const ApplicationSchema = Resource('Application', {
  ...listed,
  ...content,
  status_history: Type.Array(Strict({ status: Status, at: Timestamp() })),
})
export type Application = Static<typeof ApplicationSchema>

export const EmployerApplicationSchema = Resource('EmployerApplication', {
  id: Type.String(),
  job: Strict(jobBrief),
  candidate: Strict(
    {
      id: Nullable(Type.String()),
      name: Nullable(Type.String()),
      email: Nullable(Type.String()),
      phone: Nullable(Type.String()),
      location: Nullable(Type.String()),
      headline: Nullable(Type.String()),
    },
    { description: 'All fields are null if the candidate was erased.' },
  ),
  cover_letter: Type.String(),
  ...content,
  status: Status,
  rating: Nullable(Integer(1, 5)),
  tags: Type.Array(Type.String()),
  source: Nullable(
    Type.String({
      description: "Where the candidate found the job, according to the candidate's client or the link to the job.",
    }),
  ),
  ...times,
  ...withdrawn,
  status_history: Type.Array(Strict({ status: Status, at: Timestamp(), reason: Nullable(Type.String()), by: Author })),
})
export type EmployerApplication = Static<typeof EmployerApplicationSchema>

const TAGS_MAX = 20

const writable = {
  status: Choice(
    applicationStatuses,
    'Allowed changes: pending to any other status; reviewed to contacted, rejected or hired; contacted to reviewed, rejected or hired; rejected to reviewed.',
  ),
  reason: Nullable(
    Text(1, 2_000, 'Stored in the history together with the new status. Visible only to the employer and admins.'),
  ),
  notify: Type.Boolean({
    description: 'Whether to email the candidate about a new status, if they allow it. Default: true.',
  }),
  message: Nullable(
    Text(
      1,
      5_000,
      'Message to the candidate in the email about a new status. Requires `status`, and `notify` must be true.',
    ),
  ),
  rating: Nullable(Integer(1, 5, 'Visible to the employer and admins. Candidates see it only in their export.')),
  tags: Type.Array(Name(1, 40), {
    maxItems: TAGS_MAX,
    description:
      'Visible to the employer and admins. Candidates see tags only in their export. Tags that differ only in case or accents are stored once.',
  }),
}

export const EmployerApplicationBody = MergeBody(writable, EmployerApplicationSchema)
export type EmployerApplicationBody = Static<typeof EmployerApplicationBody>

/** Maximum number of applications that one request moves: as many as a page of the list can contain. */
export const MOVED_MAX = 100

const { reason, notify, message } = writable
export const MoveApplicationsBody = Strict({
  ids: Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: MOVED_MAX,
    description: 'IDs of applications. Repeated IDs are handled once.',
  }),
  status: writable.status,
  reason: Type.Optional(reason),
  notify: Type.Optional(notify),
  message: Type.Optional(message),
})

export const MoveResultSchema = Resource('MoveResult', {
  id: Type.String(),
  status: Type.Optional(Choice(applicationStatuses, 'Status of the application. Absent if `problem` is present.')),
  problem: Type.Optional(
    Type.Object(
      {
        type: Type.String({ format: 'uri-reference' }),
        title: Type.String(),
        status: Type.Integer(),
        code: Type.String(),
      },
      { description: 'Why the status cannot be set: a problem document without `instance` and `request_id`.' },
    ),
  ),
})

const filters = {
  status: parameter.choice('Status of the application.', applicationStatuses),
  applied_at: parameter.time('When the candidate applied.'),
}
const sorts = { applied_at: {}, updated_at: {} } as const
const defaultSort = [{ field: 'applied_at', direction: 'desc' }] as const

export const applicationList = {
  name: 'candidates/applications',
  filters,
  sorts,
  defaultSort,
  pairSorts: ['applied_at', 'updated_at'],
} as const satisfies ListDeclaration

export const employerApplicationList = {
  name: 'employers/applications',
  filters: {
    job_id: parameter.text('ID of the job.'),
    ...filters,
    rating: parameter.integer("The employer's rating.", {
      minimum: 1,
      maximum: 5,
      suffixes: ['gt', 'lt', 'gte', 'lte', 'in'],
    }),
    source: parameter.text('Where the candidate found the job, ignoring case.', { suffixes: ['in'] }),
    tags: parameter.textList('Applications with all of these tags. With `_in`: with any of them.', {
      suffixes: ['in'],
    }),
  },
  sorts,
  defaultSort,
} as const satisfies ListDeclaration
