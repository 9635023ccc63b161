import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { inviteStaff, joinedStaff, STAFF } from '../support/members.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('updateStaff', ({ board, status }) => {
  status(200, () => {
    test('changes the role of sessions and keys immediately, and lets the last admin step down', async () => {
      const { member, visitor } = await joinedStaff(board, 'moderator')
      expect((await visitor.get('/desk/payments')).status).toBe(403)
      const { data } = expectStatus(await board.put(`${STAFF}/${member.id}`, ADMIN_KEY, { role: 'admin' }), 200).body
      expect(data).toMatchObject({ id: member.id, role: 'admin', name: 'Wanda Petrov', state: 'active' })
      expect((await visitor.get('/desk/payments')).status).toBe(200)
      const made = await visitor.submit(await visitor.get('/console/keys/new'), '/console/keys', {
        ...{ name: 'Of Wanda', scopes: ['admin:read', 'profile:read'] },
      })
      const [, key] = /(jm_adm_\w+)/.exec(made.seen)!
      expectStatus(await board.get('/v1/admin/tasks', key), 200)
      expectStatus(await board.put(`${STAFF}/${member.id}`, ADMIN_KEY, { role: 'moderator' }), 200)
      const refused = await board.get('/v1/admin/tasks', key)
      expect([refused.status, refused.body.code, refused.body.required_role]).toEqual([
        403,
        'insufficient_role',
        'admin',
      ])
      expectStatus(await board.get('/v1/admin/reports', key), 200)
      expect((await visitor.get('/desk/payments')).status).toBe(403)
    })
  })

  status(412, () => {
    test('refuses to change a staff member if the entity tag is outdated', async () => {
      const { id } = await inviteStaff(board)
      const headers = { 'if-match': '"outdated"' }
      const change = { key: ADMIN_KEY, body: { role: 'admin' }, headers }
      expect((await board.call('PUT', `${STAFF}/${id}`, change)).status).toBe(412)
    })
  })

  status(422, () => {
    test("refuses the roles of employers' members, and read-only fields", async () => {
      const { id } = await inviteStaff(board)
      const answer = await board.put(`${STAFF}/${id}`, ADMIN_KEY, { role: 'viewer', state: 'active' })
      expect(faultsOf(answer).sort()).toEqual(['#/role not_allowed', '#/state read_only_field'])
      expect(answer.status).toBe(422)
    })
  })
})
