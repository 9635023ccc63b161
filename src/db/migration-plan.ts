/**
 * Shows the effects of pending migrations: locks, and estimated row counts and durations. The locks are observed on an
 * empty copy of the database or, outside a transaction, derived from the kind of statement.
 */
import type { ClientBase } from 'pg'
import { type Database, transact } from './database.ts'
import { listAppliedMigrations, migrateClient } from './migrate.ts'
import { listMigrations, type MigrationFile, readMigration, type Step, splitStatements } from './migration-file.ts'

/** The table lock modes of migrations, weakest first, and the operations that each mode blocks. */
const lockModes = {
  RowExclusiveLock: ['ROW EXCLUSIVE', 'blocks writes to the same rows'],
  ShareUpdateExclusiveLock: ['SHARE UPDATE EXCLUSIVE', 'blocks neither reads nor writes'],
  ShareLock: ['SHARE', 'blocks writes'],
  ShareRowExclusiveLock: ['SHARE ROW EXCLUSIVE', 'blocks writes'],
  ExclusiveLock: ['EXCLUSIVE', 'blocks writes'],
  AccessExclusiveLock: ['ACCESS EXCLUSIVE', 'blocks reads and writes'],
} as const
export type LockMode = keyof typeof lockModes
export const modes = Object.keys(lockModes) as LockMode[]

/** How a statement processes the rows of a table. */
export type Pass = 'scan' | 'index' | 'word-index' | 'write' | 'backfill'

/** The effect of a statement on a table that existed before the migration. */
export interface Effect {
  table: string
  /** The strongest lock on the table that the transaction holds so far. */
  mode: LockMode
  /** Absent if the statement processes no rows. */
  pass?: Pass
}

export interface ExaminedStatement {
  text: string
  /** Whether the locks end with the statement, because the migration does not run in one transaction. */
  isStep?: boolean
  effects: Effect[]
}

/** An effect with the row count of the real table and the estimated duration. */
export type PlannedEffect = Effect & { rows: number; seconds: number }

export interface PlannedMigration {
  name: string
  isTransaction: boolean
  statements: { text: string; effects: PlannedEffect[] }[]
}

/**
 * Seconds per row, measured on the table `job` with 200,000 rows in PostgreSQL 15 on two busy cores. The figures are
 * for a constraint check, an index on two columns, a GIN index on all words, an update, and a backfill. The backfill
 * updates batches of 1,000 rows, with pauses. Jobs have the widest rows and the most indexes; other tables take less
 * time.
 */
const secondsPerRow: Record<Pass, number> = {
  scan: 0.6e-6,
  index: 5.5e-6,
  'word-index': 225e-6,
  write: 500e-6,
  backfill: 610e-6,
}

/** Returns the effects of a database's pending migrations, in order. `scratch` is a separate empty database. */
export async function planMigrations(database: Database, scratch: Database, folder?: URL): Promise<PlannedMigration[]> {
  const { applied, rowsOf } = await database.withClient(async (client) => ({
    applied: await listAppliedMigrations(client),
    rowsOf: await countRows(client),
  }))
  const planned: PlannedMigration[] = []
  await scratch.withClient(async (client) => {
    await migrateClient(client, { only: applied, folder })
    for (const name of await listMigrations(folder)) {
      if (applied.includes(name)) continue
      const file = await readMigration(name, folder)
      const statements = (await examineMigration(client, file, folder)).map(({ text, effects }) => ({
        text,
        effects: effects.map((effect) => {
          const rows = rowsOf.get(effect.table) ?? 0
          return { ...effect, rows, seconds: effect.pass ? rows * secondsPerRow[effect.pass] : 0 }
        }),
      }))
      planned.push({ name, isTransaction: file.steps === undefined, statements })
    }
  })
  return planned
}

/** Returns the planner's estimate of each table's row count; counts the rows if there is no estimate yet. */
async function countRows(client: ClientBase): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; rows: number }>(
    "select relname as name, reltuples::bigint as rows from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace",
  )
  const counts = new Map(rows.map((table) => [table.name, table.rows]))
  for (const [name, estimate] of counts) {
    if (estimate >= 0) continue
    const { rows: counted } = await client.query<{ count: number }>(`select count(*) from ${name}`)
    counts.set(name, counted[0]!.count)
  }
  return counts
}

export function* describePlan(planned: readonly PlannedMigration[]): Generator<string> {
  for (const { name, isTransaction, statements } of planned) {
    yield `${name}: ${isTransaction ? 'one transaction, which holds its locks to the end' : 'outside a transaction, step by step'}`
    for (const { text, effects } of statements) {
      const line = text.replaceAll(/\s+/g, ' ')
      yield `  ${line.length > LINE_MAX ? `${line.slice(0, LINE_MAX - 1)}…` : line}`
      for (const effect of effects) yield `    ${describeEffect(effect)}`
      if (effects.length === 0) yield '    no lock on existing tables'
    }
  }
}

