export { addViews } from './job-statistics.queries.ts'
export { dayOf } from './job-statistics.service.ts'
