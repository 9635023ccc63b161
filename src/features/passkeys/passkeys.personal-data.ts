/** Personal data of passkeys: their names, and when they were added and last used. */
import type { PersonalData } from '../feature.ts'
import { deletePasskeysOf, listAllPasskeys } from './passkeys.sql.ts'

export const passkeysPersonalData: PersonalData = {
  name: 'passkeys',

  async export(reader, accountId) {
    const passkeys = await listAllPasskeys(reader, accountId)
    return passkeys.map(({ id, name, created_at, last_used_at }) => ({ id, name, created_at, last_used_at }))
  },

  erase: deletePasskeysOf,
}
