/** Applies each SQL migration once, in order. A file runs in one transaction, or as a series of repeatable steps. */
import { setTimeout as after } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { type Database, type Reader, transact, WAIT_FOR_LOCKS } from './database.ts'
import { listMigrations, type MigrationFile, readMigration, type Step } from './migration-file.ts'
import { statement } from './statement.ts'

/** Key of the advisory lock that lets only one process migrate at a time; an arbitrary constant. */
const LOCK_KEY = 4_171_902_311

/**
 * How migrations wait for locks that other sessions hold, for example for a backup. A waiting migration blocks all
 * later queries on the table. Each attempt therefore ends before requests time out (5 s), and queries continue during
 * the pause.
 */
const patience = { tries: 60, waitMs: 2_000, pauseMs: 3_000 }

export interface MigrationOptions {
  /** Names of the migrations to apply. Default: all. */
  only?: readonly string[] | undefined
  /** Default: `migrations/`. */
  folder?: URL | undefined
  patience?: typeof patience
  /** Longest pause after a batch of a backfill, in milliseconds. Only tests set it. */
  batchPauseMaxMs?: number
  /** Receives a message before each retry after a lock timeout or a deadlock. */
  onBlocked?: (text: string) => void
  /** Receives a message when a step other than a backfill starts, and after each batch of a backfill. */
  onProgress?: (text: string) => void
}

/** Thrown if, at the last attempt, another session still holds a lock that a migration needs. A retry may succeed. */
export class MigrationBlocked extends Error {}

/** Applies the pending migrations. Returns the names of the migrations that this call applied. */
export function migrate(database: Database, options: MigrationOptions = {}): Promise<string[]> {
  return database.withClient((client) => migrateClient(client, options))
}

export async function migrateClient(client: ClientBase, options: MigrationOptions = {}): Promise<string[]> {
  const { only, folder } = options
  const names = (await listMigrations(folder)).filter((name) => !only || only.includes(name))
  const missing = await inTurn(client, 'Checking for migrations', options, async () => {
    await client.query(
      'create table if not exists schema_migration (name text primary key, applied_at timestamptz(3) not null default now())',
    )
    const applied = await listAppliedMigrations(client)
    return names.filter((name) => !applied.includes(name))
  })
  const applied: string[] = []
  for (const name of missing) {
    const isOurs = await applyOne(client, await readMigration(name, folder), options).catch((error) => {
      if (error instanceof MigrationBlocked) throw error
      throw new Error(`Migration ${name} failed`, { cause: error })
    })
    if (isOurs) applied.push(name)
  }
  return applied
}

/** Returns the time when a migration was applied, or undefined if it has not been applied. */
export function findAppliedAt(reader: Reader, name: string): Promise<Date | undefined> {
  return statement<{ applied_at: Date }>`
    select applied_at from schema_migration where name = ${name}`.firstValue(reader)
}

const isApplied = async (client: ClientBase, name: string) =>
  (await client.query('select from schema_migration where name = $1', [name])).rowCount === 1

/** Applies a migration; returns false if another process has already applied it. */
async function applyOne(client: ClientBase, { name, text, steps }: MigrationFile, options: MigrationOptions) {
  for (const [number, step] of (steps ?? []).entries()) {
    const what = `Migration ${name}, step ${number + 1} of ${steps!.length}`
    if (await isApplied(client, name)) return false
    try {
      if (step.kind === 'backfill') await backfill(client, { name, number, what, ...step }, options)
      else {
        options.onProgress?.(`${what}: ${step.text.replaceAll(/\s+/g, ' ')}`)
        await patiently(client, what, options, () => runStep(client, step, options))
      }
    } catch (error) {
      // Another process may have finished this migration and applied a later one that drops a table used by this step.
      if (await isApplied(client, name)) return false
      throw error
    }
  }
  return inTurn(client, `Migration ${name}`, options, async () => {
    if (await isApplied(client, name)) return false
    await client.query(steps ? `drop table if exists ${PROGRESS}` : text)
    await client.query('insert into schema_migration (name) values ($1)', [name])
    return true
  })
}

/** Runs a step. Drops and recreates an index whose concurrent build was interrupted. */
async function runStep(client: ClientBase, step: Exclude<Step, { kind: 'backfill' }>, options: MigrationOptions) {
  if (step.kind === 'definition') return void (await inTransaction(client, options, () => client.query(step.text)))
  if (step.kind !== 'index') return void (await client.query(step.text))
  // If another process created the index, `if not exists` does nothing, even if the index is incomplete or invalid.
  while (!(await inTransaction(client, options, () => isIndexValid(client, step)))) await client.query(step.text)
}

/** Returns whether the index exists and is valid; drops it if it is invalid and no process is building it. */
async function isIndexValid(client: ClientBase, { index, table }: Extract<Step, { kind: 'index' }>): Promise<boolean> {
  const { rows } = await client.query<{ is_valid: boolean; is_ours: boolean; is_building: boolean }>(
    // An index build holds this lock on the table throughout. VACUUM and ANALYZE take it too, so the caller checks
    // again.
    `select indisvalid as is_valid, indrelid = to_regclass($2) as is_ours, exists (
        select from pg_locks where relation = indrelid and mode = 'ShareUpdateExclusiveLock' and granted
          and database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()
      ) as is_building
    from pg_index where indexrelid = to_regclass($1)`,
    [index, table],
  )
  const [found] = rows
  if (!found) return false
  if (!found.is_ours) throw new Error(`The index ${index} does not belong to ${table}`)
  if (found.is_valid) return true
  const beingBuilt = () => Object.assign(new Error('The index is being built'), { code: LOCK_NOT_AVAILABLE })
  if (found.is_building) throw beingBuilt()
  await client.query(`drop index ${index}`).catch((error) => {
    // A build releases its lock shortly before other sessions see that the index is valid.
    throw error.message === 'tuple concurrently updated' ? beingBuilt() : error
  })
  return false
}

