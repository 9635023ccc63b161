export { saveJob } from './saved-jobs.service.ts'
