export { registerSavedJobPages, saveButtons } from './saved-jobs.pages.ts'
export { registerSavedJobs } from './saved-jobs.routes.ts'
export { SavedJobSchema } from './saved-jobs.schemas.ts'
export { savedJobsPersonalData, saveJob } from './saved-jobs.service.ts'
