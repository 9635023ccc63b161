/** What is held of a candidate here, to be handed out and erased. */
import { sql } from 'kysely'
import type { PersonalData } from '../candidates/index.ts'
import { presentAlert } from './job-alerts.present.ts'
import { listAllAlerts } from './job-alerts.queries.ts'

export const alertsPersonalData: PersonalData = {
  name: 'job_alerts',
  /** The alerts, each with the jobs that it found. */
  async export(reader, candidateId) {
    const alerts = await listAllAlerts(reader, candidateId)
    return alerts.map(({ matches, ...row }) => ({
      ...presentAlert(row),
      matches: matches.map(({ job_id, matched_at }) => ({ job_id, matched_at: new Date(matched_at).toISOString() })),
    }))
  },
  /** The alerts with their matches. */
  async erase(tx, candidateId) {
    await sql`delete from job_alert where candidate_id = ${candidateId}`.execute(tx)
  },
}
