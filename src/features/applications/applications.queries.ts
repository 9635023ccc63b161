import { type RawBuilder, sql } from 'kysely'
import { countRows, countRowsByDay } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { Cause } from '../../events/outbox.ts'
import { type Author, authorColumns } from '../../lib/scopes.ts'
import type { QueryOf } from '../../lists/query.ts'
import { allOf, type Condition, comparing, foldedList, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { mailInsertionText, mailRow, type NewMail } from '../../mail/queue.ts'
import { fold } from '../../search/text/fold.ts'
import { joinAccount, lockAccountRow, lockAccountRows } from '../accounts/index.ts'
import { candidateLockText, candidateWithAccount, joinCandidate } from '../candidates/index.ts'
import { employerColumn } from '../employers/employers.sql.ts'
import {
  type CustomQuestion,
  countApplicationText,
  joinJob,
  lockJobRows,
  onceShown,
  visibleJob,
} from '../jobs/index.ts'
import { type ResumeBrief, sentResume, usableResume, usableResumeLockText } from '../resumes/index.ts'
import { membersToEmail } from '../teams/teams.sql.ts'
import type { ApplicationStatus, applicationList, employerApplicationList } from './applications.schemas.ts'
import { deleteMessagesAbout } from './messages.queries.ts'
import { deleteNotesOn } from './notes.queries.ts'

/** Statuses in which the candidate can no longer withdraw an application. */
export const finalStatuses: readonly ApplicationStatus[] = ['rejected', 'hired']

type EmployerFilter = keyof typeof employerApplicationList.filters
export type EmployerQuery = QueryOf<typeof employerApplicationList>

export interface Opening {
  candidate_name: string
  candidate_email: string | null
  resume_id: string | null
  /**
   * Null if candidates cannot see a job with this ID, for example because the job was never active, or was removed. The
   * job's other columns are then also null.
   */
  job_id: string | null
  title: string
  company: string
  employer_id: string
  /** Null if the employer has no account. */
  employer_account_id: string | null
  /** IDs of the employer's members who get emails about applications, in addition to the account itself. */
  member_ids: string[]
  custom_questions: CustomQuestion[]
  is_open: boolean
}

/** Returns a candidate, a job and the requested or default resume, or undefined if the candidate does not exist. */
export function findOpening(
  reader: Reader,
  wanted: { candidateId: string; jobId: string; resumeId: string | null },
  now: Date,
) {
  return statement<Opening>`
    select account.name as candidate_name, account.email as candidate_email, resume.id as resume_id, job.id as job_id,
      job.title, job.company, job.employer_id, job.custom_questions, (${visibleJob(now)}) as is_open,
      ${employerColumn('account_id', 'job.employer_id')} as employer_account_id,
      array(${membersToEmail(employerColumn('account_id', 'job.employer_id'), 'recruiter')}) as member_ids
    from ${candidateWithAccount()}
    left ${joinJob(sql`${wanted.jobId}`)} and ${onceShown()}
    left join lateral (${usableResume(wanted.candidateId, wanted.resumeId)}) as resume on true
    where candidate.id = ${wanted.candidateId}`.first(reader)
}

const newColumns = [
  'id',
  'job_id',
  'employer_id',
  'candidate_id',
  'cover_letter',
  'answers',
  'resume_id',
  'source',
] as const
const parameters = [...newColumns, 'at', 'title', 'company', 'custom_questions', 'mails'] as const
const place = (name: (typeof parameters)[number]) => `$${parameters.indexOf(name) + 1}`

/**
 * Lock order: candidate, candidate's account, resume, jobs by ID, applications. Only the update of the job's count
 * locks the job. With a separate lock before the update, PostgreSQL would look up the row twice in the statement's
 * snapshot. Concurrent applications could then deadlock: a test with 700 applications to one job had 4 deadlocks.
 */
const insertionText = () => `
  applicant as (${candidateLockText(place('candidate_id'))}),
  sent_resume as (${usableResumeLockText(place('candidate_id'), place('resume_id'))}),
  open_job as (
    ${countApplicationText(place)}
      and exists (select from applicant)
      and (${place('resume_id')}::text is null or exists (select from sent_resume))
      and not exists (
        select from application as standing
        where standing.candidate_id = ${place('candidate_id')} and standing.job_id = ${place('job_id')}
          and standing.withdrawn_at is null)
    returning id),
  new_application as (
    insert into application (${newColumns.join(', ')}, applied_at, updated_at)
    select ${newColumns.map(place).join(', ')}, ${place('at')}, ${place('at')} from open_job
    returning id),
  history as (
    insert into application_status_change (application_id, position, status, at)
    select id, 1, 'pending', ${place('at')} from new_application),
  queued_mail as (${mailInsertionText(place('mails'), 'new_application')}),
  cause as (select id from new_application)`
/** Built only once, for the first application. */
let insertion: string | undefined

/**
 * Returns SQL that inserts an application with its history, increments the job's count, and queues the emails. The SQL
 * inserts nothing if the checked data has changed or if the candidate has already applied. If two insertions for the
 * same candidate and job run concurrently, the second violates `application_candidate_job_key`.
 */
export function applicationInsertion(
  application: Record<(typeof newColumns)[number], string | null>,
  seen: { title: string; company: string; custom_questions: string; at: Date },
  mails: readonly NewMail[],
): Cause {
  insertion ??= insertionText()
  const values = { ...application, ...seen, mails: JSON.stringify(mails.map(mailRow)) }
  return { text: insertion, values: parameters.map((name) => values[name]) }
}

/** Returns the ID of the candidate's application to a job, or undefined. Ignores withdrawn applications. */
export function findStandingApplicationId(reader: Reader, candidateId: string, jobId: string) {
  return statement<{ id: string }>`
    select id from application
    where candidate_id = ${candidateId} and job_id = ${jobId} and withdrawn_at is null`.firstValue(reader)
}

type OwnColumns = Pick<
  Row<'application'>,
  'id' | 'job_id' | 'employer_id' | 'candidate_id' | 'cover_letter' | 'applied_at' | 'updated_at' | 'withdrawn_at'
> & { status: ApplicationStatus }
type JobColumns = Pick<
  Row<'job'>,
  'title' | 'company' | 'location' | 'type' | 'salary_min' | 'salary_max' | 'salary_currency' | 'salary_period'
>

export type ApplicationListRow = OwnColumns & JobColumns
export type ApplicationRow = ApplicationListRow & {
  erased_at: Date | null
  answers: Record<string, unknown>
  resume: Omit<ResumeBrief, 'url'> | null
  /** Times are strings, because they come from JSON. */
  history: (StatusChange & Pick<Row<'application_status_change'>, 'by_member_id' | 'by_name'> & { at: string })[]
}
export type EmployerApplicationRow = ApplicationRow &
  Record<'name' | 'email' | 'phone' | 'candidate_location' | 'headline', string | null> &
  Pick<Row<'application'>, 'rating' | 'tags' | 'source'>

// The job's row always exists, even if the job was deleted. The left join keeps PostgreSQL from reading the jobs first.
const withJob = () => sql`application left ${joinJob('application.job_id')}`
const withJobAndCandidate = () => sql`${withJob()}
  left ${joinCandidate('application.candidate_id')}
  left ${joinAccount('application.candidate_id')}`
const listed = sql`
  application.id, application.job_id, application.employer_id, application.candidate_id, application.cover_letter,
  application.status, application.applied_at, application.updated_at, application.withdrawn_at,
  job.title, job.company, job.location, job.type, job.salary_min, job.salary_max, job.salary_currency, job.salary_period`
const full = sql`${listed}, application.erased_at, application.answers, ${sentResume} as resume, (
  select json_agg(json_build_object('status', change.status, 'at', change.at, 'reason', change.reason,
      'message', change.message, 'by_member_id', change.by_member_id, 'by_name', change.by_name)
    order by change.position)
  from application_status_change as change where change.application_id = application.id) as history`
const ofEmployer = sql`${full}, account.name, account.email, candidate.phone, candidate.location as candidate_location,
  candidate.headline, application.rating, application.tags, application.source`

export function findApplication(reader: Reader, candidateId: string, id: string) {
  return statement<ApplicationRow>`
    select ${full} from ${withJob()}
    where application.id = ${id} and application.candidate_id = ${candidateId}`.first(reader)
}

/**
 * Locks a candidate's application and its job, then returns the application. Returns undefined if the candidate has no
 * such application.
 */
export async function lockApplication(tx: Tx, candidateId: string, id: string) {
  await lockJobRows(tx, sql`select job_id from application where id = ${id} and candidate_id = ${candidateId}`)
  await sql`select 1 from application where id = ${id} and candidate_id = ${candidateId} for update`.execute(tx)
  return findApplication(tx, candidateId, id)
}

/**
 * Returns an application to one of the employer's jobs, or to any job if `employerId` is null. Returns undefined if
 * there is no such application.
 */
export function findEmployerApplication(reader: Reader, employerId: string | null, id: string) {
  return statement<EmployerApplicationRow>`
    select ${ofEmployer} from ${withJobAndCandidate()}
    where application.id = ${id}
      and (${employerId}::text is null or application.employer_id = ${employerId})`.first(reader)
}

/**
 * Locks an application, then returns it like `findEmployerApplication`. Locks the candidate's account first: queuing
 * the status email locks the account anyway, and erasures lock in the same order.
 */
export async function lockEmployerApplication(tx: Tx, employerId: string | null, id: string) {
  await lockAccountRow(tx, sql`(select candidate_id from application where id = ${id})`, 'key share')
  await sql`
    select 1 from application
    where id = ${id} and (${employerId}::text is null or employer_id = ${employerId}) for update`.execute(tx)
  return findEmployerApplication(tx, employerId, id)
}

/**
 * Locks an employer's applications, or any applications if `employerId` is null, and then returns them. Takes all locks
 * before the first change, in the order of `lockEmployerApplication`, so that concurrent changes cannot deadlock.
 */
export async function lockEmployerApplications(
  tx: Tx,
  employerId: string | null,
  ids: readonly string[],
): Promise<EmployerApplicationRow[]> {
  const chosen = sql`application.id = any(${ids}::text[])
    and (${employerId}::text is null or application.employer_id = ${employerId})`
  await lockAccountRows(tx, sql`select candidate_id from application where ${chosen}`)
  await sql`select 1 from application where ${chosen} order by id for update`.execute(tx)
  return statement<EmployerApplicationRow>`
    select ${ofEmployer} from ${withJobAndCandidate()} where ${chosen} order by application.id`.all(tx)
}

export async function markWithdrawn(tx: Tx, id: string, reason: string | null, now: Date): Promise<void> {
  await tx
    .updateTable('application')
    .set({ withdrawn_at: now, updated_at: now, withdrawal_reason: reason })
    .where('id', '=', id)
    .execute()
}

/** A new status, with the employer's private reason and the message to the candidate. */
export interface StatusChange {
  status: ApplicationStatus
  reason: string | null
  message: string | null
}

/** Sets a status and returns the position of the change in the application's history. */
export function updateStatus(
  tx: Tx,
  id: string,
  { status, reason, message, author }: StatusChange & { author: Author },
  now: Date,
): Promise<number> {
  const { by_member_id, by_name } = authorColumns(author)
  return statement<{ position: number }>`
    with changed as (
      update application set status = ${status}, updated_at = ${now} where id = ${id} returning id)
    insert into application_status_change (application_id, position, status, reason, message, by_member_id, by_name, at)
    select changed.id, (select max(position) + 1 from application_status_change where application_id = ${id}),
      ${status}, ${reason}, ${message}, ${by_member_id}, ${by_name}, ${now}
    from changed
    returning position`.oneValue(tx)
}

/** Stores the employer's rating and tags. Does not change `updated_at`, because candidates can see that time. */
export async function updateAssessment(
  tx: Tx,
  id: string,
  { rating, tags }: { rating: number | null; tags: string[] },
): Promise<void> {
  const folded = tags.length === 0 ? null : tags.map(fold)
  await tx.updateTable('application').set({ rating, tags, tags_folded: folded }).where('id', '=', id).execute()
}

const filters = {
  status: comparing('application.status'),
  applied_at: comparing('application.applied_at'),
}
const sorts = {
  applied_at: sortKey.time('application.applied_at'),
  updated_at: sortKey.time('application.updated_at'),
}

export function listApplications(
  reader: Reader,
  candidateId: string,
  query: QueryOf<typeof applicationList>,
): Promise<Page<ApplicationListRow>> {
  return listPage(reader, query, {
    table: 'application',
    from: withJob(),
    counted: sql`application`,
    columns: listed,
    where: [sql`application.candidate_id = ${candidateId}`],
    filters,
    sorts,
  })
}

/**
 * Lists applications to an employer's jobs, or to all jobs if `employerId` is null. If `isStanding` is true, omits
 * withdrawn applications.
 */
export function listEmployerApplications(
  reader: Reader,
  { employerId, isStanding = false }: { employerId: string | null; isStanding?: boolean },
  query: EmployerQuery,
): Promise<Page<EmployerApplicationRow>> {
  return listPage(reader, query, {
    table: 'application',
    from: withJobAndCandidate(),
    counted: sql`application`,
    columns: ofEmployer,
    where: [
      ...(employerId === null ? [] : [sql<boolean>`application.employer_id = ${employerId}`]),
      ...(isStanding ? [sql<boolean>`application.withdrawn_at is null`] : []),
    ],
    filters: employerFilters,
    sorts,
  })
}

const employerFilters = {
  ...filters,
  job_id: comparing('application.job_id'),
  rating: comparing('application.rating'),
  // Sources are stored in lower case.
  source: comparing('application.source', (value) => String(value).toLowerCase()),
  tags: foldedList('application.tags_folded'),
}

/** Returns the conditions of an employer's list, except those of the filter `without`. */
const conditionsOf = (employerId: string, query: Pick<EmployerQuery, 'filters'>, without?: EmployerFilter) => [
  sql<boolean>`application.employer_id = ${employerId}`,
  ...query.filters
    .filter(({ filter }) => filter !== without)
    .map(({ filter, operator, value }) => employerFilters[filter](operator, value)),
]

/** The number of applications that are not withdrawn, by status, and the number of all applications. */
export interface StageCounts {
  all: number
  standing: ReadonlyMap<ApplicationStatus, number>
}

/** Counts an employer's applications by status. Ignores the query's status filters. */
export async function countByStatus(
  reader: Reader,
  employerId: string,
  query: Pick<EmployerQuery, 'filters'>,
): Promise<StageCounts> {
  const rows = await statement<{ status: ApplicationStatus; count: number; standing: number }>`
    select status, count(*)::int as count, count(*) filter (where withdrawn_at is null)::int as standing
    from application where ${allOf(conditionsOf(employerId, query, 'status'))}
    group by status`.all(reader)
  return {
    all: rows.reduce((sum, { count }) => sum + count, 0),
    standing: new Map(rows.map(({ status, standing }) => [status, standing])),
  }
}

/** The position of an application in a list, the length of the list, and the IDs of the application's neighbors. */
export interface Neighbors {
  /** Null if the list no longer contains the application, for example after a move to another stage. */
  position: number | null
  total: number
  previous: string | null
  next: string | null
}

/**
 * Returns the position and the neighbors of an application in one of its employer's lists. If the list does not contain
 * the application, for example after a move to another stage, returns the neighbors that it would have.
 */
export async function findNeighbors(
  reader: Reader,
  { id, employer_id, applied_at, updated_at }: Pick<ApplicationRow, 'id' | 'employer_id' | 'applied_at' | 'updated_at'>,
  { query, isStanding }: { query: Pick<EmployerQuery, 'filters' | 'sort'>; isStanding: boolean },
): Promise<Neighbors> {
  const { field, direction } = query.sort[0]!
  const key = sql`(${sql.ref(`application.${field}`)}, application.id)`
  const here = sql`(${{ applied_at, updated_at }[field]}::timestamptz, ${id})`
  const isListed = allOf([
    ...conditionsOf(employer_id, query),
    ...(isStanding ? [sql<boolean>`application.withdrawn_at is null`] : []),
  ])
  const order = (ascending: boolean) =>
    sql.raw(`${field} ${ascending ? 'asc' : 'desc'}, id ${ascending ? 'asc' : 'desc'}`)
  const beside = (comparison: '<' | '>') => sql`(
    select id from application where ${isListed} and ${key} ${sql.raw(comparison)} ${here}
    order by ${order(comparison === '>')} limit 1)`
  const [before, after] = direction === 'asc' ? (['<', '>'] as const) : (['>', '<'] as const)
  const { passed, is_listed, ...found } = await statement<
    Omit<Neighbors, 'position'> & { passed: number; is_listed: boolean }
  >`
    select count(*)::int as total, count(*) filter (where ${key} ${sql.raw(before)} ${here})::int as passed,
      coalesce(bool_or(id = ${id}), false) as is_listed, ${beside(before)} as previous, ${beside(after)} as next
    from application where ${isListed}`.one(reader)
  return { ...found, position: is_listed ? passed + 1 : null }
}

/** The number of new applications to one job, and the time of the oldest one. */
export interface Waiting {
  job_id: string
  count: number
  oldest: Date
}

/** Counts an employer's new applications by job, highest count first. Ignores withdrawn applications. */
export function listWaiting(reader: Reader, employerId: string): Promise<Waiting[]> {
  return statement<Waiting>`
    select job_id, count(*)::int as count, min(applied_at) as oldest from application
    where employer_id = ${employerId} and status = 'pending' and withdrawn_at is null
    group by job_id order by count desc, job_id`.all(reader)
}

/** An employer's figures for a period, and counts for the preceding period of the same length. */
export interface ApplicationFigures {
  applications: number
  applications_before: number
  hired: number
  hired_before: number
  /**
   * Average number of days from an application to its first status change. Includes only first changes in the period.
   * Null if there are none.
   */
  days_to_answer: number | null
}

export function findFigures(reader: Reader, employerId: string, { before, since }: { before: Date; since: Date }) {
  return statement<ApplicationFigures>`
    with received as (
      select count(*) filter (where applied_at >= ${since})::int as applications,
        count(*) filter (where applied_at < ${since})::int as applications_before
      from application where employer_id = ${employerId} and applied_at >= ${before}),
    moved as (
      select count(*) filter (where change.status = 'hired' and change.at >= ${since})::int as hired,
        count(*) filter (where change.status = 'hired' and change.at < ${since})::int as hired_before,
        (avg(extract(epoch from change.at - application.applied_at))
          filter (where change.position = 2 and change.at >= ${since}) / 86400)::float8 as days_to_answer
      from application join application_status_change as change on change.application_id = application.id
      where application.employer_id = ${employerId} and application.updated_at >= ${before} and change.at >= ${before}
        and change.position > 1)
    select * from received, moved`.one(reader)
}

export async function listIdsOf(reader: Reader, candidateId: string): Promise<string[]> {
  const rows = await reader.selectFrom('application').select('id').where('candidate_id', '=', candidateId).execute()
  return rows.map(({ id }) => id)
}

/** An application with the columns that the candidate's export contains. */
type ExportedRow = ApplicationRow &
  Pick<EmployerApplicationRow, 'rating' | 'tags' | 'source'> & { withdrawal_reason: string | null }

export function listForExport(reader: Reader, candidateId: string) {
  return statement<ExportedRow>`
    select ${full}, application.withdrawal_reason, application.rating, application.tags,
      application.source
    from ${withJob()}
    where application.candidate_id = ${candidateId}
    order by application.applied_at, application.id`.all(reader)
}

export function listStaleApplications(reader: Reader, before: Date, limit: number) {
  return reader
    .selectFrom('application')
    .select(['id', 'job_id'])
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * Deletes these applications, except those that have changed since they were listed. The caller must lock their jobs
 * first.
 */
export function deleteStaleApplications(tx: Tx, stale: readonly { id: string }[], before: Date) {
  const ids = stale.map(({ id }) => id)
  return tx
    .deleteFrom('application')
    .where('id', 'in', ids)
    .where('updated_at', '<', before)
    .returning(['job_id', 'resume_id', 'withdrawn_at'])
    .execute()
}

export const lockJobsAppliedTo = (tx: Tx, candidateId: string) =>
  lockJobRows(tx, sql`select job_id from application where candidate_id = ${candidateId}`)

/**
 * Anonymizes a candidate's applications, withdraws the open ones, and deletes all reasons, messages, notes, ratings and
 * tags. Returns the job IDs of the applications that were open.
 */
export async function anonymise(tx: Tx, candidateId: string, now: Date): Promise<string[]> {
  const rows = await statement<{ id: string; job_id: string; status: ApplicationStatus; withdrawn_at: Date | null }>`
    select id, job_id, status, withdrawn_at from application
    where candidate_id = ${candidateId} order by id for update`.all(tx)
  const ids = rows.map(({ id }) => id)
  const open = rows.filter((row) => row.withdrawn_at === null && !finalStatuses.includes(row.status))
  await sql`
    update application
    set candidate_id = null, cover_letter = '', answers = '{}', resume_id = null, withdrawal_reason = null,
      source = null, rating = null, tags = '{}', tags_folded = null, erased_at = ${now}, updated_at = ${now},
      withdrawn_at = case when id = any(${open.map(({ id }) => id)}::text[]) then ${now} else withdrawn_at end
    where id = any(${ids}::text[])`.execute(tx)
  await sql`
    update application_status_change set reason = null, message = null
    where application_id = any(${ids}::text[]) and (reason is not null or message is not null)`.execute(tx)
  await deleteNotesOn(tx, ids)
  await deleteMessagesAbout(tx, ids)
  return open.map((row) => row.job_id)
}

/** Matches jobs that have applications. `jobId` is a column that contains job IDs. */
export function hasApplications(jobId: string): Condition {
  return sql`exists (select from application where application.job_id = ${sql.raw(jobId)})`
}

/** Selects the number of applications to a job per UTC day. */
export function applicationsByDay(jobId: string): RawBuilder<{ day: string; count: number }> {
  return sql`
    select to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as count
    from application where job_id = ${jobId} group by 1`
}

export function applicationsBySource(jobId: string): RawBuilder<{ source: string | null; count: number }> {
  return sql`select source, count(*)::int as count from application where job_id = ${jobId} group by 1`
}

export const countApplications = (reader: Reader, since: Date) =>
  countRows(reader, sql`application where applied_at >= ${since}`)

/** Counts the applications since a given time, by UTC day. */
export const countApplicationsByDay = (reader: Reader, since: Date) =>
  countRowsByDay(reader, { at: 'applied_at', from: sql`application where applied_at >= ${since}` })

export const countApplicationHoldings = async (reader: Reader, accountId: string) => ({
  applications_received: await countRows(reader, sql`application where employer_id = ${accountId}`),
  applications: await countRows(reader, sql`application where candidate_id = ${accountId}`),
})
