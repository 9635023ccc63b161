import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listBlocks', ({ board, status }) => {
  const path = '/v1/admin/blocks'
  const create = async (body: Record<string, unknown>) =>
    expectStatus(await board.post(path, ADMIN_KEY, { reason: 'Spam', ...body }), 201).body.data
  let count = 0
  const collection = async (): Promise<Collection> => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      board.clock.advance(1_000)
      ids.unshift((await create({ kind: 'network', value: `203.0.113.${++count}` })).id)
    }
    const since = new Date(board.clock.time - 4_000).toISOString()
    return { path: `${path}?created_at_gte=${since}`, key: ADMIN_KEY, ids, otherSort: 'value' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('filters by kind and value, and omits expired blocks', async () => {
      const domain = await create({ kind: 'email_domain', value: 'Found.example' })
      await create({
        kind: 'address',
        value: 'over@found.example',
        expires_at: new Date(board.clock.time + 1_000).toISOString(),
      })
      expect(idsOf(await board.get(`${path}?kind=email_domain&value=found.example`, ADMIN_KEY))).toEqual([domain.id])
      expect(idsOf(await board.get(`${path}?value=over@found.example`, ADMIN_KEY))).toHaveLength(1)
      board.clock.advance(1_000)
      expect(idsOf(await board.get(`${path}?value=over@found.example`, ADMIN_KEY))).toEqual([])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)
  })
})
