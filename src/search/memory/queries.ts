/** Database queries of the in-memory board. */
import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import type { IdPart } from '../../lib/id-parts.ts'
import { languageCode } from '../language-code.ts'
import { type BoardRow, copiedColumns } from './columns.ts'
import type { WordsRow } from './texts.ts'

export interface ChangedRow extends BoardRow {
  /** The search vector as text. */
  vector: string
}

const milliseconds = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::bigint as ${column}`)

export const boardColumns = sql`
  ${sql.raw(Object.keys(copiedColumns).join(', '))}, ${milliseconds('posted_at')}, ${milliseconds('expires_at')},
  array_to_json(skills_folded) as skills, array_to_json(places) as places,
  array_to_json(areas) as areas, array_to_json(nullif(locations_folded, '{}')) as locations, ${languageCode} as language, octet_length(description) as description_bytes,
  duplicate_of is not null as is_folded`

/**
 * Identifies the server and the database. The value changes if another database replaces this one under the same name.
 */
export const server = sql`
  pg_postmaster_start_time()::text || ' ' || (select oid from pg_database where datname = current_database())`

/**
 * Identifies the history of transactions. The first two words identify the database and stay the same after a failover.
 * The rest changes when a server starts, because a restarted server may have lost transactions and may reuse their IDs.
 */
export const history = sql`(select system_identifier from pg_control_system()) || ' ' ||
  (select oid from pg_database where datname = current_database()) || ' ' || ${server}`

/** A position in a server's history. The reader has seen all transactions below the horizon. */
export interface Position {
  horizon: string
  /** Another server, for example after a failover, may use the same transaction IDs for other transactions. */
  server: string
}

/** The changes of transactions that the reader had not seen yet. */
export interface Changes extends Position {
  jobs: { id: string; number: number; xid: string; is_on_board: boolean }[]
  /** Current rows of the changed jobs on the board, up to a limit. `listChangedRows` returns the rest. */
  rows: ChangedRow[]
  removed: { number: number; xid: string }[]
  employers: { id: string; xid: string }[]
}

/** Number of rows read at a time. A vector can take 1 MB, and a Node.js string cannot exceed 512 MB. */
export const CHANGED_ROWS_MAX = 200

const onBoard = (now: Date) => sql`state = 'active' and (expires_at > ${now}) is true`

/** Returns the committed changes at or above the horizon, except those in `taken`. */
export async function findChanges(
  reader: Reader,
  { horizon }: Position,
  taken: readonly string[],
  now: Date,
): Promise<Changes> {
  // The upper bound excludes rows from another server's dump, because their transaction IDs can exceed those of this
  // server.
  const unseen = sql`changed_xid >= ${horizon}::xid8 and changed_xid < pg_snapshot_xmax(pg_current_snapshot())
    and changed_xid <> all(${taken}::xid8[])`
  const { rows } = await sql<Changes>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, ${server} as server,
      coalesce((select json_agg(json_build_object('id', id, 'number', number, 'xid', changed_xid::text,
          'is_on_board', ${onBoard(now)}))
        from job where ${unseen}), '[]') as jobs,
      coalesce((select json_agg(to_json(change))
        from (select ${boardColumns}, coalesce(search, '')::text as vector from job
          where ${unseen} and ${onBoard(now)} limit ${sql.lit(CHANGED_ROWS_MAX)}) as change), '[]') as rows,
      coalesce((select json_agg(json_build_object('number', number, 'xid', changed_xid::text))
        from removed_job where ${unseen}), '[]') as removed,
      coalesce((select json_agg(json_build_object('id', id, 'xid', changed_xid::text))
        from employer where ${unseen}), '[]') as employers`.execute(reader)
  return rows[0]!
}

/** Minimum number of transactions for which the database keeps the records of removed jobs. */
export const REMOVALS_KEPT = 1_000_000

/**
 * Returns the current history, and the ID that follows its latest ended transaction. A restore into the same database
 * replaces the files of its tables.
 */
