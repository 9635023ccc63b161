/** Plain forward-only SQL migrations: each file of `migrations/` once, in order, in a transaction of its own. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as after } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { type Database, WAIT_FOR_LOCKS } from './database.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
/** Any constant: processes that start at once take turns. */
const LOCK_KEY = 4_171_902_311

/** The names of this release's migrations, in order. */
export async function listMigrations(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
}

/**
 * How migrations wait for the locks of others, such as a backup's. Whoever waits for a lock holds up all who come after: each
 * try gives up before requests do (5 s), and lets them by for a while.
 */
const patience = { tries: 60, waitMs: 2_000, pauseMs: 3_000 }

export interface MigrationOptions {
  /** Only these. */
  only?: readonly string[] | undefined
  patience?: typeof patience
  /** Told after each try that had to wait for too long, in words. */
  onBlocked?: (text: string) => void
}

/** Somebody held on to what a migration changes. Nothing of it is done; it can be tried again. */
export class MigrationBlocked extends Error {}

/** Applies what is missing and returns the names of what it applied. */
export function migrate(database: Database, options: MigrationOptions = {}): Promise<string[]> {
  return database.withClient((client) => migrateClient(client, options))
}

/** The same on one connection. */
export async function migrateClient(client: ClientBase, options: MigrationOptions = {}): Promise<string[]> {
  const { only } = options
  const names = (await listMigrations()).filter((name) => !only || only.includes(name))
  const findMissing = async () => {
    const { rows } = await client.query<{ name: string }>('select name from schema_migration')
    return names.filter((name) => !rows.some((row) => row.name === name))
  }
  const missing = await inTurn(client, 'Looking for migrations', options, async () => {
    await client.query(
      'create table if not exists schema_migration (name text primary key, applied_at timestamptz(3) not null default now())',
    )
    return findMissing()
  })
  const applied: string[] = []
  for (const name of missing) {
    const statements = await readFile(new URL(name, FOLDER), 'utf8')
    const isOurs = await inTurn(client, `Migration ${name}`, options, async () => {
      if (!(await findMissing()).includes(name)) return false
      await client.query(statements)
      await client.query('insert into schema_migration (name) values ($1)', [name])
      return true
    }).catch((error) => {
      if (error instanceof MigrationBlocked) throw error
      throw new Error(`Migration ${name} failed`, { cause: error })
    })
    if (isOurs) applied.push(name)
  }
  return applied
}

const LOCK_NOT_AVAILABLE = '55P03'

/** Runs a transaction beside no other of these, again while others hold what it needs; `what` names it. */
async function inTurn<T>(
  client: ClientBase,
  what: string,
  { patience: { tries, waitMs, pauseMs } = patience, onBlocked }: MigrationOptions,
  work: () => Promise<T>,
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await inTurnOnce(client, waitMs, work)
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
      const text = `${what} waits for ${await listHolders(client)}`
      if (left === 0) throw new MigrationBlocked(`${text}: given up, and can be tried again`, { cause: error })
      onBlocked?.(text)
      await after(pauseMs)
    }
  }
}

/** Its turn is its own transaction's: behind a pooler the next may have another session. */
async function inTurnOnce<T>(client: ClientBase, lockWaitMaxMs: number, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    // For its turn it waits as long as it takes: who has it migrates, or waits itself no longer than this.
    await client.query(WAIT_FOR_LOCKS)
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    await client.query(`set local lock_timeout = ${lockWaitMaxMs}`)
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Who may be in the way, in words: the transactions that have lasted longest. */
async function listHolders(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(`
    select pid, coalesce(nullif(application_name, ''), usename) as name,
      extract(epoch from clock_timestamp() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < clock_timestamp() - interval '1 second'
    order by xact_start limit 3`)
  const holders = rows.map(({ pid, name, seconds }) => `${name} (process ${pid}, its transaction ${seconds} s old)`)
  // Sessions of other roles show it only to pg_monitor.
  return `a lock that somebody holds, perhaps ${holders.join(', ') || 'a session of another role: see pg_stat_activity'}`
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
