import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import { type Backlog, countRows, countRowsByDay, findBacklog } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { JobTable, Row } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { UNPREPARED } from '../../db/statement-names.ts'
import type { Cause } from '../../events/outbox.ts'
import type { Condition } from '../../lists/sql-page.ts'
import type { AnchoredJob } from '../../search/anchors.ts'
import { languageCode } from '../../search/language-code.ts'
import { isSuspended, lockAccountRow } from '../accounts/index.ts'
import { employerColumn, employerLockText } from '../employers/employers.sql.ts'
import { plainNames } from './jobs.members.ts'

/** The SQL condition for "on the board". Append the current time as a value. */
const ON_BOARD = "job.state = 'active' and job.expires_at >"

/** Matches jobs on the board. `job` must be in scope. */
export function visibleJob(now: Date): Condition {
  return sql`${sql.raw(ON_BOARD)} ${now}`
}

/** Matches jobs that lists show: jobs on the board, except folded copies (decision 0117). `job` must be in scope. */
export function listedJob(now: Date): Condition {
  return sql`${visibleJob(now)} and job.duplicate_of is null`
}

/** Returns the condition of `visibleJob` as text for prepared statements. `time` is an SQL parameter, such as `$1`. */
const visibleJobText = (time: string): string => `${ON_BOARD} ${time}`

/** Columns of the list representation. For mirrors, the trigger `job_board_change` must list the same columns. */
export const listColumns = [
  'id',
  'employer_id',
  'title',
  'company',
  'location',
  'locations',
  'description',
  'salary_min',
  'salary_max',
  'salary_currency',
  'salary_period',
  'category',
  'type',
  ...plainNames,
  'is_hybrid',
  'skills',
  'application_url',
  'is_featured',
  'posted_at',
  'expires_at',
] as const

const fullColumns = [
  ...listColumns,
  'requirements',
  'benefits',
  'custom_questions',
  'contact_email',
  'is_urgent',
  'is_highlighted',
  'state',
  'created_at',
  'updated_at',
  'first_activated_at',
  'activated_at',
  'expiry_announced_at',
  'publish_at',
  'published_for',
  'deleted_at',
  'application_count',
  'removed_at',
  'removal_reason',
  'removed_from_board',
  'suspended_from_board',
  'source',
  'duplicate_of',
] as const

// Uses raw SQL, because Kysely would parse and quote every name for each request.
const columnsOf = (names: readonly string[]) => sql.raw(names.map((name) => `job.${name}`).join(', '))

export const listed = columnsOf(listColumns)

export const full = columnsOf(fullColumns)

export const companyLogo = () => sql`${employerColumn('logo_url', 'job.employer_id')} as company_logo_url`

const companyWebsite = () => sql`${employerColumn('website', 'job.employer_id')} as company_website`

/** Matches jobs of suspended employers. Only the employer and admins can see these jobs. `job` must be in scope. */
export const isOfSuspended = (): Condition => isSuspended('job.employer_id')

export type JobRow = BareJobRow &
  Record<'company_logo_url' | 'company_website', string | null> & { is_of_suspended: boolean }

/** A job, with the number that identifies it on the in-memory board, and with the time at which it was closed. */
export type FoundJob = JobRow & Pick<Row<'job'>, 'number' | 'closed_at'>

export type BareJobRow = Pick<Row<'job'>, (typeof fullColumns)[number]> & Distance

export type JobListRow = Pick<JobRow, (typeof listColumns)[number] | 'company_logo_url'> & Distance

interface Distance {
  distance_miles?: number
}

/** Columns of the list representation, for other resources that contain a job. `job` must be in scope. */
export const jobListSelection = () => sql`${listed}, ${companyLogo()}`

export const jobRow = () => sql`${full}, ${companyLogo()}, ${companyWebsite()}, ${isOfSuspended()} as is_of_suspended`

