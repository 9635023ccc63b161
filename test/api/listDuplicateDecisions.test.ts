import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

const PATH = '/v1/admin/duplicates'

describeOperation('listDuplicateDecisions', ({ board, status }) => {
  status(200, () => {
    test('lists the latest decision about each pair with its author, and supports paging and filters', async () => {
      const employer = await board.employer()
      const jobs = [await board.job(employer), await board.job(employer), await board.job(employer)]
      const [a, b, c] = jobs.map(({ id }) => id).sort() as [string, string, string]
      const decide = async (job_ids: string[], decision: string) => {
        board.clock.advance(1_000)
        expectStatus(await board.post(PATH, ADMIN_KEY, { job_ids, decision }), 200)
      }
      const list = async (query = '') => expectStatus(await board.get(`${PATH}${query}`, ADMIN_KEY), 200).body
      await decide([c, a], 'same')
      await decide([b, c], 'different')
      await decide([a, b], 'same')
      const decided_at = new Date(board.clock.time).toISOString()
      const { data, meta } = await list('?limit=2')
      expect(data[0]).toEqual({ job_ids: [a, b], decision: 'same', decided_at, decided_by: expect.any(String) })
      expect([data[1].job_ids, meta.pagination.total]).toEqual([[b, c], 3])
      const pairsOf = (body: { data: { job_ids: string[] }[] }) => body.data.map(({ job_ids }) => job_ids)
      expect(pairsOf(await list(`?limit=2&cursor=${meta.pagination.next_cursor}`))).toEqual([[a, c]])
      expect(pairsOf(await list('?decision=different'))).toEqual([[b, c]])
      await decide([a, b, c], 'undecided')
      expect((await list()).data).toEqual([])
    })
  })

  status(400, () => {
    test.each(['decision=maybe', 'sort=decision', 'decided_at_gt=soon', 'unknown=1'])('refuses %s', async (query) => {
      expect(faultsOf(await board.get(`${PATH}?${query}`, ADMIN_KEY))).toHaveLength(1)
    })
  })
})
