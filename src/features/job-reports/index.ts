export { hasReports } from './job-reports.queries.ts'
export { reportJob } from './job-reports.service.ts'
