import { expect, test } from 'vitest'
import { expectStatus } from '../support/board.ts'
import { idsOf } from '../support/collection.ts'
import { invite, joined, MEMBERS, memberKey } from '../support/members.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('updateMember', ({ board, status }) => {
  const firstOf = async (key: string): Promise<string> => idsOf(await board.get(`${MEMBERS}?role=owner`, key))[0]!

  status(200, () => {
    test('changes the role of sessions and keys immediately', async () => {
      const employer = await board.employer()
      const { member, visitor } = await joined(board, employer, 'viewer')
      expect((await visitor.get('/console/keys')).status).toBe(403)
      const change = await board.put(`${MEMBERS}/${member.id}`, employer.key, { ...member, role: 'owner' })
      // The member joined, so the state that the invitation returned is outdated.
      expect([change.status, faultsOf(change).length > 0]).toEqual([422, true])
      const owner = expectStatus(await board.put(`${MEMBERS}/${member.id}`, employer.key, { role: 'owner' }), 200)
      expect(owner.body.data).toMatchObject({ id: member.id, role: 'owner', name: 'Rosa Whitlock', state: 'active' })
      const created = await visitor.submit(await visitor.get('/console/keys/new'), '/console/keys', {
        ...{ name: 'Of Rosa', scopes: ['jobs:write', 'profile:read', 'profile:write'] },
      })
      const [, key] = /(jm_emp_\w+)/.exec(created.seen)!
      const listed = (await board.get('/v1/api-keys', key)).body.data.find(
        ({ name }: { name: string }) => name === 'Of Rosa',
      )
      expect(listed.created_by).toEqual({ member_id: member.id, name: 'Rosa Whitlock' })
      expectStatus(await board.put(`${MEMBERS}/${member.id}`, employer.key, { role: 'viewer', name: null }), 200)
      const refused = await board.post('/v1/jobs', key, {})
      expect([refused.status, refused.body.code, refused.body.required_role]).toEqual([
        403,
        'insufficient_role',
        'recruiter',
      ])
      expect((await board.get('/v1/me', key)).body.data.scopes).toEqual(['profile:read'])
      expect((await visitor.get('/console/keys')).status).toBe(403)
    })

    test('lets an owner step down if another owner remains, and does not count invited owners', async () => {
      const employer = await board.employer()
      const id = await firstOf(employer.key)
      await invite(board, employer, { role: 'owner' })
      expect((await board.put(`${MEMBERS}/${id}`, employer.key, { role: 'viewer' })).body.code).toBe('last_owner')
      await memberKey(board, employer, 'owner')
      expectStatus(await board.put(`${MEMBERS}/${id}`, employer.key, { role: 'viewer' }), 200)
    })
  })

  status(409, () => {
    test('leaves one owner when both owners are demoted at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        const employer = await board.employer()
        await memberKey(board, employer, 'owner')
        const owners = idsOf(await board.get(`${MEMBERS}?role=owner`, employer.key))
        const demote = (id: string) => board.put(`${MEMBERS}/${id}`, employer.key, { role: 'viewer' })
        const answers = await Promise.all(owners.map(demote))
        const codes = answers.map(({ status, body }) => body?.code ?? status)
        expect(codes.toSorted()).toEqual([200, 'last_owner'])
        expect(idsOf(await board.get(`${MEMBERS}?role=owner`, employer.key))).toHaveLength(1)
      }
    })
  })

  status(412, () => {
    test('refuses to change a member if the entity tag is outdated', async () => {
      const employer = await board.employer()
      const { id } = await invite(board, employer)
      const headers = { 'if-match': '"outdated"' }
      const answer = await board.call('PUT', `${MEMBERS}/${id}`, {
        key: employer.key,
        body: { role: 'viewer' },
        headers,
      })
      expect(answer.status).toBe(412)
    })
  })

  status(422, () => {
    test.each([
      [{ role: 'admin' }, ['#/role not_allowed']],
      [
        { name: '', email: 'other@mail.example', state: 'active' },
        ['#/name too_short', '#/email read_only_field', '#/state read_only_field'],
      ],
    ])('refuses %j', async (body, faults) => {
      const employer = await board.employer()
      const { id } = await invite(board, employer)
      const answer = await board.put(`${MEMBERS}/${id}`, employer.key, body)
      expect([answer.status, faultsOf(answer).sort()]).toEqual([422, faults.sort()])
    })
  })
})