/** Returns a job, or undefined if it does not exist, is deleted, or is not a job of the employer `onlyOf`. */
export function findJob(reader: Reader, id: string, onlyOf?: string): Promise<FoundJob | undefined> {
  return statement<FoundJob>`
    select ${jobRow()}, job.number, job.closed_at
    from job where job.id = ${id} and job.state <> 'deleted'
      ${onlyOf === undefined ? sql`` : sql`and job.employer_id = ${onlyOf}`}`.first(reader)
}

/**
 * Locks the account of a job's employer for share, and returns whether the account is suspended. Call this before
 * locking the job. Suspensions lock in the same order, so a suspension never runs concurrently with the caller.
 */
export async function lockEmployerOf(tx: Tx, jobId: string): Promise<boolean> {
  return (await lockAccountRow(tx, sql`(select employer_id from job where job.id = ${jobId})`, 'share')) ?? false
}

export const anyJob: Condition = sql`true`

export const suspendedFromBoard: Condition = sql`job.suspended_from_board`

/** Matches the jobs that an employer took over with this imported company. */
export const isClaimedFrom = (companyId: string): Condition => sql`job.claimed_from = ${companyId}`

/** Locks and returns an employer's jobs that meet a condition and have IDs after `afterId`, ordered by ID. */
export function lockJobsOf(
  tx: Tx,
  employerId: string,
  condition: Condition,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<JobRow[]> {
  return statement<JobRow>`
    select ${jobRow()}
    from job where job.employer_id = ${employerId} and job.state <> 'deleted' and ${condition} and job.id > ${afterId}
    order by job.id limit ${limit} for update of job`.all(tx)
}

/** Adds the closing time to a state change. Clears that time if the new state is not `closed`. */
function withClosing(change: Updateable<JobTable>): Updateable<JobTable> {
  const { state, updated_at } = change
  return state === undefined ? change : { ...change, closed_at: state === 'closed' ? updated_at : null }
}

/** Locks and returns jobs that are not deleted, in the order of their IDs. */
export function lockJobs(tx: Tx, ids: readonly string[]): Promise<JobRow[]> {
  return statement<JobRow>`
    select ${jobRow()} from job where job.id = any(${ids}::text[]) and job.state <> 'deleted'
    order by job.id for update of job`.all(tx)
}

/** Changes locked jobs. If the change puts the jobs on the board, queues them for job alerts. */
export async function updateJobRows(tx: Tx, ids: readonly string[], change: Updateable<JobTable>): Promise<void> {
  if (ids.length === 0) return
  await tx.updateTable('job').set(withClosing(change)).where('id', 'in', ids).execute()
  if (!change.visible_since) return
  await sql`
    insert into newly_visible_job (job_id, visible_at)
    select id, ${change.visible_since} from unnest(${ids}::text[]) as shown (id)
    on conflict (job_id) do update set visible_at = excluded.visible_at`.execute(tx)
}

export type EndedJobRow = JobRow & { import_key: string | null; close_reason: string | null }

export const endedJobSelection = () =>
  sql`${full}, job.import_key, job.close_reason, ${companyLogo()}, ${companyWebsite()}`

export async function lockJob(tx: Tx, id: string): Promise<JobRow | undefined> {
  await sql`select 1 from job where id = ${id} for update`.execute(tx)
  return findJob(tx, id)
}

/** Locks the jobs whose IDs a subquery returns. Includes deleted jobs, because they may have applications. */
export async function lockJobRows(tx: Tx, ids: RawBuilder<unknown>): Promise<void> {
  await sql`select 1 from job where id in (${ids}) order by id for no key update`.execute(tx)
}

/** Adds `difference` to the jobs' application counts. The caller must lock the jobs first. */
export async function addToApplicationCounts(tx: Tx, ids: readonly string[], difference: number): Promise<void> {
  await sql`
    update job set application_count = application_count + ${difference} where id = any(${ids}::text[])`.execute(tx)
}

type JobInsertion = Insertable<JobTable>

/** The SQL for inserting a job. Built only once, because Kysely would take 0.1 ms per job. */
let insertion: { text: string; columns: readonly (keyof JobInsertion)[] } | undefined

function insertionOf(columns: readonly (keyof JobInsertion)[]) {
  const place = (column: keyof JobInsertion) => `$${columns.indexOf(column) + 1}`
  const text = `
  owner as (${employerLockText(place('employer_id'))}),
  cause as (
    insert into job (${columns.join(', ')})
    select ${columns.map(place).join(', ')} from owner where name = ${place('company')} returning id)`
  return { text, columns }
}

/** Returns the SQL for inserting a new job. The statement inserts nothing if the employer's name has changed. */
export function jobInsertion(job: JobInsertion): Cause {
  // Every new job sets the same columns, so the SQL is built only once.
  insertion ??= insertionOf(Object.keys(job) as (keyof JobInsertion)[])
  return { text: insertion.text, values: insertion.columns.map((name) => job[name]) }
}

export async function updateJobRow(tx: Tx, id: string, change: Updateable<JobTable>): Promise<void> {
  await tx.updateTable('job').set(withClosing(change)).where('id', '=', id).execute()
}

const newlyVisible = `, newly_visible as (
  insert into newly_visible_job (job_id, visible_at) select id, visible_since from cause
  on conflict (job_id) do update set visible_at = excluded.visible_at)`

/**
 * Returns the SQL for changing a locked job. If the change puts the job on the board, the SQL also queues the job for
 * job alerts.
 */
export function jobChange(tx: Tx, id: string, change: Updateable<JobTable>): Cause {
  const updated = tx
    .updateTable('job')
    .set(withClosing(change))
    .where('id', '=', id)
    .returning(['id', 'visible_since'])
    .compile()
  return { text: `cause as (${updated.sql})${change.visible_since ? newlyVisible : ''}`, values: updated.parameters }
}

/** Marks an employer's jobs as changed, because the board shows employer data with each job. */
export async function noteEmployerChange(tx: Tx, employerId: string, now: Date): Promise<void> {
  await sql`
    update job set board_changed_at = null, updated_at = ${now}
    where id in (select id from job where employer_id = ${employerId} and state <> 'deleted' order by id for update)
  `.execute(tx)
}

const dueForAnnouncement = (now: Date) =>
  sql`job.state in ('active', 'closed') and job.expiry_announced_at is null and job.expires_at <= ${now}`

export function findExpiryBacklog(reader: Reader, now: Date): Promise<Backlog> {
  return findBacklog(reader, { since: 'expires_at', from: sql`job where ${dueForAnnouncement(now)}` })
}

/** Returns a job if it is on the board and its employer's account is `accountId`. */
export function findEndingJob(reader: Reader, { id, accountId, now }: { id: string; accountId: string; now: Date }) {
  return statement<{ title: string; expires_at: Date; application_count: number }>`
    select job.title, job.expires_at, job.application_count from job
    where job.id = ${id} and ${visibleJob(now)}
      and ${employerColumn('account_id', 'job.employer_id')} = ${accountId}`.first(reader)
}

/**
 * Marks up to `limit` jobs on the board that end by `until`, and returns them with the accounts of their employers.
 * Returns each job only once, unless its expiry changes.
 */
export function markEndingJobs(tx: Tx, { now, until, limit }: { now: Date; until: Date; limit: number }) {
  return statement<{ id: string; account_id: string | null; expires_at: Date; visible_since: Date | null }>`
    update job set expiry_warned_for = expires_at
    where id = any(array(
      select id from job
      where state = 'active' and expiry_warned_for is distinct from expires_at
        and expires_at > ${now} and expires_at <= ${until}
      order by expires_at limit ${limit} for no key update skip locked))
    returning id, expires_at, visible_since, ${employerColumn('account_id', 'job.employer_id')} as account_id`.all(tx)
}

/**
 * Returns the IDs of jobs that are due for publication. Excludes removed jobs until they are restored, and jobs of
 * suspended employers until the suspension ends.
 */
export function listDueJobs(reader: Reader, now: Date, limit: number): Promise<string[]> {
  return statement<{ id: string }>`
    select job.id from job
    where job.state = 'inactive' and job.published_for is distinct from job.publish_at and job.publish_at <= ${now}
      and job.removed_at is null and not ${isOfSuspended()}
    order by job.publish_at limit ${limit}`.allValues(reader)
}

/**
 * Locks and returns expired jobs whose expiry has not been announced yet. Skips jobs that another process has locked.
 */
export function claimExpiredJobs(tx: Tx, now: Date, limit: number): Promise<JobRow[]> {
  return statement<JobRow>`
    select ${jobRow()}
    from job
    where ${dueForAnnouncement(now)}
    order by job.expires_at limit ${limit} for update of job skip locked`.all(tx)
}

export async function markExpiryAnnounced(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await sql`update job set expiry_announced_at = ${now} where id = any(${ids}::text[])`.execute(tx)
}

/** The members of a job that the board's published feeds contain, but its lists do not. */
export type FeedMembers = Pick<JobRow, 'requirements' | 'benefits' | 'updated_at'>

export async function findFeedMembers(reader: Reader, ids: readonly string[]): Promise<Map<string, FeedMembers>> {
  const rows = await statement<FeedMembers & { id: string }>`
    select id, requirements, benefits, updated_at from job where id = any(${ids}::text[])`.all(reader)
  return new Map(rows.map(({ id, ...members }) => [id, members]))
}

/** Returns the members that a sitemap needs, by job ID. */
export async function findSitemapMembers(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, Pick<JobRow, 'title' | 'updated_at'>>> {
  const rows = await statement<Pick<JobRow, 'id' | 'title' | 'updated_at'>>`
    select id, title, updated_at from job where id = any(${ids}::text[])`.all(reader)
  return new Map(rows.map(({ id, ...members }) => [id, members]))
}

/** Returns the titles of jobs by ID, including deleted jobs. */
export function findJobTitles(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; title: string }>`
    select id, title from job where id = any(${ids}::text[])`.toMap(reader, 'id', 'title')
}

/** Returns the titles of jobs that are not deleted, keyed by ID. */
export function findExistingJobTitles(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; title: string }>`
    select id, title from job where id = any(${ids}::text[]) and state <> 'deleted'`.toMap(reader, 'id', 'title')
}

