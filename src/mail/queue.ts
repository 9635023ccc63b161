/** What features know of mails: how to queue one in the transaction of its cause, and the words that they give it. */
import { sql } from 'kysely'
import { notify, type Reader, type Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'

/** What mails are about. */
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
  /** Whom it goes to; who has no e-mail address or opted out by the time of sending gets none. */
  accountId: string
  /** The id of the alert or application that it is about. */
  subjectId: string
  /** What its text needs to know beyond what the database holds when it is sent, such as the status that was reached. */
  details?: Record<string, unknown>
  at: Date
}

/** A queued mail, as its composer gets it. */
export interface QueuedMail {
  id: string
  account_id: string
  subject_id: string
  details: Record<string, unknown>
}

/** What a mail says; how it looks is `layout.ts`'s. Plain text of any length, with any character. */
export interface Message {
  /** Another address than the account's, which is the rule. */
  to?: string
  subject: string
  paragraphs: readonly string[]
  items?: readonly { title: string; lines: readonly string[]; url: string }[]
  /** A link below everything. */
  link?: { text: string; url: string }
  /** Why the receiver gets it. */
  reason: string
  /** The id of what unsubscribing ends; absent: it was asked for and comes once. */
  unsubscribeId?: string
  /**
   * What an address gets instead that nobody has confirmed. Nothing that users typed, names included, may stand in it: anyone
   * can register an account with somebody else's address.
   */
  neutral: { subject: string; paragraph: string }
}

/**
 * Makes the message from what holds now, or answers undefined when there is nothing to send any more. What it writes is
 * committed before the mail is handed over.
 */
export type MailComposer<R extends Reader = Tx> = (
  reader: R,
  mail: QueuedMail,
  now: Date,
) => Promise<Message | undefined>

/** What following the link at a mail's end does; `id` is the `unsubscribeId` of its message. */
export interface Unsubscription {
  /** What would end, as a phrase such as `the job alert “Vans”`, or undefined when there is no such thing any more. */
  describe(reader: Reader, id: string): Promise<string | undefined>
  /** Ends it; doing so again changes nothing. */
  unsubscribe(tx: Tx, id: string, now: Date): Promise<void>
}

/** What a feature supplies for each kind of its mails. */
export interface MailFeature {
  compose: MailComposer<Reader>
  unsubscription: Unsubscription
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

/** Queues mails, in one statement however many. */
export async function queueMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return
  const rows = mails.map((mail) => ({ ...mailRow(mail), details: mail.details ?? {} }))
  await sql`
    insert into mail (id, kind, account_id, subject_id, details, due_at, created_at)
    select id, kind, account_id, subject_id, details, due_at, created_at
    from json_populate_recordset(null::mail, ${JSON.stringify(rows)}::json)`.execute(tx)
}

/** Forgets mails to anybody about these things, such as applications of a person who is erased. */
export async function forgetMailsAbout(tx: Tx, subjectIds: readonly string[]): Promise<void> {
  await sql`delete from mail where subject_id = any(${subjectIds}::text[])`.execute(tx)
  notify(tx, 'forgotten-mails')
}
