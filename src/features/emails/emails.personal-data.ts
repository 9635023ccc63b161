/** Personal data in queued and sent emails. The database does not store the emails' texts. */
import { forgetMailsTo } from '../../mail/queue.ts'
import type { PersonalData } from '../feature.ts'

export const mailsPersonalData: PersonalData = {
  name: 'mails',

  export: (reader, accountId) =>
    reader
      .selectFrom('mail')
      .select(['kind', 'subject_id', 'details', 'state', 'recipient_key', 'created_at', 'settled_at'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),

  /** `mailFileRemover` deletes the emails' files later. */
  erase: forgetMailsTo,
}
