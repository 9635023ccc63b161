/**
 * Reads jobs to find their copies, and records which copies lists hide. The feature `duplicates` decides which jobs are
 * copies.
 */
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import { type JobRow, visibleJob } from './jobs.queries.ts'

export type NamedJob = Pick<JobRow, 'id' | 'employer_id' | 'title' | 'company' | 'duplicate_of'> & {
  is_on_board: boolean
  /** The ID of the feed that maintains the job, or null. */
  feed_id: string | null
}

/** Returns the given jobs without their texts, by ID. */
export async function findNamedJobs(reader: Reader, ids: readonly string[], now: Date): Promise<Map<string, NamedJob>> {
  const rows = await statement<NamedJob>`
    select id, employer_id, title, company, duplicate_of, source ->> 'feed_id' as feed_id, (${visibleJob(now)}) is true as is_on_board
    from job where id = any(${ids}::text[])`.all(reader)
  return new Map(rows.map((row) => [row.id, row]))
}

type ComparedRow = Pick<
  JobRow,
  'id' | 'title' | 'company' | 'type' | 'location' | 'description' | 'requirements' | 'benefits'
> & { places: number[] | null }

/** Returns the columns that a comparison needs, by job ID. */
export async function findComparedJobs(reader: Reader, ids: readonly string[]): Promise<Map<string, ComparedRow>> {
  const rows = await statement<ComparedRow>`
    select id, title, company, type, array_to_string(location || locations, ' ') as location, description, requirements, benefits, places
    from job where id = any(${ids}::text[])`.all(reader)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Sets or clears, for each job, the copy that lists show instead of the job. */
export async function foldJobs(tx: Tx, originals: ReadonlyMap<string, string | null>): Promise<void> {
  const ids = [...originals.keys()]
  if (ids.length === 0) return
  await sql`select from job where id = any(${ids}::text[]) order by id for no key update`.execute(tx)
  await sql`
    update job set duplicate_of = folded.duplicate_of
    from unnest(${ids}::text[], ${[...originals.values()]}::text[]) as folded (id, duplicate_of)
    where job.id = folded.id`.execute(tx)
}
