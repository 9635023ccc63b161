/** SQL about sessions for other features. */
import type { Tx } from '../../db/database.ts'

export async function deleteSessionsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('session').where('account_id', '=', accountId).execute()
  await deleteLinksOf(tx, accountId)
}

export async function deleteLinksOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('sign_in_link').where('account_id', '=', accountId).execute()
}
