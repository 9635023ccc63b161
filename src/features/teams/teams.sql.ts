/** SQL about team members, for other features. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import type { AccountKind } from '../../lib/api-keys.ts'
import { type MemberRole, rolesWith } from '../../lib/scopes.ts'
import type { Language } from '../../locale/languages.ts'

/** The name that others see: the member's name or, without a name, the email address. */
export const memberName = sql<string | null>`coalesce(member.name, member.email)`

/** Selects the email address of the member that a column refers to. */
export const memberEmailOf = (id: string): RawBuilder<string | null> =>
  sql`(select member.email from member where member.id = ${sql.raw(id)})`

/** Joins the member that a column refers to, if any. */
export const joinMember = (id: string): RawBuilder<unknown> => sql`left join member on member.id = ${sql.raw(id)}`

/** Selects the current `id/role` of each given member that is active. */
export const standingMembers = (roles: readonly string[]): RawBuilder<{ id: string }> => sql`
  select id || '/' || role as id from member
  where id = any(${roles.map((role) => role.split('/')[0])}::text[]) and joined_at is not null`

/** Adds the first owner to the employer account with this email address, unless the account has members. */
export async function addFirstOwners(tx: Tx, emailKey: string): Promise<void> {
  await sql`
    insert into member (id, account_id, email, email_key, role, joined_at)
    select 'mem_' || substr(id, 5), id, email, email_key, 'owner', created_at from account
    where kind = 'employer' and email_key = ${emailKey}
      and not exists (select from member where member.account_id = account.id)
    on conflict do nothing`.execute(tx)
}

/** An account that a person can sign in to with an email address, as the account itself or as a member. */
export interface Identity {
  account_id: string
  kind: AccountKind
  name: string
  member_id: string | null
  role: MemberRole | null
}

/** Selects the accounts that an email address can sign in to. Excludes suspended and closed accounts. */
export const identitiesOf = (emailKey: RawBuilder<unknown>): RawBuilder<Identity> => sql`
  select id as account_id, kind, name, null as member_id, null as role from account
  where kind in ('candidate', 'admin', 'integrator') and email_key = ${emailKey} and suspended_at is null
  union all
  select account.id, account.kind, account.name, member.id, member.role
  from member join account on account.id = member.account_id
  where member.email_key = ${emailKey} and member.joined_at is not null and account.suspended_at is null`

/** Returns the accounts that an email address can sign in to. */
export function listIdentities(reader: Reader, emailKey: string): Promise<Identity[]> {
  return statement<Identity>`${identitiesOf(sql`${emailKey}`)} order by kind, name, account_id`.all(reader)
}

/** Selects the email addresses that can sign in to an account, and those of invited members. */
export const emailKeysOf = (accountId: string): RawBuilder<unknown> => sql`
  select email_key from account where id = ${accountId} and kind <> 'employer'
  union all select email_key from member where account_id = ${accountId}`

/** A recipient of emails about an account: one of its members, or the account itself. */
export interface Recipient {
  accountId: string
  memberId: string | null
}

/**
 * Joins the active members with one of these roles or a higher one. Excludes the member with the account's email
 * address.
 */
const joinMembersToEmail = (roles: readonly MemberRole[]) => sql`
  join member on member.account_id = account.id and member.joined_at is not null
    and member.role = any(${roles.flatMap(rolesWith)}::text[]) and member.email_key is distinct from account.email_key`

/**
 * Returns the given accounts, and their active members with one of these roles or a higher one. Omits members with the
 * account's email address, because that address would otherwise get each email twice.
 */
export function listRecipients(reader: Reader, accountIds: readonly string[], ...roles: readonly MemberRole[]) {
  return statement<Recipient>`
    select id as "accountId", null as "memberId" from account where id = any(${accountIds}::text[])
    union all
    select account.id, member.id from account ${joinMembersToEmail(roles)}
    where account.id = any(${accountIds}::text[])
    order by "accountId", "memberId" nulls first`.all(reader)
}

/** Selects the IDs of the members that `listRecipients` returns for one account. */
export const membersToEmail = (accountId: RawBuilder<unknown>, role: MemberRole): RawBuilder<{ id: string }> => sql`
  select member.id from account ${joinMembersToEmail([role])} where account.id = ${accountId} order by member.id`

export const isMember = (reader: Reader, id: string): Promise<boolean> =>
  statement`select from member where id = ${id}`.exists(reader)

