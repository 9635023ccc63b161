/** Lets features queue emails in the transaction of the change that they report, and compose their texts later. */
import { sql } from 'kysely'
import { notify, type Reader, type Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'

export type MailKind =
  | 'job-alert'
  | 'application-status'
  | 'application-received'
  | 'sign-in'
  | 'address-changed'
  | 'job-removed'

export interface NewMail {
  id?: string
  kind: MailKind
  /** The recipient's account. Its email address is read when the email is sent. */
  accountId: string
  subjectId: string
  /** Data for the text that may change before the email is sent, such as an application's status. */
  details?: Record<string, unknown>
  at: Date
}

export interface QueuedMail {
  id: string
  account_id: string
  subject_id: string
  details: Record<string, unknown>
}

/** The content of an email, as plain text of any length with any characters. */
export interface Message {
  /** Default: the account's email address. */
  to?: string
  subject: string
  paragraphs: readonly string[]
  items?: readonly { title: string; lines: readonly string[]; url: string }[]
  link?: { text: string; url: string }
  reason: string
  /** The subscription that the unsubscribe link ends. Absent for a single email that the recipient requested. */
  unsubscribeId?: string
  /**
   * Content for an unconfirmed email address. It must contain no user input, not even names, because anyone can
   * register an account with somebody else's email address.
   */
  neutral: { subject: string; paragraph: string }
}

/**
 * Composes the message from current data, or returns undefined if the email is no longer needed. The composer's writes
 * are committed before the email is handed over.
 */
export type MailComposer<R extends Reader = Tx> = (
  reader: R,
  mail: QueuedMail,
  now: Date,
) => Promise<Message | undefined>

/** The effect of the unsubscribe link in an email; `id` is the `unsubscribeId` of its message. */
export interface Unsubscription {
  /** Returns a phrase for the subscription, such as `the job alert “Vans”`, or undefined if it no longer exists. */
  describe(reader: Reader, id: string): Promise<string | undefined>
  /** Ends the subscription. A repeated call changes nothing. */
  unsubscribe(tx: Tx, id: string, now: Date): Promise<void>
}

export interface MailFeature {
  compose: MailComposer<Reader>
  unsubscription: Unsubscription
}

/** Returns the row of an email, for features that insert the row in their own statement. */
export function mailRow({ id = newId('mail'), kind, accountId, subjectId, details = {}, at }: NewMail) {
  const times = { due_at: at, created_at: at }
  return { id, kind, account_id: accountId, subject_id: subjectId, details: JSON.stringify(details), ...times }
}

export async function queueMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return
  const rows = mails.map((mail) => ({ ...mailRow(mail), details: mail.details ?? {} }))
  await sql`
    insert into mail (id, kind, account_id, subject_id, details, due_at, created_at)
    select id, kind, account_id, subject_id, details, due_at, created_at
    from json_populate_recordset(null::mail, ${JSON.stringify(rows)}::json)`.execute(tx)
}

/** Deletes all emails about these subjects, regardless of the recipient. */
export async function forgetMailsAbout(tx: Tx, subjectIds: readonly string[]): Promise<void> {
  await sql`delete from mail where subject_id = any(${subjectIds}::text[])`.execute(tx)
  notify(tx, 'forgotten-mails')
}
