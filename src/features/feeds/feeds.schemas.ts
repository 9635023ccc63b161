import { type Static, Type } from 'typebox'
import { Choice, Id, Integer, MergeBody, Name, Nullable, Resource, Strict, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'
import { formatNames, hostedFormats } from './formats/index.ts'

const feedStates = ['idle', 'running', 'held', 'failing'] as const
export const runStates = ['pending', 'running', 'succeeded', 'held', 'failed'] as const

const writable = {
  name: Name(1, 200),
  url: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'A public https URL. Null if you push documents. Hosted formats use the field `board` instead.',
    }),
  ),
  board: Nullable(
    Type.String({
      pattern: '^[A-Za-z0-9._/-]{1,100}$',
      maxLength: 100,
      description: `The company's name in the URL of its careers page; for teamtailor, the page's host. Required for ${hostedFormats.join(', ')}.`,
    }),
  ),
  company: Nullable(Name(1, 200, 'The company for postings that do not name one.')),
  every_minutes: Integer(15, 10_080, 'Interval between runs, in minutes.'),
  close_after_hours: Integer(0, 720, 'Time in hours for which a posting must be missing before its job is closed.'),
  is_active: Type.Boolean({ description: 'Whether the feed runs automatically.' }),
  is_prepaid: Type.Boolean({
    description: "For an employer's feed: whether its jobs need no payment. Only admins can change this field.",
  }),
}
export const writableFeedMembers = Object.keys(writable) as (keyof typeof writable)[]

const format = Choice(formatNames)
const { name, ...optional } = writable

export const FeedBody = Strict({
  name,
  format,
  employer_id: Type.Optional(
    Nullable(
      Id(
        'employer',
        'The employer of all jobs of the feed. Default: your company. For admins, the default is null: the company of each posting is then its employer.',
      ),
    ),
  ),
  ...Type.Partial(Type.Object(optional)).properties,
})
export type FeedBody = Static<typeof FeedBody>

const count = () => Type.Integer({ minimum: 0 })

const Counts = Strict(
  {
    ...{ read: count(), created: count(), updated: count(), unchanged: count() },
    ...{ missing: count(), closed: count(), reopened: count(), refused: count() },
  },
  { description: 'A dry run counts what it would do.' },
)

const run = {
  id: Type.String(),
  state: Choice(runStates),
  dry_run: Type.Boolean(),
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
  finished_at: Nullable(Timestamp()),
  counts: Counts,
  held_reason: Nullable(Type.String({ description: 'Why the run was held for approval.' })),
}

export const FeedRunSchema = Resource('FeedRun', {
  ...run,
  problems: Type.Array(
    Strict({
      external_id: Nullable(
        Type.String({
          description: 'Null if the problem concerns the run, the whole document, or a posting without an ID.',
        }),
      ),
      code: Type.String(),
      detail: Type.String(),
    }),
    { maxItems: 100, description: 'The first 100 problems.' },
  ),
  sample: Nullable(
    Type.Array(
      Strict({
        external_id: Type.String(),
        url: Nullable(Type.String()),
        title: Type.String(),
        company: Type.String(),
        location: Type.String(),
        description: Type.String({ description: 'The first 500 characters.' }),
      }),
      { description: 'The first five postings of a dry run, as the jobs that they would become.' },
    ),
  ),
})
export type FeedRun = Static<typeof FeedRunSchema>

export const FeedSchema = Resource('Feed', {
  id: Type.String(),
  name: Type.String(),
  format,
  url: Nullable(Type.String()),
  board: Nullable(Type.String()),
  employer_id: Nullable(Type.String()),
  company: Nullable(Type.String()),
  every_minutes: Type.Integer(),
  close_after_hours: Type.Integer(),
  is_active: Type.Boolean(),
  is_prepaid: Type.Boolean(),
  state: Choice(feedStates, 'held: a run waits for approval. failing: the last run failed.'),
  last_run: Nullable(Strict(run)),
  next_run_at: Nullable(Timestamp()),
  job_count: Type.Integer({ minimum: 0, description: 'Number of postings whose jobs the feed has not closed.' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
})
export type Feed = Static<typeof FeedSchema>

export const FeedMergeBody = MergeBody(writable, FeedSchema)
export type FeedMergeBody = Static<typeof FeedMergeBody>

export const RunBody = Strict({
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Whether the run only reports what it would do, and changes nothing.' }),
  ),
})

/** A document as a member of a JSON body. Clients send larger documents as the body itself. */
export const DocumentBody = Strict({
  document: Type.String({ description: 'The document, as text.' }),
})

export const feedList = {
  name: 'feeds',
  filters: {
    format: parameter.choice('Format of the document.', formatNames),
    employer_id: parameter.text('ID of the employer.', { suffixes: [] }),
    created_at: parameter.time('When the feed was created.'),
    is_active: parameter.boolean('Whether the feed runs automatically.'),
  },
  sorts: { created_at: {}, name: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration

export const runList = {
  name: 'feed-runs',
  filters: {
    state: parameter.choice('State of the run.', runStates),
    created_at: parameter.time('When the run was created.'),
  },
  sorts: { created_at: {}, state: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