export const wantsApplicationMails = (id: string): RawBuilder<SqlBool> =>
  sql`exists (select from member where id = ${id} and mail_on_application)`

/**
 * Returns whether a member wants emails about applications. Returns undefined if the role gets no such emails, or if
 * the account's own preference applies because the member has the account's email address.
 */
export function findMailPreference(reader: Reader, id: string): Promise<boolean | undefined> {
  return statement<{ mail_on_application: boolean }>`
    select member.mail_on_application from account ${joinMembersToEmail(['recruiter'])}
    where member.id = ${id}`.firstValue(reader)
}

export async function setMailPreference(tx: Tx, id: string, isWanted: boolean): Promise<void> {
  await tx.updateTable('member').set({ mail_on_application: isWanted }).where('id', '=', id).execute()
}

export async function noteMemberLanguage(tx: Tx, id: string, language: Language): Promise<void> {
  await tx
    .updateTable('member')
    .set({ language })
    .where('id', '=', id)
    .where('language', 'is distinct from', language)
    .execute()
}

/** Returns the members of an account, oldest first. */
export async function listAllMembers(reader: Reader, accountId: string) {
  return reader.selectFrom('member').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
}

export function findActiveMember(reader: Reader, accountId: string, id: string) {
  return reader
    .selectFrom('member')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('joined_at', 'is not', null)
    .executeTakeFirst()
}

/**
 * Changes a member's email address when the account's address changes, unless another member already uses the new
 * address.
 */
export async function moveMember(
  tx: Tx,
  accountId: string,
  { from, to, email }: { from: string; to: string; email: string },
): Promise<void> {
  await sql`
    update member set email = ${email}, email_key = ${to}
    where account_id = ${accountId} and email_key = ${from}
      and not exists (select from member as other where other.account_id = ${accountId} and other.email_key = ${to})
  `.execute(tx)
}

/**
 * Deletes an account's members, with their keys and sessions, except the member `exceptId`. Returns the email addresses
 * of the deleted members.
 */
export async function deleteMembersOf(tx: Tx, accountId: string, exceptId?: string): Promise<string[]> {
  const deleted = await tx
    .deleteFrom('member')
    .where('account_id', '=', accountId)
    .where('id', '<>', exceptId ?? '')
    .returning('email_key')
    .execute()
  return deleted.map(({ email_key }) => email_key)
}

/**
 * Gives an employer account the email address of the owner who joined first, if a member who has left had the account's
 * address. Skips owners whose address belongs to another employer account, because the address must be unique. An
 * accepted invitation has confirmed the owner's address. Returns the emails to queue, which notify the former address.
 */
export async function passAddressOn(tx: Tx, accountId: string, left: readonly string[], now: Date) {
  const rows = await statement<{ former: string }>`
    update account set email = heir.email, email_key = heir.email_key, email_confirmed_key = null,
      email_proved_key = case when heir.invited_at is not null then heir.email_key end
    from (
      select member.*, former.email as former
      from account as former join member on member.account_id = former.id
      where former.id = ${accountId} and former.email_key = any(${left}::text[])
        and member.role = 'owner' and member.joined_at is not null
        and not exists (
          select from account as other
          where other.kind = 'employer' and other.email_key = member.email_key and other.id <> former.id)
      order by member.joined_at, member.id
      limit 1) as heir
    where account.id = ${accountId}
    returning heir.former`.all(tx)
  const notice = { kind: 'address-changed', accountId, subjectId: accountId, at: now } as const
  return rows.map(({ former }) => ({ ...notice, details: { address: former } }))
}

/** Records when members were last active. Never replaces a later time. */
export async function markMembersActive(
  tx: Tx,
  uses: readonly { memberId?: string | undefined; at: Date }[],
): Promise<void> {
  const known = uses.filter(({ memberId }) => memberId !== undefined)
  if (known.length === 0) return
  // Ordered by ID, because processes that record the same members could otherwise deadlock.
  await sql`
    with due as (
      select member.id, used.at
      from member
      join (
        select id, max(at) as at
        from unnest(${known.map(({ memberId }) => memberId!)}::text[], ${known.map(({ at }) => at)}::timestamptz[])
          as use (id, at)
        group by id) as used on used.id = member.id
      where member.last_active is null or member.last_active < used.at
      order by member.id for no key update of member)
    update member set last_active = due.at from due where member.id = due.id`.execute(tx)
}
