/** New migrations start with a comment and do not block requests while they scan a large table. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateClient } from '../../src/db/migrate.ts'
import { listMigrations, type MigrationFile, parseMigration, readMigration } from '../../src/db/migration-file.ts'
import { type ExaminedStatement, examineMigration, modes } from '../../src/db/migration-plan.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/empty-database.ts'

/** The first migration that had to follow these rules. */
const FIRST = '0026'
/** These tables stay small on any board. All others count as large. */
const SMALL = ['feed', 'brand', 'catalogue_entry', 'product', 'setting', 'task_health']

/** New migrations that are allowed to block, with the reasons. */
const judged: Record<string, string> = {
  '0030_jobs_of_suspended_accounts.sql': 'few accounts are suspended, and an index finds their jobs',
}

let empty: EmptyDatabase
const examined = new Map<string, { file: MigrationFile; statements: ExaminedStatement[] }>()

beforeAll(async () => {
  empty = await createEmptyDatabase()
  await empty.database.withClient(async (client) => {
    await migrateClient(client, { only: [] })
    for (const name of await listMigrations()) {
      const file = await readMigration(name)
      examined.set(name, { file, statements: await examineMigration(client, file) })
    }
  })
})
afterAll(() => empty.remove())

/** A pass over the rows of a table that blocks requests for its whole duration. */
interface BlockingPass {
  text: string
  /** The table whose rows are processed. */
  table: string
  /** The tables whose writes are blocked; an ACCESS EXCLUSIVE lock also blocks their reads. */
  blocked: string[]
}

/**
 * Returns the passes over large tables that block requests. Either the transaction already blocks writes to a large
 * table, or the pass locks the rows of its own table by writing them.
 */
function findBlockingPasses(statements: readonly ExaminedStatement[]): BlockingPass[] {
  const blocked = new Set<string>()
  return statements.flatMap(({ text, isStep, effects }) => {
    const large = effects.filter(({ table }) => !SMALL.includes(table))
    for (const { table, mode } of isStep ? [] : large)
      if (modes.indexOf(mode) >= modes.indexOf('ShareLock')) blocked.add(table)
    return large.flatMap(({ table, pass }) => {
      const tables = new Set(pass === 'write' ? [...blocked, table] : blocked)
      return pass && pass !== 'backfill' && tables.size > 0 ? [{ text, table, blocked: [...tables].sort() }] : []
    })
  })
}

const passesOf = (statements: readonly ExaminedStatement[]) =>
  findBlockingPasses(statements).map(({ text, ...pass }) => ({
    ...pass,
    text: text.replaceAll(/\s+/g, ' ').slice(0, 60),
  }))

test('no new migration blocks requests while it scans a large table, except the reviewed ones', () => {
  const found = [...examined].flatMap(([name, { statements }]) =>
    name > FIRST ? passesOf(statements).map((pass) => ({ name, ...pass })) : [],
  )
  expect(found.filter(({ name }) => !(name in judged))).toEqual([])
  // The list contains no unnecessary exceptions.
  expect([...new Set(found.map(({ name }) => name))]).toEqual(Object.keys(judged))
})

test('every new migration starts with a comment', () => {
  const silent = [...examined].filter(
    ([name, { file }]) => name > FIRST && !/^(?:-- migrate: outside-transaction\n)?-- [A-Z]/.test(file.text),
  )
  expect(silent.map(([name]) => name)).toEqual([])
})

test('the rule detects violations in earlier migrations', () => {
  expect(passesOf(examined.get('0020_words_when_asked_for.sql')!.statements)).toEqual([
    { table: 'job', blocked: ['job'], text: 'create index job_wordless_idx on job (employer_id, id) where' },
  ])
  expect(passesOf(examined.get('0024_desk.sql')!.statements)).toEqual([
    { table: 'account', blocked: ['account'], text: 'update account set name_sort = lower(name)' },
    { table: 'account', blocked: ['account'], text: 'create index account_created_idx on account (created_at, id)' },
    {
      table: 'payment',
      blocked: ['account', 'payment'],
      text: 'create index payment_pending_idx on payment (created_at, id)',
    },
  ])
  expect(passesOf(examined.get('0022_job_views.sql')!.statements)).toEqual([])
})

test.each([
  ['a check constraint on existing rows', "alter table thing add constraint c check (note <> '')", ['thing']],
  ['a check constraint on new rows', "alter table thing add constraint c check (note <> '') not valid", []],
  ['a not-null constraint', 'alter table thing alter column note set not null', ['thing']],
  [
    'a foreign key for existing rows',
    'alter table thing add constraint f foreign key (note) references account',
    ['account', 'thing'],
  ],
  ['a foreign key for a new column', 'alter table thing add column a text references account', []],
  ['a rewrite of the table', 'alter table thing alter column size type bigint', ['thing']],
  ['a wider text type', 'alter table thing alter column note type text', []],
  ['a volatile default', 'alter table thing add column a uuid default gen_random_uuid()', ['thing']],
  ['a constant default', 'alter table thing add column a integer not null default 0', []],
  ['an update of rows', "update thing set note = '' where id = 'x'", ['thing']],
  ['an update inside a block', "do $$ begin update thing set note = ''; end $$", ['thing']],
  ['an index', 'create index on thing (note)', ['thing']],
  ['an index on a small table', 'create index on setting (changed_at)', []],
])('the rule handles %s correctly', async (_what, text, blocked) => {
  const name = '9999_probe.sql'
  await empty.database.withClient(async (client) => {
    await client.query('create table thing (id text primary key, note varchar(9), size integer)')
    const statements = await examineMigration(client, parseMigration(name, text))
    await client.query(`drop table thing; delete from schema_migration where name = '${name}'`)
    expect([...new Set(passesOf(statements).flatMap((pass) => pass.blocked))].sort()).toEqual(blocked)
  })
})
