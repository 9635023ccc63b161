import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { FEEDS, feed, makeFeed, posting } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getFeed', ({ board, status }) => {
  status(200, () => {
    test('returns the feed with its last run', async () => {
      const created = await makeFeed(board)
      const { problems: _problems, sample: _sample, ...last_run } = await feed(board, created.id, [posting('1')])
      const { data } = expectStatus(await board.get(`${FEEDS}/${created.id}`, ADMIN_KEY), 200).body
      expect(data).toEqual({ ...created, last_run, job_count: 1 })
    })
  })

  status(304, () =>
    answersNotModified(board, 'admin', async () => ({ method: 'GET', path: `${FEEDS}/${(await makeFeed(board)).id}` })),
  )
})
