export {
  closeAccount,
  closeForGood,
  confirmAddress,
  deleteAllApiKeys,
  findAccount,
  findAccountsByEmail,
  getAccount,
  listAllApiKeys,
  lockAccount,
  noteAddressProved,
} from './accounts.queries.ts'
export { AccountParams } from './accounts.schemas.ts'
export {
  assertNotBlocked,
  commandLineActor,
  createKeyByOperator,
  emailKey,
  getAccountData,
  KeyRing,
  type NoteActive,
  openAccount,
  renameAccount,
  storedKeyOf,
  updateAccount,
} from './accounts.service.ts'
