export {
  findImported,
  type ImportedJob,
  ImportedJobSchema,
  importJobs,
  insertPrepared,
  type JobImport,
  type PreparedImport,
  prepareImport,
  UNSPECIFIED,
} from './jobs.import.ts'
export { findJob, type JobRow, lockJob, visibleJob } from './jobs.queries.ts'
export { registerJobs } from './jobs.routes.ts'
export {
  experienceLevels,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  NamedCountSchema,
  OwnJobSchema,
} from './jobs.schemas.ts'
export { type ConsumePaidRun, type JobSettings, type PaidRun, renameCompany, setJobFlags } from './jobs.service.ts'
export { expirySweeper } from './jobs.tasks.ts'
