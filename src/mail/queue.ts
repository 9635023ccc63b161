/** Queues mails in the transaction of their cause. A row says what about and to whom; the text is made when it is sent. */
import type { Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'

/** What mails are about. */
export type MailKind = 'job-alert' | 'application-status' | 'application-received'

export interface NewMail {
  id?: string
  kind: MailKind
  /** Whom it goes to; who has no e-mail address or opted out by the time of sending gets none. */
  accountId: string
  /** The id of the alert or application that it is about. */
  subjectId: string
  /** What its text needs to know beyond what the database holds when it is sent, such as the status that was reached. */
  details?: Record<string, unknown>
  at: Date
}

/** The row of a mail, for those who write it in a statement of their own. */
export function mailRow({ id = newId('mail'), kind, accountId, subjectId, details = {}, at }: NewMail) {
  return {
    id,
    kind,
    account_id: accountId,
    subject_id: subjectId,
    details: JSON.stringify(details),
    due_at: at,
    created_at: at,
  }
}

/** Queues mails. */
export async function queueMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  if (mails.length > 0) await tx.insertInto('mail').values(mails.map(mailRow)).execute()
}
