import { namesOf, pickMembers } from '../../lib/members.ts'
import type { AlertRow } from './job-alerts.queries.ts'
import { type JobAlert, JobAlertSchema } from './job-alerts.schemas.ts'

const names = namesOf(JobAlertSchema.properties)

export const presentAlert = (row: AlertRow): JobAlert => pickMembers(row, names)
