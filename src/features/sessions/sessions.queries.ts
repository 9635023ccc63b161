import { sql } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { AccountTable, SessionTable } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { AccountKind } from '../../lib/api-keys.ts'
import type { MemberRole } from '../../lib/scopes.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { isSuspended, joinAccount, standingKeys } from '../accounts/index.ts'
import { emailKeysOf, identitiesOf, joinMember, memberName, standingMembers } from '../teams/teams.sql.ts'
import type { sessionList } from './sessions.schemas.ts'

/**
 * Returns the unexpired sessions with these tokens, and their accounts and members. An employer's session needs a
 * member, unless it began with an API key.
 */
export function listSessionsByToken(reader: Reader, tokenHashes: readonly string[], now: Date) {
  return statement<
    SessionTable &
      Pick<AccountTable, 'kind' | 'name' | 'email' | 'language' | 'suspended_at'> & {
        role: MemberRole | null
        member_name: string | null
        has_choice: boolean
      }
  >`
    select session.*, account.kind, account.name, coalesce(member.email, account.email) as email,
      coalesce(member.language, account.language) as language,
      account.suspended_at, member.role, ${memberName} as member_name,
      session.email_key is not null and exists (
        select from (${identitiesOf(sql`session.email_key`)}) as identity
        where identity.account_id <> session.account_id) as has_choice
    from session ${joinAccount('session.account_id')} ${joinMember('session.member_id')}
    where session.token_hash = any(${tokenHashes}::text[]) and session.expires_at > ${now}
      and (account.kind <> 'employer' or session.key_hash is not null or session.member_id is not null)
  `.all(reader)
}

export async function insertSession(tx: Tx, session: SessionTable): Promise<void> {
  await tx.insertInto('session').values(session).execute()
}

export async function noteSessionSeen(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable('session').set({ last_seen_at: at }).where('id', '=', id).execute()
}

export function lockSession(tx: Tx, id: string, now: Date): Promise<SessionTable | undefined> {
  const query = tx.selectFrom('session').selectAll().where('id', '=', id).where('expires_at', '>', now)
  return query.forUpdate().executeTakeFirst()
}

/** Replaces a session in its row, so that a concurrent sign-out everywhere ends the new session too. */
export async function replaceSession(tx: Tx, id: string, session: SessionTable): Promise<void> {
  await tx.updateTable('session').set(session).where('id', '=', id).execute()
}

export async function deleteSession(tx: Tx, tokenHash: string): Promise<void> {
  await tx.deleteFrom('session').where('token_hash', '=', tokenHash).execute()
}

/** Deletes a member's sessions and links. */
export async function deleteSessionsOfMember(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('session').where('member_id', '=', memberId).execute()
  await tx.deleteFrom('sign_in_link').where('member_id', '=', memberId).execute()
}

/** Deletes the sessions, in all accounts, of the person who confirmed this email address. */
export async function deleteSessionsOfAddress(tx: Tx, emailKey: string): Promise<void> {
  await tx.deleteFrom('session').where('email_key', '=', emailKey).execute()
}

/** Deletes the sessions, in all accounts, from which a person could switch to this account. */
export async function deleteSessionsInto(tx: Tx, accountId: string): Promise<void> {
  // Uses the collation of the index.
  await sql`
    delete from session where email_key in
      (select email_key collate "default" from (${emailKeysOf(accountId)}) as address)`.execute(tx)
}

/** Deletes an account's sessions, except the session with the given ID. */
export async function deleteOtherSessions(tx: Tx, accountId: string, id: string | undefined): Promise<void> {
  await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('id', '<>', id ?? '')
    .execute()
}

/**
 * Returns the given IDs of valid keys and sessions, and the given roles (`id/role`) that members still have. Keys and
 * sessions of suspended accounts are not valid.
 */
export async function listStanding(reader: Reader, ids: readonly string[], now: Date): Promise<ReadonlySet<string>> {
  const standing = await statement<{ id: string }>`
    ${standingKeys(ids, now)}
    union all
    select session.id from session ${joinAccount('account_id')}
    where session.id = any(${ids}) and expires_at > ${now} and suspended_at is null
    union all
    ${standingMembers(ids)}`.allValues(reader)
  return new Set(standing)
}

