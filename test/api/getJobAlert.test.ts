import { expect, test } from 'vitest'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getJobAlert', ({ board, status }) => {
  const request = async () => {
    const candidate = await board.candidate()
    return { method: 'GET', path: `${ALERTS}/${(await makeAlert(board, candidate)).id}`, key: candidate.key }
  }

  status(200, () => {
    test('returns the alert', async () => {
      const candidate = await board.candidate()
      const alert = await makeAlert(board, candidate)
      expect((await board.get(`${ALERTS}/${alert.id}`, candidate.key)).body).toEqual({ data: alert })
    })
  })

  status(304, () => answersNotModified(board, 'candidate', request))
})
