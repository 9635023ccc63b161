import { type Insertable, sql } from 'kysely'
import { type Backlog, countRows, findBacklog } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { ActorAccount } from '../../lib/scopes.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import type { resumeList } from './resumes.schemas.ts'

/** Resume columns without the extracted text, which is long and mainly used for search. */
const columns = [
  'id',
  'candidate_id',
  'filename',
  'content_type',
  'size_bytes',
  'sha256',
  'store',
  'created_at',
  'deleted_at',
] as const
export type ResumeRow = Pick<Row<'resume'>, (typeof columns)[number]>

export const countResumes = (reader: Reader, candidateId: string) =>
  countRows(reader, sql`resume where candidate_id = ${candidateId} and deleted_at is null`)

export async function insertResume(tx: Tx, resume: Insertable<Schema['resume']>): Promise<void> {
  await tx.insertInto('resume').values(resume).execute()
}

/** Selects a candidate's resumes that are not deleted. */
const present = (reader: Reader, candidateId: string) =>
  reader.selectFrom('resume').select(columns).where('candidate_id', '=', candidateId).where('deleted_at', 'is', null)

export const findDefaultResume = (reader: Reader, candidateId: string) =>
  present(reader, candidateId).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()

/**
 * Returns the resume if the caller may read it. Candidates may read their own resumes until they delete them. Employers
 * may read the resumes in applications that they received. Admins may read all resumes.
 */
export function findReadableResume(
  reader: Reader,
  id: string,
  { kind, accountId }: ActorAccount,
): Promise<ResumeRow | undefined> {
  if (kind === 'candidate') return present(reader, accountId).where('id', '=', id).executeTakeFirst()
  const query = reader.selectFrom('resume').select(columns).where('id', '=', id)
  if (kind === 'admin') return query.executeTakeFirst()
  return query
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('application')
          .select('application.id')
          .whereRef('application.resume_id', '=', 'resume.id')
          .where('application.employer_id', '=', accountId),
      ),
    )
    .executeTakeFirst()
}

/**
 * Returns the first `lengthMax` characters of a resume's extracted text, or null if there is none. Does not check
 * access.
 */
export async function findResumeText(reader: Reader, id: string, lengthMax: number): Promise<string | null> {
  const text = await statement<{ text: string | null }>`
    select left(extracted_text, ${lengthMax}::int) as text from resume where id = ${id}`.firstValue(reader)
  return text ?? null
}

/** The result of extracting a resume's text. `beginning` may be truncated, but employers search the full text. */
export type Recognized = { state: 'pending' | 'none' } | { state: 'text'; beginning: string; isCut: boolean }

/**
 * Returns the result of extracting a resume's text, with the text truncated to `lengthMax` characters. Does not check
 * access.
 */
export async function findRecognized(reader: Reader, id: string, lengthMax: number): Promise<Recognized> {
  const { extraction, text, length } = await statement<{
    extraction: string
    text: string | null
    length: number | null
  }>`
    select extraction, left(extracted_text, ${lengthMax}::int) as text, length(extracted_text) as length
    from resume where id = ${id}`.one(reader)
  if (extraction === 'pending') return { state: 'pending' }
  const beginning = text?.trim() ?? ''
  return beginning === '' ? { state: 'none' } : { state: 'text', beginning, isCut: length! > lengthMax }
}

export const lockOwnResume = (tx: Tx, candidateId: string, id: string) =>
  present(tx, candidateId).where('id', '=', id).forUpdate().executeTakeFirst()

export const isCarriedByApplication = (tx: Tx, id: string): Promise<boolean> =>
  statement`select from application where resume_id = ${id} limit 1`.exists(tx)

