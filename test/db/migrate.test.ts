import { readdirSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { isMigrated, MigrationBlocked, migrate, migrateClient } from '../../src/db/migrate.ts'
import { describePlan, planMigrations } from '../../src/db/migration-plan.ts'
import { isOnPostgres, openTestDatabase } from '../support/database.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/empty-database.ts'

const names = readdirSync(new URL('../../migrations/', import.meta.url)).sort()
const third = names.indexOf('0003_payments.sql')

const made: Pick<EmptyDatabase, 'remove'>[] = []
const create = async () => {
  const empty = await createEmptyDatabase()
  made.push(empty)
  return empty
}
/** Returns a copy of a migrated database. Copying saves a second of migrations. */
const createMigrated = async () => {
  const database = await openTestDatabase()
  made.push({ remove: () => database.close() })
  return database
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

test('every file in migrations/ is a migration, numbered without gaps', () => {
  expect(names.map((name) => name.slice(0, 5))).toEqual(names.map((_, i) => `${String(i + 1).padStart(4, '0')}_`))
  for (const name of names) expect(name).toMatch(/^\d{4}_\w+\.sql$/)
})

test('every migration is applied in order, and only once', async () => {
  const { database } = await create()
  await expect(isMigrated(database)).rejects.toThrow()
  expect(await migrate(database)).toEqual(names)
  expect(await isMigrated(database)).toBe(true)
  const [tables, journal] = [await tablesOf(database), await journalOf(database)]
  expect(journal.map(({ name }) => name)).toEqual(names)
  expect(await migrate(database)).toEqual([])
  expect([await tablesOf(database), await journalOf(database)]).toEqual([tables, journal])
})

test('a database that lacks a migration does not count as migrated', async () => {
  const database = await createMigrated()
  await run(database, `delete from schema_migration where name = '${names[0]}'`)
  expect(await isMigrated(database)).toBe(false)
})

test('a database with additional migrations from a newer release counts as migrated', async () => {
  const database = await createMigrated()
  await run(database, "insert into schema_migration (name) values ('9999_future.sql')")
  expect(await isMigrated(database)).toBe(true)
  expect(await migrate(database)).toEqual([])
})

test('two simultaneous processes apply each migration once', async () => {
  const { database, openAgain } = await create()
  const other = await openAgain()
  const applied = await Promise.all([migrate(database), migrate(other)])
  expect(applied.flat().sort()).toEqual(names)
})

test('a failing migration is named and rolled back, while earlier migrations stay and a later run continues', async () => {
  const { database } = await create()
  // Makes the third migration fail after it has created its first table.
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
  'a migration waits only a limited time for a backup, names the backup, and does not block requests',
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
        /^Migration 0021_lz4\.sql waits for .+nightly backup \(process \d+.+ safe to retry$/,
      )
      expect(await reading).toEqual([])
    })
    expect(blocked).toHaveLength(1)
    expect(await migrate(database)).toEqual(['0021_lz4.sql'])
  },
)

