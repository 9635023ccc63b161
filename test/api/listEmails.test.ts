import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { failedEmail } from '../support/mails.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listEmails', ({ board, status }) => {
  const path = '/v1/admin/emails'
  const collection = async (): Promise<Collection> => {
    board.clock.advance(1_000)
    const since = board.clock.now().toISOString()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      ids.unshift(await failedEmail(board))
      board.clock.advance(1_000)
    }
    return { path: `${path}?created_at_gte=${since}`, key: ADMIN_KEY, ids, otherSort: 'created_at:asc' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('contains emails in every state, and filters by state, kind, account and recipient', async () => {
      board.clock.advance(1_000)
      const failed = await failedEmail(board)
      const unknown = await failedEmail(board, { state: 'unknown', kind: 'job-alert', last_error: null })
      const others: string[] = []
      for (const state of ['pending', 'sent', 'dropped']) others.push(await failedEmail(board, { state }))
      const since = `created_at_gte=${board.clock.now().toISOString()}`
      const find = async (query: string) => idsOf(await board.get(`${path}?${since}&${query}`, ADMIN_KEY)).sort()
      expect(await find('')).toEqual([failed, unknown, ...others].sort())
      expect(await find('state_in=failed,unknown')).toEqual([failed, unknown].sort())
      expect(await find('state=unknown')).toEqual([unknown])
      expect(await find('kind=job-alert')).toEqual([unknown])
      const { data } = (await board.get(`${path}?${since}&state=failed`, ADMIN_KEY)).body
      expect(await find(`account_id=${data[0].account_id}`)).toEqual([failed])
      expect(await find(`to=${data[0].to.slice(0, -2).toUpperCase()}`)).toEqual([failed])
      expect(data).toEqual([
        {
          ...{ id: failed, kind: 'sign-in', state: 'failed', attempts: 10, error: '550 No such mailbox' },
          ...{ account_id: expect.stringMatching(/^cand_/), subject_id: expect.stringMatching(/^cand_/) },
          to: expect.stringContaining('@candidate.example'),
          created_at: board.clock.now().toISOString(),
          due_at: board.clock.now().toISOString(),
          settled_at: board.clock.now().toISOString(),
          repeats: null,
        },
      ])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)
  })
})
