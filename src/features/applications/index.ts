export { presentApplicationListItem } from './applications.present.ts'
export {
  applicationsByDay,
  applicationsBySource,
  countApplications,
  countApplicationsByDay,
  hasApplications,
  listApplications,
} from './applications.queries.ts'
export { type ApplicationListItem, applicationList } from './applications.schemas.ts'
export { applyToJob, updateApplication } from './applications.service.ts'
export { renderApplicationCards } from './own-applications.views.ts'
