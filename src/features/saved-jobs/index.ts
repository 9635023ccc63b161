export { listSavedJobs, savesByDay } from './saved-jobs.queries.ts'
export { type MarkedSavedJob, savedJobList } from './saved-jobs.schemas.ts'
export { presentMarkedSavedJob, saveJob } from './saved-jobs.service.ts'
