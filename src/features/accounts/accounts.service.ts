import { isEmailBlocked } from '../../db/blocks.ts'
import type { Database, Reader, Tx } from '../../db/database.ts'
import { noteIfAdmin, type Performer } from '../../db/operator-actions.ts'
import { findShared } from '../../db/rate-limits.ts'
import type { ApiKeyTable } from '../../db/schema.ts'
import { type AccountKind, hashApiKey, isWellFormedApiKey, keyKindPrefixes, newApiKey } from '../../lib/api-keys.ts'
import type { Budgets, BudgetUse } from '../../lib/budgets.ts'
import type { Submission } from '../../lib/changes.ts'
import { addressKey } from '../../lib/email-blocks.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, accountSuspended, type BodyFault, emailTaken, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Lookups } from '../../lib/lookups.ts'
import { type Actor, PUBLISHABLE_SCOPES, type Scope, scopesOf, scopesOfRole } from '../../lib/scopes.ts'
import { type Clock, parseTime } from '../../lib/time.ts'
import { isHttpUrl, originIn } from '../../lib/url.ts'
import { fold } from '../../search/text/fold.ts'
import type { Kit } from '../feature.ts'
import { markMembersActive } from '../teams/teams.sql.ts'
import { type Holdings, presentAccountDetail, presentApiKey } from './accounts.present.ts'
import {
  type ApiKeyRow,
  countActiveKeysLocked,
  deleteApiKey,
  findAccount,
  getAccount,
  insertAccount,
  insertApiKey,
  listActiveKeys,
  listAllApiKeys,
  markKeysUsed,
  updateAccountRow,
} from './accounts.queries.ts'
import { API_KEYS_MAX, type ApiKeyBody } from './accounts.schemas.ts'

export const OPERATOR_ID = 'adm_00000000000000000000000000'

/** The ID that all keys in `ADMIN_API_KEY` share. These keys are not stored in the database. */
const ENVIRONMENT_KEY_ID = 'key_00000000000000000000000000'

/**
 * Returns the actor's stored key. Returns undefined for keys in `ADMIN_API_KEY`, and for actors that signed in without
 * a key.
 */
export function storedKeyOf({ key }: Pick<Actor, 'key'>): Actor['key'] | undefined {
  return key.id.startsWith('key_') && key.id !== ENVIRONMENT_KEY_ID ? key : undefined
}

/** Creates an account and its first key, which has every scope of the account kind. Only this call returns the key. */
export async function openAccount(
  tx: Tx,
  account: { kind: AccountKind; name: string; email: string | null },
  now: Date,
): Promise<{ id: string; apiKey: string }> {
  const id = newId(account.kind)
  await assertNotBlocked(tx, account.email, now)
  const email_key = emailKey(account.email)
  if (!(await insertAccount(tx, { ...account, id, name_sort: fold(account.name), email_key, created_at: now })))
    throw emailTaken()
  const first = { name: 'First key', scopes: scopesOf(account.kind) }
  const { key } = await mintKey(tx, { id, kind: account.kind }, first, now)
  return { id, apiKey: key }
}

export const emailKey = (email: string | null) => (email === null ? null : addressKey(email))

/** Throws `email_blocked` if an operator blocked the email address or its domain. */
export async function assertNotBlocked(reader: Reader, email: string | null, now: Date): Promise<void> {
  if (email !== null && (await isEmailBlocked(reader, email, now))) {
    const detail = 'This email address cannot be used here. Use another one.'
    throw new AppError('email_blocked', { detail, words: { key: 'problem.email_blocked' } })
  }
}

/**
 * Changes an account's name and email address. Throws `email_taken` if another account of the same kind has the email
 * address. The error aborts the transaction.
 */
export async function updateAccount(tx: Tx, id: string, change: { name: string; email: string }): Promise<void> {
  await updateAccountRow(tx, id, { ...change, name_sort: fold(change.name), email_key: emailKey(change.email) })
}

