import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { QueryOf } from '../../lists/query.ts'
import { distanceColumn, distanceKey, withinRadius } from '../../lists/radius.ts'
import {
  type Condition,
  comparing,
  foldedList,
  listPage,
  type Page,
  relevanceKey,
  searchOf,
  searchQueryWithoutLanguage,
  sortKey,
  wordsOf,
} from '../../lists/sql-page.ts'
import { emailOf, isSuspended, joinAccount, lockAccountRow } from '../accounts/index.ts'
import { applicantsOf, isApplicantOf } from '../applications/applications.sql.ts'
import { currentResume } from '../resumes/resumes.sql.ts'
import type { candidateList } from './candidates.schemas.ts'

const foundColumns = [
  'id',
  'first_name',
  'last_name',
  'phone',
  'location',
  'headline',
  'skills',
  'created_at',
  'last_active_at',
] as const
const describedColumns = ['summary', 'experience', 'education', 'website', 'github', 'linkedin'] as const
const profileColumns = [
  ...foundColumns,
  ...describedColumns,
  'is_searchable',
  'mail_on_status_change',
  'updated_at',
] as const

type Columns<C extends keyof Schema['candidate']> = Pick<Row<'candidate'>, C>

export type CandidateRow = Columns<(typeof profileColumns)[number]> & {
  email: string | null
  /** The newest resume that has not been deleted. */
  resume_id: string | null
}
export type FoundCandidateRow = Columns<(typeof foundColumns)[number]> & {
  email: string | null
  /** Set only by radius searches. */
  distance_miles?: number
}
export type FoundCandidateDetailRow = FoundCandidateRow & Columns<(typeof describedColumns)[number]>

const columnsOf = (names: readonly string[]) => sql.raw(names.map((name) => `candidate.${name}`).join(', '))

export async function insertCandidate(tx: Tx, candidate: Insertable<Schema['candidate']>): Promise<void> {
  await tx.insertInto('candidate').values(candidate).execute()
}

export function findCandidate(reader: Reader, id: string): Promise<CandidateRow | undefined> {
  return statement<CandidateRow>`
    select ${columnsOf(profileColumns)}, account.email, ${currentResume('id', 'candidate.id')} as resume_id
    from ${candidateWithAccount()}
    where candidate.id = ${id}`.first(reader)
}

/**
 * Locks a candidate. Every change to the candidate's data must begin with this lock. Returns false if the candidate
 * does not exist. The lock is weaker than `for update`, because concurrent applications must be able to refer to the
 * candidate.
 */
export const lockCandidate = (tx: Tx, id: string): Promise<boolean> =>
  statement`select from candidate where id = ${id} for no key update`.exists(tx)

/**
 * Locks a candidate and the candidate's account, so that new rows cannot refer to them. Returns false if the candidate
 * no longer exists.
 */
export async function lockCandidateToErase(tx: Tx, id: string): Promise<boolean> {
  const isThere = await statement`select from candidate where id = ${id} for update`.exists(tx)
  await lockAccountRow(tx, sql`${id}`, 'update')
  return isThere
}

export async function updateCandidate(tx: Tx, id: string, change: Updateable<Schema['candidate']>): Promise<void> {
  await tx.updateTable('candidate').set(change).where('id', '=', id).execute()
}

/** Records when candidates were last active, accurate to the minute. Ignores accounts of other kinds. */
export async function markCandidatesActive(tx: Tx, uses: readonly { accountId: string; at: Date }[]): Promise<void> {
  // Ordered by ID, because processes that record the same candidates could otherwise deadlock.
  await sql`
    with used as (
      select id, max(at) as at
      from unnest(${uses.map(({ accountId }) => accountId)}::text[], ${uses.map(({ at }) => at)}::timestamptz[]) as use (id, at)
      group by id),
    due as (
      select candidate.id, used.at from candidate join used on used.id = candidate.id
      where candidate.last_active_at <= used.at - interval '1 minute'
      order by candidate.id for no key update of candidate)
    update candidate set last_active_at = due.at from due where candidate.id = due.id`.execute(tx)
}

export function findSearchSource(tx: Tx, id: string) {
  return statement<Columns<(typeof profileColumns)[number]> & { resume_text: string | null }>`
    select ${columnsOf(profileColumns)}, ${currentResume('extracted_text', 'candidate.id')} as resume_text
    from candidate where id = ${id}`.first(tx)
}

