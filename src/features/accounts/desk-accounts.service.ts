/** What an operator does to the accounts of others. */
import type { Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { AccountTable } from '../../db/schema.ts'
import { AppError } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { deleteApiKey, endSessions, lockAccount, updateAccountRow } from './accounts.queries.ts'
import { OPERATOR_ID } from './accounts.service.ts'

/**
 * Suspends an account: its sessions end, it cannot be signed in to, and its keys are refused. What is its stays as it is.
 * A suspended one stays as it is. The caller has the key ring forget it once this is committed.
 */
export async function suspendAccount(tx: Tx, actor: Actor, id: string, reason: string, now: Date): Promise<void> {
  const account = await getLocked(tx, id)
  // Whoever did that could not undo it.
  if (id === OPERATOR_ID || id === actor.accountId) {
    throw new AppError('conflict', { detail: "The operator's own account cannot be suspended." })
  }
  if (account.suspended_at) return
  await updateAccountRow(tx, id, { suspended_at: now })
  await endSessions(tx, id)
  await noteOperatorAction(tx, actor, { action: 'account.suspend', subject: id, note: reason }, now)
}

/** Ends a suspension: the keys that were valid before are valid again. */
export async function restoreAccount(tx: Tx, actor: Actor, id: string, now: Date): Promise<void> {
  const account = await getLocked(tx, id)
  if (!account.suspended_at) return
  await updateAccountRow(tx, id, { suspended_at: null })
  await noteOperatorAction(tx, actor, { action: 'account.restore', subject: id }, now)
}

/** Revokes a key of any account. The caller has the key ring forget the account once this is committed. */
export async function revokeKeyOf(tx: Tx, actor: Actor, accountId: string, keyId: string, now: Date): Promise<void> {
  if ((await deleteApiKey(tx, accountId, keyId)) === undefined) throw new AppError('not_found')
  await noteOperatorAction(tx, actor, { action: 'account.revoke_key', subject: accountId, note: keyId }, now)
}

async function getLocked(tx: Tx, id: string): Promise<AccountTable> {
  const account = await lockAccount(tx, id)
  if (!account) throw new AppError('not_found')
  return account
}
