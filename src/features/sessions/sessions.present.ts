import type { SessionTable } from '../../db/schema.ts'

/** Returns how the person signed in. Sign-ins through an OpenID provider count as `link`. */
export const begunWith = ({ key_hash, passkey_id }: SessionTable) =>
  key_hash !== null ? 'api_key' : passkey_id !== null ? 'passkey' : 'link'
