/**
 * Found in an attack test: simultaneous applications, withdrawals and saves for one job caused deadlocks, long delays
 * and 503s.
 */
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'

const board = useBoard()

test('a storm of applications to one job causes no temporary errors, and the job counts the applications not withdrawn', async () => {
  const employer = await board.employer()
  const { id } = await board.activeJob(employer)
  const candidates = await Promise.all(Array.from({ length: 25 }, () => board.candidate()))
  const statuses = new Map<number, number>()
  const call = async (path: string, key: string, body = {}) => {
    const answer = await board.post(path, key, body)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    return answer
  }
  const again = async (act: () => Promise<unknown>) => {
    for (let time = 0; time < 6; time++) await act()
  }
  await Promise.all(
    candidates.flatMap(({ key }) => [
      again(() => call(`/v1/candidates/jobs/${id}/save`, key)),
      ...['One', 'Two'].map((cover_letter) =>
        again(async () => {
          const { status, body } = await call(`/v1/candidates/jobs/${id}/apply`, key, { cover_letter })
          if (status === 201) await call(`/v1/candidates/applications/${body.data.id}/withdraw`, key)
        }),
      ),
      again(() => board.call('DELETE', `/v1/candidates/jobs/${id}/save`, { key })),
    ]),
  )
  expect([...statuses.keys()].filter((status) => ![200, 201, 409].includes(status))).toEqual([])
  const standing = await board.database.read((db) =>
    db.selectFrom('application').select('id').where('job_id', '=', id).where('withdrawn_at', 'is', null).execute(),
  )
  const jobs = await board.get('/v1/employers/jobs', employer.key)
  expect(jobs.body.data.map((job: { application_count: number }) => job.application_count)).toEqual([standing.length])
})
