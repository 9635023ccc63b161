import { expect, test } from 'vitest'
import { hasNoTag } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('unsaveJob', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/candidates/jobs/${id}/save`
  const request = async () => ({ method: 'DELETE', path: pathOf((await board.activeJob(await board.employer())).id) })
  const saved = async (key: string) => (await board.get('/v1/candidates/jobs/saved', key)).body.data

  status(204, () => {
    test("removes the job only from the caller's saved jobs", async () => {
      const { id } = await board.activeJob(await board.employer())
      const [one, other] = [await board.candidate(), await board.candidate()]
      for (const { key } of [one, other]) await board.post(pathOf(id), key)
      const answer = await board.delete(pathOf(id), one.key)
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(await saved(one.key)).toEqual([])
      expect(await saved(other.key)).toHaveLength(1)
    })

    test('succeeds even if the job was never saved, is unknown or was deleted', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      const { key } = await board.candidate()
      for (let i = 0; i < 2; i++) expect((await board.delete(pathOf(id), key)).status).toBe(204)
      expect((await board.delete(pathOf('job_00000000000000000000000001'), key)).status).toBe(204)
      await board.post(pathOf(id), key)
      await board.delete(`/v1/jobs/${id}`, employer.key)
      expect((await board.delete(pathOf(id), key)).status).toBe(204)
    })
  })

  status(412, () => hasNoTag(board, 'candidate', request))
})
