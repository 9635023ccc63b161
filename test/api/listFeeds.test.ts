import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { FEEDS, makeFeed } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listFeeds', ({ board, status }) => {
  const collection = async (): Promise<Collection> => {
    const { key } = await board.employer()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      board.clock.advance(1_000)
      ids.unshift((await makeFeed(board, { name: `Feed ${n}` }, key)).id)
    }
    return { path: FEEDS, key, ids, otherSort: 'name' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('shows employers only their own feeds, and filters', async () => {
      const [one, other] = [await board.employer(), await board.employer()]
      const { id } = await makeFeed(board, {}, one.key)
      const hosted = await makeFeed(board, { format: 'lever', board: 'a', is_active: false }, one.key)
      expect(idsOf(await board.get(FEEDS, other.key))).toEqual([])
      const path = `${FEEDS}?employer_id=${one.id}`
      expect(idsOf(await board.get(`${path}&format=lever&is_active=false`, ADMIN_KEY))).toEqual([hosted.id])
      expect(idsOf(await board.get(`${path}&format=ndjson`, ADMIN_KEY))).toEqual([id])
    })
  })

  status(400, () => refusesBadPaging(board, collection))
})
