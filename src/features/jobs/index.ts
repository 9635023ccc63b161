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
export { BoardLists, OfForms } from './jobs.lists.ts'
export { type OfferBeside, registerJobPages } from './jobs.pages.ts'
export {
  formatSalary,
  isActive,
  isAppliedForHere,
  presentExportedJob,
  presentJobListItem,
  presentSalary,
} from './jobs.present.ts'
export {
  addToApplicationCounts,
  findJob,
  findJobTitles,
  type JobListRow,
  type JobRow,
  jobConditions,
  jobListSelection,
  listExportedJobs,
  listOwnJobs,
  listOwnJobTitles,
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
  type JobState,
  jobList,
  NamedCountSchema,
  OwnJobSchema,
  ownJobList,
  plainJobList,
  SalarySchema,
} from './jobs.schemas.ts'
export {
  assertMayChange,
  type ConsumePaidRun,
  endRun,
  getVisibleJob,
  JOB_POST,
  type JobSettings,
  jobState,
  type NoteView,
  type PaidRun,
  postingOf,
  renameCompany,
  setJobFlags,
  type ViewedBy,
} from './jobs.service.ts'
export { expirySweeper, jobPlacer, jobWords } from './jobs.tasks.ts'
export { type BesideJob, type JobCard, jobCard, renderCards, renderJobCards, renderSearchBox } from './jobs.views.ts'
export { registerOwnJobPages } from './own-jobs.pages.ts'
export { renderJobHead } from './own-jobs.views.ts'
