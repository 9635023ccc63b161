export { countHiring, listHiringIds } from './directory.queries.ts'
export { presentEmployer } from './employers.present.ts'
export {
  findEmployerAccountId,
  findEmployerNames,
  findImportedEmployers,
  findPicture,
  getBuyer,
  insertImportedEmployers,
  isEmployerAccount,
  joinEmployer,
  listExportedEmployers,
  stopApplicationMails,
} from './employers.queries.ts'
export {
  closeEmployer,
  ensureImportedEmployer,
  getShownEmployer,
  importedEmployerKey,
  newImportedEmployer,
  registerEmployer,
} from './employers.service.ts'
