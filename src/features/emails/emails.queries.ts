import { type Selectable, sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { MailTable } from '../../db/schema.ts'
import type { ListQuery } from '../../lists/query.ts'
import { comparing, type ListPlan, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { emailOf } from '../accounts/index.ts'
import type { emailList } from './emails.schemas.ts'

type Filter = keyof typeof emailList.filters
type Sort = keyof typeof emailList.sorts

export type EmailRow = Pick<
  Selectable<MailTable>,
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
> & { email: string | null }

const columns = sql`mail.id, mail.kind, mail.account_id, mail.subject_id, mail.state, mail.attempts, mail.last_error,
  mail.created_at, mail.due_at, mail.settled_at,
  ${emailOf('mail.account_id')} as email`
const isUndelivered = sql<boolean>`mail.state in ('failed', 'unknown')`

/** Returns a page of emails with the state `failed` or `unknown`. */
export function listUndelivered(
  reader: Reader,
  query: ListQuery<Filter, Sort>,
  cursorSecret: Uint8Array,
): Promise<Page<EmailRow>> {
  const plan: ListPlan<Filter, Sort> = {
    from: sql`mail`,
    id: sql.ref('mail.id'),
    columns,
    where: [isUndelivered],
    filters: {
      state: comparing(sql.ref('mail.state')),
      kind: comparing(sql.ref('mail.kind')),
      account_id: comparing(sql.ref('mail.account_id')),
      created_at: comparing(sql.ref('mail.created_at')),
    },
    sorts: { created_at: sortKey.time('mail.created_at') },
  }
  return listPage(reader, plan, query, cursorSecret)
}

export async function findEmail(reader: Reader, id: string): Promise<EmailRow | undefined> {
  const { rows } = await sql<EmailRow>`select ${columns} from mail where mail.id = ${id}`.execute(reader)
  return rows[0]
}

/** SQL assignments that return an email to the queue with 0 attempts. */
const anew = (now: Date) => sql`
  state = 'pending', attempts = 0, due_at = ${now}, settled_at = null, handed_over_at = null, lease_until = null`

/** Requeues an undelivered email. Returns false if there is no undelivered email with this ID. */
export async function requeue(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mail set ${anew(now)} where id = ${id} and ${isUndelivered}`.execute(tx)
  return numAffectedRows === 1n
}

/** Requeues failed emails, oldest first. Returns their number. */
export async function requeueFailed(tx: Tx, since: Date | undefined, limit: number, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update mail set ${anew(now)} where id = any(array(
      select id from mail where state = 'failed' and created_at >= ${since ?? new Date(0)}
      order by created_at, id limit ${limit} for update skip locked))`.execute(tx)
  return Number(numAffectedRows)
}
