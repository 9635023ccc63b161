export { countHiring, listHiringIds } from './directory.queries.ts'
export { presentEmployer } from './employers.present.ts'
export {
  findEmployerAccountId,
  findEmployerNames,
  findImportedEmployers,
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
