/** Personal data in job alerts: a candidate's alerts and their matches. */
import type { PersonalData } from '../feature.ts'
import { presentAlert } from './job-alerts.present.ts'
import { deleteAlertsOf, listAllAlerts } from './job-alerts.queries.ts'

export const alertsPersonalData: PersonalData = {
  name: 'job_alerts',

  async export(reader, candidateId) {
    const alerts = await listAllAlerts(reader, candidateId)
    return alerts.map(({ matches, ...row }) => ({
      ...presentAlert(row),
      matches: matches.map(({ job_id, matched_at }) => ({ job_id, matched_at: new Date(matched_at).toISOString() })),
    }))
  },

  erase: deleteAlertsOf,
}
