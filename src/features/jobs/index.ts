export { findJobCompany, type JobCompany } from './job-company.ts'
export {
  levelName,
  locationInShort,
  renderJobContent,
  renderJobFacts,
  workplaceName,
} from './job-content.views.ts'
export { idOfJobPath, jobPath, jobPathPattern } from './job-path.ts'
export {
  assertMayChange,
  assertNotRemoved,
  assertVisible,
  getVisibleJob,
  type NoteView,
  type ViewedBy,
} from './jobs.access.ts'
export { ChangeHorizon, getUpdatedUntil, sinceOf } from './jobs.changes.ts'
export { findComparedJobs, findNamedJobs, foldJobs, type NamedJob } from './jobs.copies.ts'
export { closeFedJobs, createFedJobs, extendFedJobs, releaseFedJobs, reopenFedJobs, updateFedJob } from './jobs.fed.ts'
export {
  expiryNote,
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
export {
  countOwnJobs,
  type DeskJobRow,
  type JobChangeRow,
  jobConditions,
  listDeskJobs,
  listEndingJobs,
  listExportedJobs,
  listJobChanges,
  listJobForms,
  listOwnJobs,
  listOwnJobTitles,
  listVisibleJobs,
} from './jobs.list-queries.ts'
export { deleteJobsOf, giveJobs, renameCompany, resumeJobs, suspendJobs } from './jobs.of-employer.ts'
export {
  formatSalary,
  isActive,
  isAppliedForHere,
  presentExportedJob,
  presentJobChange,
  presentJobCreateForm,
  presentJobDetail,
  presentJobListItem,
  presentSalary,
} from './jobs.present.ts'
export {
  addToApplicationCounts,
  countApplicationText,
  countJobsOnBoard,
  countPostedJobsByDay,
  type FeedMembers,
  findExistingJobTitles,
  findFeedMembers,
  findJob,
  findJobTitles,
  findNewJobBacklog,
  findSitemapMembers,
  forgetNewJobs,
  hasOpenJobs,
  isOfSuspended,
  type JobListRow,
  type JobRow,
  jobListSelection,
  jobsOnBoard,
  joinJob,
  lockJob,
  lockJobRows,
  noteEmployerChange,
  onceShown,
  openPositionsOf,
  takeNewJobs,
  testJob,
  visibleJob,
} from './jobs.queries.ts'
export {
  awaitsPublication,
  type ConsumePaidRun,
  endRun,
  lockJobToPost,
  moveExpiry,
  type PaidRun,
  postPaidJob,
  removeJob,
  restoreJob,
  setJobFlags,
} from './jobs.runs.ts'
export {
  type CustomQuestion,
  DeletedJobSchema,
  deskJobList,
  deskJobStates,
  experienceLevels,
  JobCreateSchema,
  type JobDetail,
  JobDetailSchema,
  type JobListItem,
  JobListSchema,
  JobParams,
  type JobState,
  jobList,
  NamedCountSchema,
  NamedCounts,
  ownJobList,
  plainJobList,
  SalarySchema,
} from './jobs.schemas.ts'
export { daysToAdd, isRunning, JOB_POST, type JobSettings, jobState, postingOf, RUN_DAYS_MAX } from './jobs.state.ts'
export { currencyOptions, renderFirstSteps, renderJobHead, stateBadge } from './jobs.views.ts'
export { countUnreadyJobs } from './jobs.word-queries.ts'
