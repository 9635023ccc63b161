import { beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, ADMIN_KEY, ORIGIN, useBoard } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { payUnused } from '../support/payments.ts'

describeOperation('activateJob', ({ board, status }) => {
  let owner: Account
  let other: Account
  beforeAll(async () => {
    owner = await board.employer()
    other = await board.employer()
  })
  const activate = (id: string, key = owner.key) => board.post(`/v1/jobs/${id}/activate`, key)
  const paidJob = async (overrides = {}, products?: string[]) => {
    const job = await board.job(owner, overrides)
    await payUnused(board, owner, job.id, products)
    return job
  }
  const updatesOf = async (id: string) => {
    const events = (await board.events('job.updated')) as unknown as { data: { job: { id: string } } }[]
    return events.filter(({ data }) => data.job.id === id)
  }
  const at = (ms: number) => new Date(board.clock.time + ms).toISOString()

  status(200, () => {
    test('puts a paid job on the board for 30 days and returns it', async () => {
      const job = await paidJob()
      board.clock.advance(60_000)
      const answer = await activate(job.id)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('location')).toBeNull()
      expect(answer.body).toEqual({
        data: { ...job, is_active: true, posted_at: at(0), expires_at: at(30 * DAY_MS) },
      })
      const { data } = (await board.get('/v1/jobs', other.key)).body
      expect(data.map(({ id }: { id: string }) => id)).toContain(job.id)
    })

    test('writes job.updated with is_active as the only changed field', async () => {
      const job = await paidJob()
      const { data } = (await activate(job.id)).body
      expect(await updatesOf(job.id)).toEqual([
        {
          id: expect.stringMatching(/^evt_/),
          type: 'job.updated',
          created_at: at(0),
          data: { job: data, changed_fields: ['is_active'], previous: { is_active: false } },
        },
      ])
    })

    test('keeps an expires_at that the employer set', async () => {
      const expires_at = at(90 * DAY_MS)
      const job = await paidJob({ expires_at })
      board.clock.advance(DAY_MS)
      expect((await activate(job.id)).body.data).toMatchObject({ expires_at, is_active: true })
    })

    test('puts a job on the board for 30 days if its expires_at passed before its activation', async () => {
      const job = await paidJob({ expires_at: at(1_000) })
      board.clock.advance(1_000)
      expect((await activate(job.id)).body.data).toMatchObject({ expires_at: at(30 * DAY_MS), is_active: true })
    })

    test('changes nothing if the job is already active', async () => {
      const job = await paidJob()
      const first = (await activate(job.id)).body.data
      board.clock.advance(1_000)
      const again = await activate(job.id)
      expect([again.status, again.body.data]).toEqual([200, first])
      expect(await updatesOf(job.id)).toHaveLength(1)
      board.clock.advance(30 * DAY_MS)
      expect((await activate(job.id)).status).toBe(402)
    })

    test('renews an expired job for 30 days after a new payment, and keeps its posting date', async () => {
      const job = await paidJob()
      const first = (await activate(job.id)).body.data
      board.clock.advance(30 * DAY_MS)
      expect((await activate(job.id)).status).toBe(402)
      await payUnused(board, owner, job.id)
      board.clock.advance(1_000)
      const renewed = await activate(job.id)
      expect(renewed.body.data).toEqual({ ...first, posted_at: first.posted_at, expires_at: at(30 * DAY_MS) })
      const types = ((await board.events()) as unknown as { type: string; data: { job: { id: string } } }[])
        .filter(({ data }) => data.job?.id === job.id)
        .map(({ type }) => type)
      expect(types).toEqual(['job.created', 'job.updated', 'job.expired', 'job.updated'])
    })

    test('renews an expired job that had been closed', async () => {
      const job = await paidJob()
      await activate(job.id)
      await board.post(`/v1/jobs/${job.id}/close`, owner.key)
      board.clock.advance(30 * DAY_MS)
      await payUnused(board, owner, job.id)
      expect((await activate(job.id)).body.data.is_active).toBe(true)
    })

    test('applies the upgrades bought with a post, and renews the job without them', async () => {
      const job = await paidJob({}, ['job-post', 'featured', 'urgent', 'highlighted'])
      const upgraded = { is_featured: true, is_urgent: true, is_highlighted: true }
      expect((await activate(job.id)).body.data).toMatchObject(upgraded)
      board.clock.advance(30 * DAY_MS)
      await payUnused(board, owner, job.id)
      expect((await activate(job.id)).body.data).toMatchObject({
        is_active: true,
        is_featured: false,
        is_urgent: false,
        is_highlighted: false,
      })
    })

    test('lets admins activate a job', async () => {
      const { id } = await paidJob()
      expect((await activate(id, ADMIN_KEY)).body.data.is_active).toBe(true)
    })

    test('accepts a missing body, an empty body and {}', async () => {
      for (const more of [{}, { headers: { 'content-type': 'application/json' } }, { body: '' }, { body: {} }]) {
        const { id } = await paidJob()
        const answer = await board.call('POST', `/v1/jobs/${id}/activate`, { key: owner.key, ...more })
        expect([answer.status, answer.body.data.is_active]).toEqual([200, true])
      }
    })
  })

  status(402, () => {
    test('returns the payment URL and the required products', async () => {
      const { id } = await board.job(owner)
      const answer = await activate(id)
      expect(answer.status).toBe(402)
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      expect(answer.body).toEqual({
        type: '/docs/errors/payment_required',
        title: 'Payment required',
        status: 402,
        detail: 'The job needs a payment before it can be activated.',
        instance: `/v1/jobs/${id}/activate`,
        code: 'payment_required',
        request_id: answer.headers.get('x-request-id'),
        payment_url: `${ORIGIN}/v1/employers/payments`,
        products: ['job-post'],
      })
      expect((await board.get(`/v1/jobs/${id}`, owner.key)).body.data.is_active).toBe(false)
      expect(await updatesOf(id)).toEqual([])
    })

    test('permits the activation once the employer buys the required products at the payment URL', async () => {
      const { id } = await board.job(owner)
      const { payment_url, products } = (await activate(id)).body
      const path = payment_url.slice(ORIGIN.length)
      const payment = (await board.post(path, owner.key, { job_id: id, products })).body.data
      await board.post(`/v1/employers/payments/${payment.id}/confirm`, owner.key)
      expect((await activate(id)).status).toBe(200)
    })

    test('refuses a job whose payment is not confirmed', async () => {
      const { id } = await board.job(owner)
      await board.post('/v1/employers/payments', owner.key, { job_id: id, products: ['job-post'] })
      expect((await activate(id)).status).toBe(402)
    })

    test('does not accept a payment for upgrades only, or a payment for another job', async () => {
      const { id } = await board.job(owner)
      await board.pay(owner, id, ['featured'])
      await paidJob()
      expect((await activate(id)).status).toBe(402)
    })

    test('requires a payment even if an admin activates the job', async () => {
      const { id } = await board.job(owner)
      expect((await activate(id, ADMIN_KEY)).status).toBe(402)
    })

    test('requires a new payment as soon as the job expires, even before 30 days have passed', async () => {
      const { id } = await paidJob({ expires_at: at(1_000) })
      await activate(id)
      board.clock.advance(999)
      expect((await activate(id)).status).toBe(200)
      board.clock.advance(1)
      expect((await activate(id)).status).toBe(402)
    })
  })

  status(409, () => {
    test('refuses a closed job and lists the allowed action', async () => {
      const { id } = await board.activeJob(owner)
      await board.post(`/v1/jobs/${id}/close`, owner.key)
      const answer = await activate(id)
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({
        code: 'invalid_transition',
        detail: 'The job is closed. Allowed: reopen.',
        state: 'closed',
        allowed: ['reopen'],
      })
    })

    test('validates the body before the job state', async () => {
      const { id } = await board.activeJob(owner)
      await board.post(`/v1/jobs/${id}/close`, owner.key)
      expect((await board.post(`/v1/jobs/${id}/activate`, owner.key, { color: 1 })).status).toBe(422)
    })
  })
})

describe('activateJob with PAYMENTS=free', () => {
  const board = useBoard({ PAYMENTS: 'free' })

  test('requires no payment for the first activation or for a renewal', async () => {
    const owner = await board.employer()
    const { id } = await board.job(owner)
    for (const _run of [1, 2]) {
      const answer = await board.post(`/v1/jobs/${id}/activate`, owner.key)
      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject({
        is_active: true,
        expires_at: new Date(board.clock.time + 30 * DAY_MS).toISOString(),
      })
      board.clock.advance(30 * DAY_MS)
    }
  })
})
