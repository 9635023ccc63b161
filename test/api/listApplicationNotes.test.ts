import { world } from '../support/applications.ts'
import { expectStatus } from '../support/board.ts'
import { pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listApplicationNotes', ({ board, status }) => {
  const collection = async () => {
    const { application, employer } = await world(board)
    const path = `/v1/employers/applications/${application.id}/notes`
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift(expectStatus(await board.post(path, employer.key, { text: `Note ${i}` }), 201).body.data.id)
    }
    return { path, key: employer.key, ids, otherSort: 'created_at' }
  }

  status(200, () => pagesBothWays(board, collection))
  status(400, () => refusesBadPaging(board, collection))
})
