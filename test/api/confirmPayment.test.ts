import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { begin, entitlementsOf, forceStatus } from '../support/payments.ts'

describeOperation('confirmPayment', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/employers/payments/${id}/confirm`
  const confirm = async (key: string, id: string) => expectStatus(await board.post(pathOf(id), key), 200).body.data
  const activate = (key: string, id: string) => board.post(`/v1/jobs/${id}/activate`, key)

  status(200, () => {
    test('lets the owner or an admin settle a payment', async () => {
      for (const by of ['owner', 'operator']) {
        const employer = await board.employer()
        const payment = await begin(board, employer)
        board.clock.advance(1_000)
        const answer = await board.post(pathOf(payment.id), by === 'owner' ? employer.key : ADMIN_KEY)
        expect([answer.status, answer.body]).toEqual([
          200,
          {
            data: {
              ...{ ...payment, status: 'paid', checkout_url: null, paid_at: board.clock.now().toISOString() },
              invoice_number: expect.stringMatching(/^TEST-/),
            },
          },
        ])
      }
    })

    test('needs no body, with or without a content type', async () => {
      const employer = await board.employer()
      for (const headers of [{}, { 'content-type': 'application/json' }]) {
        const { id } = await begin(board, employer)
        expect((await board.call('POST', pathOf(id), { key: employer.key, headers })).status).toBe(200)
      }
    })

    test('grants exactly one entitlement per product, with its duration', async () => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer, ['job-post', 'urgent'])
      await confirm(employer.key, id)
      expect(await entitlementsOf(board, job_id)).toEqual([
        { payment_id: id, product: 'job-post', duration_days: 30, consumed_at: board.clock.now() },
        { payment_id: id, product: 'urgent', duration_days: 30, consumed_at: board.clock.now() },
      ])
    })

    test('settles a payment only once, even with ten simultaneous requests', async () => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer)
      const paid = await confirm(employer.key, id)
      board.clock.advance(1_000)
      const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(employer.key, id)))
      expect(answers).toEqual(Array(10).fill(paid))
      expect(await entitlementsOf(board, job_id)).toHaveLength(1)

      const other = await begin(board, employer)
      await Promise.all(Array.from({ length: 10 }, () => confirm(employer.key, other.id)))
      expect(await entitlementsOf(board, other.job_id)).toHaveLength(1)
    })

    test('pays for one activation of the job', async () => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer)
      expect((await activate(employer.key, job_id)).status).toBe(402)
      await confirm(employer.key, id)
      const answer = await activate(employer.key, job_id)
      expect([answer.status, answer.body.data.is_active]).toEqual([200, true])
      board.clock.advance(30 * DAY_MS)
      expect((await activate(employer.key, job_id)).status).toBe(402)
    })

    test('keeps the payment after a restart, and the activation after another restart', async () => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer)
      await confirm(employer.key, id)
      await board.restart()
      expect((await board.get(`/v1/employers/payments/${id}`, employer.key)).body.data.status).toBe('paid')
      expect((await activate(employer.key, job_id)).body.data.is_active).toBe(true)
      await board.restart()
      expect((await board.get(`/v1/jobs/${job_id}`, employer.key)).body.data.is_active).toBe(true)
      // A consumed payment cannot renew the job.
      board.clock.advance(30 * DAY_MS)
      expect((await activate(employer.key, job_id)).status).toBe(402)
    })

    test('sets upgrade flags immediately and writes job.updated', async () => {
      const employer = await board.employer()
      const { id: jobId } = await board.activeJob(employer)
      const { id } = await begin(board, employer, ['featured', 'highlighted'], jobId)
      const before = (await board.events('job.updated')).length
      await confirm(employer.key, id)
      const job = (await board.get(`/v1/jobs/${jobId}`, employer.key)).body.data
      expect(job).toMatchObject({ is_featured: true, is_urgent: false, is_highlighted: true })
      const events = (await board.events('job.updated')).slice(before)
      expect(events).toEqual([
        {
          id: expect.stringMatching(/^evt_/),
          type: 'job.updated',
          created_at: board.clock.now().toISOString(),
          data: {
            job: expect.objectContaining({ id: jobId, is_featured: true, is_urgent: false, is_highlighted: true }),
            changed_fields: ['is_featured', 'is_highlighted'],
            previous: { is_featured: false, is_highlighted: false },
          },
        },
      ])
      const featured = await board.get('/v1/jobs?is_featured=true&limit=100', employer.key)
      expect(featured.body.data.map((each: { id: string }) => each.id)).toContain(jobId)
    })

    test('does not write an event for an upgrade that the job already has', async () => {
      const employer = await board.employer()
      const { id: jobId } = await board.activeJob(employer)
      const second = await begin(board, employer, ['urgent'], jobId)
      await board.pay(employer, jobId, ['urgent'])
      const before = (await board.events()).length
      expect((await board.post(pathOf(second.id), ADMIN_KEY)).status).toBe(200)
      expect((await board.events()).length).toBe(before)
      // The second upgrade stays unused until the job is renewed.
      expect((await entitlementsOf(board, jobId)).filter(({ consumed_at }) => consumed_at === null)).toHaveLength(1)
    })

    test('applies upgrades bought with a post, and renews the job without them', async () => {
      const employer = await board.employer()
      const { id: jobId } = await board.job(employer)
      await board.pay(employer, jobId, ['job-post', 'featured'])
      expect((await activate(employer.key, jobId)).body.data.is_featured).toBe(true)
      board.clock.advance(30 * DAY_MS)
      await board.pay(employer, jobId)
      expect((await activate(employer.key, jobId)).body.data).toMatchObject({ is_active: true, is_featured: false })
    })

    test('renews a job without the upgrades that were bought while it was active', async () => {
      const employer = await board.employer()
      const { id: jobId } = await board.activeJob(employer)
      await board.pay(employer, jobId, ['urgent'])
      board.clock.advance(30 * DAY_MS)
      await board.pay(employer, jobId)
      expect((await activate(employer.key, jobId)).body.data).toMatchObject({ is_active: true, is_urgent: false })
    })

    test("extends the job's time on the board if an admin confirms a payment for a second post", async () => {
      const employer = await board.employer()
      const { id: jobId } = await board.job(employer)
      const payments = [
        await begin(board, employer, ['job-post'], jobId),
        await begin(board, employer, ['job-post'], jobId),
      ]
      for (const { id } of payments) await confirm(ADMIN_KEY, id)
      const job = (await board.get(`/v1/jobs/${jobId}`, employer.key)).body.data
      expect(job).toMatchObject({
        is_active: true,
        expires_at: new Date(board.clock.time + 60 * DAY_MS).toISOString(),
      })
    })

    test('settles a payment for a deleted job if an admin confirms it, and writes no event', async () => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer, ['job-post', 'featured'])
      await board.delete(`/v1/jobs/${job_id}`, employer.key)
      const before = (await board.events()).length
      expect((await confirm(ADMIN_KEY, id)).status).toBe('paid')
      expect((await board.events()).length).toBe(before)
    })

    test('grants the duration that applied when the payment was confirmed', async () => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer)
      await board.put('/v1/admin/products/job-post', ADMIN_KEY, { duration_days: 7 })
      await confirm(employer.key, id)
      await board.put('/v1/admin/products/job-post', ADMIN_KEY, { duration_days: 30 })
      const { expires_at } = (await activate(employer.key, job_id)).body.data
      expect(expires_at).toBe(new Date(board.clock.time + 7 * DAY_MS).toISOString())
    })
  })

  status(409, () => {
    test.each(['failed', 'expired', 'refunded'] as const)('refuses a payment that is %s', async (state) => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer)
      await forceStatus(board, id, state)
      const answer = await board.post(pathOf(id), employer.key)
      expect([answer.status, answer.body.code]).toEqual([409, 'invalid_transition'])
      expect(answer.body).toMatchObject({ state, allowed: [] })
      expect(await entitlementsOf(board, job_id)).toEqual([])
    })

    test('refuses the second of two payments for one post, even if both are confirmed simultaneously', async () => {
      const employer = await board.employer()
      const first = await begin(board, employer)
      const body = { job_id: first.job_id, products: ['job-post'] }
      const second = expectStatus(await board.post('/v1/employers/payments', employer.key, body), 201).body.data
      board.clock.advance(1)
      const answers = await Promise.all([first, second].map(({ id }) => board.post(pathOf(id), employer.key)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect(await entitlementsOf(board, first.job_id)).toHaveLength(1)
      const [lost] = [first, second].filter((_, index) => answers[index]!.status === 409)
      // An admin can still confirm the refused payment if its money arrives.
      expect((await board.post(pathOf(lost.id), ADMIN_KEY)).status).toBe(200)
      expect(await entitlementsOf(board, first.job_id)).toHaveLength(2)
    })

    test('refuses a payment for a deleted job if the owner confirms it', async () => {
      const employer = await board.employer()
      const { id, job_id } = await begin(board, employer)
      expectStatus(await board.delete(`/v1/jobs/${job_id}`, employer.key), 204)
      const answer = await board.post(pathOf(id), employer.key)
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
      expect(answer.body.detail).toBe('The job was deleted, so no payment is due.')
      expect(await entitlementsOf(board, job_id)).toEqual([])
    })

    describe('PAYMENTS=manual', () => {
      beforeAll(() => board.restart({ PAYMENTS: 'manual' }))
      afterAll(() => board.restart())

      test('refuses owners and admins, because only markPaymentPaid settles payments', async () => {
        const employer = await board.employer()
        const { id, job_id } = await begin(board, employer)
        for (const key of [employer.key, ADMIN_KEY]) {
          const answer = await board.post(pathOf(id), key)
          expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
        }
        expect(await entitlementsOf(board, job_id)).toEqual([])
      })
    })
  })
})
