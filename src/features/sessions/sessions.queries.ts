import { type Selectable, sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { AccountTable, SessionTable } from '../../db/schema.ts'
import type { ListQuery } from '../../lists/query.ts'
import { comparing, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { isSuspended, joinAccount, standingKeys } from '../accounts/index.ts'
import type { sessionList } from './sessions.schemas.ts'

/** Returns the unexpired sessions with these tokens, and their accounts. */
export async function listSessionsByToken(reader: Reader, tokenHashes: readonly string[], now: Date) {
  const { rows } = await sql<
    Omit<Selectable<SessionTable>, 'expires_at'> &
      Pick<AccountTable, 'kind' | 'name' | 'email' | 'language' | 'suspended_at'>
  >`
    select session.id, session.token_hash, session.account_id, session.key_hash, session.created_at,
      session.last_seen_at, account.kind, account.name, account.email, account.language, account.suspended_at
    from session ${joinAccount('session.account_id')}
    where session.token_hash = any(${tokenHashes}::text[]) and session.expires_at > ${now}`.execute(reader)
  return rows
}

export async function insertSession(tx: Tx, session: SessionTable): Promise<void> {
  await tx.insertInto('session').values(session).execute()
}

export async function noteSessionSeen(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable('session').set({ last_seen_at: at }).where('id', '=', id).execute()
}

export async function deleteSession(tx: Tx, tokenHash: string): Promise<void> {
  await tx.deleteFrom('session').where('token_hash', '=', tokenHash).execute()
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
 * Returns those of the IDs that belong to valid keys and sessions. Keys and sessions of suspended accounts are not
 * valid.
 */
export async function listStanding(reader: Reader, ids: readonly string[], now: Date): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    ${standingKeys(ids, now)}
    union all
    select session.id from session ${joinAccount('account_id')}
    where session.id = any(${ids}) and expires_at > ${now} and suspended_at is null`.execute(reader)
  return new Set(rows.map(({ id }) => id))
}

export function listSessions(reader: Reader, accountId: string, now: Date): Promise<SessionTable[]> {
  return reader
    .selectFrom('session')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

export function listSessionPage(
  reader: Reader,
  accountId: string,
  query: ListQuery<keyof typeof sessionList.filters, keyof typeof sessionList.sorts>,
  { now, cursorSecret }: { now: Date; cursorSecret: Uint8Array },
): Promise<Page<SessionTable>> {
  return listPage(
    reader,
    {
      from: sql`session`,
      id: sql.ref('session.id'),
      columns: sql`session.*`,
      where: [sql`session.account_id = ${accountId}`, sql`session.expires_at > ${now}`],
      filters: { created_at: comparing(sql.ref('session.created_at')) },
      sorts: { created_at: sortKey.time('session.created_at'), last_seen_at: sortKey.time('session.last_seen_at') },
    },
    query,
    cursorSecret,
  )
}

export async function deleteSessionOf(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const query = tx.deleteFrom('session').where('id', '=', id).where('account_id', '=', accountId)
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

export async function insertLink(tx: Tx, tokenHash: string, accountId: string, expiresAt: Date): Promise<void> {
  await tx
    .insertInto('sign_in_link')
    .values({ token_hash: tokenHash, account_id: accountId, expires_at: expiresAt })
    .execute()
}

/**
 * Matches links of accounts that are not suspended. A suspended account may still have links from before the
 * suspension, or links created concurrently with it.
 */
const isOfOpenAccount = () => sql<boolean>`not ${isSuspended('sign_in_link.account_id')}`

export async function isLinkValid(reader: Reader, tokenHash: string, now: Date): Promise<boolean> {
  const link = await reader
    .selectFrom('sign_in_link')
    .select('account_id')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .where(isOfOpenAccount())
    .executeTakeFirst()
  return link !== undefined
}

/** Consumes a link and returns the ID of its account, or undefined if the link is not valid. */
export async function takeLink(tx: Tx, tokenHash: string, now: Date): Promise<string | undefined> {
  const link = await tx
    .deleteFrom('sign_in_link')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .where(isOfOpenAccount())
    .returning('account_id')
    .executeTakeFirst()
  return link?.account_id
}

export async function insertRequest(tx: Tx, addressHash: string, now: Date): Promise<void> {
  await tx.insertInto('sign_in_request').values({ address_hash: addressHash, requested_at: now }).execute()
}

export async function countRequests(reader: Reader, addressHash: string, since: Date): Promise<number> {
  const { count } = await reader
    .selectFrom('sign_in_request')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('address_hash', '=', addressHash)
    .where('requested_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteExpired(tx: Tx, now: Date, requestsBefore: Date): Promise<void> {
  await tx.deleteFrom('session').where('expires_at', '<=', now).execute()
  await tx.deleteFrom('sign_in_link').where('expires_at', '<=', now).execute()
  await tx.deleteFrom('sign_in_request').where('requested_at', '<=', requestsBefore).execute()
}
