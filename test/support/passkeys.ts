/** Passkeys that no authenticator holds. */
import { newId } from '../../src/lib/ids.ts'
import type { Account, Board } from './board.ts'

/** Gives an account or one of its members a passkey, and returns the passkey's ID. */
export async function storedPasskey(
  board: Board,
  { id: accountId }: Pick<Account, 'id'>,
  memberId: string | null = null,
): Promise<string> {
  const id = newId('passkey')
  const row = { id, account_id: accountId, member_id: memberId, email_key: 'ada@candidate.example', name: 'Pocket' }
  const key = { credential_id: id, public_key: Buffer.of(), counter: 0, created_at: board.clock.now() }
  await board.database.inTx((tx) =>
    tx
      .insertInto('passkey')
      .values({ ...row, ...key, last_used_at: null })
      .execute(),
  )
  return id
}
