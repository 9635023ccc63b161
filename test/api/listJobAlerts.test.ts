import { expect, test } from 'vitest'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listJobAlerts', ({ board, status }) => {
  const collection = async () => {
    const candidate = await board.candidate()
    const ids: string[] = []
    for (const name of ['one', 'Two', 'three', 'Four', 'five']) {
      board.clock.advance(1_000)
      ids.unshift((await makeAlert(board, candidate, { name })).id)
    }
    return { path: ALERTS, key: candidate.key, ids, otherSort: 'name' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test("shows only the candidate's own alerts, each exactly as createJobAlert returned it", async () => {
      const [candidate, other] = [await board.candidate(), await board.candidate()]
      const alert = await makeAlert(board, candidate)
      await makeAlert(board, other)
      const answer = await board.get(ALERTS, candidate.key)
      expect(answer.body.data).toEqual([alert])
      expect(answer.body.meta.sort).toEqual({ fields: ['created_at'], directions: ['desc'] })
    })

    test('sorts and filters', async () => {
      const candidate = await board.candidate()
      const first = await makeAlert(board, candidate, { name: 'Zoë', frequency: 'instant' })
      board.clock.advance(1_000)
      const second = await makeAlert(board, candidate, { name: 'anna', is_active: false })
      const list = async (query: string) => idsOf(await board.get(`${ALERTS}?${query}`, candidate.key))
      expect(await list('sort=name')).toEqual([second.id, first.id])
      expect(await list('sort=updated_at')).toEqual([first.id, second.id])
      expect(await list('name=zoe')).toEqual([first.id])
      expect(await list('frequency=instant')).toEqual([first.id])
      expect(await list('frequency_in=daily,weekly')).toEqual([second.id])
      expect(await list('is_active=false')).toEqual([second.id])
      expect(await list(`created_at_gt=${first.created_at}`)).toEqual([second.id])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)
  })
})
