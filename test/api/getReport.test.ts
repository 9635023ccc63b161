import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import {
  describeOperation,
  refusesBadKeys,
  refusesKinds,
  refusesMissingScope,
  refusesUnknownParameters,
} from '../support/operation.ts'
import { REPORTS, report, UNKNOWN_REPORT, uphold } from '../support/reports.ts'

describeOperation('getReport', ({ board, status }) => {
  const request = async () => ({ method: 'GET', path: `${REPORTS}/${(await report(board)).id}` })

  status(200, () => {
    test('returns the report exactly as in the list', async () => {
      const { id, job_id } = await report(board)
      const [listed] = (await board.get(`${REPORTS}?job_id=${job_id}`, ADMIN_KEY)).body.data
      expect((await board.get(`${REPORTS}/${id}`, ADMIN_KEY)).body).toEqual({ data: listed })
    })

    test('shows the decision, its author and its time', async () => {
      const made = await report(board)
      const decided_at = board.clock.now().toISOString()
      const data = await uphold(board, made, 'It asks for money.')
      expect(data).toMatchObject({
        ...{ ...made, status: 'upheld', note: 'It asks for money.', decided_at },
        decided_by: (await board.account('admin')).id,
        job: { removed_at: decided_at },
      })
      expect((await board.get(`${REPORTS}/${made.id}`, ADMIN_KEY)).body).toEqual({ data })
    })
  })

  status(400, () => refusesUnknownParameters(board, 'admin', request))

  status(401, () => refusesBadKeys(board, 'admin', request))

  status(403, () => {
    refusesKinds(board, ['candidate', 'employer', 'integrator'], 'admin_account_required', request)
    refusesMissingScope(board, 'admin', 'admin:read', request)
  })

  status(404, () => {
    test.each([UNKNOWN_REPORT, 'rep_x', 'x', '%00'])('does not find report %s', async (id) => {
      const answer = await board.get(`${REPORTS}/${id}`, ADMIN_KEY)
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    })
  })
})
