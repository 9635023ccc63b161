/** Returns the entire content of a database as text. */
import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'

export async function wholeDatabase(database: Database): Promise<string> {
  return database.read(async (db) => {
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db)
    const texts = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} as t`.execute(db)
        return rows.map(({ row }) => row).join('\n')
      }),
    )
    return texts.join('\n')
  })
}
