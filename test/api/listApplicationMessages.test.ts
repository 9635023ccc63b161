import { world } from '../support/applications.ts'
import { expectStatus } from '../support/board.ts'
import { pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listApplicationMessages', ({ board, status }) => {
  const collection = async () => {
    const { application, candidate } = await world(board)
    const path = `/v1/candidates/applications/${application.id}/messages`
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift(expectStatus(await board.post(path, candidate.key, { text: `Message ${i}` }), 201).body.data.id)
    }
    return { path, key: candidate.key, ids, otherSort: 'created_at' }
  }

  status(200, () => pagesBothWays(board, collection))
  status(400, () => refusesBadPaging(board, collection))
})
