/**
 * Exports and erases the personal data in queued and sent emails: recipient, time and subject. The texts of emails are
 * not stored.
 */
import { notify, type Reader, type Tx } from '../db/database.ts'

export const mailsPersonalData = {
  name: 'mails',

  async export(reader: Reader, accountId: string): Promise<unknown> {
    const rows = await reader
      .selectFrom('mail')
      .select(['kind', 'subject_id', 'details', 'state', 'created_at', 'settled_at'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map((row) => ({
      ...row,
      created_at: row.created_at.toISOString(),
      settled_at: row.settled_at?.toISOString() ?? null,
    }))
  },

  /** Deletes the emails of an account that is being erased or closed. `mailFileRemover` then deletes their files. */
  async erase(tx: Tx, accountId: string): Promise<void> {
    await tx.deleteFrom('mail').where('account_id', '=', accountId).execute()
    notify(tx, 'forgotten-mails')
  },
}
