import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { isEmailBlocked } from '../../db/blocks.ts'
import type { Database, Reader, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { AccountTable, SessionTable } from '../../db/schema.ts'
import type { AccountKind } from '../../lib/api-keys.ts'
import type { Action } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, accountSuspended, found } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Lookups } from '../../lib/lookups.ts'
import { type Actor, scopesOf, scopesOfRole } from '../../lib/scopes.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import type { Language } from '../../locale/languages.ts'
import { currentLocale } from '../../locale/locale.ts'
import { queueMails } from '../../mail/queue.ts'
import {
  assertNotBlocked,
  deleteAllApiKeys,
  emailKey,
  findAccount,
  getAccount,
  type KeyRing,
  listAllApiKeys,
  lockAccount,
  lockAccountRow,
  type NoteActive,
  noteAddressProved,
  noteLanguage,
} from '../accounts/index.ts'
import type { Arrival } from '../feature.ts'
import { deletePasskeysOf, deletePasskeysOfMember, listAllPasskeys } from '../passkeys/passkeys.sql.ts'
import {
  addFirstOwners,
  deleteMembersOf,
  findActiveMember,
  findMailPreference,
  type Identity,
  listAllMembers,
  listIdentities,
  markMembersActive,
  noteMemberLanguage,
  passAddressOn,
  setMailPreference,
} from '../teams/teams.sql.ts'
import {
  countRequests,
  deleteOtherSessions,
  deleteSession,
  deleteSessionOf,
  deleteSessionsInto,
  deleteSessionsOfAddress,
  deleteSessionsOfMember,
  type Entrance,
  findLink,
  insertLink,
  insertRequest,
  insertSession,
  listSessions,
  listSessionsByToken,
  lockSession,
  noteSessionSeen,
  replaceSession,
  takeLink,
} from './sessions.queries.ts'
import { deleteLinksOf, deleteSessionsOf } from './sessions.sql.ts'

export { findMailPreference, type Identity, listIdentities, setMailPreference }

/** Maximum lifetime of a session in milliseconds. */
export const SESSION_MS = 14 * DAY_MS
/** Minimum time in milliseconds between two writes of a session's last-seen time. */
const SEEN_MS = 5 * 60_000
/** Lifetime of a sign-in link in milliseconds. */
export const LINK_MS = 15 * 60_000
/** Maximum number of sign-in emails to one email address, per minute and per hour. */
const LINKS_A_MINUTE = 1
const LINKS_AN_HOUR = 5
/** Period for which a sign-in request counts toward the limits, in milliseconds. */
export const REQUESTS_KEPT_MS = 3_600_000

/** Returns a token of 256 random bits. Only its hash is stored. */
const newToken = () => randomBytes(32).toString('base64url')
const TOKEN = /^[\w-]{43}$/
const hashToken = (token: string) => hash('sha256', token)

interface NewSession extends Entrance {
  /** Hash of the API key with which the session begins. Null for a sign-in by link or passkey. */
  keyHash: string | null
  /** The passkey with which the session begins and ends. */
  passkeyId?: string
  /** The address that received the sign-in link or confirmed the passkey, in canonical form. */
  emailKey: string | null
  /** The session that this one replaces. */
  former?: SessionTable | undefined
}

/** Records the language of emails to a person: to the member, and to the account if the person receives its emails. */
export async function noteReader(
  tx: Tx,
  { accountId, memberId, emailKey: proved }: Entrance & { emailKey: string | null },
  language: Language,
): Promise<void> {
  if (memberId !== null) await noteMemberLanguage(tx, memberId, language)
  const account = await findAccount(tx, accountId)
  const isRecipient = proved === null ? memberId === null : proved === account?.email_key
  if (isRecipient && account?.language !== language) await noteLanguage(tx, accountId, language)
}

/**
 * Begins a session and returns its token. From then on, emails to the person are in the language of the page. Throws
 * `email_blocked`.
 */
export async function beginSession(
  tx: Tx,
  { accountId, memberId, keyHash, passkeyId, emailKey: proved, former }: NewSession,
  now: Date,
): Promise<string> {
  const account = await findAccount(tx, accountId)
  await assertNotBlocked(tx, proved ?? account?.email ?? null, now)
  await noteReader(tx, { accountId, memberId, emailKey: proved }, currentLocale().language)
  const token = newToken()
  const session: SessionTable = {
    id: newId('session'),
    token_hash: hashToken(token),
    account_id: accountId,
    key_hash: keyHash,
    created_at: former?.created_at ?? now,
    last_seen_at: now,
    expires_at: former?.expires_at ?? new Date(now.getTime() + SESSION_MS),
    member_id: memberId,
    email_key: proved,
    passkey_id: passkeyId ?? former?.passkey_id ?? null,
  }
  await (former ? replaceSession(tx, former.id, session) : insertSession(tx, session))
  if (memberId !== null) await markMembersActive(tx, [{ memberId, at: now }])
  return token
}

