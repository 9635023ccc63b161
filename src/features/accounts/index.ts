export { registerAccountPages } from './accounts.pages.ts'
export {
  closeAccount,
  deleteAllApiKeys,
  findAccount,
  findAccountsByEmail,
  listAllApiKeys,
  lockAccount,
  noteAddressProved,
} from './accounts.queries.ts'
export { registerAccounts } from './accounts.routes.ts'
export { ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
export {
  createKeyByOperator,
  emailKey,
  getAccountData,
  KeyRing,
  type NoteActive,
  OPERATOR_ID,
  openAccount,
  updateAccount,
} from './accounts.service.ts'
