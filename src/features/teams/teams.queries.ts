import { type Insertable, sql, type Updateable } from 'kysely'
import { countRows } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { MemberTable } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparingColumns, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import type { TeamSchemas } from './teams.schemas.ts'

type MemberList = TeamSchemas['memberList']

export function listMembers(reader: Reader, accountId: string, query: QueryOf<MemberList>): Promise<Page<MemberTable>> {
  return listPage(reader, query, {
    table: 'member',
    where: [sql<boolean>`member.account_id = ${accountId}`],
    filters: comparingColumns('member', ['role', 'joined_at']),
    sorts: {
      email: sortKey.text('member.email_key'),
      joined_at: sortKey.nullableTime('member.joined_at'),
      invited_at: sortKey.nullableTime('member.invited_at'),
      last_active: sortKey.nullableTime('member.last_active'),
    },
  })
}

export function findMember(reader: Reader, accountId: string, id: string): Promise<MemberTable | undefined> {
  return reader
    .selectFrom('member')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

export function findMemberByEmail(reader: Reader, accountId: string, emailKey: string) {
  return reader
    .selectFrom('member')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('email_key', '=', emailKey)
    .executeTakeFirst()
}

/** Returns the memberships and invitations of an account's email address, if the address has been confirmed. */
export function listMembershipsOf(reader: Reader, accountId: string) {
  return statement<MemberTable & { employer: string }>`
    select member.*, employer.name as employer
    from account join member on member.email_key = account.email_key join account as employer on employer.id = member.account_id
    where account.id = ${accountId} and account.email_key in (account.email_proved_key, account.email_confirmed_key)
    order by member.id`.all(reader)
}

/** Returns the member with a valid invitation, and the name and kind of the account, or undefined if there is none. */
export function findInvited(
  reader: Reader,
  { id, invitation, since }: { id: string; invitation: string; since: Date },
) {
  return reader
    .selectFrom('member')
    .innerJoin('account', 'account.id', 'member.account_id')
    .selectAll('member')
    .select(['account.name as account_name', 'account.kind'])
    .where('member.id', '=', id)
    .where('member.invitation', '=', invitation)
    .where('member.invited_at', '>', since)
    .where('account.suspended_at', 'is', null)
    .executeTakeFirst()
}

export const countMembers = (reader: Reader, accountId: string): Promise<number> =>
  countRows(reader, sql`member where account_id = ${accountId}`)

/** Counts an account's active owners, except the given member. */
export const countOtherOwners = (reader: Reader, accountId: string, id: string): Promise<number> =>
  countRows(
    reader,
    sql`member where account_id = ${accountId} and id <> ${id} and role = 'owner' and joined_at is not null`,
  )

export async function insertMember(tx: Tx, member: Insertable<MemberTable>): Promise<void> {
  await tx.insertInto('member').values(member).execute()
}

export async function updateMemberRow(tx: Tx, id: string, change: Updateable<MemberTable>): Promise<void> {
  await tx.updateTable('member').set(change).where('id', '=', id).execute()
}

/** Deletes a member. The database also deletes the member's keys, sessions and links. */
export async function deleteMemberRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('member').where('id', '=', id).execute()
}
