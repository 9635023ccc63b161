/**
 * Captures the service's statements and their plans. Statements are prepared without parameter values, as in
 * production.
 */
import {
  type CompiledQuery,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { type Database, type Db, openDatabase, type Tx } from '../../src/db/database.ts'
import type { Schema } from '../../src/db/schema.ts'
import { openTestDatabase } from './database.ts'

const { TEST_DATABASE_URL } = process.env

/** The database of this run: PGlite, or PostgreSQL if TEST_DATABASE_URL is set. */
export const planners: { name: string; url: string | undefined }[] = [
  { name: TEST_DATABASE_URL ? 'PostgreSQL' : 'PGlite', url: TEST_DATABASE_URL },
]

/** Creates a migrated database for a describe block, fills it with these statements, and vacuums and analyzes it. */
export function useFilledDatabase(url: string | undefined, statements: readonly string[]): { database: Database } {
  const used = {} as { database: Database }
  let dropDatabase = async () => {}

  beforeAll(async () => {
    if (url === undefined) used.database = await openTestDatabase()
    else {
      const name = `plans_${crypto.randomUUID().replaceAll('-', '')}`
      const admin = new pg.Client({ connectionString: url })
      await admin.connect()
      await admin.query(`create database ${name} template ${inject('template')}`)
      used.database = await openDatabase({ url: Object.assign(new URL(url), { pathname: `/${name}` }).href })
      dropDatabase = async () => {
        await admin.query(`drop database ${name} with (force)`)
        await admin.end()
      }
    }
    await used.database.withClient(async (client) => {
      const fill = statements.flatMap((statement) => [PAUSE_INDEXES, statement])
      for (const statement of [WITHOUT_AUTOVACUUM, ...fill, RESUME_INDEXES, ...SETTLE]) await client.query(statement)
    })
  })

  afterAll(async () => {
    await used.database?.close()
    await dropDatabase()
  })
  return used
}

/** The partitions of a board that has run for a month: one for today and one for each of the 31 days before. */
export const MONTH_OF_EVENTS = `
  do $$ declare
    part record;
    day timestamptz := date_trunc('day', now() at time zone 'utc') at time zone 'utc';
  begin
    for part in values ('event', 'evt'), ('webhook_delivery_settled', 'evt'), ('webhook_attempt', 'whd') loop
      execute format('alter table %1$s detach partition %1$s_former', part.column1);
      execute format('drop table %s_former', part.column1);
      for n in 0..31 loop
        execute format('create table %1$s_day_%2$s partition of %1$s for values from (%3$L) to (%4$L)', part.column1, n,
          left(typeid(part.column2, day - n * interval '1 day'), 14),
          left(typeid(part.column2, day - (n - 1) * interval '1 day'), 14));
      end loop;
    end loop;
  end $$;`

/** Disables autovacuum, whose analysis would replace the statistics that `SETTLE` sets. */
const WITHOUT_AUTOVACUUM = `
  do $$ declare name regclass; begin
    for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = off, toast.autovacuum_enabled = off)', name);
    end loop;
  end $$`

/**
 * Stops the maintenance of all indexes that are not unique, and disables foreign keys and triggers. Filling tables and
 * then building their indexes takes half as long.
 */
const PAUSE_INDEXES = `
  set session_replication_role = replica;
  create temporary table if not exists paused (id oid);
  with stopped as (
    update pg_index set indisready = false, indisvalid = false
    where indisready and not indisunique and indrelid in
      (select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace)
    returning indexrelid)
  insert into paused select indexrelid from stopped`

const RESUME_INDEXES = `
  do $$ declare name regclass; begin
    for name in select id from paused join pg_index on indexrelid = id loop
      execute format('reindex index %s', name);
    end loop;
  end $$;
  drop table paused;
  set session_replication_role = default`

/**
 * Sets statistics that are the same in every run. The number of all-visible pages affects plans and depends on other
 * sessions, even after repeated vacuums. All pages are therefore declared visible.
 */
const SETTLE = [
  'vacuum (analyze)',
  `update pg_class set relallvisible = relpages where relkind = 'r' and relnamespace = 'public'::regnamespace`,
]

/** Returns the statements that `ask` sends, without running them. Answers each statement with the rows in `answer`. */
async function statementsOf<Q extends Db | Tx>(
  ask: (asked: Q) => Promise<unknown>,
  answer: readonly object[],
): Promise<CompiledQuery[]> {
  const asked: CompiledQuery[] = []
  const connection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      asked.push(query)
      return { rows: answer as R[] }
    },
    // biome-ignore lint/correctness/useYield: nothing is streamed
    async *streamQuery(): AsyncGenerator<never> {
      throw new Error('Not used')
    },
  }
  const driver = {
    async init() {},
    acquireConnection: async () => connection,
    async beginTransaction() {},
    async commitTransaction() {},
    async rollbackTransaction() {},
    async releaseConnection() {},
    async destroy() {},
  } satisfies Driver
  const kysely = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  await ask(kysely as unknown as Q)
  return asked
}

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Parent Relationship'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Plans?: PlanNode[]
}

