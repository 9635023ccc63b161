/** SQL about passkeys for other features. */
import type { Reader, Tx } from '../../db/database.ts'
import type { PasskeyTable } from '../../db/schema.ts'

/** Returns the passkeys of an account and its members, oldest first. */
export function listAllPasskeys(reader: Reader, accountId: string): Promise<PasskeyTable[]> {
  return reader
    .selectFrom('passkey')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Deletes the passkeys of an account and its members, and the sessions that began with them. */
export async function deletePasskeysOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('passkey').where('account_id', '=', accountId).execute()
}

/** Deletes a member's passkeys, and the sessions that began with them. */
export async function deletePasskeysOfMember(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('passkey').where('member_id', '=', memberId).execute()
}
