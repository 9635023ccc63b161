export { registerEmployers } from './employers.routes.ts'
export { EmployerRegisteredSchema, EmployerSchema } from './employers.schemas.ts'
export { ensureImportedEmployer, registerEmployer } from './employers.service.ts'
