/** test/db/feeds.test.ts tests the effects of discarding a run. */
import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { heldRun } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('discardFeedRun', ({ board, status }) => {
  status(200, () => {
    test('marks a held run as failed', async () => {
      const path = await heldRun(board)
      const { data } = expectStatus(await board.post(`${path}/discard`, ADMIN_KEY), 200).body
      expect(data).toMatchObject({ state: 'failed' })
      expect((await board.get(path, ADMIN_KEY)).body.data).toEqual(data)
    })
  })

  status(409, () => {
    test('refuses to discard a run twice', async () => {
      const path = await heldRun(board)
      expectStatus(await board.post(`${path}/discard`, ADMIN_KEY), 200)
      expect((await board.post(`${path}/discard`, ADMIN_KEY)).body.code).toBe('conflict')
    })
  })
})
