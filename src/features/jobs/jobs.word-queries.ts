/** Queries for search vectors and languages. */
import { sql } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import { fold } from '../../search/text/fold.ts'
import type { SearchDocument } from '../../search/text/words.ts'

type SearchSource = SearchDocument & { id: string }

const searchSources = sql`id, title, company, skills, description, language`

/**
 * Locks jobs without a search vector, and returns the members from which the vector is computed. If `employerId` is
 * null, selects the jobs of all employers, and skips rows that another transaction has locked.
 */
export function listWordless(tx: Tx, employerId: string | null, limit: number): Promise<SearchSource[]> {
  return statement<SearchSource>`
    select ${searchSources} from job
    where search is null and state <> 'deleted' and ${employerId === null ? sql`true` : sql`employer_id = ${employerId}`}
    order by employer_id, id limit ${limit} for no key update ${employerId === null ? sql`skip locked` : sql``}`.all(tx)
}

type SearchVector = { id: string; search: string }

const vectorsOf = (jobs: readonly SearchVector[]) => sql`
  unnest(${jobs.map(({ id }) => id)}::text[], ${jobs.map(({ search }) => search)}::text[]) as made (id, search)`

export async function updateSearch(tx: Tx, jobs: readonly SearchVector[]): Promise<void> {
  await sql`
    update job set search = made.search::tsvector
    from ${vectorsOf(jobs)} where job.id = made.id`.execute(tx)
}

/** Locks and returns jobs whose language has not been detected yet. Skips rows that another transaction has locked. */
export function listWithoutLanguage(tx: Tx, limit: number) {
  return statement<SearchSource & { has_search: boolean }>`
    select ${searchSources}, search is not null as has_search from job
    where language is null order by id limit ${limit} for no key update skip locked`.all(tx)
}

/** Writes languages, and the search vectors that depend on them. `search` is null for jobs without a search vector. */
export async function updateLanguages(
  tx: Tx,
  jobs: readonly { id: string; language: string; search: string | null }[],
): Promise<void> {
  await sql`
    update job set language = found.language, search = found.search::tsvector
    from json_to_recordset(${JSON.stringify(jobs)}::json) as found (id text, language text, search text)
    where job.id = found.id`.execute(tx)
}

/** Writes a company's new name and the new search vectors to the given jobs. */
export async function updateCompanyNames(
  tx: Tx,
  company: string,
  jobs: readonly SearchVector[],
  now: Date,
): Promise<void> {
  await sql`
    update job set company = ${company}, company_sort = ${fold(company)}, search = made.search::tsvector, updated_at = ${now}
    from ${vectorsOf(jobs)} where job.id = made.id`.execute(tx)
}

/**
 * Counts jobs whose location has not been geocoded, jobs whose language has not been detected, and jobs without a
 * search vector. Each count stops at `limit`.
 */
export async function countUnreadyJobs(reader: Reader, limit: number) {
  const upTo = sql.lit(limit)
  const wordless = sql`job where search is null and state <> 'deleted'`
  return {
    unplaced: await countRows(reader, sql`(select 1 from job where areas is null limit ${upTo}) as unplaced`),
    unread: await countRows(reader, sql`(select 1 from job where language is null limit ${upTo}) as unread`),
    wordless: await countRows(reader, sql`(select 1 from ${wordless} limit ${upTo}) as wordless`),
  }
}
