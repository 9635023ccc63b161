/** Signs people in: by emailed links, by identity providers, and by switching between their accounts. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { isEmailBlocked } from '../../db/blocks.ts'
import type { Database, Reader, Tx } from '../../db/database.ts'
import type { AccountTable } from '../../db/schema.ts'
import type { AccountKind } from '../../lib/api-keys.ts'
import { AppError } from '../../lib/errors.ts'
import { scopesOf } from '../../lib/scopes.ts'
import { currentLocale } from '../../locale/locale.ts'
import { queueMails } from '../../mail/queue.ts'
import {
  deleteAllApiKeys,
  emailKey,
  getAccount,
  lockAccountRow,
  noteAddressProved,
  noteLanguage,
} from '../accounts/index.ts'
import type { Arrival } from '../feature.ts'
import { findActiveMember, type Identity, listIdentities } from '../teams/teams.sql.ts'
import {
  countRequests,
  type Entrance,
  findLink,
  insertLink,
  insertRequest,
  lockSession,
  takeLink,
} from './sessions.queries.ts'
import { beginSession, hashToken, listOtherWaysIn, type NewSession, newToken } from './sessions.service.ts'

/** Lifetime of a sign-in link in milliseconds. */
export const LINK_MS = 15 * 60_000
/** Maximum number of sign-in emails to one email address, per minute and per hour. */
const LINKS_A_MINUTE = 1
const LINKS_AN_HOUR = 5
/** Period for which a sign-in request counts toward the limits, in milliseconds. */
export const REQUESTS_KEPT_MS = 3_600_000

/**
 * Returns the active member for a sign-in to an account, or undefined if there is none. Employers' links and emails
 * from earlier releases name no member, but belong to the member who has the account's email address.
 */
export async function findMemberOf(reader: Reader, account: AccountTable, memberId: string | null) {
  if (memberId === null && account.kind !== 'employer') return undefined
  const identities = memberId === null ? await listIdentities(reader, account.email_key ?? '') : []
  const id = memberId ?? identities.find(({ account_id }) => account_id === account.id)?.member_id
  return id == null ? undefined : findActiveMember(reader, account.id, id)
}

interface LinkRequest {
  email: string
  /** The page that opens after sign-in. */
  returnTo: string | undefined
  /**
   * The reason for the email: someone wants to sign in, or wants to register an email address that already has an
   * account.
   */
  reason?: 'sign-in' | 'registration'
}

const hashAddress = (email: string) => hash('sha256', emailKey(email)!)

type Recipient = Pick<Identity, 'account_id' | 'member_id'>

const linkMail = ({ account_id: accountId, member_id }: Recipient, { returnTo, reason }: LinkRequest, now: Date) => ({
  kind: 'sign-in' as const,
  accountId,
  subjectId: accountId,
  details: {
    ...(member_id !== null && { member_id }),
    ...(returnTo !== undefined && { return_to: returnTo }),
    ...(reason === 'registration' && { reason }),
  },
  at: now,
})

/**
 * Queues a sign-in email if the email address can sign in to an account. Queues none for a blocked address or beyond
 * the limits. Does not reveal whether an account exists.
 */
export async function requestLinks(tx: Tx, request: LinkRequest, now: Date): Promise<void> {
  const { email } = request
  const addressHash = hashAddress(email)
  // Refused requests do not count. Otherwise, anyone could lock the owner out by repeating requests.
  const since = (ms: number) => countRequests(tx, addressHash, new Date(now.getTime() - ms))
  if ((await since(60_000)) >= LINKS_A_MINUTE || (await since(REQUESTS_KEPT_MS)) >= LINKS_AN_HOUR) return
  await insertRequest(tx, addressHash, now)
  if (await isEmailBlocked(tx, email, now)) return
  const [first] = await listIdentities(tx, emailKey(email)!)
  // The link opens a page that also shows the other accounts.
  if (first) await queueMails(tx, [linkMail(first, request, now)])
}

/**
 * Registers an account without a key through the website, and emails a sign-in link. If the email address already has
 * an account, its owner gets an email about the attempt instead. The result does not reveal whether an account exists.
 * Throws `email_blocked`.
 */
export async function registerByEmail(
  database: Pick<Database, 'inTx'>,
  request: Omit<LinkRequest, 'reason'>,
  now: Date,
  register: (tx: Tx) => Promise<{ id: string }>,
): Promise<void> {
  try {
    await database.inTx(async (tx) => {
      const { id } = await register(tx)
      await noteLanguage(tx, id, currentLocale().language)
      // Deletes the first key, because no page shows it.
      await deleteAllApiKeys(tx, id)
      // Counts the registration as a request, so a second click sends no second email. The limits do not apply here,
      // because an email address can be new only once, and its owner may have requested a link just before.
      await insertRequest(tx, hashAddress(request.email), now)
      const identities = await listIdentities(tx, emailKey(request.email)!)
      const recipients = identities.filter(({ account_id }) => account_id === id)
      await queueMails(
        tx,
        recipients.map((recipient) => linkMail(recipient, request, now)),
      )
    })
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'email_taken')) throw error
    await database.inTx((tx) => requestLinks(tx, { ...request, reason: 'registration' }, now))
  }
}