export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** Returns the sequential scans, and the scans that read a whole index with no limit that stops them early. */
export function wholeScans(node: PlanNode, isLimited = node['Parent Relationship'] === 'InitPlan'): PlanNode[] {
  const stops = node['Node Type'] === 'Limit' || (isLimited && node['Node Type'] !== 'Sort')
  const isWhole =
    node['Node Type'] === 'Seq Scan' ||
    (/Index (Only )?Scan$/.test(node['Node Type']) && node['Index Cond'] === undefined && !isLimited)
  return [...(isWhole ? [node] : []), ...(node.Plans ?? []).flatMap((below) => wholeScans(below, stops || undefined))]
}

/**
 * Replaces the names of partitions in the plan with the names of their tables. Omits default partitions: they are
 * empty, so any plan for them is right.
 */
function withoutPartitions(node: PlanNode): PlanNode {
  const name = node['Relation Name']
  return {
    ...node,
    ...(name && { 'Relation Name': name.replace(/_day_\d+$/, '') }),
    ...(node.Plans && {
      Plans: node.Plans.filter((below) => !below['Relation Name']?.endsWith('_default')).map(withoutPartitions),
    }),
  }
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Date) return `'${value.toISOString()}'`
  if (Array.isArray(value)) {
    const items = value.map((item) =>
      item === null ? 'null' : JSON.stringify(item instanceof Date ? item.toISOString() : String(item)),
    )
    return pg.escapeLiteral(`{${items.join(',')}}`)
  }
  return pg.escapeLiteral(String(value))
}

/** The result of a list query that finds nothing. */
const emptyList = [{ total: 0, snapshot: '', changes_at: null, key_0: null, facets: {} }]

/** Returns the plan of the only statement that `ask` sends, from a session of the service's connection pool. */
export async function planOf(database: Database, ask: (db: Db) => Promise<unknown>): Promise<PlanNode> {
  const [plan, ...others] = await plansOf(database, ask, emptyList)
  expect(others).toEqual([])
  return plan!
}

/** Returns the plans of all statements that `ask` sends, if each statement returns the rows in `answer`. */
export async function plansOf<Q extends Db | Tx>(
  database: Database,
  ask: (asked: Q) => Promise<unknown>,
  answer: readonly object[] = [],
): Promise<PlanNode[]> {
  return explain(database, await statementsOf(ask, answer))
}

/** Returns the plans of statements. */
export function explain(
  database: Database,
  statements: readonly Pick<CompiledQuery, 'sql' | 'parameters'>[],
): Promise<PlanNode[]> {
  return database.withClient(async (client) => {
    const plans: PlanNode[] = []
    for (const { sql, parameters } of statements) {
      await client.query(`prepare explained as ${sql}`)
      try {
        const values = parameters.map(literal).join(', ')
        const { rows } = await client.query(`explain (format json) execute explained${values && `(${values})`}`)
        plans.push(withoutPartitions(rows[0]['QUERY PLAN'][0].Plan))
      } finally {
        await client.query('deallocate explained')
      }
    }
    return plans
  })
}