/**
 * Returns the member that a person is in an account, if active, otherwise undefined. Links and emails of earlier releases
 * to employers name no member: they were for the owner of the account's email address.
 */
export async function findMemberOf(reader: Reader, account: AccountTable, memberId: string | null) {
  if (memberId === null && account.kind !== 'employer') return undefined
  const identities = memberId === null ? await listIdentities(reader, account.email_key ?? '') : []
  const id = memberId ?? identities.find(({ account_id }) => account_id === account.id)?.member_id
  return id == null ? undefined : findActiveMember(reader, account.id, id)
}

export const endSession = (tx: Tx, token: string) => deleteSession(tx, hashToken(token))

/** Maximum number of unknown token hashes that a process caches. */
const INVENTED_MAX = 20_000

/**
 * Returns a function that finds the actor of a session token. A session that began with an API key has that key's
 * scopes and ends with the key. Any other session has all scopes of the account's kind. Throws `account_suspended`.
 */
export function sessionFinder(
  database: Database,
  clock: Clock,
  keyRing: Pick<KeyRing, 'findActorByHash'>,
  noteActive: NoteActive,
) {
  const sessions = new Lookups(async (hashes) => {
    const rows = await database.read((db) => listSessionsByToken(db, hashes, clock.now()))
    return new Map(rows.map((row) => [row.token_hash, row]))
  })
  // Hashes of unknown tokens. An unknown token never becomes valid, because tokens consist of 256 random bits.
  const invented = new Set<string>()
  return async (token: string): Promise<Actor | undefined> => {
    if (!TOKEN.test(token)) return undefined
    const tokenHash = hashToken(token)
    if (invented.has(tokenHash)) return undefined
    const now = clock.now()
    const found = await sessions.find(tokenHash)
    if (!found) {
      invented.add(tokenHash)
      if (invented.size > INVENTED_MAX) invented.delete(invented.values().next().value!)
      return undefined
    }
    if (found.suspended_at) throw accountSuspended()
    const { id, key_hash, account_id: accountId, kind, name, email, member_id: memberId, role } = found
    if (now.getTime() - found.last_seen_at.getTime() >= SEEN_MS) {
      await database.inStatement((tx) => noteSessionSeen(tx, id, now))
      await database.inStatement((tx) => noteActive(tx, [{ accountId, at: now }]))
      if (memberId !== null) await database.inStatement((tx) => markMembersActive(tx, [{ memberId, at: now }]))
    }
    const session = {
      ...{ id, startedAt: found.created_at, expiresAt: found.expires_at },
      ...{ language: found.language, emailKey: found.email_key, hasChoice: found.has_choice },
    }
    if (key_hash !== null) {
      const actor = await keyRing.findActorByHash(key_hash)
      return actor?.accountId === accountId ? { ...actor, session } : undefined
    }
    const key = { id, name: 'Session', last4: '', expiresAt: null }
    const actor = { accountId, kind, name, email, scopes: scopesOf(kind), key, session }
    if (memberId === null || role === null) return actor
    const member = { id: memberId, name: found.member_name!, role }
    // The operator's account has no name that people know.
    return { ...actor, name: kind === 'admin' ? member.name : name, scopes: scopesOfRole(role), member }
  }
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

/** Queues a sign-in email if the email address can sign in to an account. Does not reveal whether an account exists. */
export async function requestLinks(tx: Tx, request: LinkRequest, now: Date): Promise<void> {
  const { email } = request
  const addressHash = hashAddress(email)
  // Refused requests do not count. Otherwise, anyone could lock the owner out by repeating requests.
  const since = (ms: number) => countRequests(tx, addressHash, new Date(now.getTime() - ms))
  if ((await since(60_000)) >= LINKS_A_MINUTE || (await since(REQUESTS_KEPT_MS)) >= LINKS_AN_HOUR) return
  await insertRequest(tx, addressHash, now)
  if (await isEmailBlocked(tx, email, now)) return
  const [first] = await listAllIdentities(tx, emailKey(email)!)
  // The page of the link shows the other accounts.
  if (first) await queueMails(tx, [linkMail(first, request, now)])
}

/** Returns the accounts that an email address can sign in to, including those that the previous release registered. */
async function listAllIdentities(tx: Tx, key: string): Promise<Identity[]> {
  await addFirstOwners(tx, key)
  return listIdentities(tx, key)
}

/**
 * Registers an account without a key through the website, and emails a sign-in link. If the email address already has
 * an account, its owner gets an email about the attempt instead; the result does not reveal this. Throws
 * `email_blocked`.
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
      // Counts as a request: a second click then sends no second email. The limits do not apply here. An email address
      // can be new only once, and its owner may have requested a link just before.
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
  return (await listIdentities(reader, link.email_key)).toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))
}

/** Consumes a link and signs in to the chosen account, if any. Returns undefined if the link is not valid. */
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
  return chosenId === undefined ? enterByEmail(tx, proved, now) : enterAs(tx, proved, { accountId: chosenId }, now)
}

