/** Operator actions on accounts. */
import { notify, type Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { AccountTable } from '../../db/schema.ts'
import type { AccountKind } from '../../lib/api-keys.ts'
import type { Action } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { type JobSettings, resumeJobs, suspendJobs } from '../jobs/index.ts'
import { closeAccount, deleteApiKey, findAccount, lockAccount, updateAccountRow } from './accounts.queries.ts'
import { type DetailSources, OPERATOR_ID, readAccountDetail } from './accounts.service.ts'

/** Function that deletes an account of one kind: erases a candidate, or closes an employer. */
export type DeleteAccountOf = (tx: Tx, id: string, now: Date) => Promise<void>

/**
 * Suspends an account and, for an employer, its jobs. If the account is already suspended, keeps the original
 * suspension time. The account's sessions and keys are kept but refused. After the commit, the caller must remove the
 * account from the key ring.
 */
export async function suspendAccount(
  tx: Tx,
  { settings, actor, id, reason, now }: Action & { settings: JobSettings; reason: string },
): Promise<void> {
  const account = await lockAccount(tx, id)
  assertOther(account, actor, 'suspended')
  if (!account.suspended_at) {
    await updateAccountRow(tx, id, { suspended_at: now })
    await noteOperatorAction(tx, actor, { action: 'account.suspend', subject: id, note: reason }, now)
  }
  // Runs for suspended accounts too: the previous release left their jobs on the board.
  if (account.kind === 'employer') await suspendJobs(tx, settings, id, now)
}

/** Ends a suspension and puts the jobs back on the board, except those that have expired. */
export async function resumeAccount(
  tx: Tx,
  { settings, actor, id, now }: Action & { settings: JobSettings },
): Promise<void> {
  const account = await lockAccount(tx, id)
  if (!account) throw new AppError('not_found')
  if (!account.suspended_at) return
  await updateAccountRow(tx, id, { suspended_at: null })
  if (account.kind === 'employer') await resumeJobs(tx, settings, id, now)
  // The account's pending webhook deliveries are due now.
  notify(tx, 'webhook-deliveries')
  await noteOperatorAction(tx, actor, { action: 'account.resume', subject: id }, now)
}

/**
 * Deletes an account permanently. After the commit, the caller must remove the account from the key ring. If `deleteOf`
 * has no function for the kind of account, deletes the account with its keys and webhooks.
 */
export async function deleteAccount(
  tx: Tx,
  { deleteOf, ...sources }: { deleteOf: Readonly<Partial<Record<AccountKind, DeleteAccountOf>>> } & DetailSources,
  { actor, id, precondition, now }: Action & { precondition: Precondition },
): Promise<void> {
  // Does not lock the account yet, because each kind of account has its own lock order.
  const account = await findAccount(tx, id)
  assertOther(account, actor, 'deleted')
  const { kind } = account
  precondition(await readAccountDetail(tx, sources, id, now))
  await (deleteOf[kind] ?? closeAccount)(tx, id, now).catch((error: unknown) => {
    // A concurrent request deleted the account.
    throw error instanceof AppError && error.code === 'unauthorized' ? new AppError('not_found') : error
  })
  await noteOperatorAction(tx, actor, { action: 'account.delete', subject: id, note: kind }, now)
}

/**
 * Throws if the account does not exist or is the operator's own: nobody could undo a suspension or deletion of the
 * operator's account.
 */
function assertOther(account: AccountTable | undefined, actor: Actor, done: string): asserts account is AccountTable {
  if (!account) throw new AppError('not_found')
  if (account.id === OPERATOR_ID || account.id === actor.accountId) {
    throw new AppError('conflict', { detail: `The operator's own account cannot be ${done}.` })
  }
}

/** Revokes a key of any account. After the commit, the caller must remove the account from the key ring. */
export async function revokeKeyOf(
  tx: Tx,
  { actor, accountId, keyId, now }: { actor: Actor; accountId: string; keyId: string; now: Date },
): Promise<void> {
  if ((await deleteApiKey(tx, accountId, keyId)) === undefined) throw new AppError('not_found')
  await noteOperatorAction(tx, actor, { action: 'account.revoke_key', subject: accountId, note: keyId }, now)
}
