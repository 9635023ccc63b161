import { namesOf, pickMembers } from '../../lib/members.ts'
import type { ReportRow } from './job-reports.queries.ts'
import { type JobReport, type JobReportDetail, JobReportSchema, type ReportReason } from './job-reports.schemas.ts'

const names = namesOf(JobReportSchema.properties)

/** Returns a report for its reporter. */
export function presentReport(
  row: Pick<ReportRow, 'id' | 'job_id' | 'reason' | 'message' | 'status' | 'created_at'>,
): JobReport {
  return pickMembers({ ...row, reason: row.reason as ReportReason }, names)
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
