import { namesOf, pickMembers } from '../../lib/members.ts'
import type { ReportRow } from './job-reports.queries.ts'
import {
  type JobReport,
  type JobReportDetail,
  JobReportDetailSchema,
  JobReportSchema,
  type ReportReason,
} from './job-reports.schemas.ts'

const names = namesOf(JobReportSchema.properties)
const detailNames = namesOf(JobReportDetailSchema.properties)

/** Returns a report for its reporter. */
export function presentReport(
  row: Pick<ReportRow, 'id' | 'job_id' | 'reason' | 'message' | 'status' | 'created_at'>,
): JobReport {
  return pickMembers({ ...row, reason: row.reason as ReportReason }, names)
}

/** Returns a report for admins. */
export function presentReportDetail(row: ReportRow): JobReportDetail {
  const job = {
    title: row.job_title,
    company: row.job_company,
    employer_id: row.employer_id,
    removed_at: row.job_removed_at?.toISOString() ?? null,
  }
  return pickMembers({ ...row, reason: row.reason as ReportReason, job }, detailNames)
}
