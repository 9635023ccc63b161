/** Looks up email addresses and domains that an operator has blocked (decision 0067). */
import { sql } from 'kysely'
import { blockedValuesOf } from '../lib/email-blocks.ts'
import type { Reader } from './database.ts'

/** Returns whether an email address, its domain or a parent domain is blocked. */
export async function isEmailBlocked(reader: Reader, email: string, now: Date): Promise<boolean> {
  const { address, domains } = blockedValuesOf(email)
  const { rows } = await sql`
    select 1 from block
    where ((kind = 'address' and value = ${address}) or (kind = 'email_domain' and value = any(${domains}::text[])))
      and (expires_at is null or expires_at > ${now})
    limit 1`.execute(reader)
  return rows.length > 0
}
