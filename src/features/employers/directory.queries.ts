/** The directory of companies on the website. */
import { sql } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import type { IdPart } from '../../lib/id-parts.ts'
import type { QueryOf } from '../../lists/query.ts'
import { type Condition, foldedText, listPage, type Page, sortKey, wordsOf } from '../../lists/sql-page.ts'
import { hasOpenJobs, openPositionsOf } from '../jobs/index.ts'
import { type EmployerRow, isShown } from './employers.queries.ts'
import { type directoryList, OTHER_LETTERS } from './employers.schemas.ts'
import { nameBegins } from './employers.sql.ts'

const isHiring = (now: Date) => hasOpenJobs('employer.id', now)
/** Matches companies with a description or a cover picture. */
const isDescribed = sql<boolean>`(employer.description is not null or employer.cover_url is not null)`

/** Matches names by their folded first letter. In the C collation, `{` follows `z`. */
function startsWith(letter: string): Condition {
  if (letter === OTHER_LETTERS) return sql`(employer.name_sort < 'a' or employer.name_sort >= '{')`
  const next = String.fromCharCode(letter.charCodeAt(0) + 1)
  return sql`(employer.name_sort >= ${letter} and employer.name_sort < ${next})`
}

/**
 * Lists public companies with open jobs. With the filter `all`, also lists companies with a description or a cover
 * picture.
 */
export function listDirectory(
  reader: Reader,
  query: QueryOf<typeof directoryList>,
  now: Date,
): Promise<Page<EmployerRow>> {
  const isAll = query.filters.some(({ filter, value }) => filter === 'all' && value === true)
  return listPage(reader, query, {
    table: 'employer',
    columns: sql`employer.*, ${openPositionsOf('employer.id', now)} as open_positions`,
    where: [isShown(), isAll ? sql`(${isDescribed} or ${isHiring(now)})` : isHiring(now)],
    filters: {
      name: (_operator, value) => nameBegins(String(value)),
      letter: (_operator, value) => startsWith(String(value)),
      industry: foldedText('employer.industry_sort'),
      location: wordsOf('employer.location_words', 'employer.location_sort'),
      all: () => sql`true`,
    },
    sorts: { name: sortKey.text('employer.name_sort') },
  })
}

/** Returns the most common industries of companies with open jobs, in alphabetical order. */
export function listIndustries(reader: Reader, max: number, now: Date): Promise<string[]> {
  return statement<{ industry: string }>`
    select industry from (
      select min(industry collate "C") as industry, industry_sort from employer
      where industry_sort is not null and ${isShown()} and ${isHiring(now)}
      group by industry_sort order by count(*) desc, industry_sort limit ${max}
    ) as frequent order by industry_sort`.allValues(reader)
}

export const countHiring = (reader: Reader, now: Date) =>
  countRows(reader, sql`employer where ${isShown()} and ${isHiring(now)}`)

/** Lists the IDs of public companies with open jobs, in ascending order. */
export function listHiringIds(reader: Reader, { from, skip, limit }: IdPart, now: Date): Promise<string[]> {
  return statement<{ id: string }>`
    select id from employer
    -- "offset 0" makes the planner check one company after another, and stop at the limit.
    cross join lateral (select where ${isShown()} and ${isHiring(now)} offset 0) as hiring
    where id >= ${from}
    order by id offset ${skip} limit ${limit}`.allValues(reader)
}