/** Returns up to 100 of the newest sessions of an account or, if `memberId` is given, of this member. */
export function listSessions(reader: Reader, accountId: string, now: Date, memberId?: string): Promise<SessionTable[]> {
  return reader
    .selectFrom('session')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .$if(memberId !== undefined, (query) => query.where('member_id', '=', memberId!))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

export function listSessionPage(
  reader: Reader,
  accountId: string,
  query: QueryOf<typeof sessionList>,
  now: Date,
): Promise<Page<SessionTable>> {
  return listPage(reader, query, {
    table: 'session',
    where: [sql`session.account_id = ${accountId}`, sql`session.expires_at > ${now}`],
    filters: { created_at: comparing('session.created_at') },
    sorts: { created_at: sortKey.time('session.created_at'), last_seen_at: sortKey.time('session.last_seen_at') },
  })
}

export async function deleteSessionOf(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const query = tx.deleteFrom('session').where('id', '=', id).where('account_id', '=', accountId)
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

/** The account that a person signs in to and, if the person is one of its members, the member. */
export interface Entrance {
  accountId: string
  memberId: string | null
  /** The kinds of accounts from which the person may choose. Default: all. */
  kinds?: readonly AccountKind[] | undefined
}

/**
 * Returns the hash under which a link with kinds is stored. The previous release ignores the kinds, so its processes
 * must not find the link during a rolling upgrade.
 */
const limited = (tokenHash: string) => `limited ${tokenHash}`

export async function insertLink(
  tx: Tx,
  tokenHash: string,
  { accountId, memberId, kinds }: Entrance,
  expiresAt: Date,
): Promise<void> {
  const row = { account_id: accountId, member_id: memberId, expires_at: expiresAt }
  const limits = kinds ? { token_hash: limited(tokenHash), kinds: [...kinds] } : { token_hash: tokenHash, kinds: null }
  await tx
    .insertInto('sign_in_link')
    .values({ ...row, ...limits })
    .execute()
}

/**
 * Matches links of accounts that are not suspended. A suspended account may still have links from before the
 * suspension, or links created concurrently with it.
 */
const isOfOpenAccount = () => sql<boolean>`not ${isSuspended('sign_in_link.account_id')}`

/** Returns the account of a valid link, its kinds of accounts, and the email address that received the link. */
export function findLink(reader: Reader, tokenHash: string, now: Date) {
  return statement<{ account_id: string; kinds: AccountKind[] | null; email_key: string | null }>`
    select account.id as account_id, kinds, coalesce(member.email_key, account.email_key) as email_key
    from sign_in_link ${joinAccount('sign_in_link.account_id')} ${joinMember('sign_in_link.member_id')}
    where token_hash in (${tokenHash}, ${limited(tokenHash)}) and expires_at > ${now}
      and suspended_at is null`.first(reader)
}

/** Consumes a link and returns its account and member, or undefined if the link is not valid. */
export async function takeLink(tx: Tx, tokenHash: string, now: Date): Promise<Entrance | undefined> {
  const link = await tx
    .deleteFrom('sign_in_link')
    .where('token_hash', 'in', [tokenHash, limited(tokenHash)])
    .where('expires_at', '>', now)
    .where(isOfOpenAccount())
    .returning(['account_id', 'member_id', 'kinds'])
    .executeTakeFirst()
  if (!link) return undefined
  const kinds = (link.kinds as AccountKind[] | null) ?? undefined
  return { accountId: link.account_id, memberId: link.member_id, kinds }
}

export async function insertRequest(tx: Tx, addressHash: string, now: Date): Promise<void> {
  await tx.insertInto('sign_in_request').values({ address_hash: addressHash, requested_at: now }).execute()
}

export const countRequests = (reader: Reader, addressHash: string, since: Date): Promise<number> =>
  countRows(reader, sql`sign_in_request where address_hash = ${addressHash} and requested_at > ${since}`)

export async function deleteExpired(tx: Tx, now: Date, requestsBefore: Date): Promise<void> {
  await tx.deleteFrom('session').where('expires_at', '<=', now).execute()
  await tx.deleteFrom('sign_in_link').where('expires_at', '<=', now).execute()
  await tx.deleteFrom('sign_in_request').where('requested_at', '<=', requestsBefore).execute()
}
