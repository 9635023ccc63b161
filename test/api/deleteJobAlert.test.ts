import { expect, test } from 'vitest'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteJobAlert', ({ board, status }) => {
  const request = async () => {
    const candidate = await board.candidate()
    return { method: 'DELETE', path: `${ALERTS}/${(await makeAlert(board, candidate)).id}`, key: candidate.key }
  }

  status(204, () => {
    test('permanently deletes the alert', async () => {
      const candidate = await board.candidate()
      const [alert, kept] = [await makeAlert(board, candidate), await makeAlert(board, candidate)]
      const answer = await board.delete(`${ALERTS}/${alert.id}`, candidate.key)
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect((await board.get(ALERTS, candidate.key)).body.data).toEqual([kept])
      expect((await board.delete(`${ALERTS}/${alert.id}`, candidate.key)).status).toBe(404)
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'candidate', request))
})
