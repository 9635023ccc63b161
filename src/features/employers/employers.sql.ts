/** SQL about employers for other features. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import { beginningsIn, type Condition } from '../../lists/sql-page.ts'

/** Selects one employer column. `id` is the column that contains the employer's ID. */
export function employerColumn(name: 'account_id' | 'logo_url' | 'website', id: string): RawBuilder<string | null> {
  return sql`(select ${sql.raw(`employer.${name}`)} from employer where employer.id = ${sql.raw(id)})`
}

/** Matches companies by prefixes of the words in their names. Uses the index `employer_name_words_idx`. */
export const nameBegins = (text: string): Condition => beginningsIn(sql.ref('employer.name_sort'), text)

/** Selects the IDs of the companies that `nameBegins` matches. */
export const employersNamed = (text: string): RawBuilder<{ id: string }> =>
  sql`select employer.id from employer where ${nameBegins(text)}`

/** Returns the text of a query that locks an employer for share and selects its name. `id` is an SQL parameter. */
export function employerLockText(id: string): string {
  return `select name from employer where id = ${id} for share`
}

/** Returns the facts about an employer that its jobs show. */
export function getCompany(reader: Reader, id: string) {
  return reader
    .selectFrom('employer')
    .select(['name', 'logo_url', 'website'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Returns the facts about an employer that job pages show in addition to the job's own members. */
export function findEmployerFacts(reader: Reader, id: string) {
  return reader
    .selectFrom('employer')
    .select(['industry', 'location', 'description', 'verified_domain'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function getEmployerName(reader: Reader, id: string): Promise<string> {
  return (await reader.selectFrom('employer').select('name').where('id', '=', id).executeTakeFirstOrThrow()).name
}
