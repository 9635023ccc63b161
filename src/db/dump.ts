/**
 * Dumps and loads all rows as lines of JSON. Values stay text, because JavaScript would change some numbers, times and
 * binary data. The dump omits generated columns, and transaction IDs, which are meaningless on another server. It also
 * omits the records of the search engine's indexes, whose positions refer to the history of this server.
 */
import { hash } from 'node:crypto'
import { type ClientBase, escapeIdentifier } from 'pg'
import { transact, WAIT_FOR_LOCKS } from './database.ts'
import { listAppliedMigrations, migrateClient, PROGRESS } from './migrate.ts'
import { listMigrations } from './migration-file.ts'

/** Rows per fetch. Tables with files use fewer, because each file takes up to 10 MB as text. */
const FETCHED_ROWS = 500
const FETCHED_FILES = 8
/** Approximate length of an insert statement, in characters. */
const LOADED_LENGTH = 4_000_000

/** The line before a table's rows; `rows` is the number of lines that follow. */
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
  /** The identity column, if any. */
  identity: string | null
}

/** Lists the tables in an order in which each table follows the tables that it references. */
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
        where conrelid = class.oid and contype = 'f' and confrelid <> class.oid and conparentid = 0) as "refersTo"
    from pg_class as class
    where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
      and relname not in ('schema_migration', '${PROGRESS}', 'search_index', 'search_refusal')
    order by relname`)
  const ordered: Table[] = []
  const left = new Set(rows)
  while (left.size > 0) {
    const next = [...left].find(({ refersTo }) => refersTo.every((table) => ordered.some(({ name }) => name === table)))
    if (!next) throw new Error('Tables reference one another in a cycle')
    left.delete(next)
    ordered.push(next)
  }
  return ordered
}

export type OnRows = (table: string, done: number, rows: number) => void

/** A checksum that does not depend on the order of the rows: the sum of their hashes. */
class RowSum {
  #sum = 0n

  add(line: string): void {
    this.#sum = BigInt.asUintN(64, this.#sum + hash('sha256', line, 'buffer').readBigUInt64BE())
  }

  toString = () => this.#sum.toString(16).padStart(16, '0')
}

/** Reads the rows of a table as lines, in batches. Requires a transaction. */
async function* fetchRows(client: ClientBase, { name, columns, hasFiles }: Table): AsyncGenerator<string[]> {
  const selected = columns.map((column) => `t.${escapeIdentifier(column)}`).join(', ')
  await client.query(
    `declare dumped no scroll cursor for select row_to_json(t)::text as line from (select ${selected} from ${escapeIdentifier(name)} as t) as t`,
  )
  for (;;) {
    const { rows } = await client.query<{ line: string }>(
      `fetch ${hasFiles ? FETCHED_FILES : FETCHED_ROWS} from dumped`,
    )
    if (rows.length === 0) break
    yield rows.map(({ line }) => line)
  }
  await client.query('close dumped')
}

/** Yields the lines of a consistent snapshot, even while other processes write. Adds the checksums to `sums`. */
export async function* dumpTables(
  client: ClientBase,
  describe: (migrations: string[]) => object,
  { sums, onRows }: { sums: Record<string, string>; onRows?: OnRows | undefined },
): AsyncGenerator<string> {
  await client.query('start transaction isolation level repeatable read read only')
  try {
    await client.query(WAIT_FOR_LOCKS)
    yield `${JSON.stringify(describe(await listAppliedMigrations(client)))}\n`
    for (const table of await listTables(client)) {
      const { rows: counted } = await client.query<{ count: number }>(
        `select count(*) from ${escapeIdentifier(table.name)}`,
      )
      const { count } = counted[0]!
      yield `${JSON.stringify({ table: table.name, rows: count } satisfies TableHead)}\n`
      const sum = new RowSum()
      let done = 0
      for await (const lines of fetchRows(client, table)) {
        for (const line of lines) sum.add(line)
        done += lines.length
        onRows?.(table.name, done, count)
        yield `${lines.join('\n')}\n`
      }
      sums[table.name] = String(sum)
    }
  } finally {
    await client.query('rollback')
  }
}

export async function sumTables(client: ClientBase, onRows?: OnRows): Promise<Record<string, string>> {
  const sums: Record<string, string> = {}
  for await (const _ of dumpTables(client, () => ({}), { sums, onRows }));
  return sums
}

/** Thrown if a dump cannot be loaded. */
export class LoadError extends Error {}

/** Loads a dump into an empty database, which then has the dump's schema version. */
export async function loadTables(
  client: ClientBase,
  migrations: readonly string[],
  lines: AsyncIterator<string>,
  onRows?: OnRows,
): Promise<{ rows: number }> {
  const known = new Set(await listMigrations())
  const unknown = migrations.find((migration) => !known.has(migration))
  if (unknown !== undefined)
    throw new LoadError(`A newer release created the backup: this release does not have ${unknown}.`)
  const beyond = (await listAppliedMigrations(client)).find((migration) => !migrations.includes(migration))
  if (beyond !== undefined) {
    throw new LoadError(`The backup was created before ${beyond}, which this database already has. Use a new database.`)
  }
  await migrateClient(client, { only: migrations })
  let loaded = 0
  await transact(client, async () => {
    const tables = await listTables(client)
    const names = tables.map((table) => escapeIdentifier(table.name))
    // Removes the rows that migrations inserted, because the dump contains them too.
    await client.query(`truncate ${names.join(', ')}`)
    for (const table of tables) {
      const head = JSON.parse(await nextLine(lines)) as TableHead
      if (head.table !== table.name) throw new LoadError(`The backup lacks the table ${table.name}.`)
      await loadTable(client, { table, rows: head.rows, lines, onRows })
      loaded += head.rows
    }
  })
  return { rows: loaded }
}

interface TableLoad {
  table: Table
  rows: number
  lines: AsyncIterator<string>
  onRows: OnRows | undefined
}

async function loadTable(client: ClientBase, { table, rows, lines, onRows }: TableLoad): Promise<void> {
  const { columns, xidColumns, hasTriggers, identity } = table
  const target = escapeIdentifier(table.name)
  const into = [...columns, ...xidColumns].map(escapeIdentifier).join(', ')
  const from = [...columns.map(escapeIdentifier), ...xidColumns.map(() => `'0'`)].join(', ')
  const insertion = `insert into ${target} (${into}) ${identity ? 'overriding system value' : ''}
    select ${from} from json_populate_recordset(null::${target}, $1::json)`
  // Disables triggers that record changes, because loaded rows have not changed.
  if (hasTriggers) await client.query(`alter table ${target} disable trigger user`)
  let batch: string[] = []
  let length = 0
  for (let n = 0; n < rows; n++) {
    const line = await nextLine(lines)
    batch.push(line)
    length += line.length
    if (length < LOADED_LENGTH && n < rows - 1) continue
    await client.query({ text: insertion, values: [`[${batch.join(',')}]`] })
    onRows?.(table.name, n + 1, rows)
    batch = []
    length = 0
  }
  if (hasTriggers) await client.query(`alter table ${target} enable trigger user`)
  if (identity) {
    await client.query(`select setval(pg_get_serial_sequence('${target}', '${identity}'),
      coalesce(max(${escapeIdentifier(identity)}), 0) + 1, false) from ${target}`)
  }
}

export async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next()
  if (done) throw new LoadError('The backup is incomplete.')
  return value
}
