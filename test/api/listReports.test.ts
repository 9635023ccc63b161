import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { REPORTS, report, uphold } from '../support/reports.ts'

describeOperation('listReports', ({ board, status }) => {
  const collection = async () => {
    const { id: jobId } = await board.activeJob(await board.employer())
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      board.clock.advance(i % 2 ? 1_000 : 0)
      ids.unshift((await report(board, { jobId })).id)
    }
    return { path: `${REPORTS}?job_id=${jobId}`, key: ADMIN_KEY, ids, otherSort: 'decided_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('filters and sorts, with open reports last when sorted by decided_at in either direction', async () => {
      const employer = await board.employer()
      const [first, second] = [await board.activeJob(employer), await board.activeJob(employer)]
      const start = board.clock.now().toISOString()
      const spam = await report(board, { jobId: first.id })
      board.clock.advance(1_000)
      const fraud = await report(board, { jobId: first.id, reason: 'fraud' })
      board.clock.advance(1_000)
      const open = await report(board, { jobId: second.id, reason: 'other', message: 'Odd' })
      await uphold(board, fraud)
      const of = `employer_id=${employer.id}`
      const cases: [string, { id: string }[]][] = [
        [of, [open, fraud, spam]],
        [`job_id=${first.id}`, [fraud, spam]],
        [`job_id=${first.id}&reason=spam`, [spam]],
        [`${of}&status=open`, [open]],
        [`${of}&status=upheld`, [fraud, spam]],
        [`${of}&status=dismissed`, []],
        [`${of}&status_in=open,upheld&sort=created_at`, [spam, fraud, open]],
        [`${of}&reason_not=other`, [fraud, spam]],
        [`${of}&created_at_gt=${start}`, [open, fraud]],
        [`${of}&sort=decided_at,created_at`, [spam, fraud, open]],
        [`${of}&sort=decided_at:desc,created_at:desc`, [fraud, spam, open]],
      ]
      for (const [query, reports] of cases) {
        const answer = await board.get(`${REPORTS}?${query}`, ADMIN_KEY)
        expect(idsOf(answer), query).toEqual(reports.map(({ id }) => id))
        expect(answer.body.meta.pagination.total).toBe(reports.length)
      }
    })

    test('includes reports about deleted jobs', async () => {
      const employer = await board.employer()
      const { id: jobId } = await board.activeJob(employer)
      const { id } = await report(board, { jobId })
      await board.delete(`/v1/jobs/${jobId}`, employer.key)
      expect(idsOf(await board.get(`${REPORTS}?job_id=${jobId}`, ADMIN_KEY))).toEqual([id])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['status=new', 'status invalid_parameter'],
      ['reason=boring', 'reason invalid_parameter'],
      ['reporter_id=x', 'reporter_id unknown_parameter'],
      ['sort=reason', 'sort invalid_parameter'],
    ])('refuses %s', async (query, fault) => {
      const answer = await board.get(`${REPORTS}?${query}`, ADMIN_KEY)
      expect([answer.status, faultsOf(answer)]).toEqual([400, [fault]])
    })
  })
})
