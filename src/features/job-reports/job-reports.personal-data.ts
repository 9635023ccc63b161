/** Personal data of job reports: a candidate's own reports. */
import { sql } from 'kysely'
import type { PersonalData } from '../feature.ts'
import { presentReport } from './job-reports.present.ts'

export const reportsPersonalData: PersonalData = {
  name: 'job_reports',

  async export(reader, candidateId) {
    const rows = await reader
      .selectFrom('job_report')
      .select(['id', 'job_id', 'reason', 'message', 'status', 'created_at'])
      .where('reporter_id', '=', candidateId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(presentReport)
  },

  /** Keeps the report for its job, without the reporter and the message. */
  async erase(tx, candidateId) {
    await sql`
      update job_report set reporter_id = null, message = null where reporter_id = ${candidateId}`.execute(tx)
  },
}
