import { beforeAll, expect, test } from 'vitest'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('closeJob', ({ board, status }) => {
  let owner: Account
  let other: Account
  beforeAll(async () => {
    owner = await board.employer()
    other = await board.employer()
  })
  const close = (id: string, body?: unknown, key = owner.key) => board.post(`/v1/jobs/${id}/close`, key, body)

  status(200, () => {
    test('takes the job off the board, keeps it readable and returns it', async () => {
      const job = await board.activeJob(owner, { title: 'Closable' })
      board.clock.advance(1_000)
      const answer = await close(job.id, { reason: 'Filled' })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ data: { ...job, is_active: false } })
      expect((await board.get('/v1/jobs?search=closable', other.key)).body.data).toEqual([])
      expect((await board.get(`/v1/jobs/${job.id}`, other.key)).body.data.is_active).toBe(false)
      const own = (await board.get('/v1/employers/jobs?state=closed', owner.key)).body.data
      expect(own.map(({ id }: { id: string }) => id)).toContain(job.id)
      expect((await board.get(`/v1/employers/${owner.id}`, other.key)).body.data.open_positions).toBe(0)
    })

    test('writes job.updated with is_active', async () => {
      const { id } = await board.activeJob(owner)
      const { data } = (await close(id)).body
      expect((await board.events('job.updated')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'job.updated',
        created_at: board.clock.now().toISOString(),
        data: { job: data, changed_fields: ['is_active'], previous: { is_active: true } },
      })
    })

    test('changes nothing if the job is already closed', async () => {
      const { id } = await board.activeJob(owner)
      const first = (await close(id)).body.data
      const events = (await board.events()).length
      const again = await close(id, { reason: 'Again' })
      expect([again.status, again.body.data]).toEqual([200, first])
      expect((await board.events()).length).toBe(events)
    })

    test('accepts a reason, {}, a null reason, an empty body and no body at all', async () => {
      for (const body of [{ reason: 'x'.repeat(500) }, {}, { reason: null }, '', undefined]) {
        expect((await close((await board.activeJob(owner)).id, body)).status).toBe(200)
      }
    })

    test('lets admins close a job', async () => {
      const { id } = await board.activeJob(owner)
      expect((await close(id, {}, ADMIN_KEY)).body.data.is_active).toBe(false)
    })
  })

  status(409, () => {
    test('refuses a job that was never on the board', async () => {
      const answer = await close((await board.job(owner)).id)
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({ code: 'invalid_transition', state: 'inactive', allowed: ['activate'] })
    })

    test('refuses a job from the millisecond it expires', async () => {
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const { id } = await board.activeJob(owner, { expires_at })
      board.clock.advance(1_000)
      const answer = await close(id)
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({ code: 'invalid_transition', state: 'expired', allowed: ['activate'] })
    })
  })

  status(422, () => {
    test.each([
      [7, '#/reason invalid_type'],
      ['  ', '#/reason too_short'],
      ['x'.repeat(501), '#/reason too_long'],
    ])('refuses the reason %j', async (reason, fault) => {
      const { id } = await board.activeJob(owner)
      const answer = await close(id, { reason })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
      expect((await board.get(`/v1/jobs/${id}`, owner.key)).body.data.is_active).toBe(true)
    })
  })
})
