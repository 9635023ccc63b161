/** Queries for lists of jobs. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import type { Exchange } from '../../lib/exchange.ts'
import type { ListQuery, QueryOf } from '../../lists/query.ts'
import { distanceColumn, distanceKey } from '../../lists/radius.ts'
import {
  allOf,
  beginningsIn,
  type Condition,
  comparing,
  type FilterSql,
  type ListPart,
  type ListPlan,
  listPage,
  type Page,
  relevanceKey,
  sortKey,
} from '../../lists/sql-page.ts'
import { convertedSql, includesDuplicates, jobFilterSql, requestedConversion } from '../../search/filters.ts'
import { sinceOf } from './jobs.changes.ts'
import {
  type BareJobRow,
  companyLogo,
  full,
  isOfSuspended,
  type JobListRow,
  type JobRow,
  jobListSelection,
  jobRow,
  listed,
  listedJob,
  visibleJob,
} from './jobs.queries.ts'
import type { deskJobStates, jobList, ownJobList } from './jobs.schemas.ts'

type Filter = keyof typeof jobList.filters

type Sort = keyof typeof jobList.sorts

type OwnFilter = keyof typeof ownJobList.filters

function stateAt(now: Date): RawBuilder<string> {
  return sql`case when job.state in ('active', 'closed') and job.expires_at <= ${now} then 'expired' else job.state end`
}

/** Returns the jobs on the board with IDs after `afterId`, ordered by ID, with their import keys. For exports. */
export function listExportedJobs(reader: Reader, afterId: string, limit: number, now: Date) {
  return statement<JobRow & { import_key: string | null }>`
    select ${jobRow()}, job.import_key
    from job where ${visibleJob(now)} and job.id > ${afterId} order by job.id limit ${limit}`.all(reader)
}

/**
 * Converts the filters of a query to conditions on `job`. The conditions do not check whether a job is on the board.
 */
export function jobConditions(query: Pick<QueryOf<typeof jobList>, 'filters'>, exchange: Exchange): Condition[] {
  const filters = filtersOf(query, exchange)
  return query.filters.map(({ filter, operator, value }) => filters[filter](operator, value))
}

const filtersOf = (query: Pick<ListQuery, 'filters'>, exchange: Exchange): Record<Filter, FilterSql> => ({
  ...jobFilterSql(query.filters, exchange),
  updated_since: (_operator, value) => sql`job.board_changed_at >= ${value as Date}`,
  include_deleted: () => sql`true`,
})

function jobSorts(query: ListQuery<string, string>, exchange: Exchange): ListPlan<Filter, Sort>['sorts'] {
  const conversion = requestedConversion(query.filters, exchange) ?? exchange.byDefault
  return {
    title: sortKey.text('job.title_sort'),
    posted_at: sortKey.time('job.posted_at'),
    location: sortKey.text('job.location_sort'),
    salary: sortKey.nullableBigint(convertedSql('job.salary_annual_high', conversion)),
    company_name: sortKey.text('job.company_sort'),
    application_count: sortKey.bigint('job.application_count'),
    distance: distanceKey('job.places', query),
    relevance: relevanceKey('job.search', query),
    updated_at: sortKey.time('job.board_changed_at'),
  }
}

/**
 * Returns up to `limit` of the given jobs that lists show, newest first, and the number of all such jobs. `ids` is a
 * subquery.
 */
export async function listVisibleJobs(
  reader: Reader,
  ids: RawBuilder<unknown>,
  limit: number,
  now: Date,
): Promise<{ jobs: JobListRow[]; total: number }> {
  const rows = await statement<JobListRow & { total: number }>`
    select ${listed}, ${companyLogo()}, count(*) over () as total from job
    where job.id in (${ids}) and ${listedJob(now)}
    order by job.visible_since desc, job.id desc limit ${limit}`.all(reader)
  return { jobs: rows, total: rows[0]?.total ?? 0 }
}

export function listJobForms(reader: Reader, ids: readonly string[]) {
  return statement<JobListRow & Pick<JobRow, 'is_urgent' | 'is_highlighted'>>`
    select ${jobListSelection()}, job.is_urgent, job.is_highlighted from job where job.id = any(${ids}::text[])`.all(
    reader,
  )
}

/** Everything that a list of jobs depends on, except its query. */
interface Listing {
  now: Date
  exchange: Exchange
}

/** A changed job. `is_shown` is true if lists show the job and it matches the filters. */
export type JobChangeRow = JobListRow & { is_shown: boolean; deleted_at: Date }

