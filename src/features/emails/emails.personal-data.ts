/** Personal data of queued and sent emails: recipient, time and subject. The texts of emails are not stored. */
import { notify } from '../../db/database.ts'
import type { PersonalData } from '../feature.ts'

export const mailsPersonalData: PersonalData = {
  name: 'mails',

  export: (reader, accountId) =>
    reader
      .selectFrom('mail')
      .select(['kind', 'subject_id', 'details', 'state', 'created_at', 'settled_at'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),

  /** `mailFileRemover` deletes the files of the emails afterward. */
  async erase(tx, accountId) {
    await tx.deleteFrom('mail').where('account_id', '=', accountId).execute()
    notify(tx, 'forgotten-mails')
  },
}
