import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { addressKey } from '../../lib/email-blocks.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparingColumns, listPage, type Page, sortKey, startingWith } from '../../lists/sql-page.ts'
import { accountsByAddress, emailOf } from '../accounts/index.ts'
import { memberEmailOf } from '../teams/teams.sql.ts'
import type { emailList } from './emails.schemas.ts'

export { mailKinds } from '../../mail/queue.ts'

export type EmailRow = Pick<
  Row<'mail'>,
  | 'id'
  | 'kind'
  | 'account_id'
  | 'subject_id'
  | 'state'
  | 'attempts'
  | 'last_error'
  | 'created_at'
  | 'due_at'
  | 'settled_at'
  | 'repeats'
> & { recipient: string | null }

const columns = sql`mail.id, mail.kind, mail.account_id, mail.subject_id, mail.state, mail.attempts, mail.last_error,
  mail.created_at, mail.due_at, mail.settled_at, mail.repeats,
  coalesce(mail.recipient_key, ${memberEmailOf('mail.member_id')},
    case when mail.member_id is null then ${emailOf('mail.account_id')} end) as recipient`
const isUndelivered = sql<boolean>`mail.state in ('failed', 'unknown')`

export function listEmails(reader: Reader, query: QueryOf<typeof emailList>): Promise<Page<EmailRow>> {
  return listPage(reader, query, {
    table: 'mail',
    columns,
    filters: {
      ...comparingColumns('mail', ['state', 'kind', 'account_id', 'created_at']),
      // Two lookups, because one index cannot serve both conditions.
      to(_operator, value) {
        const prefix = addressKey(String(value).trim())
        return sql`mail.id in (
          select sent.id from mail as sent where ${startingWith('sent.recipient_key', prefix)}
          union all
          select unsent.id from mail as unsent
          where unsent.account_id in ${accountsByAddress(prefix)} and unsent.recipient_key is null
            and unsent.member_id is null)`
      },
    },
    sorts: { created_at: sortKey.time('mail.created_at') },
  })
}

export function findEmail(reader: Reader, id: string): Promise<EmailRow | undefined> {
  return statement<EmailRow>`select ${columns} from mail where mail.id = ${id}`.first(reader)
}

/** Returns the IDs of the emails that repeat this one, oldest first. */
export function listRepeats(reader: Reader, id: string): Promise<string[]> {
  return statement<{ id: string }>`
    select id from mail where repeats = ${id} order by created_at, id`.allValues(reader)
}

/** Returns the SQL assignments that requeue an email with 0 attempts. */
const anew = (now: Date) => sql`
  state = 'pending', attempts = 0, due_at = ${now}, settled_at = null, handed_over_at = null, lease_until = null`

/** Requeues an email in the state `failed` or `unknown`. Returns false if no such email has this ID. */
export function requeue(tx: Tx, id: string, now: Date): Promise<boolean> {
  return statement`
    update mail set ${anew(now)} where id = ${id} and ${isUndelivered}`.changed(tx)
}

/**
 * Queues a sent email again, under a new ID, because mail servers may discard a second email with the same Message-ID.
 * Returns false if no sent email has this ID, or if the email is queued to be sent again.
 */
export async function repeatSent(tx: Tx, id: string, { repeatId, now }: { repeatId: string; now: Date }) {
  // The lock makes a concurrent repetition visible to the statement below.
  await sql`select 1 from mail where id = ${id} for update`.execute(tx)
  return statement`
    insert into mail (id, kind, account_id, member_id, subject_id, details, due_at, created_at, repeats)
    select ${repeatId}, kind, account_id, member_id, subject_id, details, ${now}, ${now}, coalesce(repeats, id) from mail
    where id = ${id} and state = 'sent' and not exists (
      select from mail as other where other.repeats = coalesce(mail.repeats, mail.id) and other.state = 'pending')`.changed(
    tx,
  )
}

/** Requeues failed emails, oldest first. Returns the number of requeued emails. */
export function requeueFailed(tx: Tx, since: Date | undefined, limit: number, now: Date): Promise<number> {
  return statement`
    update mail set ${anew(now)} where id = any(array(
      select id from mail where state = 'failed' and created_at >= ${since ?? new Date(0)}
      order by created_at, id limit ${limit} for update skip locked))`.affected(tx)
}
