export { registerSavedJobs } from './saved-jobs.routes.ts'
export { SavedJobSchema } from './saved-jobs.schemas.ts'
export { savedJobsPersonalData } from './saved-jobs.service.ts'
