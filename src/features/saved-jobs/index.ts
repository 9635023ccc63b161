export { savesByDay } from './saved-jobs.queries.ts'
export { saveJob } from './saved-jobs.service.ts'
