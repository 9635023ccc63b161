import { expect, test } from 'vitest'
import { world } from '../support/applications.ts'
import { expectStatus } from '../support/board.ts'
import { pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listApplicantMessages', ({ board, status }) => {
  const collection = async () => {
    const { application, employer } = await world(board)
    const path = `/v1/employers/applications/${application.id}/messages`
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift(expectStatus(await board.post(path, employer.key, { text: `Message ${i}` }), 201).body.data.id)
    }
    return { path, key: employer.key, ids, otherSort: 'created_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('marks only messages from the candidate as read', async () => {
      const { application, candidate, employer } = await world(board)
      const pathOf = (side: string) => `/v1/${side}/applications/${application.id}/messages`
      await board.post(pathOf('employers'), employer.key, { text: 'First' })
      board.clock.advance(1_000)
      await board.post(pathOf('candidates'), candidate.key, { text: 'Second' })
      board.clock.advance(1_000)
      const read_at = board.clock.now().toISOString()
      const { data } = (await board.get(pathOf('employers'), employer.key)).body
      expect(data).toMatchObject([
        { from: 'candidate', text: 'Second', read_at },
        { from: 'employer', text: 'First', read_at: null },
      ])
      board.clock.advance(1_000)
      expect((await board.get(pathOf('employers'), employer.key)).body.data).toEqual(data)
    })

    test('marks only messages that the response contains as read', async () => {
      const { application, candidate, employer } = await world(board)
      const pathOf = (side: string) => `/v1/${side}/applications/${application.id}/messages`
      for (const text of ['First', 'Second']) {
        await board.post(pathOf('candidates'), candidate.key, { text })
        board.clock.advance(1_000)
      }
      const read = async () =>
        (await board.get(pathOf('candidates'), candidate.key)).body.data.map(
          ({ read_at }: { read_at: string | null }) => read_at !== null,
        )
      await board.call('HEAD', pathOf('employers'), { key: employer.key })
      expect(await read()).toEqual([false, false])
      await board.get(`${pathOf('employers')}?limit=1`, employer.key)
      expect(await read()).toEqual([true, false])
    })
  })

  status(400, () => refusesBadPaging(board, collection))
})