export async function makeLink(tx: Tx, entrance: Entrance, now: Date): Promise<string> {
  const token = newToken()
  await insertLink(tx, hashToken(token), entrance, new Date(now.getTime() + LINK_MS))
  return token
}

/** Returns the accounts that a link can sign in to, its own account first, or undefined if the link is not valid. */
export async function listLinkIdentities(reader: Reader, linkToken: string, now: Date) {
  const link = await findLink(reader, hashToken(linkToken), now)
  if (!link?.email_key) return undefined
  const isOwn = ({ account_id }: Identity) => account_id === link.account_id
  const identities = (await listIdentities(reader, link.email_key)).filter(isOfKind(link.kinds ?? undefined))
  return identities.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))
}

/**
 * Consumes a link, and signs in to the chosen account or, if none was chosen, as `enterByEmail` does. Returns undefined
 * if the link is not valid, or cannot sign in to the chosen account.
 */
export async function useLink(
  tx: Tx,
  { token, chosenId }: { token: string; chosenId: string | undefined },
  now: Date,
): Promise<Entry | undefined> {
  const entrance = await takeLink(tx, hashToken(token), now)
  if (!entrance) return undefined
  const account = await getAccount(tx, entrance.accountId)
  const member = await findMemberOf(tx, account, entrance.memberId)
  if (!member && (entrance.memberId !== null || account.kind === 'employer')) return undefined
  const proved = (member ?? account).email_key
  if (proved === null) return undefined
  const { kinds } = entrance
  return chosenId === undefined
    ? enterByEmail(tx, proved, kinds, now)
    : enterAs(tx, proved, { accountId: chosenId, kinds }, now)
}

/** A session that has just begun. */
interface Entered {
  actor: Arrival['actor']
  token: string
  /**
   * Whether this sign-in is the first to confirm the account's email address, and the account has other keys,
   * passkeys, sessions or members.
   */
  isShared: boolean
}

/** A session or, if the person has several accounts, the token of a link to the page for choosing one. */
export type Entry = Entered | { linkToken: string }

/** Returns a function that checks whether an account has one of the given kinds. Without kinds, accepts all. */
const isOfKind =
  (kinds: readonly AccountKind[] | undefined) =>
  ({ kind }: Identity) =>
    kinds === undefined || kinds.includes(kind)

/**
 * Signs in a person who has proved, by any method, that they own an email address. An identity provider may sign people
 * in only to accounts of the given `kinds`. Returns undefined if the address has no such account. With several accounts,
 * the session begins only when the person chooses one.
 */
export async function enterByEmail(
  tx: Tx,
  emailKey: string,
  kinds: readonly AccountKind[] | undefined,
  now: Date,
): Promise<Entry | undefined> {
  const [first, ...others] = (await listIdentities(tx, emailKey)).filter(isOfKind(kinds))
  if (!first) return undefined
  const entrance = { accountId: first.account_id, memberId: first.member_id, kinds }
  return others.length > 0
    ? { linkToken: await makeLink(tx, entrance, now) }
    : enterAs(tx, emailKey, { accountId: first.account_id, kinds }, now)
}

/**
 * Replaces a session with a session in another account of the same email address. The new session keeps the start and
 * expiry of the former session. Throws `not_found` if the session has ended, or if the address cannot sign in to the
 * account.
 */
export async function switchAccount(
  tx: Tx,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  now: Date,
): Promise<Entered> {
  const former = await lockSession(tx, sessionId, now)
  const entered = former?.email_key && (await enterAs(tx, former.email_key, { accountId, former }, now))
  if (!entered) throw new AppError('not_found')
  return entered
}

/**
 * Begins a session in one of the accounts of an email address. Returns undefined if the address cannot sign in to the
 * account, or if the account is not of the given `kinds`.
 */
async function enterAs(
  tx: Tx,
  emailKey: string,
  { accountId, kinds, former }: Pick<NewSession, 'accountId' | 'former'> & Pick<Entrance, 'kinds'>,
  now: Date,
): Promise<Entered | undefined> {
  // Waits for a concurrent suspension or closure of the account, and for a concurrent removal of the member.
  await lockAccountRow(tx, sql`${accountId}`, 'no key update')
  const identities = await listIdentities(tx, emailKey)
  const allowed = identities.filter(isOfKind(kinds))
  const identity = allowed.find(({ account_id }) => account_id === accountId)
  if (!identity) return undefined
  // Without the email address, the session cannot switch to accounts of other kinds.
  const kept = allowed.length === identities.length ? emailKey : null
  const session = { accountId, memberId: identity.member_id, emailKey: kept, keyHash: null, former }
  return enter(tx, session, emailKey, now)
}

/** Begins a session of a person who has proved that they own an email address. */
export async function enter(tx: Tx, session: NewSession, proved: string, now: Date): Promise<Entered> {
  const { accountId, memberId } = session
  const isFirst = await noteAddressProved(tx, accountId, proved)
  const token = await beginSession(tx, session, now)
  const { keys, passkeys, sessions, members } = await listOtherWaysIn(tx, { accountId, memberId, token }, now)
  const { kind } = await getAccount(tx, accountId)
  const actor = { accountId, kind, scopes: scopesOf(kind) }
  const ways = keys.length + passkeys.length + sessions.length + members.length
  return { actor, token, isShared: isFirst && ways > 0 }
}
