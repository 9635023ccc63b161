/**
 * All rows of the database as lines of JSON, and back. Rows go from text to text: no number, time or binary passes through
 * JavaScript. What PostgreSQL makes itself (generated columns) is left out, and so are numbers of transactions, which
 * mean nothing on another server.
 */
import type { ClientBase } from 'pg'
import { WAIT_FOR_LOCKS } from './database.ts'
import { listAppliedMigrations, listMigrations, migrateClient } from './migrate.ts'

/** Rows that are fetched at a time; fewer where a row may hold a file, which is 10 MB of text. */
const FETCHED_ROWS = 500
const FETCHED_FILES = 8
/** Characters of one insertion. */
const LOADED_LENGTH = 4_000_000

/** What the lines after it are: so many rows of this table. */
export interface TableHead {
  table: string
  rows: number
}

interface Table {
  name: string
  columns: string[]
  xidColumns: string[]
  hasFiles: boolean
  hasTriggers: boolean
  /** The column that numbers the rows, if any. */
  identity: string | null
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** The tables, each after those that it refers to. */
async function listTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table & { refersTo: string[] }>(`
    select relname as name, relhastriggers as "hasTriggers",
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = ''
          and atttypid <> 'xid8'::regtype) as columns,
      (select coalesce(array_agg(attname::text), '{}') from pg_attribute
        where attrelid = class.oid and attnum > 0 and not attisdropped and atttypid = 'xid8'::regtype) as "xidColumns",
      exists (select from pg_attribute
        where attrelid = class.oid and attnum > 0 and atttypid = 'bytea'::regtype) as "hasFiles",
      (select attname::text from pg_attribute
        where attrelid = class.oid and attnum > 0 and attidentity <> '') as identity,
      (select coalesce(array_agg(target.relname::text), '{}')
        from pg_constraint join pg_class as target on target.oid = confrelid
        where conrelid = class.oid and contype = 'f' and confrelid <> class.oid) as "refersTo"
    from pg_class as class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> 'schema_migration'
    order by relname`)
  const ordered: Table[] = []
  const left = new Set(rows)
  while (left.size > 0) {
    const next = [...left].find(({ refersTo }) => refersTo.every((table) => ordered.some(({ name }) => name === table)))
    if (!next) throw new Error('Tables refer to one another in a circle')
    left.delete(next)
    ordered.push(next)
  }
  return ordered
}

/** The lines, several in each text, of the database as it is at one moment; other processes may go on writing. */
export async function* dumpTables(
  client: ClientBase,
  describe: (migrations: string[]) => object,
): AsyncGenerator<string> {
  await client.query('start transaction isolation level repeatable read read only')
  try {
    await client.query(WAIT_FOR_LOCKS)
    yield `${JSON.stringify(describe(await listAppliedMigrations(client)))}\n`
    for (const { name: table, columns, hasFiles } of await listTables(client)) {
      const selected = columns.map((column) => `t.${quoted(column)}`).join(', ')
      const { rows: counted } = await client.query<{ count: number }>(`select count(*) from ${quoted(table)}`)
      yield `${JSON.stringify({ table, rows: counted[0]!.count } satisfies TableHead)}\n`
      await client.query(
        `declare dumped no scroll cursor for select row_to_json(t)::text as line from (select ${selected} from ${quoted(table)} as t) as t`,
      )
      for (;;) {
        const { rows } = await client.query<{ line: string }>(
          `fetch ${hasFiles ? FETCHED_FILES : FETCHED_ROWS} from dumped`,
        )
        if (rows.length === 0) break
        yield `${rows.map(({ line }) => line).join('\n')}\n`
      }
      await client.query('close dumped')
    }
  } finally {
    await client.query('rollback')
  }
}

/** Why lines cannot be loaded. */
export class LoadError extends Error {}

/**
 * Loads what `dumpTables` has written into a database that holds nothing yet: brought to the migrations of then, filled in
 * one transaction, and brought to those of this release.
 */
export async function loadTables(
  client: ClientBase,
  migrations: readonly string[],
  lines: AsyncIterator<string>,
): Promise<{ rows: number }> {
  const known = new Set(await listMigrations())
  const unknown = migrations.find((migration) => !known.has(migration))
  if (unknown !== undefined) throw new LoadError(`It was made by a newer release: this one does not know ${unknown}.`)
  const beyond = (await listAppliedMigrations(client)).find((migration) => !migrations.includes(migration))
  if (beyond !== undefined) {
    throw new LoadError(`It was made before ${beyond}, which this database has already: take a new database.`)
  }
  await migrateClient(client, { only: migrations })
  let loaded = 0
  await client.query('begin')
  try {
    const tables = await listTables(client)
    const names = tables.map((table) => quoted(table.name))
    // What migrations brought is in the lines, too.
    await client.query(`truncate ${names.join(', ')}`)
    for (const table of tables) {
      const head = JSON.parse(await nextLine(lines)) as TableHead
      if (head.table !== table.name) throw new LoadError(`The table ${table.name} is missing.`)
      await loadTable(client, table, head.rows, lines)
      loaded += head.rows
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
  await migrateClient(client)
  await client.query('vacuum (analyze)')
  return { rows: loaded }
}

async function loadTable(client: ClientBase, table: Table, rows: number, lines: AsyncIterator<string>): Promise<void> {
  const { columns, xidColumns, hasTriggers, identity } = table
  const target = quoted(table.name)
  const into = [...columns, ...xidColumns].map(quoted).join(', ')
  const from = [...columns.map(quoted), ...xidColumns.map(() => `'0'`)].join(', ')
  const insertion = `insert into ${target} (${into}) ${identity ? 'overriding system value' : ''}
    select ${from} from json_populate_recordset(null::${target}, $1::json)`
  // They note what changes, and nothing does: the rows are what they were.
  if (hasTriggers) await client.query(`alter table ${target} disable trigger user`)
  let batch: string[] = []
  let length = 0
  for (let n = 0; n < rows; n++) {
    const line = await nextLine(lines)
    batch.push(line)
    length += line.length
    if (length < LOADED_LENGTH && n < rows - 1) continue
    await client.query({ text: insertion, values: [`[${batch.join(',')}]`] })
    batch = []
    length = 0
  }
  if (hasTriggers) await client.query(`alter table ${target} enable trigger user`)
  if (identity) {
    await client.query(`select setval(pg_get_serial_sequence('${target}', '${identity}'),
      coalesce(max(${quoted(identity)}), 0) + 1, false) from ${target}`)
  }
}

/** The next line; that there is none is an error. */
export async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next()
  if (done) throw new LoadError('It ends too early.')
  return value
}
