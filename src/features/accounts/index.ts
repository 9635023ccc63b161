export { closeAccount } from './accounts.queries.ts'
export { registerAccounts } from './accounts.routes.ts'
export { ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
export {
  createKeyByOperator,
  getAccountData,
  KeyRing,
  OPERATOR_ID,
  openAccount,
  updateAccount,
} from './accounts.service.ts'
