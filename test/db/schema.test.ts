/** `src/db/schema.ts` matches the migrated database: every table, column, type and default. */
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listColumns } from '../../src/features/jobs/jobs.queries.ts'
import { useBoard } from '../support/board.ts'

const board = useBoard()

interface Column {
  type: string
  isNullable: boolean
  hasDefault: boolean
}
type Tables = Record<string, Record<string, Column>>

/** The TypeScript types of PostgreSQL column types. */
const typescriptTypes: Record<string, string> = {
  text: 'string',
  tsvector: 'string',
  xid8: 'string',
  'double precision': 'number',
  integer: 'number',
  real: 'number',
  bigint: 'number',
  boolean: 'boolean',
  'timestamp with time zone': 'Date',
  bytea: 'Buffer',
  jsonb: 'Json',
  'text[]': 'string[]',
  'integer[]': 'number[]',
  'double precision[]': 'number[]',
}

function declaredTables(): Tables {
  const source = readFileSync(new URL('../../src/db/schema.ts', import.meta.url), 'utf8')
  const tables = [...source.matchAll(/^ {2}(\w+): \{\n(.*?)^ {2}\}/gms)]
  return Object.fromEntries(
    tables.map(([, table, body]) => [
      table,
      Object.fromEntries(
        [...body!.matchAll(/^ {4}(\w+): (.+)$/gm)].map(([, column, written]) => {
          const inner = /^Generated<(.*)>$/.exec(written!)?.[1] ?? written!
          const bare = inner.replace(/ \| null$/, '')
          // A union of string literals represents a text column.
          const plain = /^'|^AccountKind$/.test(bare) ? 'string' : bare.replace(/^Json\w+$/, 'Json')
          // A JsonArray is always optional on insert.
          const hasDefault = inner !== written || bare === 'JsonArray'
          return [column, { type: plain, isNullable: bare !== inner, hasDefault }]
        }),
      ),
    ]),
  )
}

async function migratedTables(): Promise<Tables> {
  const { rows } = await board.database.read((db) =>
    sql<{ table: string; column: string; type: string; element: string; nullable: string; fallback: string | null }>`
      select table_name as table, column_name as column, data_type as type, udt_name as element,
        is_nullable as nullable, coalesce(column_default, identity_generation) as fallback
      from information_schema.columns join pg_class on oid = table_name::regclass
      where table_schema = 'public' and not relispartition`.execute(db),
  )
  const elements: Record<string, string> = { _text: 'text[]', _int4: 'integer[]', _float8: 'double precision[]' }
  const tables: Tables = {}
  for (const { table, column, type, element, nullable, fallback } of rows) {
    tables[table] ??= {}
    tables[table][column] = {
      type: typescriptTypes[type === 'ARRAY' ? elements[element]! : type] ?? `unknown ${type}`,
      isNullable: nullable === 'YES',
      hasDefault: fallback !== null,
    }
  }
  return tables
}

test('the declared tables match the migrated database, column by column', async () => {
  const [declared, migrated] = [declaredTables(), await migratedTables()]
  expect(Object.keys(declared).length).toBeGreaterThan(8)
  // The TypeScript types may omit a default.
  for (const [table, columns] of Object.entries(migrated)) {
    for (const [name, column] of Object.entries(columns)) {
      if (column.hasDefault && declared[table]?.[name]?.hasDefault === false) column.hasDefault = false
    }
  }
  expect(declared).toEqual(migrated)
})

test('every timestamp column has millisecond precision, like the times in responses', async () => {
  const { rows } = await board.database.read((db) =>
    sql`select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type like 'timestamp%' and datetime_precision <> 3`.execute(db),
  )
  expect(rows).toEqual([])
})

test('the name of every foreign key, check and unique constraint ends with _fkey, _check or _key', async () => {
  const { rows } = await board.database.read((db) =>
    sql<{ name: string }>`
      select conname as name from pg_constraint join pg_namespace on pg_namespace.oid = connamespace
      where nspname = 'public' and contype in ('f', 'c', 'u') and conparentid = 0`.execute(db),
  )
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.map(({ name }) => name).filter((name) => !/_(?:fkey|check|key)$/.test(name))).toEqual([])
})

test('the trigger job_board_change fires on updates of every column in job lists except the ID', async () => {
  const { rows } = await board.database.read((db) =>
    sql<{ name: string }>`
      select attname as name from pg_trigger
      join pg_attribute on attrelid = tgrelid and attnum = any(tgattr) where tgname = 'job_board_change'`.execute(db),
  )
  const noticed = rows.map(({ name }) => name)
  expect(noticed).toEqual(expect.arrayContaining(listColumns.filter((name) => name !== 'id')))
})
