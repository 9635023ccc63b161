/** SQL about employers for other features. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../db/database.ts'

/** Selects one employer column. `id` is the column that contains the employer's ID. */
export function employerColumn(
  name: 'account_id' | 'logo_url' | 'name_sort' | 'website',
  id: string,
): RawBuilder<string | null> {
  return sql`(select ${sql.raw(`employer.${name}`)} from employer where employer.id = ${sql.raw(id)})`
}

/** Returns the text of a query that locks an employer for share and selects its name. `id` is an SQL parameter. */
export function employerLockText(id: string): string {
  return `select name from employer where id = ${id} for share`
}

export async function getEmployerName(reader: Reader, id: string): Promise<string> {
  return (await reader.selectFrom('employer').select('name').where('id', '=', id).executeTakeFirstOrThrow()).name
}
