/** test/db/feeds.test.ts tests the effects of runs. */
import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { FEEDS, makeFeed } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('createFeedRun', ({ board, status }) => {
  status(202, () => {
    test('queues a run or a dry run', async () => {
      for (const dry_run of [false, true]) {
        const { id } = await makeFeed(board, { url: 'https://voltaire.example/jobs' })
        const answer = expectStatus(await board.post(`${FEEDS}/${id}/runs`, ADMIN_KEY, { dry_run }), 202)
        const { data } = answer.body
        expect(data).toMatchObject({ state: 'pending', dry_run, started_at: null, problems: [] })
        expect(answer.headers.get('location')).toBe(`${FEEDS}/${id}/runs/${data.id}`)
        expect((await board.get(`${FEEDS}/${id}/runs/${data.id}`, ADMIN_KEY)).body).toEqual({ data })
      }
    })
  })

  status(409, () => {
    test('refuses a second run while one is pending, and a run of a feed without a URL or a board', async () => {
      const { id } = await makeFeed(board, { url: 'https://voltaire.example/jobs' })
      expectStatus(await board.post(`${FEEDS}/${id}/runs`, ADMIN_KEY, {}), 202)
      expect((await board.post(`${FEEDS}/${id}/runs`, ADMIN_KEY, {})).body.code).toBe('conflict')
      const pushed = await makeFeed(board)
      expect((await board.post(`${FEEDS}/${pushed.id}/runs`, ADMIN_KEY, {})).body.code).toBe('conflict')
    })
  })
})
