import { expect, test } from 'vitest'
import { expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('saveJob', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/candidates/jobs/${id}/save`
  const saved = async (key: string) => (await board.get('/v1/candidates/jobs/saved', key)).body.data

  status(201, () => {
    test('returns the job as in lists, and whether the job is active', async () => {
      const { id } = await board.activeJob(await board.employer({ logo_url: 'https://a.example/logo.svg' }))
      const { key } = await board.candidate()
      const [listed] = (await board.get(`/v1/jobs?company_not=x&sort=posted_at:desc`, key)).body.data
      expect(listed.id).toBe(id)
      const answer = await board.post(pathOf(id), key)
      expect([answer.status, answer.headers.get('location')]).toEqual([201, '/v1/candidates/jobs/saved'])
      const saved_at = board.clock.now().toISOString()
      expect(answer.body).toEqual({ data: { job_id: id, saved_at, job: { ...listed, is_active: true } } })
    })

    test('saves a closed job', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      await board.post(`/v1/jobs/${id}/close`, employer.key)
      const answer = await board.post(pathOf(id), (await board.candidate()).key, {})
      expect([answer.status, answer.body.data.job.is_active]).toEqual([201, false])
    })

    test('saves the job only once for simultaneous requests', async () => {
      const { id } = await board.activeJob(await board.employer())
      const { key } = await board.candidate()
      const answers = await Promise.all(Array.from({ length: 5 }, () => board.post(pathOf(id), key)))
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 200, 201])
      expect(await saved(key)).toHaveLength(1)
    })

    test('does not fail when a job is saved and removed simultaneously', async () => {
      const { id } = await board.activeJob(await board.employer())
      const { key } = await board.candidate()
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => (i % 2 ? board.delete(pathOf(id), key) : board.post(pathOf(id), key))),
      )
      expect(answers.filter((answer) => ![200, 201, 204].includes(answer.status))).toEqual([])
    })
  })

  status(200, () => {
    test('keeps the time of the first save', async () => {
      const { id } = await board.activeJob(await board.employer())
      const { key } = await board.candidate()
      const first = expectStatus(await board.post(pathOf(id), key), 201).body
      board.clock.advance(60_000)
      const answer = await board.post(pathOf(id), key)
      expect([answer.status, answer.headers.get('location'), answer.body]).toEqual([200, null, first])
    })
  })

  status(409, () => refusesWhileRunning(board, 'saveJob'))
})