/** Joins the job. `id` is a column name, or other SQL for the job's ID. */
export function joinJob(id: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`join job on job.id = ${typeof id === 'string' ? sql.raw(id) : id}`
}

/** Matches jobs that candidates can see. `job` must be in scope. */
export function onceShown(): Condition {
  return sql`
    job.state <> 'deleted' and job.first_activated_at is not null and job.removed_at is null and not ${isOfSuspended()}`
}

/**
 * Returns the text of an update that counts an application to a job on the board. It updates nothing if the job's
 * title, company or questions have changed. `place` returns the SQL parameter for a name. The caller can append
 * conditions.
 */
export function countApplicationText(
  place: (name: 'job_id' | 'at' | 'title' | 'company' | 'custom_questions') => string,
): string {
  return `
    update job set application_count = application_count + 1
    where id = ${place('job_id')} and ${visibleJobText(place('at'))} and title = ${place('title')}
      and company = ${place('company')} and custom_questions = ${place('custom_questions')}::jsonb`
}

/** Selects the number of an employer's jobs that lists show. `employerId` is a column. */
export function openPositionsOf(employerId: string, now: Date): RawBuilder<number> {
  return sql`(select count(*) from job where job.employer_id = ${sql.raw(employerId)} and ${listedJob(now)})`
}

