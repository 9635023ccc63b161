export { registerAccounts } from './accounts.routes.ts'
export { ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
export { createKeyByOperator, KeyRing, OPERATOR_ID, openAccount } from './accounts.service.ts'
