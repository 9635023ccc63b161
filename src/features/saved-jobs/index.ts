export { listSavedJobs, savesByDay } from './saved-jobs.queries.ts'
export { type SavedJob, savedJobList } from './saved-jobs.schemas.ts'
export { presentSavedJob, saveJob } from './saved-jobs.service.ts'
