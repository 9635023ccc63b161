import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'

describeOperation('listSessions', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/accounts/${id}/sessions`
  const collection = async (): Promise<Collection> => {
    const employer = await board.employer()
    for (let n = 0; n < 5; n++) {
      board.clock.advance(1_000)
      await visitor(board, employer)
    }
    const ids = idsOf(await board.get(pathOf(employer.id), ADMIN_KEY))
    return { path: pathOf(employer.id), key: ADMIN_KEY, ids, otherSort: 'last_seen_at' }
  }

  status(200, () => {
    test('shows the sessions of an account, without tokens', async () => {
      const employer = await board.employer()
      await visitor(board, employer)
      const answer = expectStatus(await board.get(pathOf(employer.id), ADMIN_KEY), 200)
      const at = board.clock.now().toISOString()
      expect(answer.body.data).toEqual([
        {
          id: expect.stringMatching(/^ses_/),
          begun_with: 'api_key',
          created_at: at,
          last_seen_at: at,
          expires_at: new Date(board.clock.time + 14 * 86_400_000).toISOString(),
        },
      ])
      board.clock.advance(14 * 86_400_000)
      expect((await board.get(pathOf(employer.id), ADMIN_KEY)).body.data).toEqual([])
    })

    pagesBothWays(board, collection)
  })

  status(400, () => {
    refusesBadPaging(board, collection)
  })
})
