/** test/db/feeds.test.ts tests the effects of an approval. */
import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { heldRun } from '../support/feeds.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('approveFeedRun', ({ board, status }) => {
  status(200, () => {
    test('queues a held run again', async () => {
      const path = await heldRun(board)
      const { data } = expectStatus(await board.post(`${path}/approve`, ADMIN_KEY), 200).body
      expect(data).toMatchObject({ state: 'pending' })
      expect((await board.get(path, ADMIN_KEY)).body.data).toEqual(data)
    })
  })

  status(409, () => {
    test('refuses to approve a run twice', async () => {
      const path = await heldRun(board)
      expectStatus(await board.post(`${path}/approve`, ADMIN_KEY), 200)
      expect((await board.post(`${path}/approve`, ADMIN_KEY)).body.code).toBe('conflict')
    })
  })
})