/**
 * Table that stores the progress of backfills. The table exists only during migrations that run outside a transaction.
 */
export const PROGRESS = 'schema_migration_progress'

/**
 * Longest pause after a batch of a backfill, in milliseconds. A longer stored pause is ignored, because the clock was
 * probably set back.
 */
const BATCH_PAUSE_MAX_MS = 60_000

/**
 * Runs a backfill in batches of keys. Each batch is a transaction that also stores the progress, so no batch is
 * repeated after an interruption. After each batch, all migrating processes pause for as long as the batch took, but at
 * most for `batchPauseMaxMs`.
 */
async function backfill(
  client: ClientBase,
  step: Extract<Step, { kind: 'backfill' }> & { name: string; number: number; what: string },
  options: MigrationOptions,
): Promise<void> {
  const { name, number, what, table, key, batch, isQuiet, text } = step
  const { batchPauseMaxMs = BATCH_PAUSE_MAX_MS } = options
  let done = 0
  for (;;) {
    const { keys, waitMs } = await inTurn(client, what, options, async () => {
      if (await isApplied(client, name)) return { keys: [], waitMs: 0 }
      await client.query(
        `create table if not exists ${PROGRESS} (name text, step integer, after text, resumes_at timestamptz,
          primary key (name, step))`,
      )
      const { rows } = await client.query<{ after: string; pause_ms: number }>(
        `select after, extract(epoch from resumes_at - clock_timestamp())::float8 * 1000 as pause_ms
          from ${PROGRESS} where name = $1 and step = $2`,
        [name, number],
      )
      const known = rows[0]
      if (known && known.pause_ms > 0 && known.pause_ms <= batchPauseMaxMs) return { keys: [], waitMs: known.pause_ms }
      const { rows: found } = await client.query<{ key: string }>(
        `select distinct ${key} as ordered, ${key}::text as key from ${table} ${known ? `where ${key} > $1` : ''}
          order by 1 limit ${batch}`,
        known ? [known.after] : [],
      )
      if (found.length === 0) return { keys: [], waitMs: 0 }
      if (isQuiet) await client.query('set local job_marketplace.quiet = on')
      await client.query(text, [found.map((row) => row.key)])
      await client.query(
        `insert into ${PROGRESS} values ($1, $2, $3,
            clock_timestamp() + least(clock_timestamp() - now(), $4 * interval '1 millisecond'))
          on conflict (name, step) do update set after = excluded.after, resumes_at = excluded.resumes_at`,
        [name, number, found.at(-1)!.key, batchPauseMaxMs],
      )
      return { keys: found, waitMs: 0 }
    })
    done += keys.length
    if (keys.length > 0) options.onProgress?.(`${what}: ${done} keys of ${table} so far, up to ${keys.at(-1)!.key}`)
    if (waitMs > 0) await after(waitMs)
    else if (keys.length === 0) return
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

/**
 * Runs a transaction when no other process is migrating. Retries while other sessions hold locks that the transaction
 * needs. `what` names the transaction in messages.
 */
const inTurn = <T>(client: ClientBase, what: string, options: MigrationOptions, work: () => Promise<T>): Promise<T> =>
  patiently(client, what, options, () => inTransaction(client, options, work))

async function patiently<T>(
  client: ClientBase,
  what: string,
  { patience: { tries, pauseMs } = patience, onBlocked }: MigrationOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) throw error
      const text = `${what} waits for ${await listHolders(client)}`
      if (left === 0) throw new MigrationBlocked(`${text}: stopped, safe to retry`, { cause: error })
      onBlocked?.(text)
      await after(pauseMs)
    }
  }
}

/**
 * Runs a transaction that takes the migration lock. A pooler may run the next transaction in another session, so each
 * transaction takes the lock again.
 */
function inTransaction<T>(
  client: ClientBase,
  { patience: { waitMs } = patience }: MigrationOptions,
  work: () => Promise<T>,
): Promise<T> {
  return transact(client, async () => {
    // Waits without a limit: the holder of this lock waits at most `waitMs` for other locks.
    await client.query(WAIT_FOR_LOCKS)
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    await client.query(`set local lock_timeout = ${waitMs}`)
    return work()
  })
}

/** Describes the sessions that probably hold the lock: those with the longest-running transactions. */
async function listHolders(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(`
    select pid, coalesce(nullif(application_name, ''), usename) as name,
      extract(epoch from clock_timestamp() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < clock_timestamp() - interval '1 second'
    order by xact_start limit 3`)
  const holders = rows.map(({ pid, name, seconds }) => `${name} (process ${pid}, transaction ${seconds} s old)`)
  // Only members of pg_monitor can see other roles' transactions.
  return `a lock, probably held by ${holders.join(', ') || 'a session of another role (see pg_stat_activity)'}`
}

/** Returns the names of the migrations applied to a database, in order; an empty list if it was never migrated. */
export async function listAppliedMigrations(client: ClientBase): Promise<string[]> {
  const { rows: found } = await client.query<{ is_there: boolean }>(
    "select to_regclass('schema_migration') is not null as is_there",
  )
  if (!found[0]!.is_there) return []
  const { rows } = await client.query<{ name: string }>('select name from schema_migration order by name')
  return rows.map((row) => row.name)
}

/** Returns whether every migration of this release has been applied. */
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
