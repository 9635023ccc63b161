/** Personal data of job alerts: export and erasure. */
import { sql } from 'kysely'
import type { PersonalData } from '../feature.ts'
import { presentAlert } from './job-alerts.present.ts'
import { listAllAlerts } from './job-alerts.queries.ts'

export const alertsPersonalData: PersonalData = {
  name: 'job_alerts',
  /** Exports the alerts, each with its matches. */
  async export(reader, candidateId) {
    const alerts = await listAllAlerts(reader, candidateId)
    return alerts.map(({ matches, ...row }) => ({
      ...presentAlert(row),
      matches: matches.map(({ job_id, matched_at }) => ({ job_id, matched_at: new Date(matched_at).toISOString() })),
    }))
  },
  /** Erases the alerts with their matches. */
  async erase(tx, candidateId) {
    await sql`delete from job_alert where candidate_id = ${candidateId}`.execute(tx)
  },
}
