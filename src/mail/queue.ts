/** Lets features queue an email in the transaction of its cause, and compose its text. */
import { sql } from 'kysely'
import { notify, type Reader, type Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'

/** The kinds of emails. */
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
  /** The receiver. No email is sent if the account has no email address or has opted out by then. */
  accountId: string
  /** The ID of the alert or application that the email is about. */
  subjectId: string
  /** Data for the text that the database will not have when the email is sent, such as a status that was reached. */
  details?: Record<string, unknown>
  at: Date
}

/** A queued email, as its composer receives it. */
export interface QueuedMail {
  id: string
  account_id: string
  subject_id: string
  details: Record<string, unknown>
}

/** The content of an email; `layout.ts` defines its appearance. Plain text of any length, with any character. */
export interface Message {
  /** The receiver's email address. Default: the account's. */
  to?: string
  subject: string
  paragraphs: readonly string[]
  items?: readonly { title: string; lines: readonly string[]; url: string }[]
  /** A link after the content. */
  link?: { text: string; url: string }
  /** Why the receiver gets the email. */
  reason: string
  /** The ID of the subscription that unsubscribing ends; absent for a single email that the receiver requested. */
  unsubscribeId?: string
  /**
   * Replaces the content for an unconfirmed email address. It must contain no user input, not even names: anyone can
   * register an account with somebody else's email address.
   */
  neutral: { subject: string; paragraph: string }
}

/**
 * Composes the message from current data, or returns undefined if it is no longer needed. Writes of the composer are
 * committed before the email is handed over.
 */
export type MailComposer<R extends Reader = Tx> = (
  reader: R,
  mail: QueuedMail,
  now: Date,
) => Promise<Message | undefined>

/** The effect of the unsubscribe link in an email; `id` is the `unsubscribeId` of its message. */
export interface Unsubscription {
  /** Returns what would end, as a phrase such as `the job alert “Vans”`; undefined if it no longer exists. */
  describe(reader: Reader, id: string): Promise<string | undefined>
  /** Ends the subscription; repeating it changes nothing. */
  unsubscribe(tx: Tx, id: string, now: Date): Promise<void>
}

/** A feature's part for each kind of its emails. */
export interface MailFeature {
  compose: MailComposer<Reader>
  unsubscription: Unsubscription
}

/** Returns the row of an email, for features that insert it in their own statement. */
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

/** Queues any number of emails in one statement. */
export async function queueMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return
  const rows = mails.map((mail) => ({ ...mailRow(mail), details: mail.details ?? {} }))
  await sql`
    insert into mail (id, kind, account_id, subject_id, details, due_at, created_at)
    select id, kind, account_id, subject_id, details, due_at, created_at
    from json_populate_recordset(null::mail, ${JSON.stringify(rows)}::json)`.execute(tx)
}

/** Deletes emails to anyone about these subjects, such as the applications of an erased person. */
export async function forgetMailsAbout(tx: Tx, subjectIds: readonly string[]): Promise<void> {
  await sql`delete from mail where subject_id = any(${subjectIds}::text[])`.execute(tx)
  notify(tx, 'forgotten-mails')
}