const LINE_MAX = 110
const passes: Record<Pass, string> = {
  scan: 'reads',
  index: 'indexes',
  'word-index': 'indexes the words of',
  write: 'writes',
  backfill: 'writes in batches',
}

function describeEffect({ table, mode, pass, rows, seconds }: PlannedEffect): string {
  const [name, blocks] = lockModes[mode]
  const duration = seconds < 1 ? 'less than a second' : `up to ${Math.ceil(seconds)} s`
  const work = pass ? `${passes[pass]} up to ${rows} rows, ${duration}` : 'immediate'
  return `${table}: ${name} (${blocks}), ${work}`
}

/** Applies a migration to an empty database that has all earlier migrations, and returns each statement's effects. */
export async function examineMigration(
  client: ClientBase,
  { name, text, steps }: MigrationFile,
  folder?: URL,
): Promise<ExaminedStatement[]> {
  if (steps) {
    const tableOf = await findTablesOfIndexes(client)
    await migrateClient(client, { only: [name], folder })
    return steps.map((step) => ({ text: step.text, isStep: true, effects: effectsOf(step, tableOf) }))
  }
  const examined: ExaminedStatement[] = []
  await transact(client, async () => {
    // Forces sequential scans, which the table's statistics count.
    await client.query(
      'set local enable_seqscan = on; set local enable_indexscan = off; set local enable_bitmapscan = off',
    )
    let before = await measureTables(client)
    const isKnown = before
    for (const statement of splitStatements(text)) {
      await client.query(statement.text)
      const after = await measureTables(client)
      const effects = [...after].flatMap(([table, now]): Effect[] => {
        const then = before.get(table)
        const mode = modes.findLast((one) => now.modes.includes(one))
        if (!isKnown.has(table) || !then || !mode) return []
        const pass = passBetween(then, now)
        return pass || now.modes.length > then.modes.length ? [{ table, mode, ...(pass && { pass }) }] : []
      })
      examined.push({ text: statement.text, effects })
      before = after
    }
    await client.query('insert into schema_migration (name) values ($1)', [name])
  })
  return examined
}

/** Returns the table of each index, by the index's name. */
async function findTablesOfIndexes(client: ClientBase): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ index: string; table: string }>(
    'select indexname as index, tablename as table from pg_indexes where schemaname = current_schema()',
  )
  return new Map(rows.map(({ index, table }) => [index, table]))
}

function effectsOf(step: Step, tableOf: ReadonlyMap<string, string>): Effect[] {
  if (step.kind === 'drop-index') {
    const table = tableOf.get(step.index)
    return table === undefined ? [] : [{ table, mode: 'ShareUpdateExclusiveLock' }]
  }
  const { kind, table, text } = step
  if (kind === 'definition') return [{ table, mode: 'AccessExclusiveLock' }]
  if (kind === 'backfill') return [{ table, mode: 'RowExclusiveLock', pass: kind }]
  return [{ table, mode: 'ShareUpdateExclusiveLock', pass: /\busing gin\b/i.test(text) ? 'word-index' : kind }]
}

interface Measure {
  modes: LockMode[]
  scans: number
  indexes: number
  wordIndexes: number
  /** The table's file, which changes when the table is rewritten. */
  storage: string
}

function passBetween(then: Measure, now: Measure): Pass | undefined {
  const writes = now.modes.includes('RowExclusiveLock')
  const isScanned = now.scans !== then.scans
  if ((writes && !then.modes.includes('RowExclusiveLock')) || now.storage !== then.storage) return 'write'
  if (!isScanned) return undefined
  if (now.wordIndexes > then.wordIndexes) return 'word-index'
  if (now.indexes > then.indexes) return 'index'
  return writes ? 'write' : 'scan'
}

async function measureTables(client: ClientBase): Promise<Map<string, Measure>> {
  const { rows } = await client.query<Measure & { name: string }>(`
    with held as materialized (
      select relation, array_agg(mode) as modes from pg_locks where pid = pg_backend_pid() group by relation)
    select class.relname as name, pg_stat_get_xact_numscans(class.oid) as scans, pg_relation_filenode(class.oid)::text as storage,
      coalesce(total, 0) as indexes, coalesce(gin, 0) as "wordIndexes", coalesce(modes, '{}') as modes
    from pg_class as class left join (
      select indrelid, count(*) as total, count(*) filter (where amname = 'gin') as gin
      from pg_index join pg_class as index on index.oid = indexrelid join pg_am on pg_am.oid = index.relam
      group by indrelid) as indexes on indrelid = class.oid left join held on relation = class.oid
    where class.relkind = 'r' and class.relnamespace = current_schema()::regnamespace`)
  return new Map(rows.map(({ name, ...measure }) => [name, measure]))
}
