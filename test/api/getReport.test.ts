import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { REPORTS, report, uphold } from '../support/reports.ts'

describeOperation('getReport', ({ board, status }) => {
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
})
