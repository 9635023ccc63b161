import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import { countRoughly, countRows, countRowsByDay } from '../../db/backlog.ts'
import { notify, type Reader, type Tx } from '../../db/database.ts'
import { forgetAnswers } from '../../db/idempotent-answers.ts'
import { forgetNotes, listOperatorActions } from '../../db/operator-actions.ts'
import type { AccountTable, ApiKeyTable } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import { type AccountKind, accountKinds } from '../../lib/api-keys.ts'
import { addressKey } from '../../lib/email-blocks.ts'
import { found } from '../../lib/errors.ts'
import { rolesWith, type StaffRole } from '../../lib/scopes.ts'
import type { QueryOf } from '../../lists/query.ts'
import {
  beginningsIn,
  type Condition,
  comparingColumns,
  foldedText,
  listPage,
  type Page,
  sortKey,
  startingWith,
} from '../../lists/sql-page.ts'
import type { Language } from '../../locale/languages.ts'
import type { Message, QueuedMail } from '../../mail/queue.ts'
import { deletePasskeysOf } from '../passkeys/passkeys.sql.ts'
import { deleteSessionsOf } from '../sessions/sessions.sql.ts'
import { deleteMembersOf, joinMember, memberName, type Recipient } from '../teams/teams.sql.ts'
import type { accountList, apiKeyList } from './accounts.schemas.ts'

/** Returns an account by ID, or undefined if it does not exist or is closed. */
export function findAccount(reader: Reader, id: string): Promise<AccountTable | undefined> {
  return reader.selectFrom('account').selectAll().where('id', '=', id).where('closed_at', 'is', null).executeTakeFirst()
}

/** Throws `not_found` if the account does not exist or is closed. */
export async function getAccount(reader: Reader, id: string): Promise<AccountTable> {
  return found(await findAccount(reader, id))
}

/** Inserts an account. Returns false if another account of the same kind has this email address. */
export async function insertAccount(tx: Tx, account: Insertable<AccountTable>): Promise<boolean> {
  const inserted = await tx
    .insertInto('account')
    .values(account)
    .onConflict((conflict) => conflict.columns(['kind', 'email_key']).doNothing())
    .executeTakeFirst()
  const isNew = inserted.numInsertedOrUpdatedRows === 1n
  const { kind } = account
  if (isNew && (kind === 'employer' || kind === 'candidate')) notify(tx, `registered-${kind}`)
  return isNew
}

export async function insertApiKey(tx: Tx, key: Insertable<ApiKeyTable>): Promise<void> {
  await tx.insertInto('api_key').values(key).execute()
}

/**
 * Locks an account and returns the number of its unexpired keys. The lock keeps concurrent transactions from exceeding
 * `API_KEYS_MAX`.
 */
export async function countActiveKeysLocked(tx: Tx, accountId: string, now: Date): Promise<number> {
  await lockAccountRow(tx, sql`${accountId}`, 'no key update')
  return countRows(tx, sql`api_key where account_id = ${accountId} and (expires_at is null or expires_at > ${now})`)
}

export function listActiveKeys(reader: Reader, hashes: readonly string[], now: Date) {
  return reader
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('member', 'member.id', 'api_key.member_id')
    .select(['api_key.member_id', 'member.role as member_role'])
    .select(memberName.as('member_name'))
    .select(['api_key.id', 'api_key.hash', 'api_key.name', 'api_key.last4', 'api_key.scopes', 'api_key.expires_at'])
    .select(['api_key.publishable_key', 'api_key.allowed_origins'])
    .select(['account.id as account_id', 'account.name as account_name'])
    .select(['account.kind', 'account.email', 'account.suspended_at'])
    .where(sql<boolean>`api_key.hash = any(${hashes}::text[])`)
    .where((where) => where.or([where('api_key.expires_at', 'is', null), where('api_key.expires_at', '>', now)]))
    .execute()
}

