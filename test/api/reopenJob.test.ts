import { beforeAll, expect, test } from 'vitest'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('reopenJob', ({ board, status }) => {
  let owner: Account
  let other: Account
  beforeAll(async () => {
    owner = await board.employer()
    other = await board.employer()
  })
  const reopen = (id: string, key = owner.key) => board.post(`/v1/jobs/${id}/reopen`, key)
  const closedJob = async (overrides = {}) => {
    const job = await board.activeJob(owner, overrides)
    await board.post(`/v1/jobs/${job.id}/close`, owner.key, { reason: 'Pause' })
    return job
  }

  status(200, () => {
    test('returns a closed job to the board for the rest of its paid time, without another payment', async () => {
      const job = await closedJob({ title: 'Reopenable' })
      board.clock.advance(60_000)
      const answer = await reopen(job.id)
      expect(answer.status).toBe(200)
      // The posting date and the expiry stay the same.
      expect(answer.body).toEqual({ data: { ...job, is_active: true } })
      expect((await board.get('/v1/jobs?search=reopenable', other.key)).body.data).toHaveLength(1)
    })

    test('works until the last millisecond of the paid time', async () => {
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const { id } = await closedJob({ expires_at })
      board.clock.advance(999)
      expect((await reopen(id)).body.data).toMatchObject({ is_active: true, expires_at })
      board.clock.advance(1)
      expect((await board.get(`/v1/jobs/${id}`, other.key)).body.data.is_active).toBe(false)
    })

    test('writes job.updated with is_active', async () => {
      const { id } = await closedJob()
      const { data } = (await reopen(id)).body
      expect((await board.events('job.updated')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'job.updated',
        created_at: board.clock.now().toISOString(),
        data: { job: data, changed_fields: ['is_active'], previous: { is_active: false } },
      })
    })

    test('changes nothing if the job is already active', async () => {
      const job = await board.activeJob(owner)
      const events = (await board.events()).length
      const answer = await reopen(job.id)
      expect([answer.status, answer.body.data]).toEqual([200, job])
      expect((await board.events()).length).toBe(events)
    })

    test('lets admins reopen a job', async () => {
      const { id } = await closedJob()
      expect((await reopen(id, ADMIN_KEY)).body.data.is_active).toBe(true)
    })
  })

  status(409, () => {
    test('refuses a job that was never on the board', async () => {
      const answer = await reopen((await board.job(owner)).id)
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({ code: 'invalid_transition', state: 'inactive', allowed: ['activate'] })
    })

    test('refuses an expired job, whether or not it was closed', async () => {
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const [closed, open] = [await closedJob({ expires_at }), await board.activeJob(owner, { expires_at })]
      board.clock.advance(1_000)
      for (const { id } of [closed, open]) {
        const answer = await reopen(id)
        expect(answer.status).toBe(409)
        expect(answer.body).toMatchObject({ code: 'invalid_transition', state: 'expired', allowed: ['activate'] })
      }
    })
  })
})
