import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { FEEDS, feed, makeFeed } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listFeedRuns', ({ board, status }) => {
  const collection = async (): Promise<Collection> => {
    const { id } = await makeFeed(board)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      board.clock.advance(1_000)
      ids.unshift((await feed(board, id, n % 2 === 0 ? '' : '<html>')).id)
    }
    return { path: `${FEEDS}/${id}/runs`, key: ADMIN_KEY, ids, otherSort: 'state' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('filters by state', async () => {
      const { path, ids } = await collection()
      expect(idsOf(await board.get(`${path}?state=failed`, ADMIN_KEY))).toEqual([ids[1], ids[3]])
    })
  })

  status(400, () => refusesBadPaging(board, collection))
})
