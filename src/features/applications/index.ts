export { applicationReceivedMails, applicationStatusMails } from './applications.mails.ts'
export { registerApplications } from './applications.routes.ts'
export {
  ApplicationListSchema,
  ApplicationReceiptSchema,
  ApplicationSchema,
  EmployerApplicationSchema,
} from './applications.schemas.ts'
export { applicationsPersonalData, applyToJob } from './applications.service.ts'
export { registerReceivedApplicationPages } from './received-applications.pages.ts'
