/** Verified domains of employers (decision 0130). */
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import { appendEvent } from '../../events/outbox.ts'
import { hostOfWebsite, isWithin } from '../../lib/domains.ts'
import { found } from '../../lib/errors.ts'
import { giveJobs, type JobSettings, resumeJobs } from '../jobs/index.ts'
import { presentEmployer } from './employers.present.ts'
import { findEmployer, listClaimed, lockEmployer, lockUnclaimedEmployer, updateEmployer } from './employers.queries.ts'

/** Members that change with the verified domain. */
export const verifiedMembers = ['is_verified', 'verified_domain'] as const

/** Returns the verified domain if the website still belongs to that domain, and null otherwise. */
export function keptDomain(domain: string | null, website: string | null): string | null {
  const host = hostOfWebsite(website)
  return domain !== null && host !== undefined && isWithin(host, domain) ? domain : null
}

/** Returns whether an employer other than `id` has verified a domain. */
export const isDomainTaken = (reader: Reader, domain: string, id: string): Promise<boolean> =>
  statement`select from employer where verified_domain = ${domain} and id <> ${id}`.exists(reader)

/** Locks a domain, so that only one employer verifies it at a time. */
export async function lockDomain(tx: Tx, domain: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`domain ${domain}`}, 0))`.execute(tx)
}

/**
 * Sets or removes an employer's verified domain, and sets the employer's website if one is given. Does nothing if the
 * domain is unchanged.
 */
export async function setVerifiedDomain(
  tx: Tx,
  { id, domain, website, now }: { id: string; domain: string | null; website?: string; now: Date },
): Promise<void> {
  const row = found(await lockEmployer(tx, id, now))
  if (row.verified_domain === domain) return
  await updateEmployer(tx, id, { verified_domain: domain, ...(website && { website }), updated_at: now })
  const updated = (await findEmployer(tx, id, now))!
  await appendEvent(tx, {
    type: 'employer.profile_updated',
    subjectId: id,
    employerId: id,
    at: now,
    data: { employer: presentEmployer(updated), changed_fields: [...(website ? ['website'] : []), ...verifiedMembers] },
  })
}

/**
 * Transfers an imported company and its jobs to an employer. Throws `not_found` if the company already belongs to an
 * employer.
 */
export async function takeOver(
  tx: Tx,
  settings: JobSettings,
  { id, companyId, now }: { id: string; companyId: string; now: Date },
): Promise<void> {
  found(await lockUnclaimedEmployer(tx, companyId))
  await updateEmployer(tx, companyId, { claimed_by: id, updated_at: now })
  const { name } = found(await findEmployer(tx, id, now))
  await giveJobs(tx, settings, { from: companyId, to: { id, name }, now })
}

/** Releases the companies that an employer took over, with their jobs. The companies then have no owner. */
export async function giveBack(tx: Tx, settings: JobSettings, id: string, now: Date): Promise<void> {
  for (const company of await listClaimed(tx, id)) {
    await updateEmployer(tx, company.id, { claimed_by: null, updated_at: now })
    await giveJobs(tx, settings, { from: id, to: company, claimedFrom: company.id, now })
    // The former owner may be suspended, but the released company is not.
    await resumeJobs(tx, settings, company.id, now)
  }
}
