export { presentEmployer } from './employers.present.ts'
export {
  findEmployerNames,
  findImportedEmployers,
  insertImportedEmployers,
  listExportedEmployers,
} from './employers.queries.ts'
export {
  closeEmployer,
  ensureImportedEmployer,
  importedEmployerKey,
  newImportedEmployer,
  registerEmployer,
} from './employers.service.ts'
