import { type Insertable, sql, type Updateable } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'

export type ClaimRow = Row<'claim'>

/** Stores an account's claim to a company, and deletes the account's earlier claim to the company. */
export async function replaceClaim(tx: Tx, claim: Insertable<Schema['claim']>): Promise<ClaimRow> {
  await tx
    .deleteFrom('claim')
    .where('account_id', '=', claim.account_id)
    .where('employer_id', '=', claim.employer_id)
    .execute()
  return tx.insertInto('claim').values(claim).returningAll().executeTakeFirstOrThrow()
}

/** Returns an account's claim to a company, unless it has expired. */
export async function findClaim(
  reader: Reader,
  { accountId, employerId, id, now }: { accountId: string; employerId: string; id?: string; now: Date },
): Promise<ClaimRow | undefined> {
  return reader
    .selectFrom('claim')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('employer_id', '=', employerId)
    .where(sql<boolean>`(verified_at is not null or expires_at > ${now})`)
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .executeTakeFirst()
}

/** Returns a claim, or undefined if the claim has been replaced or deleted. */
export const findClaimById = (reader: Reader, id: string): Promise<ClaimRow | undefined> =>
  reader.selectFrom('claim').selectAll().where('id', '=', id).executeTakeFirst()

/** Changes a claim. Returns undefined if the claim has been replaced or deleted. */
export const updateClaim = (tx: Tx, id: string, change: Updateable<Schema['claim']>): Promise<ClaimRow | undefined> =>
  tx.updateTable('claim').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Counts an attempt, unless the claim has had `max` attempts. Returns whether the attempt was counted. */
export function countAttempt(tx: Tx, id: string, max: number): Promise<boolean> {
  return statement`
    update claim set attempts = attempts + 1 where id = ${id} and attempts < ${max}`.changed(tx)
}

export async function deleteClaimsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('claim').where('account_id', '=', accountId).execute()
}
