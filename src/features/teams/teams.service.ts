/**
 * Members of employer accounts (decision 0118), and the board's staff (decision 0124). Every change locks the account,
 * so that concurrent changes cannot remove the last owner. After the commit of an update or a removal, the caller must
 * remove the account from the key ring.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { noteIfAdmin, type Performer } from '../../db/operator-actions.ts'
import type { MemberTable } from '../../db/schema.ts'
import type { Change, Submission } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, accountGone, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { mergeBody } from '../../lib/merge.ts'
import { readToken, signToken } from '../../lib/signed-token.ts'
import { DAY_MS } from '../../lib/time.ts'
import { queueMails } from '../../mail/queue.ts'
import { assertNotBlocked, emailKey, lockAccountRow } from '../accounts/index.ts'
import { presentMember } from './teams.present.ts'
import {
  countMembers,
  countOtherOwners,
  deleteMemberRow,
  findInvited,
  findMember,
  findMemberByEmail,
  insertMember,
  updateMemberRow,
} from './teams.queries.ts'
import { type InvitationBody, MEMBERS_MAX, type MemberBody } from './teams.schemas.ts'
import { passAddressOn } from './teams.sql.ts'

export const INVITATION_DAYS = 7

/** A change to the members of an account. The admin area's activity list shows changes to the staff. */
interface TeamChange {
  accountId: string
  actor: Performer
  now: Date
}

/** Locks an account and returns one of its members. */
async function lockMember(tx: Tx, accountId: string, id: string): Promise<MemberTable> {
  await lockAccountRow(tx, sql`${accountId}`, 'no key update')
  return found(await findMember(tx, accountId, id))
}

/** Invites a member, or invites the member again with a new link. Throws `conflict` if the member has joined. */
export async function inviteMember(
  tx: Tx,
  { accountId, actor, body, faults, now }: Submission<InvitationBody> & TeamChange,
): Promise<{ member: MemberTable; isNew: boolean }> {
  if (faults.length > 0) throw validationFailed(faults)
  const { email, role } = body
  if ((await lockAccountRow(tx, sql`${accountId}`, 'no key update')) === undefined) throw accountGone()
  await assertNotBlocked(tx, email, now)
  const former = await findMemberByEmail(tx, accountId, emailKey(email)!)
  if (former?.joined_at) {
    const detail = 'This email address already belongs to a member.'
    throw new AppError('conflict', { detail, words: { key: 'problem.already_member' } })
  }
  if (!former && (await countMembers(tx, accountId)) >= MEMBERS_MAX) {
    const detail = `An account can have at most ${MEMBERS_MAX} members. Remove one first.`
    const words = { key: 'problem.members_max', values: { limit: MEMBERS_MAX } } as const
    throw new AppError('limit_reached', { detail, words, extra: { limit: MEMBERS_MAX } })
  }
  const member: MemberTable = {
    ...{ id: former?.id ?? newId('member'), account_id: accountId, email, email_key: emailKey(email)!, role },
    ...{
      name: body.name ?? former?.name ?? null,
      invited_at: now,
      joined_at: null,
      last_active: null,
      language: former?.language ?? null,
      mail_on_application: former?.mail_on_application ?? true,
    },
    invitation: randomBytes(16).toString('base64url'),
  }
  if (former) await updateMemberRow(tx, former.id, member)
  else await insertMember(tx, member)
  const details = { invitation: member.invitation }
  await queueMails(tx, [{ kind: 'invitation', accountId, subjectId: member.id, details, at: now }])
  await noteIfAdmin(tx, actor, { action: 'member.invite', subject: email, note: role }, now)
  return { member, isNew: !former }
}

/**
 * Throws `last_owner` if an employer account would be left without an active owner. The last admin of the staff may be
 * removed, because `ADMIN_API_KEY` and the command line always let the operator in.
 */
async function assertOwnerRemains(tx: Tx, { id, account_id, role, joined_at }: MemberTable): Promise<void> {
  if (role !== 'owner' || joined_at === null || (await countOtherOwners(tx, account_id, id)) > 0) return
  const detail = 'Make another member an owner first.'
  throw new AppError('last_owner', { detail, words: { key: 'problem.last_owner' } })
}

export async function updateMember(
  tx: Tx,
  { accountId, actor, id, body, faults, precondition, now }: Change<MemberBody> & TeamChange,
): Promise<MemberTable> {
  const row = await lockMember(tx, accountId, id)
  const present = presentMember(row)
  const { merged } = mergeBody(present, { body, faults }, ['name', 'role'])
  precondition(present)
  const { name, role } = merged
  if (role !== 'owner') await assertOwnerRemains(tx, row)
  await updateMemberRow(tx, id, { name, role })
  await noteIfAdmin(tx, actor, { action: 'member.update', subject: row.email, note: role }, now)
  return { ...row, name, role }
}

/** Removes a member, or withdraws an invitation. */
export async function removeMember(
  tx: Tx,
  { accountId, actor, id, precondition, now }: TeamChange & { id: string; precondition: Precondition },
): Promise<void> {
  const row = await lockMember(tx, accountId, id)
  precondition(presentMember(row))
  await assertOwnerRemains(tx, row)
  await deleteMemberRow(tx, id)
  await noteIfAdmin(tx, actor, { action: 'member.remove', subject: row.email }, now)
  await queueMails(tx, await passAddressOn(tx, accountId, [row.email_key], now))
}

export const invitationToken = (secret: Uint8Array, { id, invitation }: Pick<MemberTable, 'id' | 'invitation'>) =>
  signToken(secret, `invitation ${id} ${invitation}`)

/** Returns the invited member and the account, or undefined if the invitation is not valid. */
export async function findInvitation(reader: Reader, secret: Uint8Array, token: string, now: Date) {
  const [kind, id, invitation] = readToken(secret, token)?.split(' ') ?? []
  if (kind !== 'invitation' || id === undefined || invitation === undefined) return undefined
  return findInvited(reader, { id, invitation, since: new Date(now.getTime() - INVITATION_DAYS * DAY_MS) })
}

/** Makes an invited person a member. Returns the member, or undefined if the invitation is not valid. */
export async function acceptInvitation(
  tx: Tx,
  secret: Uint8Array,
  { token, name, now }: { token: string; name: string; now: Date },
): Promise<MemberTable | undefined> {
  const invited = await findInvitation(tx, secret, token, now)
  if (!invited) return undefined
  await lockAccountRow(tx, sql`${invited.account_id}`, 'no key update')
  // The invitation may have been used or withdrawn, or the account closed, while this transaction waited for the lock.
  if (!(await findInvitation(tx, secret, token, now))) return undefined
  await updateMemberRow(tx, invited.id, { name, joined_at: now, invitation: null })
  return { ...invited, name, joined_at: now }
}
