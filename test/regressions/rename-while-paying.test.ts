import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'

const board = useBoard()

// Found in an attack test, on PostgreSQL: a rename locked the employer's row and waited for the job's, while a new
// payment locked the job's row and waited for the employer's. One of the two requests failed with 500 after a second.
test('an employer can be renamed while payments for its jobs start and settle', async () => {
  const employer = await board.employer()
  const jobs = [await board.job(employer), await board.job(employer)]
  const statuses = new Set<number>()
  const note = async (answer: ReturnType<typeof board.post>) => statuses.add((await answer).status)
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        if (i % 3 === 0) return note(board.put('/v1/employers/profile', employer.key, { name: `Name ${round} ${i}` }))
        const body = { job_id: jobs[i % 2]!.id, products: ['featured'] }
        const begun = await board.post('/v1/employers/payments', employer.key, body)
        statuses.add(begun.status)
        // Once the job is featured, a second purchase is refused.
        if (begun.status !== 201) return
        return note(board.post(`/v1/employers/payments/${begun.body.data?.id}/confirm`, employer.key))
      }),
    )
  }
  expect([...statuses].sort()).toEqual([200, 201, 409])
  const { name } = (await board.get('/v1/employers/profile', employer.key)).body.data
  for (const { id } of jobs) expect((await board.get(`/v1/jobs/${id}`, employer.key)).body.data.company).toBe(name)
})
