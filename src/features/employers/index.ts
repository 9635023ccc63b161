export { registerEmployerProfilePages } from './employer-profile.pages.ts'
export { registerEmployerPages } from './employers.pages.ts'
export { presentEmployer } from './employers.present.ts'
export {
  findEmployerNames,
  findImportedEmployers,
  insertImportedEmployers,
  listExportedEmployers,
} from './employers.queries.ts'
export { registerEmployers } from './employers.routes.ts'
export { EmployerProfileSchema, EmployerRegisteredSchema, EmployerSchema } from './employers.schemas.ts'
export {
  closeEmployer,
  ensureImportedEmployer,
  importedEmployerKey,
  newImportedEmployer,
  registerEmployer,
} from './employers.service.ts'