/** A session that has just begun. */
interface Entered {
  actor: Arrival['actor']
  token: string
  /** Whether the account's email address had not been confirmed before, and others have access to the account. */
  isShared: boolean
}

/** A session, or the link to the page on which a person with several accounts chooses one. */
export type Entry = Entered | { linkToken: string }

/**
 * Signs in a person who has proved, by any method, that they own an email address. Returns undefined if no account has
 * this address. With several accounts, the session begins only when the person chooses one.
 */
async function enterByEmail(tx: Tx, emailKey: string, now: Date): Promise<Entry | undefined> {
  const [first, ...others] = await listAllIdentities(tx, emailKey)
  if (!first) return undefined
  const entrance = { accountId: first.account_id, memberId: first.member_id }
  return others.length > 0
    ? { linkToken: await makeLink(tx, entrance, now) }
    : enterAs(tx, emailKey, { accountId: first.account_id }, now)
}

/**
 * Signs in a person whose email address an identity provider confirmed. The provider opens only accounts of the given
 * kinds. Returns undefined if the address has no such account.
 */
export async function enterByProvider(
  tx: Tx,
  emailKey: string,
  kinds: readonly AccountKind[],
  now: Date,
): Promise<Entry | undefined> {
  const identities = await listAllIdentities(tx, emailKey)
  const [first, ...others] = identities.filter(({ kind }) => kinds.includes(kind))
  if (!first || 1 + others.length === identities.length) return first && enterByEmail(tx, emailKey, now)
  // Without the address, the session cannot switch to accounts that the provider may not open.
  const { account_id: accountId, member_id: memberId } = first
  return enter(tx, { accountId, memberId, emailKey: null, keyHash: null }, now)
}

/**
 * Replaces a session with one in another account of the email address with which it began. The new session keeps the
 * age of the former one. Throws `not_found` if the session has ended, or if the address cannot sign in to the account.
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

/** Begins a session in one of the accounts of an email address. Returns undefined if the address cannot sign in to it. */
async function enterAs(
  tx: Tx,
  emailKey: string,
  { accountId, former }: Pick<NewSession, 'accountId' | 'former'>,
  now: Date,
): Promise<Entered | undefined> {
  // Waits for a concurrent suspension or closing, and for the removal of the member.
  await lockAccountRow(tx, sql`${accountId}`, 'no key update')
  const identity = (await listIdentities(tx, emailKey)).find(({ account_id }) => account_id === accountId)
  return identity && enter(tx, { accountId, memberId: identity.member_id, emailKey, keyHash: null, former }, now)
}

/** Begins the session of a person who has proved that they own the email address `emailKey`. */
export async function enter(tx: Tx, session: NewSession, now: Date): Promise<Entered> {
  const { accountId, memberId, emailKey: proved } = session
  const isFirst = proved !== null && (await noteAddressProved(tx, accountId, proved))
  const token = await beginSession(tx, session, now)
  const { keys, passkeys, sessions, members } = await listOtherWaysIn(tx, { accountId, memberId, token }, now)
  const { kind } = await getAccount(tx, accountId)
  const actor = { accountId, kind, scopes: scopesOf(kind) }
  const ways = keys.length + passkeys.length + sessions.length + members.length
  return { actor, token, isShared: isFirst && ways > 0 }
}

/** Returns an account's sessions, and its members and passkeys, oldest first. */
export async function listWaysIn(reader: Reader, accountId: string, now: Date) {
  return {
    sessions: await listSessions(reader, accountId, now),
    passkeys: await listAllPasskeys(reader, accountId),
    members: await listAllMembers(reader, accountId),
  }
}

