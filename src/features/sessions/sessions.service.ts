import { hash, randomBytes } from 'node:crypto'
import type { Database, Reader, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { SessionTable } from '../../db/schema.ts'
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
  type NoteActive,
  noteLanguage,
} from '../accounts/index.ts'
import { deletePasskeysOf, deletePasskeysOfMember, listAllPasskeys } from '../passkeys/passkeys.sql.ts'
import {
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
  deleteOtherSessions,
  deleteSession,
  deleteSessionOf,
  deleteSessionsInto,
  deleteSessionsOfAddress,
  deleteSessionsOfMember,
  type Entrance,
  insertSession,
  listSessions,
  listSessionsByToken,
  noteSessionSeen,
  replaceSession,
} from './sessions.queries.ts'
import { deleteLinksOf, deleteSessionsOf } from './sessions.sql.ts'

export { findMailPreference, type Identity, listIdentities, setMailPreference }

/** Maximum lifetime of a session in milliseconds. */
export const SESSION_MS = 14 * DAY_MS
/** Minimum time in milliseconds between writes of a session's last-seen time. */
const SEEN_MS = 5 * 60_000
/** Returns a token of 256 random bits. Only its hash is stored. */
export const newToken = () => randomBytes(32).toString('base64url')
const TOKEN = /^[\w-]{43}$/
export const hashToken = (token: string) => hash('sha256', token)

export interface NewSession extends Entrance {
  /** Hash of the API key with which the session begins. Null for any other sign-in. */
  keyHash: string | null
  /** The passkey with which the session begins. Removing the passkey ends the session. */
  passkeyId?: string
  /** The email address that the sign-in confirmed, in canonical form. Null if it confirmed none. */
  emailKey: string | null
  /** The session that this one replaces. */
  former?: SessionTable | undefined
}

/**
 * Records the language of emails to a person: for the member, and for the account if the person receives its emails.
 */
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

export const endSession = (tx: Tx, token: string) => deleteSession(tx, hashToken(token))

/** Maximum number of unknown token hashes that a process caches. */
const INVENTED_MAX = 20_000

/**
 * Returns a function that finds the actor of a session token. A session that began with an API key has that key's
 * scopes and ends with the key. Any other session has the scopes of the member's role or, without a member, of the
 * account's kind. Throws `account_suspended`.
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
    // For admins, uses the member's name, because staff do not know the name of the operator's account.
    return { ...actor, name: kind === 'admin' ? member.name : name, scopes: scopesOfRole(role), member }
  }
}

/** Returns an account's sessions, newest first, and its passkeys and members, oldest first. */
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
 * Deletes an account's keys, passkeys, sign-in links and other sessions. With `memberId`, also deletes the other
 * members. The caller must remove the account from the key ring.
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
  if (memberId === null) return
  const left = await deleteMembersOf(tx, accountId, memberId)
  await queueMails(tx, await passAddressOn(tx, accountId, left, now))
}

/**
 * Whether the caller may change an email address, and the session that survives the change. Not every caller may,
 * because sign-in links are sent to the address (decision 0064).
 */
export interface Mover {
  /** Thrown if the email address changes. Undefined if the caller may change it. */
  refusal?: AppError | undefined
  /** The session that survives the change. */
  sessionId?: string | undefined
}

/**
 * Returns whether the canonical forms of two email addresses differ. If they do, throws the refusal unless the caller
 * may change the address.
 */
export function isAddressChange(mover: Mover, from: string, to: string): boolean {
  const isMoved = emailKey(from) !== emailKey(to)
  if (isMoved && mover.refusal) throw mover.refusal
  return isMoved
}

/**
 * Deletes an account's sign-in links and its sessions except `sessionId`, and notifies `address`, the account's
 * previous email address.
 */
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

/**
 * Deletes the sessions and links of a member or, without a member, of the whole account. If the person has proved an
 * email address, also deletes their sessions in all accounts of that address.
 */
export async function signOutEverywhere(tx: Tx, { accountId, member, session }: Actor): Promise<void> {
  await (member ? deleteSessionsOfMember(tx, member.id) : deleteSessionsOf(tx, accountId))
  if (session?.emailKey) await deleteSessionsOfAddress(tx, session.emailKey)
}

/**
 * Ends a session of an account on behalf of an operator. Without `sessionId`, ends all of the account's sessions and
 * links. In that case, also ends the sessions in other accounts from which a person could switch to the account.
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
 * Removes the passkeys of an account and all its members, or of one member, on behalf of an operator. Also ends the
 * sessions and links, because the thief of a device, for example, could use them to add another passkey.
 */
export async function removePasskeysOf(
  tx: Tx,
  { actor, id, memberId, precondition, now }: Action & { memberId?: string | undefined; precondition: Precondition },
): Promise<void> {
  // The lock keeps concurrent requests from adding a passkey.
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
