export { findJob, type JobRow, lockJob, visibleJob } from './jobs.queries.ts'
export { registerJobs } from './jobs.routes.ts'
export {
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  NamedCountSchema,
  OwnJobSchema,
  SalarySchema,
} from './jobs.schemas.ts'
export { type ConsumePaidRun, type JobSettings, type PaidRun, renameCompany, setJobFlags } from './jobs.service.ts'
export { expirySweeper } from './jobs.tasks.ts'
