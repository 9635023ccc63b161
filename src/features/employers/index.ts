export { countHiring, listHiringIds } from './directory.queries.ts'
export { queueToEmployer } from './employers.mails.ts'
export { presentEmployer } from './employers.present.ts'
export {
  findEmployer,
  findEmployerAccountId,
  findEmployerNames,
  findImportedEmployers,
  findPicture,
  getBuyer,
  type ImportedEmployer,
  insertImportedEmployers,
  isEmployerAccount,
  joinEmployer,
  listClaimed,
  listExportedEmployers,
  lockImportedEmployers,
  type OwnEmployerRow,
  stopApplicationMails,
} from './employers.queries.ts'
export {
  closeEmployer,
  getShownEmployer,
  importedEmployerKey,
  newImportedEmployer,
  registerEmployer,
} from './employers.service.ts'
export { giveBack, isDomainTaken, lockDomain, setVerifiedDomain, takeOver } from './employers.verification.ts'
