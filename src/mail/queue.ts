/** Queues emails in the transaction of the change that they report. Features compose the texts later. */
import { type RawBuilder, sql } from 'kysely'
import { notify, type Reader, type Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import { DAY_MS } from '../lib/time.ts'

/** Time for which the service keeps an email after recording the outcome, in milliseconds. */
export const SETTLED_KEPT_MS = 30 * DAY_MS

export const mailKinds = [
  'job-alert',
  'application-status',
  'application-received',
  'application-sent',
  'application-withdrawn',
  'application-message',
  'sign-in',
  'address-changed',
  'passkey-added',
  'company-claim',
  'invitation',
  'job-expiring',
  'job-removed',
  'job-reported',
  'payment-pending',
  'payment-received',
  'feed-failing',
  'feed-held',
  'webhook-disabled',
  'webhook-failing',
] as const
export type MailKind = (typeof mailKinds)[number]

export interface NewMail {
  id?: string
  kind: MailKind
  /** The recipient's account. The recipient's email address is read when the email is sent. */
  accountId: string
  /** The member of the account who is the recipient. Absent or null: the account itself. */
  memberId?: string | null
  subjectId: string
  /** Data as of `at` that may have changed by the time the email is sent, such as an application's status. */
  details?: Record<string, unknown>
  at: Date
  /** Earliest time to send the email. Default: `at`. */
  dueAt?: Date
}

export interface QueuedMail {
  id: string
  account_id: string
  member_id: string | null
  subject_id: string
  details: Record<string, unknown>
  /** The ID of the email that this one sends again, at an operator's request. */
  repeats: string | null
}

/** The content of an email: unescaped plain text of any length. */
export interface Message {
  /** Default: the email address of the member or the account. */
  to?: string
  /** True if the operator configured `to`, which therefore needs no confirmation. */
  isToOperator?: boolean
  subject: string
  paragraphs: readonly string[]
  /** Labels and values, such as bank details. */
  facts?: readonly (readonly [label: string, value: string])[]
  items?: readonly { title: string; lines: readonly string[]; url: string }[]
  link?: { text: string; url: string }
  reason: string
  /**
   * The subscription that the unsubscribe link ends. Absent in emails without a subscription, such as sign-in links.
   */
  unsubscribeId?: string
  /**
   * Content for an unconfirmed email address. Must not contain any user input, even names, because anyone can register
   * an account with another person's email address.
   */
  neutral: { subject: string; paragraph: string }
}

/**
 * Composes the message from current data, or returns undefined if the email is no longer needed. The composer's writes
 * are committed before the email is sent.
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

/** An email with fictional data, for previews. */
export interface MailSample {
  /** Distinguishes the samples of one kind. */
  name?: string
  message: Message
}

export interface MailFeature {
  compose: MailComposer<Reader>
  unsubscription: Unsubscription
  /** Returns samples in the current language. */
  samples(): readonly MailSample[]
}

/** Returns an email's row, for features that insert it in their own statement. */
export function mailRow({ kind, accountId, memberId, subjectId, at, ...mail }: NewMail) {
  const { id = newId('mail'), details = {}, dueAt = at } = mail
  const recipient = { account_id: accountId, member_id: memberId ?? null }
  const times = { due_at: dueAt, created_at: at }
  return { id, kind, ...recipient, subject_id: subjectId, details, ...times }
}

const columns = ['id', 'kind', 'account_id', 'member_id', 'subject_id', 'details', 'due_at', 'created_at']

/** Returns SQL text that inserts emails for each row of `from`. `mails` is a parameter: a JSON array of mail rows. */
export const mailInsertionText = (mails: string, from: string): string => `
  insert into mail (${columns.join(', ')}) select ${columns.map((name) => `queued.${name}`).join(', ')}
  from ${from}, json_populate_recordset(null::mail, ${mails}::json) as queued`

export async function queueMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return
  const names = sql.raw(columns.join(', '))
  await sql`
    insert into mail (${names}) select ${names}
    from json_populate_recordset(null::mail, ${JSON.stringify(mails.map(mailRow))}::json)`.execute(tx)
}

/** Deletes all emails to an account. */
export async function forgetMailsTo(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('mail').where('account_id', '=', accountId).execute()
  notify(tx, 'forgotten-mails')
}

/** Deletes all emails about these subjects, regardless of the recipient. */
export async function forgetMailsAbout(tx: Tx, subjectIds: readonly string[]): Promise<void> {
  await sql`delete from mail where subject_id = any(${subjectIds}::text[])`.execute(tx)
  notify(tx, 'forgotten-mails')
}

/**
 * Queues an email that replaces any pending email of the same kind about the same subject to the same recipient, unless
 * that email is being sent. The new email is sent at least `pauseMs` after the previous one.
 */
export async function replaceMail(tx: Tx, mail: NewMail, pauseMs: number): Promise<void> {
  const { id, kind, account_id, member_id, subject_id, details, due_at, created_at } = mailRow(mail)
  const isSame = sql`mail.kind = ${sql.lit(kind)} and mail.subject_id = ${subject_id}
    and mail.account_id = ${account_id} and mail.member_id is not distinct from ${member_id}`
  await sql`
    delete from mail where ${isSame} and state = 'pending' and lease_until is null and handed_over_at is null`.execute(
    tx,
  )
  await sql`
    insert into mail (${sql.raw(columns.join(', '))})
    select ${id}, ${kind}, ${account_id}, ${member_id}, ${subject_id}, ${JSON.stringify(details)}::jsonb,
      greatest(${due_at}::timestamptz, max(coalesce(handed_over_at, settled_at)) + ${pauseMs} * interval '1 ms'),
      ${created_at}
    from mail where ${isSame} and state in ('sent', 'unknown', 'pending')`.execute(tx)
}

/**
 * Selects a detail of the last email of this kind that was sent about a subject. `subjectId` is the column that
 * contains the subject's ID.
 */
export const lastSentDetail = (kind: MailKind, subjectId: string, detail: string): RawBuilder<string | null> => sql`(
  select details ->> ${sql.lit(detail)} from mail
  where kind = ${sql.lit(kind)} and subject_id = ${sql.raw(subjectId)} and state = 'sent'
  order by settled_at desc limit 1)`

/**
 * Locks the pending emails of a kind about these subjects, and returns their IDs by subject. Skips emails that are
 * being sent, and emails that repeat another one. While an email is locked, it cannot be sent. The query is a join,
 * because with `= any`, PostgreSQL would compare every pending email with thousands of IDs (2 s).
 */
export async function lockPendingMails(
  tx: Tx,
  kind: MailKind,
  subjectIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; subject_id: string }>`
    select mail.id, mail.subject_id from unnest(${subjectIds}::text[]) as subject (id)
    join mail on mail.subject_id = subject.id
    where mail.kind = ${sql.lit(kind)} and mail.state = 'pending' and mail.lease_until is null and mail.repeats is null
    for update of mail skip locked`.execute(tx)
  return new Map(rows.map(({ id, subject_id }) => [subject_id, id]))
}

/** Counts the emails that failed, and those whose result became unknown, since a given time. */
export async function countMailFailures(reader: Reader, since: Date): Promise<{ failed: number; unknown: number }> {
  const { rows } = await sql<{ failed: number; unknown: number }>`
    select (select count(*) from mail where settled_at >= ${since} and state = 'failed') as failed,
      (select count(*) from mail where settled_at >= ${since} and state = 'unknown') as unknown`.execute(reader)
  return rows[0]!
}
