/** test/db/feeds.test.ts tests the effects of a deletion on the feed's jobs. */
import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { FEEDS, makeFeed, push } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteFeed', ({ board, status }) => {
  status(204, () => {
    test('deletes the feed with its documents', async () => {
      const { id } = await makeFeed(board)
      expectStatus(await push(board, id, '{}'), 202)
      expectStatus(await board.delete(`${FEEDS}/${id}`, ADMIN_KEY), 204)
      expect((await board.get(`${FEEDS}/${id}`, ADMIN_KEY)).status).toBe(404)
      const parts = await board.database.read((db) => db.selectFrom('feed_document_part').selectAll().execute())
      expect(parts).toEqual([])
    })
  })

  status(400, () => {
    test('refuses unknown values of the parameter jobs', async () => {
      const { id } = await makeFeed(board)
      expect((await board.delete(`${FEEDS}/${id}?jobs=burn`, ADMIN_KEY)).body.code).toBe('invalid_parameter')
    })
  })

  status(412, () =>
    changesOnlyWhatMatches(board, 'admin', async () => {
      return { method: 'DELETE', path: `${FEEDS}/${(await makeFeed(board)).id}` }
    }),
  )
})
