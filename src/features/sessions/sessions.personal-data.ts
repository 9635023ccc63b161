import type { Reader, Tx } from '../../db/database.ts'
import { deleteSessionsOf } from './sessions.queries.ts'

export const sessionsPersonalData = {
  name: 'sessions',

  async export(reader: Reader, accountId: string): Promise<unknown> {
    const rows = await reader
      .selectFrom('session')
      .select(['id', 'created_at', 'last_seen_at', 'expires_at'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(({ id, created_at, last_seen_at, expires_at }) => ({
      id,
      created_at: created_at.toISOString(),
      last_seen_at: last_seen_at.toISOString(),
      expires_at: expires_at.toISOString(),
    }))
  },

  erase: (tx: Tx, accountId: string): Promise<void> => deleteSessionsOf(tx, accountId),
}