export async function getAccountData(reader: Reader, id: string) {
  const account = await findAccount(reader, id)
  if (!account) return undefined
  const { kind, name, email, language, created_at } = account
  const keys = await listAllApiKeys(reader, id)
  return {
    account: { id, name, email, language, created_at: created_at.toISOString() },
    api_keys: keys.map((key) => presentApiKey({ ...key, kind })),
  }
}

/** Returns an account with the details that admins see. Throws `not_found`. */
export async function readAccountDetail(reader: Reader, kit: Pick<Kit, 'budgets' | 'collect'>, id: string, now: Date) {
  const account = await getAccount(reader, id)
  const keys = await listAllApiKeys(reader, id)
  const holdings: Partial<Holdings> = {}
  for (const count of kit.collect('countHoldings')) Object.assign(holdings, await count(reader, id, now))
  return presentAccountDetail(account, keys, holdings, await listBudgetUses(reader, kit.budgets, id))
}

async function mintKey(
  tx: Tx,
  account: { id: string; kind: AccountKind },
  wanted: {
    name: string
    scopes: readonly Scope[]
    expiresAt?: Date | null
    publishable?: Actor['key']['publishable'] | undefined
    member?: Actor['member']
  },
  now: Date,
): Promise<{ key: string; row: ApiKeyRow }> {
  const { publishable, member } = wanted
  const kind = publishable ? 'publishable' : account.kind
  const key = newApiKey(kind)
  const row: ApiKeyTable = {
    id: newId('apiKey'),
    account_id: account.id,
    name: wanted.name,
    name_sort: fold(wanted.name),
    hash: hashApiKey(key),
    prefix: `jm_${keyKindPrefixes[kind]}_`,
    last4: key.slice(-4),
    scopes: [...wanted.scopes],
    created_at: now,
    last_used_at: null,
    expires_at: wanted.expiresAt ?? null,
    publishable_key: publishable ? key : null,
    allowed_origins: publishable?.origins ? [...publishable.origins] : null,
    member_id: member?.id ?? null,
  }
  await insertApiKey(tx, row)
  return { key, row: { ...row, kind: account.kind, member_name: member?.name ?? null } }
}

/**
 * Creates a key for the caller's account. The new key cannot have more scopes or a later expiry than the calling key.
 */
export async function createApiKey(
  tx: Tx,
  { actor, body, faults: schemaFaults, now }: Submission<ApiKeyBody> & { actor: Actor },
) {
  const faults = [...schemaFaults]
  const isSound = (member: string) => !schemaFaults.some(({ pointer }) => pointer.split('/')[1] === member)
  const kindScopes = scopesOf(actor.kind)
  const publishable =
    body.kind === 'publishable' ? { origins: isSound('allowed_origins') ? originsOf(body) : null } : undefined
  faults.push(...publishableFaults(actor, body))
  const wanted = body.scopes ?? (publishable ? PUBLISHABLE_SCOPES : actor.scopes)
  const scopes = isSound('scopes') ? wanted : []
  scopes.forEach((scope, index) => {
    if (actor.scopes.includes(scope)) return
    const detail = kindScopes.includes(scope)
      ? `The calling key does not have the scope ${scope}.`
      : `Keys of ${actor.kind} accounts cannot have the scope ${scope}.`
    const words = { key: 'fault.scope', values: { scope } } as const
    faults.push({ pointer: `#/scopes/${index}`, code: 'not_allowed', detail, words })
  })
  const latest = actor.key.expiresAt
  const expiresAt = body.expires_at && isSound('expires_at') ? parseTime(body.expires_at, 'end')! : latest
  if (expiresAt && (expiresAt <= now || (latest && expiresAt > latest))) {
    const detail = latest
      ? `expires_at must be in the future and no later than ${latest.toISOString()}, when the calling key expires.`
      : 'expires_at must be in the future.'
    faults.push({
      pointer: '#/expires_at',
      code: 'invalid_range',
      detail,
      ...(latest ? { rule: { keyword: 'future', limit: latest } } : { words: { key: 'fault.past' } }),
    })
  }
  if (faults.length > 0) throw validationFailed(faults)
  if ((await countActiveKeysLocked(tx, actor.accountId, now)) >= API_KEYS_MAX) {
    const detail = `An account can have at most ${API_KEYS_MAX} valid API keys. Revoke one first.`
    const words = { key: 'problem.keys_max', values: { limit: API_KEYS_MAX } } as const
    throw new AppError('limit_reached', { detail, words, extra: { limit: API_KEYS_MAX } })
  }
  const account = { id: actor.accountId, kind: actor.kind }
  const note = scopes.length < kindScopes.length ? scopes.join(', ') : undefined
  await noteIfAdmin(tx, actor, { action: 'key.create', subject: body.name, note }, now)
  return mintKey(tx, account, { name: body.name, scopes, expiresAt, publishable, member: actor.member }, now)
}

