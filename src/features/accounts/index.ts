export { registerAccountPages } from './accounts.pages.ts'
export {
  closeAccount,
  closeForGood,
  confirmAddress,
  deleteAllApiKeys,
  findAccount,
  findAccountsByEmail,
  listAllApiKeys,
  lockAccount,
  noteAddressProved,
} from './accounts.queries.ts'
export { registerAccounts, registerAdminAccounts } from './accounts.routes.ts'
export { AccountDetailSchema, AccountSchema, ApiKeyCreatedSchema, ApiKeySchema, MeSchema } from './accounts.schemas.ts'
export {
  assertNotBlocked,
  commandLineActor,
  createKeyByOperator,
  emailKey,
  getAccountData,
  KeyRing,
  type NoteActive,
  OPERATOR_ID,
  openAccount,
  renameAccount,
  storedKeyOf,
  updateAccount,
} from './accounts.service.ts'
export { registerDeskAccountPages } from './desk-accounts.pages.ts'