/** Matches employers with a job that lists show. `employerId` is a column. */
export function hasOpenJobs(employerId: string, now: Date): Condition {
  return sql`exists (select from job where job.employer_id = ${sql.raw(employerId)} and ${listedJob(now)})`
}

/** Returns SQL for a FROM clause that selects the jobs that lists show. The caller can append conditions. */
export function jobsOnBoard(now: Date): RawBuilder<unknown> {
  return sql`job where ${listedJob(now)}`
}

export async function testJob(
  reader: Reader,
  id: string,
  conditions: readonly Condition[],
): Promise<readonly (boolean | null)[]> {
  const verdicts = await statement<{ verdicts: (boolean | null)[] }>`${sql.raw(UNPREPARED)}
    select array[${sql.join(conditions.map((condition) => sql`(${condition})`))}] as verdicts
    from job where job.id = ${id}`.firstValue(reader)
  return verdicts ?? []
}

/** Counts the jobs that were first put on the board since a given time, by UTC day. */
export const countPostedJobsByDay = (reader: Reader, since: Date) =>
  countRowsByDay(reader, {
    at: 'first_activated_at',
    from: sql`job where first_activated_at at time zone 'UTC' >= ${since}::timestamptz at time zone 'UTC'`,
  })

export const countJobsOnBoard = (reader: Reader, now: Date) => countRows(reader, jobsOnBoard(now))