/** Locks the given resumes. Returns those that are deleted and that no application contains. */
export async function lockUncarriedResumes(tx: Tx, ids: readonly string[]) {
  // Waits for concurrent deletions, which the next statement must take into account.
  await tx.selectFrom('resume').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
  return tx
    .selectFrom('resume')
    .select(['id', 'store', 'size_bytes'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is not', null)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('application').select('application.id').whereRef('resume_id', '=', 'resume.id'))),
    )
    .execute()
}

/** Hides the resume from its candidate, and removes its text from search. */
export async function markResumeDeleted(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('resume').set({ deleted_at: now, extracted_text: null }).where('id', '=', id).execute()
}

/** Deletes resumes, and their files if the database stores them. */
export async function removeResumes(tx: Tx, rows: readonly { id: string }[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  await tx.deleteFrom('resume').where('id', 'in', ids).execute()
}

/** Returns all of a candidate's resumes, including deleted ones, oldest first. */
export function listAllResumes(reader: Reader, candidateId: string) {
  return reader
    .selectFrom('resume')
    .select([...columns, 'extracted_text'])
    .where('candidate_id', '=', candidateId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function listResumes(
  reader: Reader,
  candidateId: string,
  query: QueryOf<typeof resumeList>,
): Promise<Page<ResumeRow & { is_default: boolean }>> {
  return listPage(reader, query, {
    table: 'resume',
    columns: sql`${sql.join(columns.map((column) => sql.ref(`resume.${column}`)))},
      resume.id = (
        select newest.id from resume as newest
        where newest.candidate_id = ${candidateId} and newest.deleted_at is null
        order by newest.created_at desc, newest.id desc limit 1
      ) as is_default`,
    where: [sql`resume.candidate_id = ${candidateId}`, sql`resume.deleted_at is null`],
    filters: { created_at: comparing('resume.created_at') },
    sorts: { created_at: sortKey.time('resume.created_at'), size_bytes: sortKey.bigint('resume.size_bytes') },
  })
}

export interface ClaimedResume extends ResumeRow {
  extraction_attempts: number
}

/** The current time window of the extraction budget. */
interface ExtractionWindow {
  policy: string
  windowEnd: Date
  quota: number
}

/** Joins the share of the budget that the resume's candidate has used in the window. */
const spentIn = ({ policy, windowEnd }: ExtractionWindow) => sql`
  rate_limit as spent where spent.window_end = ${windowEnd} and spent.policy = ${policy}
    and spent.subject = resume.candidate_id`

/**
 * Claims the oldest pending resume of all candidates who have used none of their budget in this window. If there is
 * none, claims the oldest pending resume of the candidate who has used the least. Candidates whose budgets are spent
 * must wait.
 */
export function claimExtraction(tx: Tx, leaseUntil: Date, now: Date, window: ExtractionWindow) {
  // `pending` is a literal. With a parameter, PostgreSQL could not use the partial index.
  const isFree = sql`resume.extraction = 'pending' and resume.deleted_at is null
    and (resume.extraction_lease_until is null or resume.extraction_lease_until <= ${now})`
  // Uses two subqueries, because a single query would have to sort all pending resumes.
  return statement<ClaimedResume>`
    update resume set extraction_lease_until = ${leaseUntil}, extraction_attempts = extraction_attempts + 1
    where id = coalesce(
      (select resume.id from resume where ${isFree} and not exists (select from ${spentIn(window)})
        order by resume.created_at, resume.id limit 1 for update skip locked),
      (select resume.id from resume
        cross join lateral (select spent.used from ${spentIn(window)} and spent.used < ${quotaOf(window)}) as spent
        where ${isFree}
        order by spent.used, resume.created_at, resume.id limit 1 for update of resume skip locked))
    returning ${sql.raw(columns.join(', '))}, extraction_attempts`.first(tx)
}

const quotaOf = ({ quota }: ExtractionWindow) => sql`${quota}::double precision`

export async function shortenExtractionLeases(tx: Tx, leaseUntil: Date): Promise<void> {
  await sql`
    update resume set extraction_lease_until = ${leaseUntil}
    where extraction = 'pending' and deleted_at is null and extraction_lease_until > ${leaseUntil}`.execute(tx)
}

/** Returns the backlog of resumes that wait for extraction. Omits resumes of candidates whose budget is spent. */
export function findExtractionBacklog(reader: Reader, window: ExtractionWindow): Promise<Backlog> {
  return findBacklog(reader, {
    since: 'created_at',
    from: sql`resume where extraction = 'pending' and deleted_at is null
      and not exists (select from ${spentIn(window)} and spent.used >= ${quotaOf(window)})`,
  })
}

/** Writes the result of an attempt. Returns false if another attempt has begun or the resume was deleted. */
export async function settleExtraction(
  tx: Tx,
  { id, extraction_attempts }: Pick<ClaimedResume, 'id' | 'extraction_attempts'>,
  outcome: { text: string } | { error: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('resume')
    .set({
      extraction: 'text' in outcome ? 'done' : 'failed',
      extracted_text: 'text' in outcome ? outcome.text : null,
      extraction_error: 'error' in outcome ? outcome.error : null,
      extraction_lease_until: null,
    })
    .where('id', '=', id)
    .where('extraction', '=', 'pending')
    .where('extraction_attempts', '=', extraction_attempts)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Decrements the attempt count after an attempt that could not start. Returns false if the row was deleted, or if
 * another attempt has begun.
 */
export async function returnExtraction(tx: Tx, { id, extraction_attempts }: ClaimedResume): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('resume')
    .set({ extraction_attempts: extraction_attempts - 1 })
    .where('id', '=', id)
    .where('extraction_attempts', '=', extraction_attempts)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Selects the ID of the candidate's resume `resumeId` or, if that is null, of the newest resume. Ignores deleted
 * resumes.
 */
export const usableResume = (candidateId: string, resumeId: string | null) => sql`
  select resume.id from resume
  where resume.candidate_id = ${candidateId} and resume.deleted_at is null
    and (${resumeId}::text is null or resume.id = ${resumeId})
  order by resume.created_at desc, resume.id desc limit 1`

/** Returns SQL that locks the given resume against deletion. The arguments are SQL parameters. */
export const usableResumeLockText = (candidateId: string, resumeId: string) => `
  select resume.id from resume
  where resume.id = ${resumeId} and resume.candidate_id = ${candidateId} and resume.deleted_at is null for share`

/**
 * Selects the resume that was sent with an application, even if it was deleted later. `application` must be in scope.
 */
export const sentResume = sql`(
  select json_build_object('id', id, 'filename', filename, 'content_type', content_type, 'size_bytes', size_bytes)
  from resume where resume.id = application.resume_id)`

export const countResumeHoldings = async (reader: Reader, candidateId: string) => ({
  resumes: await countResumes(reader, candidateId),
})
