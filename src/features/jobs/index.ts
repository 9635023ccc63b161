export {
  CATEGORY_UNKNOWN,
  findImported,
  type ImportedJob,
  ImportedJobSchema,
  importJobs,
  insertPrepared,
  type JobImport,
  type PreparedImport,
  prepareImport,
} from './jobs.import.ts'
export { isActive, presentJobListItem } from './jobs.present.ts'
export { findJob, type JobListRow, type JobRow, jobListSelection, lockJob, visibleJob } from './jobs.queries.ts'
export { registerJobs } from './jobs.routes.ts'
export {
  experienceLevels,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  NamedCountSchema,
  OwnJobSchema,
} from './jobs.schemas.ts'
export {
  type ConsumePaidRun,
  getVisibleJob,
  type JobSettings,
  type PaidRun,
  renameCompany,
  setJobFlags,
} from './jobs.service.ts'
export { expirySweeper } from './jobs.tasks.ts'