/** Records when keys were last used. Never replaces a later time. */
export async function markKeysUsed(tx: Tx, uses: readonly { keyId: string; at: Date }[]): Promise<void> {
  // Ordered by ID, because processes that record the same keys could otherwise deadlock.
  await sql`
    with due as (
      select api_key.id, used.at
      from api_key
      join unnest(${uses.map(({ keyId }) => keyId)}::text[], ${uses.map(({ at }) => at)}::timestamptz[]) as used (id, at)
        on used.id = api_key.id
      where api_key.last_used_at is null or api_key.last_used_at < used.at
      order by api_key.id for no key update of api_key)
    update api_key set last_used_at = due.at from due where api_key.id = due.id`.execute(tx)
}

export async function updateAccountRow(tx: Tx, id: string, change: Updateable<AccountTable>): Promise<void> {
  await tx.updateTable('account').set(change).where('id', '=', id).execute()
}

/**
 * Records the use of a sign-in link sent to an account's email address. Returns false if a use of such a link is
 * already recorded, or if the account has a different email address.
 */
export function noteAddressProved(tx: Tx, id: string, emailKey: string): Promise<boolean> {
  return statement`
    update account set email_proved_key = email_key
    where id = ${id} and email_key = ${emailKey} and email_proved_key is distinct from email_key`.changed(tx)
}

/** Records that an account's email address has been confirmed with a link in an email. */
export async function confirmAddress(tx: Tx, id: string): Promise<void> {
  await sql`update account set email_confirmed_key = email_key where id = ${id}`.execute(tx)
}

/** Records the language in which the owner of an account reads the website. */
export async function noteLanguage(tx: Tx, id: string, language: Language): Promise<void> {
  await updateAccountRow(tx, id, { language })
}

/** Deletes an account, its keys and all dependent rows. */
export async function closeAccount(tx: Tx, id: string): Promise<void> {
  await forgetAnswers(tx, id)
  await forgetNotes(tx, id)
  await tx.deleteFrom('account').where('id', '=', id).execute()
}

/** Closes an account to which other rows still refer. Releases the account's email address for other accounts. */
export async function closeForGood(tx: Tx, id: string, now: Date): Promise<void> {
  await forgetAnswers(tx, id)
  await deleteAllApiKeys(tx, id)
  await deletePasskeysOf(tx, id)
  await deleteSessionsOf(tx, id)
  await deleteMembersOf(tx, id)
  const nowhere = { email: null, email_key: null, email_proved_key: null, email_confirmed_key: null, language: null }
  await updateAccountRow(tx, id, { ...nowhere, suspended_at: now, closed_at: now })
}

/** A key, with the name of the member who created it. */
export type NamedKey = ApiKeyTable & { member_name: string | null }

export function listAllApiKeys(reader: Reader, accountId: string): Promise<NamedKey[]> {
  return statement<NamedKey>`
    select api_key.*, ${memberName} as member_name from api_key ${joinMember('api_key.member_id')}
    where api_key.account_id = ${accountId}
    order by api_key.created_at, api_key.id`.all(reader)
}

/** Deletes one of an account's keys. Returns the key's hash and name, or undefined if the account has no such key. */
export function deleteApiKey(tx: Tx, accountId: string, id: string) {
  return tx
    .deleteFrom('api_key')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning(['hash', 'name'])
    .executeTakeFirst()
}

export async function deleteAllApiKeys(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('api_key').where('account_id', '=', accountId).execute()
}

