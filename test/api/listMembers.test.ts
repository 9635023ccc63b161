import { expect, test } from 'vitest'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { invite, joined, MEMBERS, memberKey } from '../support/members.ts'
import { describeOperation } from '../support/operation.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('listMembers', ({ board, status }) => {
  const collection = async (): Promise<Collection> => {
    const employer = await board.employer({ email: `a-${Date.now()}@list.example` })
    const ids = idsOf(await board.get(MEMBERS, employer.key))
    for (let n = 0; n < 4; n++) {
      board.clock.advance(1_000)
      ids.push((await invite(board, employer, { email: `m-${n}@list.example` })).id)
    }
    return { path: MEMBERS, key: employer.key, ids, otherSort: 'invited_at', time: 'joined_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('shows the first owner, with the registered email address, and invited members', async () => {
      const employer = await board.employer({ email: 'First@owner.example' })
      const at = board.clock.now().toISOString()
      const member = await invite(board, employer, {
        email: 'second@owner.example',
        role: 'owner',
        name: ' Idris Bell ',
      })
      const { data } = (await board.get(MEMBERS, employer.key)).body
      const id = expect.stringMatching(/^mem_/)
      const times = { invited_at: null, joined_at: at, last_active: null }
      expect(data).toEqual([
        { id, name: null, email: 'First@owner.example', role: 'owner', state: 'active', ...times },
        member,
      ])
      expect(member).toEqual({
        ...{ id, name: 'Idris Bell', email: 'second@owner.example', role: 'owner', state: 'invited' },
        ...{ invited_at: at, joined_at: null, last_active: null },
      })
    })

    test('shows even viewers when members were last active, and filters by role', async () => {
      const employer = await board.employer()
      const { member } = await joined(board, employer, 'recruiter')
      const viewer = await memberKey(board, employer, 'viewer')
      const { data } = (await board.get(`${MEMBERS}?role=recruiter`, viewer)).body
      const now = board.clock.now().toISOString()
      expect(data).toMatchObject([{ id: member.id, state: 'active', joined_at: now, last_active: now }])
      expect((await board.get(`${MEMBERS}?role=viewer`, employer.key)).body.data[0].last_active).toBe(null)
      await runTask(board, 'key-uses')
      expect((await board.get(`${MEMBERS}?role=viewer`, employer.key)).body.data[0].last_active).toBe(now)
    })
  })

  status(400, () => refusesBadPaging(board, collection))
})
