/** What the board in memory asks the database. */
import { sql } from 'kysely'
import type { Reader } from '../db/database.ts'

/** What is kept of a job; times in milliseconds. */
export interface BoardRow {
  id: string
  number: number
  changed: number
  title_sort: string
  company_sort: string
  location_sort: string
  posted_at: number
  expires_at: number
  salary_min: number | null
  salary_max: number | null
  salary_annual_low: number | null
  salary_annual_high: number | null
  salary_currency: string | null
  application_count: number
  remote: boolean
  is_featured: boolean
  category: string
  type: string
  experience_level: string | null
  skills: string[]
}

const milliseconds = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::bigint as ${column}`)

const boardColumns = sql`
  id, number, changed_xid::text::bigint as changed, title_sort, company_sort, location_sort, ${milliseconds('posted_at')},
  ${milliseconds('expires_at')}, salary_min, salary_max, salary_annual_low, salary_annual_high, salary_currency,
  application_count, remote, is_featured, category, type, experience_level, array_to_json(skills_folded) as skills`

/** Where a reader stands: everything below the horizon it has seen, on this server. */
export interface Position {
  horizon: string
  /** Another server, as after a failover, may give the same numbers to other transactions. */
  server: string
}

/** What was written since, by the numbers of jobs and the ids of employers. */
export interface Changes extends Position {
  jobs: { number: number; changed: number }[]
  removed: number[]
  employers: { id: string; changed: number }[]
}

/** The changes that transactions at or after the horizon made, as far as they are committed. */
export async function findChanges(reader: Reader, horizon: string): Promise<Changes> {
  const { rows } = await sql<Changes>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, pg_postmaster_start_time()::text as server,
      coalesce((select json_agg(json_build_object('number', number, 'changed', changed_xid::text::bigint))
        from job where changed_xid >= ${horizon}::xid8), '[]') as jobs,
      coalesce((select json_agg(number) from removed_job where changed_xid >= ${horizon}::xid8), '[]') as removed,
      coalesce((select json_agg(json_build_object('id', id, 'changed', changed_xid::text::bigint))
        from employer where changed_xid >= ${horizon}::xid8), '[]') as employers`.execute(reader)
  return rows[0]!
}

/** Where a reader that begins now stands. */
export async function findPosition(reader: Reader): Promise<Position> {
  const { rows } = await sql<Position>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
      pg_postmaster_start_time()::text as server`.execute(reader)
  return rows[0]!
}

/** Jobs that are active and not expired, by id from after this one. */
export async function listBoardRows(reader: Reader, after: string, limit: number, now: Date): Promise<BoardRow[]> {
  const { rows } = await sql<BoardRow>`
    select ${boardColumns} from job
    where state = 'active' and (expires_at > ${now}) is true and id > ${after} order by id limit ${limit}`.execute(
    reader,
  )
  return rows
}

/** Of these jobs, those that are active and not expired. */
export async function findBoardRows(reader: Reader, numbers: readonly number[], since: string, now: Date) {
  const { rows } = await sql<BoardRow>`
    select ${boardColumns} from job
    where changed_xid >= ${since}::xid8 and number = any(${numbers}::integer[]) and state = 'active'
      and (expires_at > ${now}) is true`.execute(reader)
  return rows
}
