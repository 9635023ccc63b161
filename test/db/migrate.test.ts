import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { isMigrated, MigrationBlocked, migrate } from '../../src/db/migrate.ts'
import { isOnPostgres } from '../support/database.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/empty-database.ts'

const names = readdirSync(new URL('../../migrations/', import.meta.url)).sort()
const third = names.indexOf('0003_payments.sql')

const made: EmptyDatabase[] = []
const create = async () => {
  const empty = await createEmptyDatabase()
  made.push(empty)
  return empty
}
afterEach(async () => {
  for (const empty of made.splice(0)) await empty.remove()
})

const run = (database: Database, statement: string) => database.inTx((tx) => sql.raw(statement).execute(tx))
const tablesOf = async (database: Database) => {
  const { rows } = await database.read((db) =>
    sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public' order by 1`.execute(db),
  )
  return rows.map(({ name }) => name)
}
const journalOf = (database: Database) =>
  database.read((db) => db.selectFrom('schema_migration').selectAll().orderBy('name').execute())

test('every file in migrations/ is one: numbered without gaps', () => {
  expect(names.map((name) => name.slice(0, 5))).toEqual(names.map((_, i) => `${String(i + 1).padStart(4, '0')}_`))
  for (const name of names) expect(name).toMatch(/^\d{4}_\w+\.sql$/)
})

test('applies every migration in order, and nothing the second time', async () => {
  const { database } = await create()
  expect(await migrate(database)).toEqual(names)
  expect(await isMigrated(database)).toBe(true)
  const [tables, journal] = [await tablesOf(database), await journalOf(database)]
  expect(journal.map(({ name }) => name)).toEqual(names)
  expect(await migrate(database)).toEqual([])
  expect([await tablesOf(database), await journalOf(database)]).toEqual([tables, journal])
})

test('is not migrated before, nor while one is missing', async () => {
  const { database } = await create()
  await expect(isMigrated(database)).rejects.toThrow()
  await migrate(database)
  await run(database, `delete from schema_migration where name = '${names[0]}'`)
  expect(await isMigrated(database)).toBe(false)
})

test('is migrated also where a newer release added to it', async () => {
  const { database } = await create()
  await migrate(database)
  await run(database, "insert into schema_migration (name) values ('9999_future.sql')")
  expect(await isMigrated(database)).toBe(true)
  expect(await migrate(database)).toEqual([])
})

test('of two processes at once, each migration is applied by one', async () => {
  const { database, openAgain } = await create()
  const other = await openAgain()
  const applied = await Promise.all([migrate(database), migrate(other)])
  expect(applied.flat().sort()).toEqual(names)
})

test('rolls a failing migration back whole, names it, keeps those before and goes on later', async () => {
  const { database } = await create()
  // Something in the way of the third, which makes a table before this one.
  await run(database, 'create table payment (id text)')
  const failure = await migrate(database).catch((error) => error)
  expect(failure.message).toBe('Migration 0003_payments.sql failed')
  expect(failure.cause).toMatchObject({ code: '42P07' })
  expect((await journalOf(database)).map(({ name }) => name)).toEqual(names.slice(0, third))
  const tables = await tablesOf(database)
  expect(tables).toContain('job')
  expect(tables).not.toContain('product')

  await run(database, 'drop table payment')
  expect(await migrate(database)).toEqual(names.slice(third))
  expect(await isMigrated(database)).toBe(true)
})

test.runIf(isOnPostgres)(
  'waits for a backup no longer than it should, says for whom, and lets others by meanwhile',
  async () => {
    const { database, openAgain } = await create()
    await migrate(database)
    await run(database, "delete from schema_migration where name = '0021_lz4.sql'")
    const [backup, serving] = [await openAgain(), await openAgain()]
    const blocked: string[] = []
    await backup.inTx(async (tx) => {
      await sql`select set_config('application_name', 'nightly backup', false)`.execute(tx)
      await sql`select from job limit 1`.execute(tx)
      const patience = { tries: 2, waitMs: 100, pauseMs: 1_100 }
      const onBlocked = (text: string) => {
        blocked.push(text)
        reading = serving.read((db) => db.selectFrom('job').select('id').execute())
      }
      let reading: Promise<unknown> | undefined
      const failure = await migrate(database, { patience, onBlocked }).catch((error) => error)
      expect(failure).toBeInstanceOf(MigrationBlocked)
      expect(failure.message).toMatch(
        /^Migration 0021_lz4\.sql waits for .+nightly backup \(process \d+.+ can be tried again$/,
      )
      expect(await reading).toEqual([])
    })
    expect(blocked).toHaveLength(1)
    expect(await migrate(database)).toEqual(['0021_lz4.sql'])
  },
)
