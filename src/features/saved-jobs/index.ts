export { registerSavedJobs } from './saved-jobs.routes.ts'
export { SavedJobSchema } from './saved-jobs.schemas.ts'
export { savedJobsData } from './saved-jobs.service.ts'
