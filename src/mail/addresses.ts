/** Rules for recipients' email addresses (decision 0078): suppression, and a limit for unconfirmed ones. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Reader, Tx } from '../db/database.ts'
import { DAY_MS } from '../lib/time.ts'

/** Maximum number of emails per day to an unconfirmed email address, not counting sign-in links. */
const UNCONFIRMED_MAX = 3

/** Returns the hash that identifies an email address. `key` is its canonical form. */
export const hashOfAddress = (key: string): string => hash('sha256', key)

export async function suppressAddress(tx: Tx, addressHash: string, now: Date): Promise<void> {
  await tx
    .insertInto('suppressed_address')
    .values({ address_hash: addressHash, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function allowAddress(tx: Tx, addressHash: string): Promise<void> {
  await tx.deleteFrom('suppressed_address').where('address_hash', '=', addressHash).execute()
}

/** Returns whether the owner of an email address has asked to receive no more emails. */
export async function isSuppressed(reader: Reader, addressHash: string): Promise<boolean> {
  const row = await reader
    .selectFrom('suppressed_address')
    .select('address_hash')
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Counts an email to an unconfirmed email address. If the email address has reached its daily limit, counts nothing and
 * returns false.
 */
export async function countUnconfirmed(tx: Tx, addressHash: string, now: Date): Promise<boolean> {
  // Serializes counting by email address, because several processes may prepare emails to the same email address at the
  // same time.
  await sql`select pg_advisory_xact_lock(hashtextextended(${addressHash}, 0))`.execute(tx)
  const { count } = await tx
    .selectFrom('unconfirmed_email')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('address_hash', '=', addressHash)
    .where('sent_at', '>', new Date(now.getTime() - DAY_MS))
    .executeTakeFirstOrThrow()
  if (Number(count) >= UNCONFIRMED_MAX) return false
  await tx.insertInto('unconfirmed_email').values({ address_hash: addressHash, sent_at: now }).execute()
  return true
}

/** Deletes records that no longer count toward the daily limit for unconfirmed email addresses. */
export async function forgetUnconfirmed(tx: Tx, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DAY_MS)
  await tx.deleteFrom('unconfirmed_email').where('sent_at', '<=', before).execute()
}