export async function findTableHistory(reader: Reader): Promise<{ history: string; end: string }> {
  const files = ['job', 'employer', 'removed_job'].map((table) => sql`pg_relation_filenode(${table}::regclass)`)
  const { rows } = await sql<{ history: string; end: string }>`
    select concat_ws(' ', ${sql.join(files)}, ${history}) as history,
      pg_snapshot_xmax(pg_current_snapshot())::text as end`.execute(reader)
  return rows[0]!
}

/** Returns the number of jobs that have changed at or above the horizon, up to a limit. */
export async function countChanges(reader: Reader, horizon: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (select 1 from job
      where changed_xid >= ${horizon}::xid8 and changed_xid < pg_snapshot_xmax(pg_current_snapshot())
      limit ${limit}) as change`.execute(reader)
  return rows[0]!.count
}

export async function listChangedRows(reader: Reader, ids: readonly string[], now: Date): Promise<ChangedRow[]> {
  const { rows } = await sql<ChangedRow>`
    select ${boardColumns}, coalesce(search, '')::text as vector from job
    where id = any(${ids}::text[]) and ${onBoard(now)}`.execute(reader)
  return rows
}

export async function findPosition(reader: Reader): Promise<Position> {
  const { rows } = await sql<Position>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
      ${server} as server`.execute(reader)
  return rows[0]!
}

/** Returns jobs on the board, ordered by ID, starting after an ID. */
export async function listBoardRows(reader: Reader, after: string, limit: number, now: Date): Promise<BoardRow[]> {
  const { rows } = await sql<BoardRow>`
    select ${boardColumns} from job
    where ${onBoard(now)} and id > ${after} order by id limit ${limit}`.execute(reader)
  return rows
}

/** Returns a part of the IDs of the jobs that lists show, in ascending order. */
export async function listBoardIds(reader: Reader, { from, skip, limit }: IdPart, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from job where ${onBoard(now)} and duplicate_of is null and id >= ${from} order by id offset ${skip} limit ${limit}`.execute(
    reader,
  )
  return rows.map(({ id }) => id)
}

/**
 * For each operand, returns the numbers of the matching active jobs, four bytes per number, or null if no job matches.
 * Indexes store no weights, so operands with weights search the headings, which are small enough to scan.
 */
export async function findMatching(reader: Reader, operands: readonly string[]): Promise<(Buffer | null)[]> {
  const weighted = operands.filter((operand) => ASKS_FOR_WEIGHT.test(operand))
  const plain = operands.filter((operand) => !ASKS_FOR_WEIGHT.test(operand))
  const parts = []
  if (plain.length > 0) parts.push(matching('job_search', 'search', plain))
  if (weighted.length > 0) parts.push(matching('job_headings', 'headings', weighted))
  if (parts.length === 0) return []
  const { rows } = await sql<{ operand: string; numbers: Buffer | null }>`
    ${sql.join(parts, sql` union all `)}`.execute(reader)
  const found = new Map(rows.map(({ operand, numbers }) => [operand, numbers]))
  return operands.map((operand) => found.get(operand)!)
}

const ASKS_FOR_WEIGHT = /':\*?[AB]/

/**
 * Uses the same SQL for any number of operands, so that it is prepared only once. Each operand uses its own index
 * lookup.
 */
function matching(table: string, vector: string, operands: readonly string[]) {
  return sql`
    select wanted.operand, found.numbers from unnest(${operands}::text[]) as wanted (operand),
      lateral (select string_agg(int4send(number), '') as numbers from ${sql.table(table)}
        where ${sql.ref(vector)} @@ wanted.operand::tsquery) as found`
}

/** Returns the search vectors of active jobs. */
export async function listVectors(reader: Reader, numbers: readonly number[]): Promise<WordsRow[]> {
  const { rows } = await sql<WordsRow>`
    select number, search::text as vector from job_search where number = any(${numbers}::int[])`.execute(reader)
  return rows
}
