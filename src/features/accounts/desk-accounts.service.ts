/**
 * Operator actions on accounts. After the commit of a suspension, deletion or key revocation, the caller must remove
 * the account from the key ring.
 */
import { notify, type Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { AccountTable } from '../../db/schema.ts'
import type { Action } from '../../lib/changes.ts'
import { type Precondition, unconditionally } from '../../lib/entity-tags.ts'
import { AppError, found } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { eraseCandidate } from '../candidates/index.ts'
import { closeEmployer } from '../employers/index.ts'
import type { Kit } from '../feature.ts'
import { type JobSettings, resumeJobs, suspendJobs } from '../jobs/index.ts'
import { closeAccount, deleteApiKey, findAccount, lockAccount, updateAccountRow } from './accounts.queries.ts'
import { OPERATOR_ID, readAccountDetail } from './accounts.service.ts'

/**
 * Suspends an account and, for an employer, closes its jobs on the board. If the account is already suspended, keeps
 * the original suspension time. The account keeps its sessions and keys, but the service refuses them.
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
  // Also runs if the account is already suspended, because earlier releases left the jobs of such accounts on the
  // board.
  if (account.kind === 'employer') await suspendJobs(tx, settings, id, now)
}

/**
 * Ends a suspension. Puts the jobs that the suspension closed back on the board, except jobs that have expired or been
 * removed.
 */
export async function resumeAccount(
  tx: Tx,
  { settings, actor, id, now }: Action & { settings: JobSettings },
): Promise<void> {
  const account = found(await lockAccount(tx, id))
  if (!account.suspended_at) return
  await updateAccountRow(tx, id, { suspended_at: null })
  if (account.kind === 'employer') await resumeJobs(tx, settings, id, now)
  // The account's pending webhook deliveries are due now.
  notify(tx, 'webhook-deliveries')
  await noteOperatorAction(tx, actor, { action: 'account.resume', subject: id }, now)
}

export async function deleteAccount(
  tx: Tx,
  kit: Pick<Kit, 'budgets' | 'collect' | 'settings'>,
  { actor, id, precondition, now }: Action & { precondition: Precondition },
): Promise<void> {
  // Does not lock the account yet, because the lock order depends on the kind of account.
  const account = await findAccount(tx, id)
  assertOther(account, actor, 'deleted')
  precondition(await readAccountDetail(tx, kit, id, now))
  await deleteByKind(tx, kit, account, now).catch((error: unknown) => {
    // `unauthorized` means that a concurrent request has deleted the account.
    throw error instanceof AppError && error.code === 'unauthorized' ? new AppError('not_found') : error
  })
  await noteOperatorAction(tx, actor, { action: 'account.delete', subject: id, note: account.kind }, now)
}

async function deleteByKind(
  tx: Tx,
  { collect, settings }: Pick<Kit, 'collect' | 'settings'>,
  { id, kind }: AccountTable,
  now: Date,
): Promise<void> {
  const precondition = unconditionally
  if (kind === 'employer') return closeEmployer(tx, { settings, id, precondition, now })
  const personalData = collect('personalData')
  if (kind === 'candidate') {
    return eraseCandidate(tx, { origin: settings.origin, personalData, candidateId: id, precondition, now })
  }
  for (const part of personalData) await part.erase(tx, id, now)
  await closeAccount(tx, id)
}

/**
 * Throws if the account does not exist, is the caller's own, or is the account of `ADMIN_API_KEY`: operators could
 * otherwise lock themselves out.
 */
function assertOther(account: AccountTable | undefined, actor: Actor, done: string): asserts account is AccountTable {
  if (!account) throw new AppError('not_found')
  if (account.id === OPERATOR_ID || account.id === actor.accountId) {
    const detail = `Your own account and the account of ADMIN_API_KEY cannot be ${done}.`
    throw new AppError('conflict', { detail, words: { key: 'problem.operator_account' } })
  }
}

export async function revokeKeyOf(tx: Tx, { actor, id, keyId, now }: Action & { keyId: string }): Promise<void> {
  if ((await deleteApiKey(tx, id, keyId)) === undefined) throw new AppError('not_found')
  await noteOperatorAction(tx, actor, { action: 'account.revoke_key', subject: id, note: keyId }, now)
}
