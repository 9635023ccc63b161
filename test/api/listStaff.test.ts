import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { inviteStaff, joinedStaff, STAFF } from '../support/members.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listStaff', ({ board, status }) => {
  const collection = async (): Promise<Collection> => {
    for (const id of idsOf(await board.get(STAFF, ADMIN_KEY))) await board.delete(`${STAFF}/${id}`, ADMIN_KEY)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      board.clock.advance(1_000)
      ids.push((await inviteStaff(board, { email: `s-${n}@list.example` })).id)
    }
    return { path: STAFF, key: ADMIN_KEY, ids, otherSort: 'invited_at', time: 'joined_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('shows the staff, and never the members of employers', async () => {
      const at = board.clock.now().toISOString()
      const { member } = await joinedStaff(board, 'admin', 'Wanda Petrov')
      const employer = await board.employer()
      const other = await board.account('admin')
      const { data } = (await board.get(`${STAFF}?role=admin`, other.key)).body
      const times = { invited_at: at, joined_at: at, last_active: at }
      expect(data).toEqual([{ ...member, name: 'Wanda Petrov', state: 'active', ...times }])
      expect((await board.get('/v1/employers/members', employer.key)).body.data).toHaveLength(1)
      expectStatus(await board.delete(`${STAFF}/${member.id}`, other.key), 204)
    })
  })

  status(400, () => refusesBadPaging(board, collection))
})
