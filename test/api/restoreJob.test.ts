import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { report, uphold } from '../support/reports.ts'

describeOperation('restoreJob', ({ board, status }) => {
  const restore = (id: string, key = ADMIN_KEY) => board.post(`/v1/admin/jobs/${id}/restore`, key)
  const remove = async (jobId: string) => uphold(board, await report(board, { jobId }))
  /** Creates a removed job and returns it with its employer. */
  const removed = async (overrides = {}) => {
    const employer = await board.employer()
    const job = await board.activeJob(employer, overrides)
    await remove(job.id)
    return { employer, job }
  }

  status(200, () => {
    test('returns a removed job to the board', async () => {
      const { employer, job } = await removed({ title: 'Restorable' })
      board.clock.advance(60_000)
      const answer = await restore(job.id)
      expect([answer.status, answer.body]).toEqual([200, { data: { ...job, is_active: true } }])
      const { key } = await board.candidate()
      expect((await board.get('/v1/jobs?search=restorable', key)).body.data).toHaveLength(1)
      expect((await board.events('job.updated')).at(-1)).toMatchObject({
        data: { job: { id: job.id }, changed_fields: ['is_active'], previous: { is_active: false } },
      })
      expect((await board.post(`/v1/jobs/${job.id}/close`, employer.key)).status).toBe(200)
      expect((await board.post(`/v1/jobs/${job.id}/reopen`, employer.key)).status).toBe(200)
    })

    test('leaves a job closed if it was closed before the removal, or by its employer since', async () => {
      const employer = await board.employer()
      const before = await board.activeJob(employer)
      await board.post(`/v1/jobs/${before.id}/close`, employer.key)
      await remove(before.id)
      const meanwhile = await removed()
      expect((await board.post(`/v1/jobs/${meanwhile.job.id}/close`, meanwhile.employer.key)).status).toBe(200)
      const events = (await board.events('job.updated')).length
      for (const [id, { key }] of [
        [before.id, employer],
        [meanwhile.job.id, meanwhile.employer],
      ] as const) {
        expect((await restore(id)).body.data.is_active).toBe(false)
        expect((await board.get(`/v1/jobs/${id}`, (await board.candidate()).key)).status).toBe(200)
        expect((await board.post(`/v1/jobs/${id}/reopen`, key)).body.data.is_active).toBe(true)
      }
      // Only the two reopenings wrote events.
      expect((await board.events('job.updated')).length).toBe(events + 2)
    })

    test('leaves a job off the board if it has expired since the removal', async () => {
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const { employer, job } = await removed({ expires_at })
      board.clock.advance(1_000)
      expect((await restore(job.id)).body.data.is_active).toBe(false)
      await board.pay(employer, job.id)
      expect((await board.post(`/v1/jobs/${job.id}/activate`, employer.key)).body.data.is_active).toBe(true)
    })

    test('changes nothing if the job is not removed or has already been restored', async () => {
      const employer = await board.employer()
      const [active, draft] = [await board.activeJob(employer), await board.job(employer)]
      const { job } = await removed()
      await restore(job.id)
      const events = (await board.events()).length
      for (const same of [active, draft, job]) expect((await restore(same.id)).body.data).toEqual(same)
      expect((await board.events()).length).toBe(events)
    })

    test('permits another removal', async () => {
      const { job } = await removed()
      await restore(job.id)
      await remove(job.id)
      expect((await board.get(`/v1/jobs/${job.id}`, (await board.candidate()).key)).status).toBe(404)
    })
  })

  status(409, () => refusesWhileRunning(board, 'restoreJob'))
})