export function countJobHoldings(reader: Reader, employerId: string, now: Date) {
  return statement<Record<`jobs_${'inactive' | 'active' | 'expired' | 'closed'}`, number>>`
    select count(*) filter (where state = 'inactive') as jobs_inactive,
      count(*) filter (where state = 'active' and expires_at > ${now}) as jobs_active,
      count(*) filter (where state = 'active' and expires_at <= ${now}) as jobs_expired,
      count(*) filter (where state = 'closed') as jobs_closed
    from job where employer_id = ${employerId}`.one(reader)
}

/** Empties the queue of new jobs on the board, unless a condition holds. */
export async function forgetNewJobs(tx: Tx, now: Date, unless: Condition): Promise<void> {
  await sql`delete from newly_visible_job where visible_at <= ${now} and not ${unless}`.execute(tx)
}

export function findNewJobBacklog(reader: Reader): Promise<Backlog> {
  return findBacklog(reader, { since: 'visible_at', from: sql`newly_visible_job` })
}

type NewJob = AnchoredJob & { id: string; visible_at: Date; is_visible: boolean }

/** Longest time that job alerts wait for the search for copies of a job, in milliseconds. */
const COPIES_MS = 60_000

/** Removes jobs from the queue of new jobs on the board, and returns them. */
export function takeNewJobs(tx: Tx, limit: number, now: Date): Promise<NewJob[]> {
  return statement<NewJob>`
    with taken as (
      delete from newly_visible_job where job_id = any(array(
        select job_id from newly_visible_job
        -- "offset 0" makes the planner find each job by its ID, in the order of the queue.
        cross join lateral (
          select from job where id = newly_visible_job.job_id
            -- Skips active jobs from an earlier release that still lack derived columns. Tasks write these columns.
            and not (state = 'active' and (search is null or areas is null or language is null))
            -- Jobs of feeds may be copies. Waits until they have been compared, for at most COPIES_MS.
            and not (source is not null and newly_visible_job.visible_at > ${new Date(now.getTime() - COPIES_MS)}
              and exists (select from job_to_compare where job_to_compare.job_id = job.id))
          offset 0) as ready
        order by newly_visible_job.visible_at, job_id limit ${limit} for update of newly_visible_job skip locked))
      returning job_id, visible_at
    )
    select job.id, job.category, job.type, job.company_sort, job.location_sort, job.location_words, job.locations_folded,
      job.places, job.areas,
      job.skills_folded, job.experience_level, job.remote, job.is_hybrid, ${languageCode} as language, tsvector_to_array(coalesce(job.search, '')) as lexemes,
      taken.visible_at,
      ${listedJob(now)} as is_visible
    from taken join job on job.id = taken.job_id
    order by taken.visible_at, job.id`.all(tx)
}
