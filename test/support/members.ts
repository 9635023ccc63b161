/** Members of employer accounts and the board's staff, invited over the API and joined on the website. */
import { newId } from '../../src/lib/ids.ts'
import type { MemberRole, StaffRole } from '../../src/lib/scopes.ts'
import { type Account, ADMIN_KEY, type Board, expectStatus } from './board.ts'
import { mailsIn } from './mails.ts'
import { type Page, Visitor } from './pages.ts'
import { runTask } from './tasks.ts'

export const MEMBERS = '/v1/employers/members'
export const STAFF = '/v1/admin/members'

let count = 0

/** Invites a member. */
export async function invite(board: Board, { key }: Account, body: Record<string, unknown> = {}) {
  const invitation = { email: `member-${++count}@team.example`, role: 'recruiter', ...body }
  return expectStatus(await board.post(MEMBERS, key, invitation), 201).body.data
}

/** Sends the pending emails and returns the paths of the invitations to this email address, oldest first. */
export async function invitationsTo(board: Board, address: string): Promise<string[]> {
  const { publicOrigin, dataDir } = board.config
  await runTask(board, 'mail')
  return (await mailsIn(dataDir))
    .filter(({ to }) => to?.some((each) => each.address === address))
    .flatMap(({ text }) => text!.split(/\s/).filter((word) => word.startsWith(`${publicOrigin}/invitation?`)))
    .map((url) => url.slice(publicOrigin!.length))
}

/** Accepts the newest invitation to an email address. Returns the next page. */
export async function join(board: Board, guest: Visitor, address: string, name = 'Rosa Whitlock'): Promise<Page> {
  const path = (await invitationsTo(board, address)).at(-1)!
  return guest.submit(await guest.get(path), '/invitation/accept', { name })
}

/** Invites a member and accepts the invitation. Returns the member, and the visitor who is signed in as the member. */
export async function joined(board: Board, employer: Account, role: MemberRole, body: Record<string, unknown> = {}) {
  const member = await invite(board, employer, { role, ...body })
  const visitor = new Visitor(board)
  await join(board, visitor, member.email)
  return { member, visitor }
}

/** Invites someone to the board's staff. */
export async function inviteStaff(board: Board, body: Record<string, unknown> = {}) {
  const invitation = { email: `staff-${++count}@board.example`, role: 'moderator', ...body }
  return expectStatus(await board.post(STAFF, ADMIN_KEY, invitation), 201).body.data
}

/** Invites someone to the board's staff and accepts the invitation. Returns the member and the signed-in visitor. */
export async function joinedStaff(board: Board, role: StaffRole, name = 'Wanda Petrov') {
  const member = await inviteStaff(board, { role })
  const visitor = new Visitor(board)
  await join(board, visitor, member.email, name)
  return { member, visitor }
}

/** Returns a key of a new member with this role. Writes rows directly, because only owners create keys. */
export async function memberKey(
  board: Board,
  employer: Account,
  role: MemberRole,
  name = 'Rosa Whitlock',
): Promise<string> {
  const [id, email] = [newId('member'), `member-${++count}@team.example`]
  const { data } = expectStatus(await board.post('/v1/api-keys', employer.key, { name: 'Of a member' }), 201).body
  await board.database.inTx(async (tx) => {
    const row = { id, account_id: employer.id, name, email, email_key: email, role, joined_at: board.clock.now() }
    const uninvited = { invited_at: null, invitation: null, last_active: null }
    await tx
      .insertInto('member')
      .values({ ...row, ...uninvited })
      .execute()
    await tx.updateTable('api_key').set({ member_id: id }).where('id', '=', data.id).execute()
  })
  return data.key
}
