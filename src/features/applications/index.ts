export { applicationReceivedMails, applicationStatusMails } from './applications.mails.ts'
export { applyLinks, registerOwnApplicationPages } from './applications.own.pages.ts'
export { renderApplicationCards } from './applications.own.views.ts'
export { presentApplicationListItem } from './applications.present.ts'
export { listApplications } from './applications.queries.ts'
export { registerApplications } from './applications.routes.ts'
export {
  type ApplicationListItem,
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  applicationList,
  EmployerApplicationSchema,
} from './applications.schemas.ts'
export {
  applicationsPersonalData,
  applyToJob,
  purgeApplications,
  updateApplicationStatus,
} from './applications.service.ts'
export { registerReceivedApplicationPages } from './received-applications.pages.ts'
