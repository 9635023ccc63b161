import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { ADMIN_KEY, expectStatus, ORIGIN } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { begin, entitlementsOf, PAYMENT_ID, payUnused } from '../support/payments.ts'

describeOperation('createPayment', ({ board, status }) => {
  const path = '/v1/employers/payments'
  const request = async () => {
    const { key } = await board.employer()
    const { id } = await board.job({ id: '', key })
    return { method: 'POST', path, body: { job_id: id, products: ['job-post'] }, key }
  }
  const withProvider = async (PAYMENTS: string, work: () => Promise<void>) => {
    await board.restart({ PAYMENTS })
    try {
      await work()
    } finally {
      await board.restart()
    }
  }

  status(201, () => {
    test('starts a payment exactly as documented', async () => {
      const employer = await board.employer()
      const { id: job_id } = await board.job(employer)
      const answer = await board.post(path, employer.key, { job_id, products: ['job-post'] })
      expect(answer.status).toBe(201)
      const { id, checkout_url } = answer.body.data
      expect(id).toMatch(PAYMENT_ID)
      expect(answer.headers.get('location')).toBe(`/v1/employers/payments/${id}`)
      // The token has 24 random bytes, and the path is outside /v1.
      expect(checkout_url).toMatch(new RegExp(`^${ORIGIN}/checkout/[\\w-]{32}$`))
      expect(answer.body).toEqual({
        data: {
          id,
          job_id,
          products: ['job-post'],
          amount: 19_900,
          currency: 'USD',
          vat_rate: null,
          vat_amount: 0,
          status: 'pending',
          provider: 'test',
          checkout_url,
          created_at: board.clock.now().toISOString(),
          paid_at: null,
          reference: id.slice(-10).toUpperCase(),
          invoice_number: null,
        },
      })
    })

    test('adds up the product prices, and keeps the requested order', async () => {
      const payment = await begin(board, await board.employer(), ['highlighted', 'job-post', 'urgent', 'featured'])
      expect(payment.products).toEqual(['highlighted', 'job-post', 'urgent', 'featured'])
      expect(payment.amount).toBe(2_900 + 19_900 + 4_900 + 9_900)
    })

    test('grants nothing before the payment is settled', async () => {
      const employer = await board.employer()
      const { job_id } = await begin(board, employer)
      expect(await entitlementsOf(board, job_id)).toEqual([])
      expect((await board.post(`/v1/jobs/${job_id}/activate`, employer.key)).status).toBe(402)
    })

    test('accepts upgrades alone, for an inactive and an active job', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      expect((await begin(board, employer, ['featured'], id)).amount).toBe(9_900)
      expect((await begin(board, employer, ['urgent'])).amount).toBe(4_900)
    })

    test("lets another post extend an active job's time on the board by 30 days", async () => {
      const employer = await board.employer()
      const { id, expires_at } = await board.activeJob(employer)
      await board.pay(employer, id)
      const job = (await board.get(`/v1/jobs/${id}`, employer.key)).body.data
      expect(Date.parse(job.expires_at) - Date.parse(expires_at)).toBe(30 * DAY_MS)
      expect((await board.events('job.updated')).at(-1)!.data).toMatchObject({
        changed_fields: ['expires_at'],
        previous: { expires_at },
      })
    })

    test("extends a job's time on the board to at most 365 days from now", async () => {
      const employer = await board.employer()
      const expires_at = new Date(board.clock.time + 350 * DAY_MS).toISOString()
      const { id } = await board.activeJob(employer, { expires_at })
      await board.pay(employer, id)
      const job = (await board.get(`/v1/jobs/${id}`, employer.key)).body.data
      expect(job.expires_at).toBe(new Date(board.clock.time + 365 * DAY_MS).toISOString())
      const full = await board.post(path, employer.key, { job_id: id, products: ['job-post'] })
      expect([full.status, full.body.detail]).toEqual([
        409,
        'This job already runs for another 365 days, which is the maximum.',
      ])
    })

    test('puts a job on the board as soon as its post is paid for', async () => {
      const employer = await board.employer()
      const { id } = await board.job(employer)
      await board.pay(employer, id)
      expect((await board.get(`/v1/jobs/${id}`, employer.key)).body.data.is_active).toBe(true)
      const changes = (await board.events('job.updated')).filter(({ data }) => JSON.stringify(data).includes(id))
      expect(changes).toHaveLength(1)
      expect((await board.post(`/v1/jobs/${id}/activate`, employer.key)).status).toBe(200)
      expect(await entitlementsOf(board, id)).toHaveLength(1)
    })

    test('gives every payment its own checkout URL', async () => {
      const employer = await board.employer()
      const { id } = await board.job(employer)
      const payments = await Promise.all(Array.from({ length: 5 }, () => begin(board, employer, ['job-post'], id)))
      expect(new Set(payments.map(({ checkout_url }) => checkout_url)).size).toBe(5)
    })

    test('leaves the payment pending if PAYMENTS is manual', async () => {
      const employer = await board.employer()
      await withProvider('manual', async () => {
        const payment = await begin(board, employer)
        expect(payment).toMatchObject({ status: 'pending', provider: 'manual', amount: 19_900, paid_at: null })
        expect(payment.checkout_url).toContain('/checkout/')
      })
    })

    test('settles the payment immediately, charges nothing and grants the products if PAYMENTS is free', async () => {
      const employer = await board.employer()
      await withProvider('free', async () => {
        const payment = await begin(board, employer, ['job-post', 'featured'])
        expect(payment).toMatchObject({
          status: 'paid',
          provider: 'free',
          amount: 0,
          checkout_url: null,
          paid_at: board.clock.now().toISOString(),
        })
        const activated = await board.post(`/v1/jobs/${payment.job_id}/activate`, employer.key)
        expect(expectStatus(activated, 200).body.data).toMatchObject({ is_active: true, is_featured: true })
        // On a free board, a job can also be activated without a payment.
        const { id } = await board.job(employer)
        expect((await board.post(`/v1/jobs/${id}/activate`, employer.key)).status).toBe(200)
      })
    })
  })

  status(409, () => {
    test('refuses an upgrade that the job already has, whether the job is active or not', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      await board.pay(employer, id, ['featured'])
      const draft = await board.job(employer)
      await board.pay(employer, draft.id, ['urgent'])
      for (const [job_id, products, detail] of [
        [id, ['featured'], 'This job is already featured.'],
        [id, ['urgent', 'featured'], 'This job is already featured.'],
        [draft.id, ['urgent'], 'This job is already urgent.'],
      ]) {
        const answer = await board.post(path, employer.key, { job_id, products })
        expect([answer.status, answer.body.code, answer.body.detail]).toEqual([409, 'conflict', detail])
      }
      expect((await board.post(path, employer.key, { job_id: id, products: ['highlighted'] })).status).toBe(201)
    })

    test('refuses to confirm the second of two open payments for the same job and product', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      const both = [await begin(board, employer, ['job-post'], id), await begin(board, employer, ['job-post'], id)]
      board.clock.advance(1)
      const answers = []
      for (const each of both) answers.push(await board.post(`${path}/${each.id}/confirm`, employer.key))
      expect(answers.map(({ status }) => status)).toEqual([200, 409])
      expect(answers[1]!.body.detail).toBe(
        'Another payment for this job was made in the meantime, so this one is not due.',
      )
      expect(await entitlementsOf(board, id)).toHaveLength(2)
    })

    test('refuses a second post for a job whose paid post is unused', async () => {
      const employer = await board.employer()
      const { id } = await board.job(employer)
      await payUnused(board, employer, id)
      const answer = await board.post(path, employer.key, { job_id: id, products: ['job-post'] })
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
      expect(answer.body.detail).toBe('This job already has a paid post that you have not used yet.')
      expect((await board.post(`/v1/jobs/${id}/activate`, employer.key)).status).toBe(200)
    })

    test('accepts an upgrade for a job that is already paid for', async () => {
      const employer = await board.employer()
      const { id } = await board.job(employer)
      await board.pay(employer, id)
      expect((await board.post(path, employer.key, { job_id: id, products: ['urgent'] })).status).toBe(201)
    })
  })

  status(422, () => {
    test.each<[string, () => Promise<string>]>([
      ['an unknown job', async () => 'job_00000000000000000000000000'],
      ['a malformed ID', async () => "x'; drop table job; --"],
      ["another employer's inactive job", async () => (await board.job(await board.employer())).id],
      ["another employer's active job", async () => (await board.activeJob(await board.employer())).id],
    ])('refuses %s', async (_what, jobId) => {
      const { key } = await board.employer()
      const answer = await board.post(path, key, { job_id: await jobId(), products: ['job-post'] })
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual([
        { pointer: '#/job_id', code: 'not_found', detail: 'The employer has no job with this ID.' },
      ])
    })

    test('refuses a deleted job', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      await board.delete(`/v1/jobs/${id}`, employer.key)
      const answer = await board.post(path, employer.key, { job_id: id, products: ['featured'] })
      expect([answer.status, faultsOf(answer)]).toEqual([422, ['#/job_id not_found']])
    })

    test.each<[Record<string, unknown>, string]>([
      [{ products: [] }, '#/products too_few'],
      [{ products: null }, '#/products invalid_type'],
      [{ products: 'job-post' }, '#/products invalid_type'],
      [{ products: ['job-post', 'job-post'] }, '#/products duplicate'],
      [{ products: ['job-post', 'billboard'] }, '#/products/1 not_found'],
      [{ products: ['JOB-POST'] }, '#/products/0 not_found'],
      [{ products: [7] }, '#/products/0 invalid_type'],
      [{ products: Array.from({ length: 11 }, (_, i) => `p${i}`) }, '#/products too_many'],
      [{ job_id: null }, '#/job_id invalid_type'],
      [{ amount: 1 }, '#/amount unknown_field'],
      [{ status: 'paid' }, '#/status unknown_field'],
    ])('refuses %o', async (overrides, fault) => {
      const { body, key } = await request()
      const answer = await board.post(path, key, { ...body, ...overrides })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })

    test('reports schema and rule errors in one response', async () => {
      const { key } = await board.employer()
      expect(faultsOf(await board.post(path, key, {})).sort()).toEqual(['#/job_id required', '#/products required'])
      const answer = await board.post(path, key, { job_id: 'x', products: ['job-post', 'billboard'], color: 1 })
      expect(faultsOf(answer).sort()).toEqual(['#/color unknown_field', '#/job_id not_found', '#/products/1 not_found'])
    })

    test('lists the available products in the error', async () => {
      const { body, key } = await request()
      const answer = await board.post(path, key, { ...body, products: ['billboard'] })
      expect(answer.body.detail).toBe('Unknown product. Use one of job-post, featured, urgent, highlighted.')
    })

    describe('with products in two currencies', () => {
      test('refuses both products in one payment, but accepts one alone', async () => {
        const { body, key } = await request()
        expectStatus(await board.put('/v1/admin/products/urgent', ADMIN_KEY, { currency: 'EUR' }), 200)
        const both = await board.post(path, key, { ...body, products: ['job-post', 'urgent'] })
        expect([both.status, faultsOf(both)]).toEqual([422, ['#/products not_allowed']])
        const one = await board.post(path, key, { ...body, products: ['urgent'] })
        expect([one.status, one.body.data.currency]).toEqual([201, 'EUR'])
      })
    })
  })
})
