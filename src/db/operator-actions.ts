/** What the operator did: who, when, to what. */
import { sql } from 'kysely'
import { newId } from '../lib/ids.ts'
import type { Actor } from '../lib/scopes.ts'
import { isShownNowhere, type Reader, type Tx } from './database.ts'
import type { OperatorActionTable } from './schema.ts'

export interface OperatorAction {
  /** As `payment.mark_paid`. */
  action: string
  /** The id or name of what it was done to. */
  subject: string
  /** What was said of it. */
  note?: string | undefined
}

/** Notes what an operator did, in the transaction that does it. */
export async function noteOperatorAction(
  tx: Tx,
  { accountId, key }: Pick<Actor, 'accountId' | 'key'>,
  { action, subject, note }: OperatorAction,
  now: Date,
): Promise<void> {
  const who = { account_id: accountId, key_name: key.name }
  const row = { id: newId('operatorAction'), at: now, ...who, action, subject, note: note ?? null }
  await tx.insertInto('operator_action').values(row).execute()
}

/** Takes out what was said of something that is being erased. */
export async function forgetNotes(tx: Tx, subject: string): Promise<void> {
  await tx.updateTable('operator_action').set({ note: null }).where('subject', '=', subject).execute()
}

/** Deletes actions from before a time, in batches. */
export async function purgeOperatorActions(tx: Tx, before: Date, limit: number): Promise<number> {
  isShownNowhere(tx)
  const { numAffectedRows } = await sql`
    delete from operator_action where id = any(array(
      select id from operator_action where at < ${before} order by at, id limit ${limit} for update skip locked))`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

/** The latest actions, newest first; of one thing, if it is named. */
export function listOperatorActions(reader: Reader, limit: number, subject?: string): Promise<OperatorActionTable[]> {
  return reader
    .selectFrom('operator_action')
    .selectAll()
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject!))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
