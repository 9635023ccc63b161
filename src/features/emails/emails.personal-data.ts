/** Personal data in queued and sent emails. The database does not store the text of emails. */
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

  /** `mailFileRemover` deletes the files of these emails afterward. */
  async erase(tx, accountId) {
    await tx.deleteFrom('mail').where('account_id', '=', accountId).execute()
    notify(tx, 'forgotten-mails')
  },
}
