import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { FEEDS, makeFeed } from '../support/feeds.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('updateFeed', ({ board, status }) => {
  status(200, () => {
    test('changes fields, and schedules an immediate run if the URL changes', async () => {
      const feed = await makeFeed(board)
      board.clock.advance(1_000)
      const now = board.clock.now().toISOString()
      const change = { url: 'https://voltaire.example/jobs', company: 'Voltaire', close_after_hours: 0 }
      const answer = expectStatus(await board.put(`${FEEDS}/${feed.id}`, ADMIN_KEY, change), 200)
      expect(answer.body.data).toEqual({ ...feed, ...change, updated_at: now, next_run_at: now })
      // A client can send back a feed that it read.
      expectStatus(await board.put(`${FEEDS}/${feed.id}`, ADMIN_KEY, answer.body.data), 200)
    })
  })

  status(412, () =>
    changesOnlyWhatMatches(board, 'admin', async () => {
      return { method: 'PUT', path: `${FEEDS}/${(await makeFeed(board)).id}`, body: { name: 'New' } }
    }),
  )

  status(422, () => {
    test.each<[object, string]>([
      [{ format: 'lever' }, '#/format read_only_field'],
      [{ board: 'a' }, '#/board not_allowed'],
      [{ url: 'https://127.0.0.1/' }, '#/url not_allowed'],
      [{ is_prepaid: true }, '#/is_prepaid not_allowed'],
    ])('refuses %o', async (change, fault) => {
      const { key } = await board.employer()
      const { id } = await makeFeed(board, {}, key)
      expect(faultsOf(await board.put(`${FEEDS}/${id}`, key, change))).toEqual([fault])
    })
  })
})
