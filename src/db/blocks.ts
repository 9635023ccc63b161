/** Looks up email addresses and domains that an operator has blocked (decision 0067). */
import { blockedValuesOf } from '../lib/email-blocks.ts'
import type { Reader } from './database.ts'
import { statement } from './statement.ts'

/** Returns whether an email address, its domain or a parent domain is blocked. */
export function isEmailBlocked(reader: Reader, email: string, now: Date): Promise<boolean> {
  const { address, domains } = blockedValuesOf(email)
  return statement`
    select 1 from block
    where ((kind = 'address' and value = ${address}) or (kind = 'email_domain' and value = any(${domains}::text[])))
      and (expires_at is null or expires_at > ${now})
    limit 1`.exists(reader)
}
