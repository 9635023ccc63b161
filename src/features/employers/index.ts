export { presentEmployer } from './employers.present.ts'
export {
  employerColumn,
  employerLockText,
  findEmployerAccountId,
  findEmployerNames,
  findImportedEmployers,
  getEmployerName,
  insertImportedEmployers,
  isEmployerAccount,
  joinEmployer,
  listExportedEmployers,
  stopApplicationMails,
} from './employers.queries.ts'
export {
  closeEmployer,
  ensureImportedEmployer,
  importedEmployerKey,
  newImportedEmployer,
  registerEmployer,
} from './employers.service.ts'
