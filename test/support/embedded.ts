/** Migrated embedded databases. The test files of a worker use them one after another. */
import { PGlite } from '@electric-sql/pglite'
import { inject } from 'vitest'
import { CopiedFiles } from './copied-files.ts'

export interface Embedded {
  lite: PGlite
  /** Statements that restore the rows of the migrations, by table. */
  restore: ReadonlyMap<string, string>
  schema: string
  /** The size of the write-ahead log after the migrations, in bytes. */
  logBytes: number
}

/** Databases that no test is using. */
const unused: Embedded[] = []

/** Bytes that tests may add to a database's write-ahead log. The log is in memory, and so are deleted rows. */
const LOG_BYTES_MAX = 64 * 1024 * 1024

/** Returns a database with only the rows that the migrations inserted. */
export async function takeEmbedded(): Promise<Embedded> {
  const known = unused.pop()
  if (known) return known
  const lite = await PGlite.create({ fs: new CopiedFiles(inject('template')) })
  const restore = new Map<string, string>()
  for (const table of await filledTables(lite)) restore.set(table, await restoring(lite, table))
  return { lite, restore, schema: await describeSchema(lite), logBytes: await logBytesOf(lite) }
}

/** Resets the database for the next test file, or closes it if tests changed its schema or filled its log. */
export async function giveBack(embedded: Embedded): Promise<void> {
  const { lite, restore, schema, logBytes } = embedded
  await lite.exec('rollback')
  await lite.exec('discard all')
  if ((await describeSchema(lite)) !== schema || (await logBytesOf(lite)) > logBytes + LOG_BYTES_MAX) {
    return lite.close()
  }
  const statements = (await filledTables(lite)).map((table) => restore.get(table) ?? `delete from ${table};`)
  // Without triggers and foreign keys, the order of the tables does not matter.
  await lite.exec(`
    set session_replication_role = replica;
    ${statements.join('\n')}
    select setval(seqrelid, seqstart, false) from pg_sequence;
    reset session_replication_role`)
  unused.push(embedded)
}

/** Returns the tables that have pages. */
async function filledTables(lite: PGlite): Promise<string[]> {
  const { rows } = await lite.query<{ name: string }>(`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`)
  return rows.map(({ name }) => name)
}

/** Returns the statements that restore the table's current rows. */
async function restoring(lite: PGlite, table: string): Promise<string> {
  const { rows } = await lite.query<{ columns: string; present: string }>(`
    select string_agg(quote_ident(attname), ', ') as columns,
      (select string_agg(quote_literal(t::text), ', ') from ${table} t) as present
    from pg_attribute
    where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
  const { columns, present } = rows[0]!
  return `
    delete from ${table} t where t::text not in (${present});
    insert into ${table} (${columns}) overriding system value
      select ${columns} from (
        select (row::${table}).* from unnest(array[${present}]) row where row not in (select t::text from ${table} t)
      ) missing;`
}

const CATALOGS = 'class attribute attrdef constraint index proc trigger type statistic db_role_setting'.split(' ')

/** Returns a text that changes with the schema and with the planner's statistics. */
async function describeSchema(lite: PGlite): Promise<string> {
  const versions = CATALOGS.map((name) => `(select (count(*), max(xmin::text::bigint))::text from pg_${name})`)
  const { rows } = await lite.query<{ text: string }>(`select concat(${versions}) as text`)
  return rows[0]!.text
}

async function logBytesOf(lite: PGlite): Promise<number> {
  const { rows } = await lite.query<{ bytes: number }>(`select (pg_current_wal_lsn() - '0/0')::float8 as bytes`)
  return rows[0]!.bytes
}
