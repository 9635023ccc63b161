export { type AlertNews, findAlertNews } from './job-alerts.news.ts'
export { listAlerts } from './job-alerts.queries.ts'
export { type Frequency, jobAlertList } from './job-alerts.schemas.ts'
export { createJobAlert } from './job-alerts.service.ts'