describe('outside a transaction', () => {
  const OUTSIDE = '-- migrate: outside-transaction\n'
  const BACKFILL = `${OUTSIDE}-- migrate: backfill table=thing key=id batch=10
    with changed as (update thing set copy = note where id = any($1) returning id)
    insert into written select id from changed;`
  const INDEX = `${OUTSIDE}create unique index concurrently if not exists thing_note_key on thing (note);
    drop index concurrently if exists thing_old_idx;
    analyze thing;`
  const patience = { tries: 3, waitMs: 500, pauseMs: 10 }

  let folder: URL
  const write = (name: string, text: string) => writeFile(new URL(name, folder), text)
  beforeEach(async () => {
    folder = pathToFileURL(`${await mkdtemp(join(tmpdir(), 'migrations-'))}/`)
    await write(
      '0001_things.sql',
      `create table thing (id integer primary key, note text, copy text);
      create table written (id integer);
      create index thing_old_idx on thing (copy);
      insert into thing select n, n::text from generate_series(1, 95) as n`,
    )
  })
  afterEach(() => rm(folder, { recursive: true }))

  const select = async <T>(database: Database, statement: string) =>
    (await database.read((db) => sql.raw<T>(statement).execute(db))).rows
  const indexesOf = (database: Database) =>
    select<{ name: string; is_valid: boolean }>(
      database,
      `select indexrelid::regclass::text as name, indisvalid as is_valid from pg_index
        where indrelid = 'thing'::regclass and not indisprimary order by 1`,
    )
  const isUnfilled = async (database: Database) =>
    (await select(database, 'select from thing where copy is distinct from note')).length
  const writtenOf = async (database: Database) =>
    (await select<{ id: number }>(database, 'select id from written order by id')).map(({ id }) => id)
  const all = Array.from({ length: 95 }, (_, n) => n + 1)

  test('indexes are built and dropped, and nothing else is left behind', async () => {
    const { database } = await create()
    await write('0002_index.sql', INDEX)
    const told: string[] = []
    const onProgress = (text: string) => told.push(text)
    expect(await migrate(database, { folder, onProgress })).toEqual(['0001_things.sql', '0002_index.sql'])
    expect(await indexesOf(database)).toEqual([{ name: 'thing_note_key', is_valid: true }])
    expect(told[0]).toMatch(/^Migration 0002_index\.sql, step 1 of 3: create unique index concurrently/)
    expect(await tablesOf(database)).toEqual(['schema_migration', 'thing', 'written'])
    expect(await migrate(database, { folder })).toEqual([])
  })

  test('an invalid index is dropped and rebuilt', async () => {
    const { database } = await create()
    await migrate(database, { folder })
    await run(database, "update thing set note = 'same' where id < 3")
    await write('0002_index.sql', INDEX)
    const failure = await migrate(database, { folder }).catch((error) => error)
    expect(failure).toMatchObject({ message: 'Migration 0002_index.sql failed', cause: { code: '23505' } })
    expect(await indexesOf(database)).toContainEqual({ name: 'thing_note_key', is_valid: false })

    await run(database, 'update thing set note = id::text')
    expect(await migrate(database, { folder })).toEqual(['0002_index.sql'])
    expect(await indexesOf(database)).toEqual([{ name: 'thing_note_key', is_valid: true }])
  })

  test('a backfill in two processes writes every row once, in batches', async () => {
    const { database, openAgain } = await create()
    await write('0002_backfill.sql', BACKFILL)
    const other = await openAgain()
    const told: string[] = []
    const onProgress = (text: string) => told.push(text)
    const applied = await Promise.all([
      migrate(database, { folder, onProgress }),
      migrate(other, { folder, onProgress }),
    ])
    expect(applied.flat().sort()).toEqual(['0001_things.sql', '0002_backfill.sql'])
    expect(await isUnfilled(database)).toBe(0)
    expect(await writtenOf(database)).toEqual(all)
    expect(told.filter((text) => /keys of thing so far, up to \d+$/.test(text))).toHaveLength(10)
    expect(await tablesOf(database)).toEqual(['schema_migration', 'thing', 'written'])
  })

  test('an interrupted backfill continues where it stopped, without repeating rows', async () => {
    const { database } = await create()
    await write('0002_backfill.sql', BACKFILL)
    let batches = 0
    const cut = database.withClient((client) => {
      const query = (...args: unknown[]) => {
        if (String(args[0]).startsWith('with changed') && ++batches === 4) throw new Error('The connection broke')
        return (client.query as (...rest: unknown[]) => unknown).apply(client, args)
      }
      return migrateClient({ query } as never, { folder })
    })
    await expect(cut).rejects.toThrow('Migration 0002_backfill.sql failed')
    expect(await writtenOf(database)).toEqual(all.slice(0, 30))
    expect(await migrate(database, { folder })).toEqual(['0002_backfill.sql'])
    expect(await writtenOf(database)).toEqual(all)
    expect(await isUnfilled(database)).toBe(0)
  })

  test('a slow batch of a backfill is followed by the longest pause', async () => {
    const { database } = await create()
    await migrate(database, { folder })
    await run(
      database,
      `create schema slow; create function slow.now() returns timestamptz language sql
        as $$ select pg_catalog.now() - interval '70 s' $$`,
    )
    // Each batch seems to take more than 70 s.
    await write(
      '0002_backfill.sql',
      `${OUTSIDE}-- migrate: backfill table=thing key=id batch=50
      with slow as (select set_config('search_path', 'slow, pg_catalog, public', true))
      update thing set copy = note from slow where id = any($1)`,
    )
    const ends: number[] = []
    await migrate(database, { folder, batchPauseMaxMs: 300, onProgress: () => ends.push(performance.now()) })
    expect(ends).toHaveLength(2)
    expect(ends[1]! - ends[0]!).toBeGreaterThan(250)
  })

  test.each([
    ['a backfill makes processes reread its rows', '', 5],
    ['a quiet backfill does not make processes reread its rows', ' quiet', 0],
  ])('%s', async (_what, quiet, reread) => {
    const database = await createMigrated()
    await cp(new URL('../../migrations/', import.meta.url), folder, { recursive: true })
    await rm(new URL('0001_things.sql', folder))
    await run(
      database,
      `insert into employer (id, name, name_sort, created_at, updated_at)
        select 'emp_' || n, 'Motors ' || n, 'motors ' || n, now(), now() from generate_series(1, 5) as n`,
    )
    const [before] = await select<{ xid: string }>(database, 'select max(changed_xid) as xid from employer')
    await write(
      '9999_backfill.sql',
      `${OUTSIDE}-- migrate: backfill table=employer key=id batch=2${quiet}
      update employer set website = 'https://nine.example' where id = any($1);`,
    )
    expect(await migrate(database, { folder })).toEqual(['9999_backfill.sql'])
    expect(await select(database, 'select from employer where website is not null')).toHaveLength(5)
    expect(await select(database, `select from employer where changed_xid > '${before!.xid}'`)).toHaveLength(reread)
  })

  test('a plan shows the locks, rows and times of missing migrations, and changes nothing', async () => {
    const { database } = await create()
    await migrate(database, { folder })
    await write(
      '0002_change.sql',
      'alter table thing add column size integer;\ncreate index on thing (note);\nselect 1;',
    )
    await write('0003_backfill.sql', BACKFILL)
    await write('0004_index.sql', INDEX)
    const before = [await tablesOf(database), await journalOf(database), await indexesOf(database)]
    // Commands use an embedded database even for a plan on PostgreSQL. A copy saves a second.
    const scratch = isOnPostgres ? await openDatabase({ dataDir: undefined }) : (await create()).database
    const lines = [...describePlan(await planMigrations(database, scratch, folder))]
    if (isOnPostgres) await scratch.close()
    expect(lines).toEqual([
      '0002_change.sql: one transaction, which holds its locks to the end',
      '  alter table thing add column size integer',
      '    thing: ACCESS EXCLUSIVE (blocks reads and writes), immediate',
      '  create index on thing (note)',
      '    thing: ACCESS EXCLUSIVE (blocks reads and writes), indexes up to 95 rows, less than a second',
      '  select 1',
      '    no lock on existing tables',
      '0003_backfill.sql: outside a transaction, step by step',
      '  with changed as (update thing set copy = note where id = any($1) returning id) insert into written select id …',
      '    thing: ROW EXCLUSIVE (blocks writes to the same rows), writes in batches up to 95 rows, less than a second',
      '0004_index.sql: outside a transaction, step by step',
      '  create unique index concurrently if not exists thing_note_key on thing (note)',
      '    thing: SHARE UPDATE EXCLUSIVE (blocks neither reads nor writes), indexes up to 95 rows, less than a second',
      '  drop index concurrently if exists thing_old_idx',
      '    thing: SHARE UPDATE EXCLUSIVE (blocks neither reads nor writes), immediate',
      '  analyze thing',
      '    thing: SHARE UPDATE EXCLUSIVE (blocks neither reads nor writes), reads up to 95 rows, less than a second',
    ])
    expect([await tablesOf(database), await journalOf(database), await indexesOf(database)]).toEqual(before)
  })

  test.runIf(isOnPostgres)('an index build is repeated after its session was killed', async () => {
    const { database, openAgain } = await create()
    await migrate(database, { folder })
    await write('0002_index.sql', INDEX)
    const [reader, killer] = [await openAgain(), await openAgain()]
    await reader.inTx(async (tx) => {
      // A build waits for all older snapshots before its index becomes valid.
      await sql`set transaction isolation level repeatable read`.execute(tx)
      await sql`select from thing`.execute(tx)
      const building = migrate(database, { folder }).catch((error) => error)
      const isKilled = async () => {
        const { length } = await select(
          killer,
          `select pg_terminate_backend(pid) from pg_stat_activity join pg_locks using (pid)
            where query like 'create unique index concurrently%' and not granted and locktype = 'virtualxid'
              and datname = current_database()`,
        )
        return length > 0
      }
      await expect.poll(isKilled, { timeout: 10_000 }).toBe(true)
      expect((await building).message).toBe('Migration 0002_index.sql failed')
    })
    expect(await indexesOf(killer)).toContainEqual({ name: 'thing_note_key', is_valid: false })
    expect(await migrate(database, { folder })).toEqual(['0002_index.sql'])
    expect(await indexesOf(killer)).toEqual([{ name: 'thing_note_key', is_valid: true }])
  })

  test.runIf(isOnPostgres)("a migration waits for another process's index, and does not drop it", async () => {
    const { database, openAgain } = await create()
    await migrate(database, { folder })
    await write('0002_index.sql', INDEX)
    const [reader, other] = [await openAgain(), await openAgain()]
    let building: Promise<string[]> | undefined
    await reader.inTx(async (tx) => {
      await sql`set transaction isolation level repeatable read`.execute(tx)
      await sql`select from thing`.execute(tx)
      building = migrate(database, { folder })
      await expect
        .poll(() => indexesOf(other), { timeout: 10_000 })
        .toContainEqual({ name: 'thing_note_key', is_valid: false })
      const failure = await migrate(other, { folder, patience }).catch((error) => error)
      expect(failure).toBeInstanceOf(MigrationBlocked)
    })
    expect(await building).toEqual(['0002_index.sql'])
    expect(await migrate(other, { folder })).toEqual([])
    expect(await indexesOf(other)).toEqual([{ name: 'thing_note_key', is_valid: true }])
  })

  test.runIf(isOnPostgres)('an index that another process completes at the same time is kept', async () => {
    const { database, openAgain } = await create()
    await migrate(database, { folder })
    await run(database, 'create unique index thing_note_key on thing (note)')
    const index = "indexrelid = 'thing_note_key'::regclass"
    await run(database, `update pg_index set indisvalid = false where ${index}`)
    await write('0002_index.sql', INDEX)
    const [builder, watcher] = [await openAgain(), await openAgain()]
    const before = await select(watcher, "select 'thing_note_key'::regclass::oid as id")
    let migrating: Promise<string[]> | undefined
    // Simulates the last transaction of a build, which holds no lock on the table.
    await builder.inTx(async (tx) => {
      await sql.raw(`update pg_index set indisvalid = true where ${index}`).execute(tx)
      migrating = migrate(database, { folder, patience })
      const isWaiting = async () =>
        (await select(watcher, "select from pg_locks where locktype = 'transactionid' and not granted")).length > 0
      await expect.poll(isWaiting, { timeout: 10_000 }).toBe(true)
    })
    expect(await migrating).toEqual(['0002_index.sql'])
    expect(await select(watcher, "select 'thing_note_key'::regclass::oid as id")).toEqual(before)
  })

  test.runIf(isOnPostgres)('a backfill waits only a limited time for a row lock', async () => {
    const { database, openAgain } = await create()
    await migrate(database, { folder })
    await write('0002_backfill.sql', BACKFILL)
    const other = await openAgain()
    await other.inTx(async (tx) => {
      await sql`select from thing where id = 15 for update`.execute(tx)
      const failure = await migrate(database, { folder, patience }).catch((error) => error)
      expect(failure).toBeInstanceOf(MigrationBlocked)
    })
    expect(await writtenOf(database)).toEqual(all.slice(0, 10))
    expect(await migrate(database, { folder })).toEqual(['0002_backfill.sql'])
    expect(await writtenOf(database)).toEqual(all)
  })
})
