import type { AccountKind } from '../lib/api-keys.ts'
import { newId } from '../lib/ids.ts'
import type { Actor } from '../lib/scopes.ts'
import { isShownNowhere, type Reader, type Tx } from './database.ts'
import type { OperatorActionTable } from './schema.ts'
import { statement } from './statement.ts'

export interface OperatorAction {
  /** For example `payment.mark_paid`. */
  action: string
  /** The ID or name of the affected object. */
  subject: string
  /** The operator's note. */
  note?: string | undefined
}

/** Records an operator's action in the transaction that performs the action. Returns the ID of the record. */
export async function noteOperatorAction(
  tx: Tx,
  { accountId, key, member }: Pick<Actor, 'accountId' | 'key' | 'member'>,
  { action, subject, note }: OperatorAction,
  now: Date,
): Promise<string> {
  const person = { member_id: member?.id ?? null, member_name: member?.name ?? null }
  const who = { account_id: accountId, key_name: key.name, ...person }
  const row = { id: newId('operatorAction'), at: now, ...who, action, subject, note: note ?? null }
  await tx.insertInto('operator_action').values(row).execute()
  return row.id
}

/** Returns the names of performers by action ID: the member's name or, without a member, the name of the key. */
export function findPerformers(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; name: string }>`
    select id, coalesce(member_name, key_name) as name from operator_action where id = any(${ids}::text[])`.toMap(
    reader,
    'id',
    'name',
  )
}

/** The account that performs an action. Only admins need a key, because their actions are recorded. */
export type Performer =
  | Pick<Actor, 'accountId' | 'key' | 'kind' | 'member'>
  | { accountId: string; kind: Exclude<AccountKind, 'admin'>; member?: undefined }

/** Records an action if an admin performs it. Does nothing for other accounts. */
export async function noteIfAdmin(tx: Tx, actor: Performer, action: OperatorAction, now: Date): Promise<void> {
  if (actor.kind === 'admin') await noteOperatorAction(tx, actor, action, now)
}

/** Deletes the operators' notes about a subject that is being erased. */
export async function forgetNotes(tx: Tx, subject: string): Promise<void> {
  await tx.updateTable('operator_action').set({ note: null }).where('subject', '=', subject).execute()
}

/** Deletes a batch of actions older than `before`. */
export function purgeOperatorActions(tx: Tx, before: Date, limit: number): Promise<number> {
  isShownNowhere(tx)
  return statement`
    delete from operator_action where id = any(array(
      select id from operator_action where at < ${before} order by at, id limit ${limit} for update skip locked))`.affected(
    tx,
  )
}

/** Lists the latest actions, newest first, optionally only the actions on one subject. */
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
