import { isEmailBlocked } from '../../db/blocks.ts'
import type { Tx } from '../../db/database.ts'
import type { AccountKind } from '../../lib/api-keys.ts'
import { deleteAllApiKeys, emailKey } from '../accounts/index.ts'
import { registerCandidate } from '../candidates/index.ts'
import { type Entry, enterByEmail } from '../sessions/index.ts'

/** A person, as the provider describes them. */
interface Person {
  email: string
  /** The names for a new candidate. Undefined if the person may not register, or if the names are invalid. */
  names: { first_name: string; last_name: string } | undefined
}

/**
 * Signs a person in to an existing account, or registers a candidate. If neither is possible, returns undefined or
 * throws `email_taken`.
 */
export async function enterPerson(
  tx: Tx,
  { email, names }: Person,
  { kinds, now }: { kinds: readonly AccountKind[]; now: Date },
): Promise<Entry | undefined> {
  if (await isEmailBlocked(tx, email, now)) return undefined
  const key = emailKey(email)!
  const entry = await enterByEmail(tx, key, kinds, now)
  if (entry || !names) return entry
  const { candidate } = await registerCandidate(tx, { ...names, email }, now)
  // Deletes the candidate's first API key, because no page shows it.
  await deleteAllApiKeys(tx, candidate.id)
  return enterByEmail(tx, key, kinds, now)
}
