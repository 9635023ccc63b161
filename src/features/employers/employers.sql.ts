/** SQL over employers for other features. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../db/database.ts'

/** Selects one column of the employer whose id is in a column. */
export function employerColumn(name: 'account_id' | 'logo_url' | 'website', id: string): RawBuilder<string | null> {
  return sql`(select ${sql.raw(`employer.${name}`)} from employer where employer.id = ${sql.raw(id)})`
}

/** Returns a query as SQL text that locks an employer for share and selects its name. `id` is an SQL parameter. */
export function employerLockText(id: string): string {
  return `select name from employer where id = ${id} for share`
}

export async function getEmployerName(reader: Reader, id: string): Promise<string> {
  return (await reader.selectFrom('employer').select('name').where('id', '=', id).executeTakeFirstOrThrow()).name
}
