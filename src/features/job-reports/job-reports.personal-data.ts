/** What is held of a candidate here: what they reported. */
import { sql } from 'kysely'
import type { PersonalData } from '../candidates/index.ts'
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

  /** The report stays, as what it is about does, without who made it and what they wrote. */
  async erase(tx, candidateId) {
    await sql`
      update job_report set reporter_id = null, message = null where reporter_id = ${candidateId}`.execute(tx)
  },
}
