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
export { presentJobListItem, presentSalary } from './jobs.present.ts'
export {
  findJob,
  type JobListRow,
  type JobRow,
  jobConditions,
  listJobs,
  listVisibleJobs,
  lockJob,
  visibleJob,
} from './jobs.queries.ts'
export { registerJobs } from './jobs.routes.ts'
export {
  experienceLevels,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  jobList,
  NamedCountSchema,
  OwnJobSchema,
} from './jobs.schemas.ts'
export { type ConsumePaidRun, type JobSettings, type PaidRun, renameCompany, setJobFlags } from './jobs.service.ts'
export { expirySweeper } from './jobs.tasks.ts'
