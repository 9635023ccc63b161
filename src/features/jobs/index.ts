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
export { BoardLists } from './jobs.lists.ts'
export { isActive, presentExportedJob, presentJobListItem, presentSalary } from './jobs.present.ts'
export {
  addToApplicationCounts,
  findJob,
  type JobListRow,
  type JobRow,
  jobConditions,
  jobListSelection,
  listExportedJobs,
  listVisibleJobs,
  lockJob,
  lockJobRows,
  noteEmployerChange,
  visibleJob,
  visibleJobText,
} from './jobs.queries.ts'
export { registerJobs } from './jobs.routes.ts'
export {
  type CustomQuestion,
  DeletedJobSchema,
  experienceLevels,
  JobCreateSchema,
  JobDetailSchema,
  JobListSchema,
  jobList,
  NamedCountSchema,
  OwnJobSchema,
  plainJobList,
  SalarySchema,
} from './jobs.schemas.ts'
export {
  type ConsumePaidRun,
  endRun,
  getVisibleJob,
  type JobSettings,
  type PaidRun,
  renameCompany,
  setJobFlags,
} from './jobs.service.ts'
export { expirySweeper, jobPlacer } from './jobs.tasks.ts'
