export { listAlerts } from './job-alerts.queries.ts'
export { jobAlertList } from './job-alerts.schemas.ts'
export { alertsPersonalData, createJobAlert } from './job-alerts.service.ts'
export { alertMatcher } from './job-alerts.tasks.ts'
