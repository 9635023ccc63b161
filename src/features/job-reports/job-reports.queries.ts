import { type Insertable, sql } from 'kysely'
import { isShownNowhere, type Reader, type Tx } from '../../db/database.ts'
import type { Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { QueryOf } from '../../lists/query.ts'
import { type Condition, comparingColumns, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { joinJob } from '../jobs/index.ts'
import type { ReportStatus, reportList } from './job-reports.schemas.ts'

export type ReportRow = Omit<Row<'job_report'>, 'network_hash'> & {
  job_title: string
  job_company: string
  job_removed_at: Date | null
}

const columns = sql`job_report.id, job_report.job_id, job_report.employer_id, job_report.reporter_id,
  job_report.reason, job_report.message, job_report.status, job_report.note, job_report.created_at,
  job_report.decided_at, job_report.decided_by`
const ofJob = sql`job.title as job_title, job.company as job_company, job.removed_at as job_removed_at`
// The join also finds deleted jobs, because their rows still exist.
const from = () => sql`job_report ${joinJob('job_report.job_id')}`

/** Inserts a report. Returns false if the account or the network already has an open report about the job. */
export async function insertReport(tx: Tx, report: Insertable<Schema['job_report']>): Promise<boolean> {
  const inserted = await tx
    .insertInto('job_report')
    .values(report)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export function findOpenReportId(reader: Reader, jobId: string, reporterId: string): Promise<string | undefined> {
  return statement<{ id: string }>`
    select id from job_report
    where job_id = ${jobId} and reporter_id = ${reporterId} and status = 'open'`.firstValue(reader)
}

/** Returns whether a job has an open report besides this one. */
export function hasOtherOpenReport(reader: Reader, jobId: string, id: string): Promise<boolean> {
  return statement`
    select 1 from job_report where job_id = ${jobId} and status = 'open' and id <> ${id} limit 1`.exists(reader)
}

export function findReport(reader: Reader, id: string): Promise<ReportRow | undefined> {
  return statement<ReportRow>`select ${columns}, ${ofJob} from ${from()} where job_report.id = ${id}`.first(reader)
}

/** Returns the titles of the reported jobs, keyed by report ID. */
export function findReportTitles(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; title: string }>`
    select job_report.id, job.title from ${from()} where job_report.id = any(${ids}::text[])`.toMap(
    reader,
    'id',
    'title',
  )
}

/** Returns the latest reports about a job, newest first, and the numbers of all its reports and of its open reports. */
export async function listReportsOfJob(reader: Reader, jobId: string, limit: number) {
  const rows = await statement<ReportRow & { total: number; open: number }>`
    select ${columns}, ${ofJob}, count(*) over ()::int as total,
      count(*) filter (where job_report.status = 'open') over ()::int as open
    from ${from()} where job_report.job_id = ${jobId}
    order by job_report.created_at desc, job_report.id desc limit ${limit}`.all(reader)
  return { latest: rows as ReportRow[], total: rows[0]?.total ?? 0, open: rows[0]?.open ?? 0 }
}

/** Applies a decision to all open reports about a job, and deletes their network hashes. */
export async function decideOpenReports(
  tx: Tx,
  jobId: string,
  decision: { status: Exclude<ReportStatus, 'open'>; note: string | null; decidedBy: string },
  now: Date,
): Promise<void> {
  await sql`
    update job_report set status = ${decision.status}, note = ${decision.note}, decided_at = ${now},
      decided_by = ${decision.decidedBy}, network_hash = null
    where job_id = ${jobId} and status = 'open'`.execute(tx)
}

export function listReports(reader: Reader, query: QueryOf<typeof reportList>): Promise<Page<ReportRow>> {
  return listPage(reader, query, {
    table: 'job_report',
    from: from(),
    columns: sql`${columns}, ${ofJob}`,
    filters: comparingColumns('job_report', ['status', 'reason', 'job_id', 'employer_id', 'created_at']),
    sorts: {
      created_at: sortKey.time('job_report.created_at'),
      decided_at: sortKey.nullableTime('job_report.decided_at'),
    },
  })
}

/** Returns the number of reports per status. Omits statuses without reports. */
export function countReports(reader: Reader): Promise<Map<string, number>> {
  return statement<{ status: string; count: number }>`
    select status, count(*)::int as count from job_report group by status`.toMap(reader, 'status', 'count')
}

/** Deletes a batch of reports that were decided before a given time. */
export function purgeReports(tx: Tx, before: Date, limit: number): Promise<number> {
  isShownNowhere(tx)
  return statement`
    delete from job_report where id = any(array(
      select id from job_report
      where status in ('upheld', 'dismissed') and created_at < ${before} and decided_at < ${before}
      order by created_at, id limit ${limit} for update skip locked))`.affected(tx)
}

export function hasReports(jobId: string): Condition {
  return sql`exists (select from job_report where job_report.job_id = ${sql.raw(jobId)})`
}

export function listReportsBy(reader: Reader, reporterId: string) {
  return reader
    .selectFrom('job_report')
    .select(['id', 'job_id', 'reason', 'message', 'status', 'created_at'])
    .where('reporter_id', '=', reporterId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Removes the reporter and the message from all reports by an account. Keeps the reports themselves. */
export async function anonymiseReportsBy(tx: Tx, reporterId: string): Promise<void> {
  await sql`update job_report set reporter_id = null, message = null where reporter_id = ${reporterId}`.execute(tx)
}
