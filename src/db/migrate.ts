/** Plain forward-only SQL migrations: each file of `migrations/` once, in order, in a transaction of its own. */
import { readdir, readFile } from 'node:fs/promises'
import type { ClientBase } from 'pg'
import { type Database, WAIT_FOR_LOCKS } from './database.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
/** Any constant: processes that start at once take turns. */
const LOCK_KEY = 4_171_902_311

/** The names of this release's migrations, in order. */
export async function listMigrations(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
}

/** Applies what is missing and returns the names of what it applied. */
export function migrate(database: Database): Promise<string[]> {
  return database.withClient(migrateClient)
}

/** The same on one connection, for all or only some. */
export async function migrateClient(client: ClientBase, only?: readonly string[]): Promise<string[]> {
  const names = (await listMigrations()).filter((name) => !only || only.includes(name))
  const findMissing = async () => {
    const { rows } = await client.query<{ name: string }>('select name from schema_migration')
    return names.filter((name) => !rows.some((row) => row.name === name))
  }
  const missing = await inTurn(client, async () => {
    await client.query(
      'create table if not exists schema_migration (name text primary key, applied_at timestamptz(3) not null default now())',
    )
    return findMissing()
  })
  const applied: string[] = []
  for (const name of missing) {
    const statements = await readFile(new URL(name, FOLDER), 'utf8')
    const isOurs = await inTurn(client, async () => {
      if (!(await findMissing()).includes(name)) return false
      await client.query(statements)
      await client.query('insert into schema_migration (name) values ($1)', [name])
      return true
    }).catch((error) => {
      throw new Error(`Migration ${name} failed`, { cause: error })
    })
    if (isOurs) applied.push(name)
  }
  return applied
}

/** Runs a transaction beside no other of these. Its lock is its own: behind a pooler the next may have another session. */
async function inTurn<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    await client.query(WAIT_FOR_LOCKS)
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** The names of the migrations that a database has, in order; none where nothing was migrated yet. */
export async function listAppliedMigrations(client: ClientBase): Promise<string[]> {
  const { rows: found } = await client.query<{ is_there: boolean }>(
    "select to_regclass('schema_migration') is not null as is_there",
  )
  if (!found[0]!.is_there) return []
  const { rows } = await client.query<{ name: string }>('select name from schema_migration order by name')
  return rows.map((row) => row.name)
}

/** Whether every migration of this release is in. */
export async function isMigrated(database: Database): Promise<boolean> {
  const names = await listMigrations()
  return database.withClient(async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*) from schema_migration where name = any($1::text[])',
      [names],
    )
    return rows[0]?.count === names.length
  })
}
