import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { duplicatesOf, LONG_TEXT, tellApart } from '../support/duplicates.ts'
import { describeOperation } from '../support/operation.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('getJobDuplicates', ({ board, status }) => {
  status(200, () => {
    test('finds equal and similar jobs on the board, for the owner of a draft and admins', async () => {
      const employer = await board.employer()
      const title = 'Cell Engineer'
      const draft = await board.job(employer, { title, description: LONG_TEXT })
      const same = await board.activeJob(employer, { title: `${title} (m/w/d)`, description: LONG_TEXT })
      const near = await board.activeJob(employer, { title, description: `${LONG_TEXT} Also in Leipzig.` })
      const ended = await board.activeJob(employer, { title, description: LONG_TEXT })
      for (const overrides of [{ title: `Senior ${title}` }, { title, description: 'Another text.' }]) {
        await board.activeJob(employer, { description: LONG_TEXT, ...overrides })
      }
      await runTask(board, 'duplicates')
      await board.post(`/v1/jobs/${ended.id}/close`, employer.key)
      const found = await duplicatesOf(board, draft.id, employer.key)
      expect(found).toEqual([
        { job_id: same.id, kind: 'same', similarity: 1 },
        { job_id: near.id, kind: 'near', similarity: expect.closeTo(0.97, 1) },
      ])
      expect(await duplicatesOf(board, draft.id, ADMIN_KEY)).toEqual(found)
      await tellApart(board, [draft.id, same.id])
      expect(await duplicatesOf(board, draft.id, employer.key)).toEqual([found[1]])
      // Lists hide only copies from feeds, not jobs that employers posted.
      const { data } = (await board.get(`/v1/jobs?employer_id=${employer.id}`, employer.key)).body
      expect(data).toHaveLength(4)
    })
  })

  status(403, () => {
    test("refuses other employers' jobs", async () => {
      const { id } = await board.activeJob(await board.employer())
      const answer = await board.get(`/v1/jobs/${id}/duplicates`, (await board.employer()).key)
      expect([answer.status, answer.body.code]).toEqual([403, 'not_owner'])
    })
  })
})