export function findApiKey(reader: Reader, accountId: string, id: string) {
  return reader
    .selectFrom('api_key')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

export type ApiKeyRow = NamedKey & { kind: AccountKind }

export function listApiKeys(
  reader: Reader,
  accountId: string,
  query: QueryOf<typeof apiKeyList>,
): Promise<Page<ApiKeyRow>> {
  return listPage(reader, query, {
    table: 'api_key',
    from: sql`api_key join account on account.id = api_key.account_id ${joinMember('api_key.member_id')}`,
    columns: sql`api_key.*, account.kind, ${memberName} as member_name`,
    where: [sql`api_key.account_id = ${accountId}`],
    filters: {
      ...comparingColumns('api_key', ['created_at', 'expires_at']),
      name: foldedText('api_key.name_sort'),
    },
    sorts: {
      created_at: sortKey.time('api_key.created_at'),
      name: sortKey.text('api_key.name_sort'),
      last_used_at: sortKey.nullableTime('api_key.last_used_at'),
      expires_at: sortKey.nullableTime('api_key.expires_at'),
    },
  })
}

/** Must equal the expression that `account_words_idx` indexes. */
const nameAndEmail = sql`coalesce(name_sort, '') || ' ' || coalesce(email_key, '')`

/** Matches accounts with this ID or email address. */
function isExactly(text: string): Condition {
  const wanted = text.trim()
  // Naming all kinds lets PostgreSQL use the index on kind and email address.
  return sql`(account.id = ${wanted}
    or (account.kind = any(${accountKinds}::text[]) and account.email_key = ${addressKey(wanted)}))`
}

/** Returns the accounts with this ID or email address, except closed accounts. */
export function listExactAccounts(reader: Reader, text: string): Promise<AccountTable[]> {
  return statement<AccountTable>`
    select account.* from account where ${isExactly(text)} and account.closed_at is null order by account.kind`.all(
    reader,
  )
}

/** Returns the names of accounts, including closed ones, keyed by ID. */
export function findAccountNames(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; name: string }>`
    select id, name from account where id = any(${ids}::text[])`.toMap(reader, 'id', 'name')
}

/** Returns the names of accounts that are not closed, keyed by ID. */
export function findOpenAccountNames(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  return statement<{ id: string; name: string }>`
    select id, name from account where id = any(${ids}::text[]) and closed_at is null`.toMap(reader, 'id', 'name')
}

export function listAccounts(reader: Reader, query: QueryOf<typeof accountList>): Promise<Page<AccountTable>> {
  return listPage(reader, query, {
    table: 'account',
    where: [sql`account.closed_at is null`],
    filters: {
      ...comparingColumns('account', ['kind', 'created_at']),
      search: (_operator, value) => sql`(${isExactly(String(value))} or ${beginningsIn(nameAndEmail, String(value))})`,
      is_suspended: (_operator, value) => sql`(account.suspended_at is not null) = ${value}`,
    },
    sorts: { created_at: sortKey.time('account.created_at'), name: sortKey.nullableText('account.name_sort') },
  })
}

/** Locks and returns the account. Returns undefined if the account does not exist or is closed. */
export function lockAccount(tx: Tx, id: string): Promise<AccountTable | undefined> {
  const open = tx.selectFrom('account').selectAll().where('id', '=', id).where('closed_at', 'is', null)
  return open.forNoKeyUpdate().executeTakeFirst()
}

/** Returns the latest operator actions on an account, newest first. */
export const listActionsOn = (reader: Reader, id: string, limit: number) => listOperatorActions(reader, limit, id)

/** Matches IDs of suspended accounts. `id` is a column. */
export function isSuspended(id: string): Condition {
  return sql`exists (select from account where account.id = ${sql.raw(id)} and account.suspended_at is not null)`
}

/** Matches IDs of accounts that are suspended or closed. `id` is a column. */
export function isSuspendedOrClosed(id: string): Condition {
  // Without "offset 0", PostgreSQL 17 reads all accounts into a hash table.
  return sql`exists (
    select from account where account.id = ${sql.raw(id)}
      and (account.suspended_at is not null or account.closed_at is not null) offset 0)`
}

/** Joins the account that a column refers to. */
export function joinAccount(id: string): RawBuilder<unknown> {
  return sql`join account on account.id = ${sql.raw(id)}`
}

/** Selects the IDs of the accounts whose email address starts with `prefix`, which must be in canonical form. */
export function accountsByAddress(prefix: string): RawBuilder<unknown> {
  return sql`(select id from account where ${startingWith('account.email_key', prefix)})`
}