/** Returns an account's keys, its passkeys, its sessions except the one with the given token, and its other members. */
export async function listOtherWaysIn(
  reader: Reader,
  { accountId, memberId, token }: Entrance & { token: string },
  now: Date,
) {
  const { sessions, passkeys, members } = await listWaysIn(reader, accountId, now)
  return {
    keys: await listAllApiKeys(reader, accountId),
    passkeys,
    sessions: sessions.filter((session) => session.token_hash !== hashToken(token)),
    members: members.filter(({ id }) => id !== memberId),
  }
}

/**
 * Deletes an account's keys, its passkeys, its links, its other sessions and its other members. The caller must remove the
 * account from the key ring.
 */
export async function endOtherWaysIn(
  tx: Tx,
  { accountId, memberId }: Entrance,
  sessionId: string | undefined,
  now: Date,
): Promise<void> {
  await deleteAllApiKeys(tx, accountId)
  await deletePasskeysOf(tx, accountId)
  await deleteOtherSessions(tx, accountId, sessionId)
  await deleteLinksOf(tx, accountId)
  // If the caller is not a member, all members keep their access.
  if (memberId === null) return
  const left = await deleteMembersOf(tx, accountId, memberId)
  await queueMails(tx, await passAddressOn(tx, accountId, left, now))
}

/** Restricts email address changes, because sign-in links are sent to that address (decision 0064). */
export interface Mover {
  /** Thrown if the email address changes. Undefined if the caller may change it. */
  refusal?: AppError | undefined
  /** The session that survives the change. */
  sessionId?: string | undefined
}

/** Returns whether two email addresses differ in more than case. Throws the refusal if the caller may not change it. */
export function isAddressChange(mover: Mover, from: string, to: string): boolean {
  const isMoved = emailKey(from) !== emailKey(to)
  if (isMoved && mover.refusal) throw mover.refusal
  return isMoved
}

/** Deletes an account's links and other sessions, and notifies `address`, its previous email address. */
export async function leaveAddress(
  tx: Tx,
  {
    accountId,
    address,
    sessionId,
    now,
  }: { accountId: string; address: string; sessionId: string | undefined; now: Date },
): Promise<void> {
  await deleteLinksOf(tx, accountId)
  await deleteOtherSessions(tx, accountId, sessionId)
  await queueMails(tx, [{ kind: 'address-changed', accountId, subjectId: accountId, details: { address }, at: now }])
}

/** Ends a person's sessions in this account and, if the person has proved an email address, in all of its accounts. */
export async function signOutEverywhere(tx: Tx, { accountId, member, session }: Actor): Promise<void> {
  await (member ? deleteSessionsOfMember(tx, member.id) : deleteSessionsOf(tx, accountId))
  if (session?.emailKey) await deleteSessionsOfAddress(tx, session.emailKey)
}

/**
 * Ends a session of an account for an operator. Without `sessionId`, ends all of its sessions and links, and the sessions
 * in other accounts that could switch to it.
 */
export async function endSessionsOf(
  tx: Tx,
  { actor, id, sessionId, precondition, now }: Action & { sessionId?: string; precondition: Precondition },
): Promise<void> {
  await getAccount(tx, id)
  if (sessionId === undefined) {
    await deleteSessionsInto(tx, id)
    await deleteSessionsOf(tx, id)
  } else if (!(await deleteSessionOf(tx, id, sessionId))) throw new AppError('not_found')
  precondition(undefined)
  await noteOperatorAction(tx, actor, { action: 'account.end_sessions', subject: id, note: sessionId }, now)
}

/**
 * Removes the passkeys of an account and all its members, or of one member, for an operator, for example after a device
 * was stolen. Also ends the sessions and links, with which the thief could add another passkey.
 */
export async function removePasskeysOf(
  tx: Tx,
  { actor, id, memberId, precondition, now }: Action & { memberId?: string | undefined; precondition: Precondition },
): Promise<void> {
  // The lock serializes this with the addition of a passkey.
  found(await lockAccount(tx, id))
  const member = memberId === undefined ? undefined : found(await findActiveMember(tx, id, memberId))
  precondition(undefined)
  if (member) {
    await deletePasskeysOfMember(tx, member.id)
    await deleteSessionsOfMember(tx, member.id)
    await deleteSessionsOfAddress(tx, member.email_key)
  } else {
    await deletePasskeysOf(tx, id)
    await deleteSessionsInto(tx, id)
    await deleteSessionsOf(tx, id)
  }
  await noteOperatorAction(tx, actor, { action: 'account.remove_passkeys', subject: id, note: member?.email }, now)
}
