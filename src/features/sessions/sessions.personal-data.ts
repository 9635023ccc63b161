/** Personal data of sessions: when they began, when they were last used, and when they expire. */
import type { PersonalData } from '../feature.ts'
import { deleteSessionsOf } from './sessions.sql.ts'

export const sessionsPersonalData: PersonalData = {
  name: 'sessions',

  export: (reader, accountId) =>
    reader
      .selectFrom('session')
      .select(['id', 'created_at', 'last_seen_at', 'expires_at'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),

  erase: deleteSessionsOf,
}