/** Selects the email address of the account that a column refers to. */
export function emailOf(id: string): RawBuilder<string | null> {
  return sql`(select account.email from account where account.id = ${sql.raw(id)})`
}

/** Selects the IDs of the employer accounts with this email address. */
export function employersWithEmail(text: string): RawBuilder<{ id: string }> {
  return sql`select account.id from account where account.kind = 'employer' and account.email_key = ${addressKey(text.trim())}`
}

/** Locks an account. Returns whether the account is suspended, or undefined if it does not exist. */
export function lockAccountRow(
  tx: Tx,
  id: RawBuilder<unknown>,
  strength: 'key share' | 'share' | 'no key update' | 'update',
): Promise<boolean | undefined> {
  return statement<{ is_suspended: boolean }>`
    select suspended_at is not null as is_suspended from account where id = ${id} for ${sql.raw(strength)}`.firstValue(
    tx,
  )
}

/** Locks accounts in ID order. `ids` is a subquery. */
export async function lockAccountRows(tx: Tx, ids: RawBuilder<unknown>): Promise<void> {
  await sql`select 1 from account where id in (${ids}) order by id for key share`.execute(tx)
}

/** Selects the IDs of the given API keys that have not expired and whose accounts are not suspended. */
export function standingKeys(ids: readonly string[], now: Date): RawBuilder<{ id: string }> {
  return sql`
    select api_key.id from api_key join account on account.id = account_id
    where api_key.id = any(${ids}) and (expires_at is null or expires_at > ${now}) and suspended_at is null`
}

/**
 * Returns the staff with this role or a higher one, and the admin accounts that have an email address and are not
 * suspended. Returns each email address once, and at most `STAFF_MAX` recipients. If nobody has an email address,
 * returns one admin account.
 */
export async function listStaffToEmail(reader: Reader, role: StaffRole): Promise<Recipient[]> {
  const rows = await statement<Recipient & { email_key: string | null }>`
    select distinct on (email_key) account_id as "accountId", member_id as "memberId", email_key from (
      select id as account_id, null as member_id, email_key from account
      where kind = 'admin' and closed_at is null and suspended_at is null
      union all
      select account_id, member.id, member.email_key from member join account on account.id = account_id
      where kind = 'admin' and joined_at is not null and role = any(${rolesWith(role)}::text[])) as staff
    order by email_key, member_id, account_id limit ${STAFF_MAX}`.all(reader)
  const reachable = rows.filter(({ email_key }) => email_key !== null)
  return reachable.length > 0 ? reachable : rows
}

const STAFF_MAX = 100

/**
 * Addresses an email to staff. Emails to admins without an email address go to the board's contact email address, if
 * there is one.
 */
export async function addressToStaff(
  reader: Reader,
  { account_id, member_id }: QueuedMail,
  message: Message,
  contactEmail: string | null,
): Promise<Message> {
  if (member_id !== null || contactEmail === null || (await findAccount(reader, account_id))?.email) return message
  return { ...message, to: contactEmail, isToOperator: true }
}

export const countAdminKeys = (reader: Reader, now: Date) =>
  countRows(
    reader,
    sql`api_key join account on account.id = account_id
      where kind = 'admin' and (expires_at is null or expires_at > ${now})`,
  )

export async function countAccounts(reader: Reader, since: Date) {
  const isNew = sql`created_at >= ${since}`
  return {
    accounts: await countRoughly(reader, 'account'),
    accounts_suspended: await countRows(reader, sql`account where suspended_at is not null`),
    candidates_new: await countRows(reader, sql`account where ${isNew} and kind = 'candidate'`),
    employers_new: await countRows(reader, sql`account where ${isNew} and kind = 'employer'`),
  }
}

/** Counts the accounts of a kind that were created since a given time, by UTC day. */
export const countNewAccountsByDay = (reader: Reader, kind: AccountKind, since: Date) =>
  countRowsByDay(reader, { at: 'created_at', from: sql`account where created_at >= ${since} and kind = ${kind}` })
