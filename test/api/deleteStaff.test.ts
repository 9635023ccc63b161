import { expect, test } from 'vitest'
import { OPERATOR_ID } from '../../src/features/accounts/index.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { idsOf } from '../support/collection.ts'
import { inviteStaff, joinedStaff, memberKey, STAFF } from '../support/members.ts'
import { describeOperation } from '../support/operation.ts'
import { Visitor } from '../support/pages.ts'
import { signInLinks } from '../support/sign-in.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('deleteStaff', ({ board, status }) => {
  status(204, () => {
    test('ends the sessions, sign-in links, keys and streams of staff members, even of the last admin', async () => {
      const { member, visitor } = await joinedStaff(board, 'admin')
      const guest = new Visitor(board)
      await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: member.email })
      const [link] = await signInLinks(board, member.email)
      const key = await memberKey(board, { id: OPERATOR_ID, key: ADMIN_KEY }, 'admin')
      const stream = await fetch(`${board.address}/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } })
      expect(stream.status).toBe(200)
      const body = stream.text().catch(() => 'broken')
      for (const id of idsOf(await board.get(`${STAFF}?role=admin`, ADMIN_KEY))) {
        expectStatus(await board.delete(`${STAFF}/${id}`, ADMIN_KEY), 204)
      }
      expect((await visitor.get('/desk')).path).toMatch(/^\/sign-in/)
      expect((await guest.get(link!)).status).toBe(410)
      expect((await board.get('/v1/me', key)).status).toBe(401)
      await runTask(board, 'authorities')
      await body
      expectStatus(await board.get(STAFF, ADMIN_KEY), 200)
    })

    test('withdraws an invitation, and records this in the activity log', async () => {
      const { id, email } = await inviteStaff(board)
      expectStatus(await board.delete(`${STAFF}/${id}`, ADMIN_KEY), 204)
      expectStatus(await board.delete(`${STAFF}/${id}`, ADMIN_KEY), 404)
      const { seen } = await (await new Visitor(board).signIn({ key: ADMIN_KEY })).get('/desk/activity')
      expect(seen).toContain(`Removed ${email} from the staff`)
      expect(seen).toContain(`Invited ${email} to the staff`)
    })
  })

  status(412, () => {
    test('refuses to remove a staff member if the tag is outdated', async () => {
      const { id } = await inviteStaff(board)
      const headers = { 'if-match': '"outdated"' }
      expect((await board.call('DELETE', `${STAFF}/${id}`, { key: ADMIN_KEY, headers })).status).toBe(412)
    })
  })
})
