import type { SessionTable } from '../../db/schema.ts'

/** Returns how the person signed in. */
export const begunWith = ({ key_hash, passkey_id }: SessionTable) =>
  key_hash !== null ? 'api_key' : passkey_id !== null ? 'passkey' : 'link'
