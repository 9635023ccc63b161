export { reportJob } from './job-reports.service.ts'
