/** Claims to companies (decision 0130). */
import { sql } from 'kysely'
import type { Database, Reader, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { Action, Submission } from '../../lib/changes.ts'
import { domainOfHost, hostOfWebsite, isFreeMail, isWithin } from '../../lib/domains.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, accountSuspended, type BodyFault, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Clock } from '../../lib/time.ts'
import { DAY_MS } from '../../lib/time.ts'
import { isIpHost } from '../../lib/url.ts'
import type { MessageKey } from '../../locale/messages.ts'
import { queueMails } from '../../mail/queue.ts'
import { assertNotBlocked, emailKey, lockAccountRow } from '../accounts/index.ts'
import {
  findEmployer,
  giveBack,
  isDomainTaken,
  listClaimed,
  lockDomain,
  setVerifiedDomain,
  takeOver,
} from '../employers/index.ts'
import type { JobSettings } from '../jobs/index.ts'
import { checkProof, type Network } from './claims.proofs.ts'
import { type ClaimRow, countAttempt, deleteClaimsOf, findClaim, replaceClaim, updateClaim } from './claims.queries.ts'
import type { ClaimBody } from './claims.schemas.ts'

/** Number of days for which a claim can be verified. */
export const CLAIM_DAYS = 7
/** Maximum number of checks of one claim. */
const ATTEMPTS_MAX = 50

/** An account and the company that it claims. */
interface Claimant {
  accountId: string
  employerId: string
}

interface ClaimParts {
  /** The origin of the board, whose own domain nobody can claim. */
  origin: string
  guard: Network['guard']
}

const conflict = (detail: string, key: MessageKey, values?: { domain: string }) =>
  new AppError('conflict', { detail, words: { key, ...(values && { values }) } })

/** Returns a company that an account may claim: its own, or one that a feed created and nobody owns. */
export async function getClaimed(reader: Reader, { accountId, employerId }: Claimant, now: Date) {
  const company = found(await findEmployer(reader, employerId, now))
  if ((company.account_id ?? accountId) !== accountId || company.claimed_by !== null) throw new AppError('not_found')
  return company
}

/** Returns the websites of the account's own company and of the company that it claims. */
async function findWebsites(reader: Reader, { accountId, employerId }: Claimant, now: Date) {
  const { website } = await getClaimed(reader, { accountId, employerId }, now)
  const own = accountId === employerId ? website : found(await findEmployer(reader, accountId, now)).website
  return { own, claimed: website }
}

/**
 * Returns the domain to verify for a claim, and the website's host. Uses the account's own website, because pages show
 * the domain beside the account's name. If the account has no website, uses the claimed company's. Throws if the
 * claimed company's website is missing or outside the domain, or if nobody can claim the domain.
 */
function claimableDomain({ origin, guard }: ClaimParts, { own, claimed }: Record<'own' | 'claimed', string | null>) {
  const host = hostOfWebsite(own ?? claimed)
  const claimedHost = hostOfWebsite(claimed)
  if (host === undefined) throw conflict('Add the website to your profile first.', 'problem.claim_without_website')
  const domain = domainOfHost(host)
  if (claimedHost === undefined || !isWithin(claimedHost, domain)) {
    const detail = `The company has no website at ${domain}, the domain of the website in your profile.`
    throw conflict(detail, 'problem.claim_elsewhere', { domain })
  }
  const isOurs = isWithin(domain, domainOfHost(new URL(origin).hostname))
  if (isOurs || isIpHost(host) || isFreeMail(domain) || guard.checkUrl(`https://${host}/`) !== undefined) {
    throw conflict(`The domain ${domain} cannot be claimed.`, 'problem.claim_of_domain', { domain })
  }
  return { domain, host }
}

const domainTaken = (domain: string) =>
  conflict(`Another employer has verified the domain ${domain}.`, 'problem.claim_taken', { domain })

const emailFault = (code: string, detail: string, domain: string): BodyFault => ({
  ...{ pointer: '#/email', code, detail },
  words: { key: 'fault.claim_email', values: { domain } },
})

/** Starts a claim, which replaces the account's earlier claim to the company. */
export async function startClaim(
  tx: Tx,
  parts: ClaimParts,
  { accountId, employerId, body, faults, now }: Submission<ClaimBody> & Claimant,
): Promise<ClaimRow> {
  const websites = await findWebsites(tx, { accountId, employerId }, now)
  if (faults.length > 0) throw validationFailed(faults)
  const { domain, host } = claimableDomain(parts, websites)
  if (await isDomainTaken(tx, domain, accountId)) throw domainTaken(domain)
  const { method, email } = body
  if (method === 'email') {
    if (email === undefined) throw validationFailed([emailFault('required', 'email is required.', domain)])
    if (!emailKey(email)!.endsWith(`@${domain}`)) {
      throw validationFailed([emailFault('not_allowed', `email must be an email address at ${domain}.`, domain)])
    }
    await assertNotBlocked(tx, email, now)
  }
  const claim = await replaceClaim(tx, {
    ...{ id: newId('claim'), account_id: accountId, employer_id: employerId, domain, host, method },
    ...{ created_at: now, expires_at: new Date(now.getTime() + CLAIM_DAYS * DAY_MS) },
  })
  if (method === 'email') {
    await queueMails(tx, [{ kind: 'company-claim', accountId, subjectId: claim.id, details: { email }, at: now }])
  }
  return claim
}

interface VerifierParts {
  database: Database
  clock: Clock
  settings: JobSettings
  network: Network
  secret: Uint8Array
}

/** Counts a check of a claim, unless the claim is already verified. Returns the claim. Throws `limit_reached`. */
export async function beginCheck(tx: Tx, which: Claimant & { id: string }, now: Date): Promise<ClaimRow> {
  const row = found(await findClaim(tx, { ...which, now }))
  if (row.verified_at === null && !(await countAttempt(tx, row.id, ATTEMPTS_MAX))) {
    const detail = `A claim can be checked at most ${ATTEMPTS_MAX} times. Create a new claim.`
    const words = { key: 'problem.claim_attempts' } as const
    throw new AppError('limit_reached', { detail, words, extra: { limit: ATTEMPTS_MAX } })
  }
  return row
}

/** Checks the proof of a claim outside any transaction, and verifies the employer if the proof is valid. */
export async function endCheck(
  { database, clock, settings, network, secret }: VerifierParts,
  claim: ClaimRow,
  token: string | undefined,
): Promise<ClaimRow> {
  if (claim.verified_at !== null) return claim
  const problem = await checkProof(network, secret, claim, token)
  return database.inTx(async (tx) => {
    const now = clock.now()
    if (problem === null) await verifyEmployer(tx, settings, claim, now)
    const change = { problem, checked_at: now, verified_at: problem === null ? now : null }
    return found(await updateClaim(tx, claim.id, change))
  })
}

/** Verifies the employer of a claim whose proof is valid, and transfers the claimed company to the employer. */
async function verifyEmployer(tx: Tx, settings: JobSettings, claim: ClaimRow, now: Date): Promise<void> {
  const { account_id: accountId, employer_id: employerId, domain, host } = claim
  await lockDomain(tx, domain)
  if (await isDomainTaken(tx, domain, accountId)) throw domainTaken(domain)
  // The websites may have changed since the claim began.
  const { own, claimed } = await findWebsites(tx, { accountId, employerId }, now)
  if (hostOfWebsite(own ?? claimed) !== host || !isWithin(hostOfWebsite(claimed) ?? '', domain)) {
    throw conflict('The website has changed. Create a new claim.', 'problem.claim_outdated')
  }
  await setVerifiedDomain(tx, { id: accountId, domain, ...(own === null && claimed && { website: claimed }), now })
  if (employerId === accountId) return
  // An employer that was suspended in the meantime does not take over jobs.
  if (await lockAccountRow(tx, sql`${accountId}`, 'share')) throw accountSuspended()
  await takeOver(tx, settings, { id: accountId, companyId: employerId, now })
}

/**
 * Removes an employer's verification, for an admin, and returns the domain. The companies that the employer took over
 * become unowned again, even if the verification has already ended. Throws `not_found` if there is nothing to remove.
 */
export async function removeVerification(
  tx: Tx,
  settings: JobSettings,
  { actor, id, precondition, now }: Action & { precondition: Precondition },
): Promise<string | null> {
  const { verified_domain } = found(await findEmployer(tx, id, now))
  const companies = await listClaimed(tx, id)
  if (verified_domain === null && companies.length === 0) {
    throw new AppError('not_found', { detail: 'The employer is not verified and has claimed no companies.' })
  }
  precondition(undefined)
  await setVerifiedDomain(tx, { id, domain: null, now })
  await giveBack(tx, settings, id, now)
  await deleteClaimsOf(tx, id)
  const note = verified_domain ?? companies.map(({ name }) => name).join(', ')
  await noteOperatorAction(tx, actor, { action: 'account.unverify', subject: id, note }, now)
  return verified_domain
}
