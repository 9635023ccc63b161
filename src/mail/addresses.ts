/**
 * Rules for the addresses that emails go to (decision 0078): who asked never to be written to again, and how much goes to an
 * address that nobody has confirmed.
 */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Reader, Tx } from '../db/database.ts'
import { DAY_MS } from '../lib/time.ts'

/** Emails a day to an address that nobody has confirmed, sign-in links not counted. */
const UNCONFIRMED_MAX = 3

/** Returns the hash under which an address is remembered; `key` is the address as accounts compare it. */
export const hashOfAddress = (key: string): string => hash('sha256', key)

/** Suppresses every further email to an address. */
export async function suppressAddress(tx: Tx, addressHash: string, now: Date): Promise<void> {
  await tx
    .insertInto('suppressed_address')
    .values({ address_hash: addressHash, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Allows emails to an address again. */
export async function allowAddress(tx: Tx, addressHash: string): Promise<void> {
  await tx.deleteFrom('suppressed_address').where('address_hash', '=', addressHash).execute()
}

/** Returns whether the reader of an address asked never to be written to again. */
export async function isSuppressed(reader: Reader, addressHash: string): Promise<boolean> {
  const row = await reader
    .selectFrom('suppressed_address')
    .select('address_hash')
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
  return row !== undefined
}

/** Counts an email to an unconfirmed address; returns false where it has had enough of them today. */
export async function countUnconfirmed(tx: Tx, addressHash: string, now: Date): Promise<boolean> {
  // One count at a time for an address: several emails to it may be prepared at once.
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

/** Forgets emails to unconfirmed addresses that no longer count. */
export async function forgetUnconfirmed(tx: Tx, now: Date): Promise<void> {
  await tx
    .deleteFrom('unconfirmed_email')
    .where('sent_at', '<=', new Date(now.getTime() - DAY_MS))
    .execute()
}