/** Returns the board's changes since `updated_since` (decision 0030). */
export function listJobChanges(
  reader: Reader,
  query: QueryOf<typeof jobList>,
  { now, exchange, onlyOf }: Listing & { /** The only employer whose jobs to return. */ onlyOf?: string | undefined },
): Promise<Page<JobChangeRow>> {
  const since = sinceOf(query)!
  const isWithDeleted = query.filters.some(({ filter, value }) => filter === 'include_deleted' && value === true)
  const isWithCopies = includesDuplicates(query.filters)
  const isShown = isWithCopies ? visibleJob(now) : listedJob(now)
  const passes = allOf([isShown, ...jobConditions(query, exchange)])
  // If tombstones are requested, every change has an entry. Jobs that do not match the filters become tombstones.
  const filters = filtersOf(query, exchange)
  if (isWithDeleted) for (const name of Object.keys(filters) as Filter[]) filters[name] = () => sql`true`
  const changedSince = sql`job.board_changed_at >= ${since}`
  const expiry = sql`greatest(job.expires_at, job.board_changed_at)`
  const parts: ListPart<Sort>[] = [
    // With "is true", the planner cannot use the expires_at index. The planner does not know the time, and would
    // otherwise choose that index and read two thirds of the board.
    {
      where: sql`${unannounced} and (job.expires_at > ${now}) is true and ${changedSince}
        ${isWithCopies || isWithDeleted ? sql`` : sql`and job.duplicate_of is null`}`,
    },
    { where: sql`${hasLeft} and ${changedSince}` },
    {
      // Expired jobs whose expiry has not been announced yet. With two bounds, the planner correctly expects few rows.
      // With one bound, the statement would read whole indexes (40 ms for 100,000 jobs).
      where: sql`${unannounced} and job.expires_at > ${new Date(0)} and job.expires_at <= ${now} and ${expiry} >= ${since}`,
      sorts: { updated_at: sortKey.expression('timestamptz', expiry) },
    },
  ]
  return listPage(reader, query, {
    table: 'job',
    columns: sql`${listed}, ${companyLogo()}${distanceColumn('job.places', query)}, ${passes} as is_shown,
        case when job.state <> 'active' then coalesce(job.left_board_at, job.updated_at)
          when job.expires_at <= ${now} then job.expires_at else job.board_changed_at end as deleted_at`,
    where: onlyOf === undefined ? [] : [sql`job.employer_id = ${onlyOf}`],
    parts: isWithDeleted ? parts : parts.slice(0, 1),
    filters: { ...filters, updated_since: () => sql`true` },
    sorts: jobSorts(query, exchange),
  })
}

const unannounced = sql`job.state = 'active' and job.expiry_announced_at is null`

const hasLeft = sql`
  job.first_activated_at is not null and (job.state <> 'active' or job.expiry_announced_at is not null)`

export function isSearch({ filters }: Pick<ListQuery, 'filters'>): boolean {
  return filters.some(({ filter }) => filter === 'search')
}

/**
 * Returns the jobs of an employer in any state except `deleted`. If `employerId` is null, returns the jobs of all
 * employers.
 */
export function listOwnJobs(
  reader: Reader,
  employerId: string | null,
  query: QueryOf<typeof ownJobList>,
  { now, exchange }: Listing,
): Promise<Page<BareJobRow>> {
  return listPage(reader, query, {
    table: 'job',
    columns: sql`${full}${distanceColumn('job.places', query)}`,
    where: [
      sql`job.state <> 'deleted'`,
      ...(employerId === null ? [] : [sql<boolean>`job.employer_id = ${employerId}`]),
    ],
    filters: { ...filtersOf(query, exchange), state: comparing(stateAt(now)) },
    sorts: jobSorts(query, exchange),
  } as ListPlan<OwnFilter, Sort>)
}

export type DeskJobRow = Pick<
  BareJobRow,
  'id' | 'title' | 'company' | 'location' | 'created_at' | 'first_activated_at'
> & { shown_state: (typeof deskJobStates)[number]; is_of_suspended: boolean }

const deskState = (now: Date) => sql`case when job.removed_at is not null then 'removed' else ${stateAt(now)} end`

/** Lists all employers' jobs in any state except `deleted`, for admins. */
export function listDeskJobs(
  reader: Reader,
  query: ListQuery<'search' | 'state', 'created_at'>,
  now: Date,
): Promise<Page<DeskJobRow>> {
  return listPage(reader, query, {
    table: 'job',
    columns: sql`job.id, job.title, job.company, job.location, job.created_at, job.first_activated_at,
      ${deskState(now)} as shown_state, ${isOfSuspended()} as is_of_suspended`,
    where: [sql`job.state <> 'deleted'`],
    filters: {
      // Uses the same expression as the index `job_names_idx`.
      search: (_operator, value) => sql`(job.id = ${String(value).trim()}
        or ${beginningsIn(sql`title_sort || ' ' || company_sort`, String(value))})`,
      state: comparing(deskState(now)),
    },
    sorts: { created_at: sortKey.time('job.created_at') },
  })
}

/** Returns the number of an employer's jobs per state. States without jobs are absent. */
export function countOwnJobs(reader: Reader, employerId: string, now: Date): Promise<Map<string, number>> {
  return statement<{ state: string; count: number }>`
    select ${stateAt(now)} as state, count(*)::int as count from job
    where job.employer_id = ${employerId} and job.state <> 'deleted' group by 1`.toMap(reader, 'state', 'count')
}

/** Returns up to `limit` of an employer's jobs on the board that end by `until`, soonest first. */
export function listEndingJobs(
  reader: Reader,
  employerId: string,
  { now, until, limit }: { now: Date; until: Date; limit: number },
) {
  return statement<{ id: string; title: string; application_count: number; expires_at: Date }>`
    select job.id, job.title, job.application_count, job.expires_at from job
    where job.employer_id = ${employerId} and ${visibleJob(now)} and job.expires_at <= ${until}
    order by job.expires_at, job.id limit ${limit}`.all(reader)
}

export function listOwnJobTitles(reader: Reader, employerId: string, limit: number) {
  return statement<{ id: string; title: string }>`
    select id, title from job where employer_id = ${employerId} and state <> 'deleted'
    order by created_at desc, id desc limit ${limit}`.all(reader)
}