/** Returns the allowed origins in canonical form, or null for all. Returns invalid origins unchanged. */
function originsOf({ allowed_origins: origins }: ApiKeyBody): string[] | null {
  if (!origins || origins.length === 0) return null
  return [...new Set(origins.map((origin) => originIn(origin) ?? origin))]
}

function publishableFaults(actor: Actor, body: ApiKeyBody): BodyFault[] {
  const { kind, scopes, allowed_origins: origins } = body
  if (kind !== 'publishable') {
    if (!origins || origins.length === 0) return []
    const detail = 'Only publishable keys can have allowed_origins. Omit it for other keys.'
    return [{ pointer: '#/allowed_origins', code: 'not_allowed', detail }]
  }
  const faults: BodyFault[] = []
  if (actor.kind === 'candidate') {
    const detail = 'Candidate accounts cannot have publishable keys.'
    faults.push({ pointer: '#/kind', code: 'not_allowed', detail })
  }
  if (Array.isArray(scopes) && scopes.join() !== PUBLISHABLE_SCOPES.join()) {
    const detail = `A publishable key has only the scope ${PUBLISHABLE_SCOPES.join()}.`
    faults.push({ pointer: '#/scopes', code: 'not_allowed', detail })
  }
  for (const [index, origin] of (Array.isArray(origins) ? origins : []).entries()) {
    // Schema validation already reports values that are not URLs.
    if (!isHttpUrl(String(origin)) || originIn(origin) !== undefined) continue
    const detail = 'Send only the origin, such as https://www.example.com, without a path.'
    const words = { key: 'fault.origin' } as const
    faults.push({ pointer: `#/allowed_origins/${index}`, code: 'invalid_format', detail, words })
  }
  return faults
}

/**
 * Time in milliseconds until a cached key is checked again. Other processes may accept a revoked key for this long, or
 * longer while the database is unavailable to them.
 */
const BELIEVED_MS = 1_000
/** Time in milliseconds for which a key stays valid after its last check while the database is unavailable. */
const TRUSTED_MS = 3_600_000
/**
 * Time in milliseconds for which a key stays valid after its last check while the database is slow to respond. Shorter
 * than `TRUSTED_MS`, because keys in use were checked within the last second.
 */
const TRUSTED_SILENT_MS = 3_000
/** Minimum time in milliseconds between two writes of a key's last use. */
const LAST_USED_MS = 60_000
const CACHE_MAX = 50_000

interface KeyUse {
  keyId: string
  accountId: string
  memberId?: string | undefined
  at: Date
}

export type NoteActive = (tx: Tx, uses: readonly { accountId: string; at: Date }[]) => Promise<void>

/**
 * Cache of API keys and their actors. A revoked key becomes invalid immediately in the process that revokes it, and
 * within a second in other processes that reach the database. Methods that serve as callbacks are arrow functions.
 */
