import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { FEEDS, feed, makeFeed, posting } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getFeedRun', ({ board, status }) => {
  const request = async () => {
    const { id } = await makeFeed(board)
    const run = await feed(board, id, [posting('1'), posting('2', { location: '' })])
    return { method: 'GET', path: `${FEEDS}/${id}/runs/${run.id}` }
  }

  status(200, () => {
    test('returns the run with its counts and problems', async () => {
      const { path } = await request()
      const now = board.clock.now().toISOString()
      expect(expectStatus(await board.get(path, ADMIN_KEY), 200).body.data).toEqual({
        ...{ id: path.split('/').at(-1), state: 'succeeded', dry_run: false, held_reason: null },
        ...{ created_at: now, started_at: now, finished_at: now },
        counts: {
          ...{ read: 2, created: 1, updated: 0, unchanged: 0, missing: 0, closed: 0, reopened: 0, refused: 1 },
        },
        problems: [{ external_id: '2', code: 'invalid_location', detail: expect.any(String) }],
        sample: null,
      })
    })
  })

  status(304, () => answersNotModified(board, 'admin', request))

  status(404, () => {
    test('does not find a run of another feed', async () => {
      const { path } = await request()
      const other = await makeFeed(board)
      expect((await board.get(`${FEEDS}/${other.id}/runs/${path.split('/').at(-1)}`, ADMIN_KEY)).status).toBe(404)
    })
  })
})
