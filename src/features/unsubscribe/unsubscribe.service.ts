import type { Reader, Tx } from '../../db/database.ts'
import { readToken } from '../../lib/signed-token.ts'
import { t } from '../../locale/messages.ts'
import { allowAddress, hashOfAddress, suppressAddress } from '../../mail/addresses.ts'
import type { MailKind, Unsubscription } from '../../mail/queue.ts'
import { confirmAddress, findAccount } from '../accounts/index.ts'

export type Unsubscriptions = Readonly<Partial<Record<MailKind, Unsubscription>>>

/** Unsubscribes an email address from all emails. The ID in the token is the hash of the email address. */
const never: Unsubscription = {
  describe: async () => t('unsubscribe.everything'),
  unsubscribe: suppressAddress,
}

/**
 * Returns the unsubscription for a token. Returns undefined if the token is invalid or its subject no longer exists.
 */
export async function findUnsubscription(
  reader: Reader,
  unsubscriptions: Unsubscriptions,
  secret: Uint8Array,
  token: string,
): Promise<{ what: string; mayUndo: boolean; unsubscribe: (tx: Tx, now: Date) => Promise<void> } | undefined> {
  const [kind = '', id = ''] = readToken(secret, token)?.split(' ') ?? []
  const unsubscription =
    kind === 'never' ? never : Object.hasOwn(unsubscriptions, kind) ? unsubscriptions[kind as MailKind] : undefined
  const what = await unsubscription?.describe(reader, id)
  if (!unsubscription || what === undefined) return undefined
  return { what, mayUndo: unsubscription === never, unsubscribe: (tx, now) => unsubscription.unsubscribe(tx, id, now) }
}

/**
 * Undoes the unsubscription of an email address from all emails. Returns false if the token is invalid or does not
 * concern all emails.
 */
export async function allowAgain(tx: Tx, secret: Uint8Array, token: string): Promise<boolean> {
  const [kind, addressHash = ''] = readToken(secret, token)?.split(' ') ?? []
  if (kind !== 'never') return false
  await allowAddress(tx, addressHash)
  return true
}

/**
 * Returns the account whose email address a token confirms. Returns undefined if the token is invalid, or if the
 * account no longer has this email address.
 */
export async function findConfirmable(reader: Reader, secret: Uint8Array, token: string) {
  const [kind, accountId = '', addressHash] = readToken(secret, token)?.split(' ') ?? []
  const account = kind === 'confirm' ? await findAccount(reader, accountId) : undefined
  return account?.email_key && hashOfAddress(account.email_key) === addressHash ? account : undefined
}

/** Confirms the email address in a token. Returns false if the token is invalid or outdated. */
export async function confirmByToken(tx: Tx, secret: Uint8Array, token: string): Promise<boolean> {
  const account = await findConfirmable(tx, secret, token)
  if (!account) return false
  await confirmAddress(tx, account.id)
  return true
}
