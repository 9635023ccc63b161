export { archiveJobs } from './jobs.archive.ts'
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
export { cardsOf, type OfferBeside, registerJobPages } from './jobs.pages.ts'
export {
  formatSalary,
  isActive,
  isAppliedForHere,
  presentExportedJob,
  presentJobCreateForm,
  presentJobDetail,
  presentJobListItem,
  presentSalary,
} from './jobs.present.ts'
export {
  addToApplicationCounts,
  findJob,
  findJobTitles,
  isOfSuspended,
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
  type JobDetail,
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
  assertNotRemoved,
  assertVisible,
  type ConsumePaidRun,
  deleteJobsOf,
  endRun,
  getVisibleJob,
  JOB_POST,
  type JobSettings,
  jobState,
  type NoteView,
  type PaidRun,
  postingOf,
  removeJob,
  renameCompany,
  restoreJob,
  resumeJobs,
  setJobFlags,
  suspendJobs,
  type ViewedBy,
} from './jobs.service.ts'
export { expirySweeper, jobPlacer, jobWords } from './jobs.tasks.ts'
export {
  ageOf,
  type BesideJob,
  type JobCard,
  renderCards,
  renderJobCards,
  renderSearchBox,
} from './jobs.views.ts'
export { registerOwnJobPages } from './own-jobs.pages.ts'
export { renderJobHead } from './own-jobs.views.ts'
