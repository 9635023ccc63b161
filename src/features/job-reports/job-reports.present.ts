import type { ReportRow } from './job-reports.queries.ts'
import type { JobReport, JobReportDetail, ReportReason } from './job-reports.schemas.ts'

/** Returns a report for its reporter. */
export function presentReport(
  row: Pick<ReportRow, 'id' | 'job_id' | 'reason' | 'message' | 'status' | 'created_at'>,
): JobReport {
  return {
    id: row.id,
    job_id: row.job_id,
    reason: row.reason as ReportReason,
    message: row.message,
    status: row.status,
    created_at: row.created_at.toISOString(),
  }
}

/** Returns a report for admins. */
export function presentReportDetail(row: ReportRow): JobReportDetail {
  return {
    ...presentReport(row),
    job: {
      title: row.job_title,
      company: row.job_company,
      employer_id: row.employer_id,
      removed_at: row.job_removed_at?.toISOString() ?? null,
    },
    reporter_id: row.reporter_id,
    note: row.note,
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
  }
}
