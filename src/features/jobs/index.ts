export { configuredCategories, configuredTypes, nameOfSlug, withCounts } from './jobs.catalogue.ts'
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
export { type OfferBeside, registerJobPages } from './jobs.pages.ts'
export { formatSalary, isActive, presentExportedJob, presentJobListItem, presentSalary } from './jobs.present.ts'
export {
  addToApplicationCounts,
  findJob,
  type JobListRow,
  type JobRow,
  jobConditions,
  jobListSelection,
  listExportedJobs,
  listOwnJobs,
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
  type JobListItem,
  JobListSchema,
  jobList,
  NamedCountSchema,
  OwnJobSchema,
  ownJobList,
  plainJobList,
  SalarySchema,
} from './jobs.schemas.ts'
export {
  type ConsumePaidRun,
  getVisibleJob,
  type JobSettings,
  type PaidRun,
  renameCompany,
  setJobFlags,
} from './jobs.service.ts'
export { expirySweeper, jobPlacer } from './jobs.tasks.ts'
export { type BesideJob, renderJobCards, renderSearchBox } from './jobs.views.ts'
