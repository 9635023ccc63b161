export { renderApplicationCards } from './applications.own.views.ts'
export { presentApplicationListItem } from './applications.present.ts'
export {
  applicantsOf,
  applicationsByDay,
  countApplications,
  hasApplications,
  isApplicantOf,
  listApplications,
} from './applications.queries.ts'
export { type ApplicationListItem, applicationList } from './applications.schemas.ts'
export { applicationsPersonalData, applyToJob, updateApplicationStatus } from './applications.service.ts'
