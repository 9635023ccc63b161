import { hash, randomBytes } from 'node:crypto'
import type { Database, Reader, Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import { type Actor, scopesOf } from '../../lib/scopes.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import { queueMails } from '../../mail/queue.ts'
import {
  deleteAllApiKeys,
  emailKey,
  findAccountsByEmail,
  type KeyRing,
  listAllApiKeys,
  type NoteActive,
  noteAddressProved,
} from '../accounts/index.ts'
import {
  countRequests,
  deleteLinksOf,
  deleteOtherSessions,
  deleteSession,
  findSession,
  insertLink,
  insertRequest,
  insertSession,
  isLinkValid,
  listSessions,
  noteSessionSeen,
  takeLink,
} from './sessions.queries.ts'

/** A session ends so long after it began. */
export const SESSION_MS = 14 * DAY_MS
/** When somebody was last seen is written at most this often. */
const SEEN_MS = 5 * 60_000
/** A link in a mail can be used this long. */
export const LINK_MS = 15 * 60_000
/** So many mails go to an address in that time. */
const LINKS_MAX = 5

/** 256 random bits; what is stored is their hash. */
const newToken = () => randomBytes(32).toString('base64url')
const TOKEN = /^[\w-]{43}$/
const hashToken = (token: string) => hash('sha256', token)

/** Begins a session with a token of its own, which is returned here only. `keyHash`: of the API key that it was begun with. */
export async function beginSession(tx: Tx, accountId: string, keyHash: string | null, now: Date): Promise<string> {
  const token = newToken()
  await insertSession(tx, {
    id: newId('session'),
    token_hash: hashToken(token),
    account_id: accountId,
    key_hash: keyHash,
    created_at: now,
    last_seen_at: now,
    expires_at: new Date(now.getTime() + SESSION_MS),
  })
  return token
}

/** Ends the session of a token, if there is one. */
export const endSession = (tx: Tx, token: string) => deleteSession(tx, hashToken(token))

/** How many tokens a process remembers of each kind. */
const REMEMBERED_MAX = 20_000

/** The hashes that were added last. */
class Latest {
  readonly #hashes = new Set<string>()

  has(hash: string): boolean {
    return this.#hashes.has(hash)
  }

  add(hash: string): void {
    this.#hashes.delete(hash)
    this.#hashes.add(hash)
    if (this.#hashes.size > REMEMBERED_MAX) this.#hashes.delete(this.#hashes.values().next().value!)
  }
}

/** Finds who is behind the token of a session. */
export class Sessions {
  readonly #database: Database
  readonly #clock: Clock
  readonly #keyRing: Pick<KeyRing, 'findActorByHash'>
  readonly #noteActive: NoteActive
  /** Those that were somebody's: a network that is refused for inventing others keeps them. */
  readonly #known = new Latest()
  /** Those that were nobody's, which they stay: we make them, and nobody finds one of 256 bits. */
  readonly #invented = new Latest()

  constructor(database: Database, clock: Clock, keyRing: Pick<KeyRing, 'findActorByHash'>, noteActive: NoteActive) {
    this.#database = database
    this.#clock = clock
    this.#keyRing = keyRing
    this.#noteActive = noteActive
  }

  /**
   * The actor of a session, or undefined: with the scopes of the key that it was begun with, as long as that key is
   * valid, or with all of the account's kind. Arrow function: it is handed around as such.
   */
  readonly findActor = async (token: string, mayAsk = true): Promise<Actor | undefined> => {
    if (!TOKEN.test(token)) return undefined
    const tokenHash = hashToken(token)
    if (this.#invented.has(tokenHash) || !(mayAsk || this.#known.has(tokenHash))) return undefined
    const now = this.#clock.now()
    const session = await this.#database.read((db) => findSession(db, tokenHash, now))
    if (!session) {
      this.#invented.add(tokenHash)
      return undefined
    }
    this.#known.add(tokenHash)
    const { id, key_hash, account_id: accountId, kind, name, email } = session
    if (now.getTime() - session.last_seen_at.getTime() >= SEEN_MS) {
      await this.#database.inStatement((tx) => noteSessionSeen(tx, id, now))
      await this.#database.inStatement((tx) => this.#noteActive(tx, [{ accountId, at: now }]))
    }
    if (key_hash !== null) {
      const actor = await this.#keyRing.findActorByHash(key_hash)
      return actor?.accountId === accountId ? actor : undefined
    }
    return {
      accountId,
      kind,
      name,
      email,
      scopes: scopesOf(kind),
      key: { id, name: 'Session', last4: '', expiresAt: null },
    }
  }
}

/** Queues mails with links that sign in, one for each account with the address; nobody is told whether there is one. */
export async function requestLinks(tx: Tx, email: string, returnTo: string | undefined, now: Date): Promise<void> {
  const key = emailKey(email)!
  const addressHash = hash('sha256', key)
  // What is refused does not count: somebody else who goes on asking would keep the owner out for ever.
  if ((await countRequests(tx, addressHash, new Date(now.getTime() - LINK_MS))) >= LINKS_MAX) return
  await insertRequest(tx, addressHash, now)
  const accounts = await findAccountsByEmail(tx, key)
  await queueMails(
    tx,
    accounts.map(({ id }) => ({
      kind: 'sign-in',
      accountId: id,
      subjectId: id,
      details: returnTo === undefined ? {} : { return_to: returnTo },
      at: now,
    })),
  )
}

/** Makes the token of a link, for the mail that is about to be sent. */
export async function makeLink(tx: Tx, accountId: string, now: Date): Promise<string> {
  const token = newToken()
  await insertLink(tx, hashToken(token), accountId, new Date(now.getTime() + LINK_MS))
  return token
}

/** Whether a link would sign in. */
export const mayUseLink = (reader: Reader, token: string, now: Date) => isLinkValid(reader, hashToken(token), now)

/**
 * Uses a link up: begins a session, or answers undefined when it was used before or is too old. `isShared`: nobody had
 * shown before that the address is theirs, and the account can be used by other ways, of whoever opened it.
 */
export async function useLink(
  tx: Tx,
  linkToken: string,
  now: Date,
): Promise<{ token: string; isShared: boolean } | undefined> {
  const accountId = await takeLink(tx, hashToken(linkToken), now)
  if (accountId === undefined) return undefined
  const isFirst = await noteAddressProved(tx, accountId)
  const token = await beginSession(tx, accountId, null, now)
  const { keys, sessions } = await listOtherWaysIn(tx, accountId, token, now)
  return { token, isShared: isFirst && keys.length + sessions.length > 0 }
}

/** By what an account can be used besides the session with this token. */
export async function listOtherWaysIn(reader: Reader, accountId: string, token: string, now: Date) {
  const sessions = await listSessions(reader, accountId, now)
  return {
    keys: await listAllApiKeys(reader, accountId),
    sessions: sessions.filter((session) => session.token_hash !== hashToken(token)),
  }
}

/** Ends all of them. The caller has the keys forgotten. */
export async function endOtherWaysIn(tx: Tx, accountId: string, token: string): Promise<void> {
  await deleteAllApiKeys(tx, accountId)
  await deleteOtherSessions(tx, accountId, hashToken(token))
  await deleteLinksOf(tx, accountId)
}

/** An account has another address: links that were sent to the one before are over, and its reader is told. */
export async function leaveAddress(tx: Tx, accountId: string, address: string, now: Date): Promise<void> {
  await deleteLinksOf(tx, accountId)
  await queueMails(tx, [{ kind: 'address-changed', accountId, subjectId: accountId, details: { address }, at: now }])
}