/**
 * Returns disjoint conditions for the candidates that an employer can see. Admins (null) can see all candidates.
 * Employers can see searchable profiles and their own applicants, except suspended candidates. A single condition with
 * `or` could not use an index: PostgreSQL would look up every hidden candidate among the applicants.
 */
function visibleParts(employerId: string | null): Condition[] {
  if (employerId === null) return [sql`true`]
  const isOpen = sql`not ${isSuspended('candidate.id')}`
  return [
    sql`candidate.is_searchable and ${isOpen}`,
    sql`not candidate.is_searchable and ${isOpen} and candidate.id in (${applicantsOf(employerId)})`,
  ]
}

/**
 * Selects the columns that an employer or an admin (null) can see. Employers see the contact details of only their own
 * applicants.
 */
function visibleColumns(employerId: string | null, columns: readonly string[]): RawBuilder<unknown> {
  const email = emailOf('candidate.id')
  if (employerId === null) return sql`${columnsOf(columns)}, ${email} as email`
  const isOwn = isApplicantOf(employerId, 'candidate.id')
  return sql`${columnsOf(columns.filter((name) => name !== 'phone'))},
    case when ${isOwn} then candidate.phone end as phone, case when ${isOwn} then ${email} end as email`
}

/**
 * Returns a candidate with the members that the employer can see, or with all members for an admin (`employerId` is
 * null). Returns undefined if the employer cannot see the candidate.
 */
export function findVisibleCandidate(reader: Reader, employerId: string | null, id: string) {
  return statement<FoundCandidateDetailRow>`
    select ${visibleColumns(employerId, [...foundColumns, ...describedColumns])}
    from candidate
    where candidate.id = ${id} and (${sql.join(visibleParts(employerId), sql` or `)})`.first(reader)
}

/** Lists the candidates that the employer can see, or all candidates if `employerId` is null. */
export function listCandidates(
  reader: Reader,
  employerId: string | null,
  query: QueryOf<typeof candidateList>,
): Promise<Page<FoundCandidateRow>> {
  return listPage(reader, query, {
    table: 'candidate',
    columns: sql`${visibleColumns(employerId, foundColumns)}${distanceColumn('candidate.places', query)}`,
    parts: visibleParts(employerId).map((where) => ({ where })),
    filters: {
      search: searchOf('candidate.search', searchQueryWithoutLanguage),
      location: wordsOf('candidate.location_words', 'candidate.location_sort'),
      distance: withinRadius('candidate.places'),
      distance_unit: () => sql`true`,
      skills: foldedList('candidate.skills_folded'),
      last_active: comparing('candidate.last_active_at'),
      created_at: comparing('candidate.created_at'),
    },
    sorts: {
      last_active: sortKey.time('candidate.last_active_at'),
      created_at: sortKey.time('candidate.created_at'),
      last_name: sortKey.text('candidate.last_name_sort'),
      distance: distanceKey('candidate.places', query),
      relevance: relevanceKey('candidate.search', query, searchQueryWithoutLanguage),
    },
  })
}

/** Returns the join of candidates and their accounts, for a FROM clause. */
export function candidateWithAccount(): RawBuilder<unknown> {
  return sql`candidate ${joinAccount('candidate.id')}`
}

/** Joins the candidate that a column refers to. */
export function joinCandidate(id: string): RawBuilder<unknown> {
  return sql`join candidate on candidate.id = ${sql.raw(id)}`
}

/** Returns the SQL text of a query that locks a candidate against erasure. `id` is an SQL parameter. */
export function candidateLockText(id: string): string {
  return `select id from candidate where id = ${id} for key share`
}

export const isCandidate = (reader: Reader, id: string): Promise<boolean> =>
  statement`select from candidate where id = ${id}`.exists(reader)

/** Turns off emails to a candidate about applications and messages from employers. */
export async function stopStatusMails(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('candidate')
    .set({ mail_on_status_change: false, updated_at: now })
    .where('id', '=', id)
    .where('mail_on_status_change', '=', true)
    .execute()
}

/** Returns the number of candidates whose location is not geocoded yet, up to `limit`. */
export const countUnplacedCandidates = (reader: Reader, limit: number) =>
  countRows(reader, sql`(select 1 from candidate where places is null limit ${sql.lit(limit)}) as unplaced`)