export class KeyRing {
  readonly #database: Database
  readonly #clock: Clock
  readonly #noteActive: NoteActive
  /** Actors for the keys in `ADMIN_API_KEY`, by key hash. */
  readonly #operators: ReadonlyMap<string, Actor>
  /** Actors by key hash. `checkedAt` is in milliseconds of the monotonic clock. */
  readonly #believed = new Map<string, { actor: Actor; checkedAt: number }>()
  /**
   * Batches lookups: a wrong key with a valid checksum costs only a fraction of a query, and never delays a valid key.
   */
  readonly #rows = new Lookups(async (hashes) => {
    const rows = await this.#database.read((db) => listActiveKeys(db, hashes, this.#clock.now()))
    return new Map(rows.map((row) => [row.hash, row]))
  })
  readonly #noted = new Map<string, number>()
  /** Key uses that have not been written yet, by key ID. */
  readonly #unwritten = new Map<string, KeyUse>()
  /** Number of revocations. A key that was read before a revocation must not be cached after it. */
  #revocations = 0

  constructor(database: Database, clock: Clock, adminApiKeys: readonly string[], noteActive: NoteActive) {
    this.#database = database
    this.#clock = clock
    this.#noteActive = noteActive
    this.#operators = new Map(adminApiKeys.map((key) => [hashApiKey(key), environmentActor(key)]))
  }

  /** Returns the actor of a key, or undefined if the key is invalid. Throws `account_suspended`. */
  readonly findActor = (key: string): Actor | undefined | Promise<Actor | undefined> => {
    const hash = hashApiKey(key)
    return this.recallActor(hash) ?? (isWellFormedApiKey(key) ? this.#find(hash) : undefined)
  }

  isOperatorKey(key: string | undefined): boolean {
    return key !== undefined && this.#operators.has(hashApiKey(key))
  }

  /** Returns an actor by key hash, for work that was started with the key. */
  readonly findActorByHash = (hash: string): Actor | undefined | Promise<Actor | undefined> =>
    this.recallActor(hash) ?? this.#find(hash)

  /** Returns the actor of a cached key without a query. Comparing hashes prevents timing attacks. */
  readonly recallActor = (hash: string): Actor | undefined =>
    this.#operators.get(hash) ?? this.#recall(hash, BELIEVED_MS)

  #find(hash: string): Actor | undefined | Promise<Actor | undefined> {
    const { presence } = this.#database
    const read = () => this.#readActor(hash, this.#clock.now())
    if (!presence) return read()
    return presence.orWhileSilent(read, () => this.#recall(hash, presence.isAway ? TRUSTED_MS : TRUSTED_SILENT_MS))
  }

  /** Returns the actor of an unexpired key if the key's last check was successful and recent enough. */
  #recall(hash: string, forMs: number): Actor | undefined {
    const believed = this.#believed.get(hash)
    if (!believed || performance.now() >= believed.checkedAt + forMs) return undefined
    const { expiresAt } = believed.actor.key
    return expiresAt === null || this.#clock.now() < expiresAt ? believed.actor : undefined
  }

  async #readActor(hash: string, now: Date): Promise<Actor | undefined> {
    const revocations = this.#revocations
    const row = await this.#rows.find(hash)
    if (!row || row.suspended_at) {
      this.#believed.delete(hash)
      if (row) throw accountSuspended()
      return undefined
    }
    const { id, name, last4, expires_at: expiresAt, account_id: accountId, kind, email } = row
    const { publishable_key, allowed_origins: origins } = row
    const key = { id, name, last4, expiresAt, ...(publishable_key !== null && { publishable: { origins } }) }
    const actor: Actor = { accountId, kind, name: row.account_name, email, scopes: row.scopes as Scope[], key }
    if (row.member_id !== null) {
      const role = row.member_role!
      actor.member = { id: row.member_id, name: row.member_name!, role }
      actor.scopes = actor.scopes.filter((scope) => scopesOfRole(role).includes(scope))
    }
    if (revocations === this.#revocations) this.#believe(hash, actor)
    this.#noteUse({ keyId: id, accountId, memberId: actor.member?.id, at: now })
    return actor
  }

  #believe(hash: string, actor: Actor): void {
    // Moves the key to the end of the map. A full cache drops the first key, which was checked least recently.
    this.#believed.delete(hash)
    if (this.#believed.size >= CACHE_MAX) this.#believed.delete(this.#believed.keys().next().value!)
    this.#believed.set(hash, { actor, checkedAt: performance.now() })
  }

  #noteUse(use: KeyUse): void {
    const { keyId, at } = use
    const notedAt = this.#noted.get(keyId)
    if (notedAt !== undefined && Math.abs(at.getTime() - notedAt) < LAST_USED_MS) return
    if (this.#noted.size >= CACHE_MAX) this.#noted.clear()
    this.#noted.set(keyId, at.getTime())
    this.#unwritten.set(keyId, use)
  }

  async flushUses(): Promise<void> {
    if (this.#unwritten.size === 0) return
    const uses = [...this.#unwritten.values()]
    // Uses separate transactions, because a single one could deadlock with an erasure, which locks the candidate before
    // the keys.
    await this.#database.inStatement((tx) => markKeysUsed(tx, uses))
    await this.#database.inStatement((tx) => this.#noteActive(tx, uses))
    await this.#database.inStatement((tx) => markMembersActive(tx, uses))
    // Removes the uses only after all writes succeed, so that the next call retries failed writes.
    for (const use of uses) {
      if (this.#unwritten.get(use.keyId) === use) this.#unwritten.delete(use.keyId)
    }
  }

  /** Removes an account's keys from the cache, for example after the account has been closed. */
  readonly forgetAccount = (accountId: string): void => {
    this.#revocations++
    for (const [hash, { actor }] of this.#believed) {
      if (actor.accountId === accountId) this.#believed.delete(hash)
    }
  }

  /** Revokes one of the account's own keys. Throws `not_found`. */
  async revoke(
    actor: Performer,
    id: string,
    precondition: Precondition,
    inTx: (work: (tx: Tx) => Promise<void>) => Promise<void> = this.#database.inTx,
  ): Promise<void> {
    let hash: string | undefined
    try {
      await inTx(async (tx) => {
        const deleted = found(await deleteApiKey(tx, actor.accountId, id))
        hash = deleted.hash
        await noteIfAdmin(tx, actor, { action: 'key.delete', subject: deleted.name }, this.#clock.now())
        precondition(undefined)
      })
    } finally {
      // Also runs after errors: if the connection broke during the commit, the key may have been revoked anyway.
      this.#revocations++
      if (hash !== undefined) this.#believed.delete(hash)
    }
  }
}

function environmentActor(key: string): Actor {
  return {
    accountId: OPERATOR_ID,
    kind: 'admin',
    name: 'Operator',
    email: null,
    scopes: scopesOf('admin'),
    key: { id: ENVIRONMENT_KEY_ID, name: 'ADMIN_API_KEY', last4: key.slice(-4), expiresAt: null },
  }
}

export const commandLineActor: Pick<Actor, 'accountId' | 'key'> = {
  accountId: OPERATOR_ID,
  key: { id: 'key_00000000000000000000000000', name: 'Command line', last4: '', expiresAt: null },
}

/** Creates a key from the command line, for an existing account or for a new admin or integrator account. */
export async function createKeyByOperator(
  tx: Tx,
  wanted: { accountId: string } | { kind: 'admin' | 'integrator' },
  name: string,
  now: Date,
): Promise<{ accountId: string; key: string }> {
  if ('kind' in wanted) {
    const { id, apiKey } = await openAccount(tx, { kind: wanted.kind, name, email: null }, now)
    return { accountId: id, key: apiKey }
  }
  const account = await findAccount(tx, wanted.accountId)
  if (!account) throw new AppError('not_found', { detail: `Unknown account ${wanted.accountId}.` })
  const { key } = await mintKey(tx, account, { name, scopes: scopesOf(account.kind) }, now)
  return { accountId: account.id, key }
}

/**
 * Returns an account's use of each budget: the higher of this process's count and the total that all processes have
 * reported.
 */
async function listBudgetUses(reader: Reader, budgets: Budgets, accountId: string): Promise<BudgetUse[]> {
  const uses = budgets.usesOf(accountId)
  const windows = uses.map(({ name, resetsAt }) => ({ policy: name, end: resetsAt }))
  const shared = await findShared(reader, accountId, windows)
  return uses.map((use) => ({ ...use, used: Math.max(use.used, shared.get(use.name) ?? 0) }))
}
