import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { duplicatesOf } from '../support/duplicates.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

const PATH = '/v1/admin/duplicates'
const UNKNOWN = 'job_00000000000000000000000000'

describeOperation('decideDuplicates', ({ board, status }) => {
  status(200, () => {
    test('remembers the latest decision about each pair of jobs', async () => {
      const employer = await board.employer()
      const jobs = [await board.activeJob(employer), await board.activeJob(employer), await board.activeJob(employer)]
      const job_ids = jobs.map(({ id }) => id)
      const decide = async (body: object) => (await board.post(PATH, ADMIN_KEY, body)).body
      const copies = async () => (await duplicatesOf(board, job_ids[0]!)).map(({ job_id }) => job_id)
      const body = { job_ids: job_ids.toReversed(), decision: 'same' }
      expect(await decide(body)).toEqual({ data: body })
      expect(await decide({ job_ids: job_ids.slice(0, 2), decision: 'different' })).toMatchObject({ data: {} })
      expect(await copies()).toEqual([job_ids[2]])
      const undo = { job_ids: [job_ids[0], job_ids[2]], decision: 'undecided' }
      expect(await decide(undo)).toEqual({ data: undo })
      expect(await copies()).toEqual([])
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'decideDuplicates')
  })

  status(422, () => {
    test.each<[object, string[]]>([
      [{ decision: 'same' }, ['#/job_ids required']],
      [{ job_ids: [UNKNOWN], decision: 'same' }, ['#/job_ids too_few']],
      [{ job_ids: [UNKNOWN, UNKNOWN], decision: 'same' }, ['#/job_ids duplicate']],
      [{ job_ids: ['x', UNKNOWN], decision: 'maybe' }, ['#/decision not_allowed', '#/job_ids/0 invalid_format']],
      [
        { job_ids: [UNKNOWN, 'job_00000000000000000000000001'], decision: 'same' },
        ['#/job_ids/0 not_found', '#/job_ids/1 not_found'],
      ],
    ])('refuses %o', async (body, faults) => {
      expect(faultsOf(await board.post(PATH, ADMIN_KEY, body)).sort()).toEqual(faults)
    })
  })
})
