/** Archives jobs that ended long ago to files, then deletes their rows (decision 0076). */
import { sql } from 'kysely'
import type { Database, Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import { archiveText } from '../../files/archive.ts'
import { neededRemovals } from '../../search/engine/queries.ts'
import { REMOVALS_KEPT } from '../../search/memory/queries.ts'
import { hasApplications } from '../applications/index.ts'
import { hasReports } from '../job-reports/index.ts'
import { hasPendingPayment } from '../payments/index.ts'
import { presentExportedJob } from './jobs.present.ts'
import { type EndedJobRow, endedJobSelection, lockJobRows } from './jobs.queries.ts'

/** Maximum number of jobs per file. A job usually takes 2 KB, but a long description alone can take more than 50 KB. */
const BATCH = 200

/**
 * Matches jobs that ended and last changed before a given time, and that have no applications, reports or pending
 * payments.
 */
const archivable = (before: Date) => sql`
  job.state <> 'inactive' and coalesce(job.deleted_at, job.expires_at) < ${before} and job.updated_at < ${before}
  and (job.state = 'deleted' or job.expiry_announced_at is not null)
  and not ${hasApplications('job.id')} and not ${hasReports('job.id')} and not ${hasPendingPayment('job.id')}`

/** Returns the archivable jobs that ended first, with every member that an import accepts. */
export function listEndedJobs(reader: Reader, before: Date, limit: number): Promise<EndedJobRow[]> {
  return statement<EndedJobRow>`
    select ${endedJobSelection()} from job where ${archivable(before)}
    order by coalesce(job.deleted_at, job.expires_at), job.id limit ${limit}`.all(reader)
}

/** Deletes archived jobs. Keeps jobs that have changed since they were read, or that are no longer archivable. */
export async function deleteArchivedJobs(tx: Tx, jobs: readonly EndedJobRow[], before: Date): Promise<number> {
  const ids = jobs.map(({ id }) => id)
  await lockJobRows(tx, sql`select unnest(${ids}::text[])`)
  const { numAffectedRows } = await sql`
    delete from job using unnest(${ids}::text[], ${jobs.map(({ updated_at }) => updated_at.toISOString())}::timestamptz[])
      as archived (id, updated_at)
    where job.id = archived.id and job.updated_at = archived.updated_at and ${archivable(before)}`.execute(tx)
  // Deletes old records of removed jobs. Every process reads these records within seconds, long before another million
  // transactions begin. Keeps records that an index of the search engine may still need.
  await sql`
    delete from removed_job
    where changed_xid < greatest(pg_current_xact_id()::text::bigint - ${sql.lit(REMOVALS_KEPT)}, 0)::text::xid8
      and changed_xid < ${neededRemovals}`.execute(tx)
  return Number(numAffectedRows)
}

/** Returns one archive line: the members that an import accepts, and `archived`, which an import ignores. */
function presentArchivedJob(row: EndedJobRow): object {
  const { state, employer_id, created_at, first_activated_at, updated_at, deleted_at, close_reason, removal_reason } =
    row
  const archived = { job_id: row.id, state, employer_id, created_at, first_activated_at, updated_at, deleted_at }
  return { ...presentExportedJob(row), archived: { ...archived, close_reason, removal_reason } }
}

/**
 * Archives one batch of jobs that ended before a given time. Writes the file to disk before it deletes the rows. After
 * a crash between these steps, the next run writes the same file again. If several files contain the same job, the
 * latest file has the newest version.
 */
export async function archiveJobs(database: Database, folder: string, before: Date): Promise<'more' | 'done'> {
  const jobs = await database.read((db) => listEndedJobs(db, before, BATCH))
  const [first] = jobs
  if (!first) return 'done'
  const text = jobs.map((job) => `${JSON.stringify(presentArchivedJob(job))}\n`).join('')
  await archiveText(folder, `jobs-${first.id}`, text)
  await database.inTx((tx) => deleteArchivedJobs(tx, jobs, before))
  return jobs.length === BATCH ? 'more' : 'done'
}
