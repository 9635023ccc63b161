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
export { AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
export {
  createKeyByOperator,
  emailKey,
  getAccountData,
  KeyRing,
  type NoteActive,
  OPERATOR_ID,
  openAccount,
  renameAccount,
  updateAccount,
} from './accounts.service.ts'
export { registerDeskAccountPages } from './desk-accounts.pages.ts'
