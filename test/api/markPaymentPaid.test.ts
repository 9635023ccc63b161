import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { begin, entitlementsOf, forceStatus, UNKNOWN_PAYMENT } from '../support/payments.ts'

describeOperation(
  'markPaymentPaid',
  ({ board, status }) => {
    const pathOf = (id: string) => `/v1/admin/payments/${id}/mark-paid`

    status(200, () => {
      test('records that a payment has arrived, and permits the activation of the job', async () => {
        const employer = await board.employer()
        const payment = await begin(board, employer, ['job-post', 'urgent'])
        expect(payment).toMatchObject({ provider: 'manual', status: 'pending' })
        board.clock.advance(1_000)
        const answer = await board.post(pathOf(payment.id), ADMIN_KEY)
        const invoice_number = expect.stringMatching(/^INV-\d{6}$/)
        const paid = {
          ...payment,
          status: 'paid',
          checkout_url: null,
          paid_at: board.clock.now().toISOString(),
          invoice_number,
        }
        expect([answer.status, answer.body]).toEqual([200, { data: paid }])
        expect((await board.get(`/v1/employers/payments/${payment.id}`, employer.key)).body.data).toEqual(paid)
        const activated = await board.post(`/v1/jobs/${payment.job_id}/activate`, employer.key)
        expect(expectStatus(activated, 200).body.data).toMatchObject({ is_active: true, is_urgent: true })
      })

      test('changes nothing if the payment is already paid, even with ten simultaneous requests', async () => {
        const { id, job_id } = await begin(board, await board.employer(), ['job-post', 'featured'])
        const first = (await board.post(pathOf(id), ADMIN_KEY)).body
        board.clock.advance(1_000)
        const events = (await board.events()).length
        const answers = await Promise.all(Array.from({ length: 10 }, () => board.post(pathOf(id), ADMIN_KEY)))
        expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(10).fill([200, first]))
        expect((await entitlementsOf(board, job_id)).map(({ product }) => product)).toEqual(['job-post', 'featured'])
        expect((await board.events()).length).toBe(events)
      })

      test('accepts a payment that was started with another provider', async () => {
        await board.restart({ PAYMENTS: 'test' })
        const { id } = await begin(board, await board.employer())
        await board.restart({ PAYMENTS: 'manual' })
        expect((await board.post(pathOf(id), ADMIN_KEY)).body.data).toMatchObject({ provider: 'test', status: 'paid' })
      })

      test('accepts a key that has only the scope admin:write', async () => {
        const key = await board.keyWith(await board.account('admin'), ['admin:write'])
        const { id } = await begin(board, await board.employer())
        expect((await board.post(pathOf(id), key)).status).toBe(200)
      })
    })

    status(403, () => {
      test("refuses the payment's own employer, and settles nothing", async () => {
        const employer = await board.employer()
        const { id, job_id } = await begin(board, employer)
        expect((await board.post(pathOf(id), employer.key)).status).toBe(403)
        expect(await entitlementsOf(board, job_id)).toEqual([])
      })
    })

    status(404, () => {
      test.each([UNKNOWN_PAYMENT, 'pay_x', 'x', '%00'])('does not find the payment %s', async (id) => {
        const answer = await board.post(pathOf(id), ADMIN_KEY)
        expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
      })
    })

    status(409, () => {
      test.each(['failed', 'expired', 'refunded'] as const)('refuses a payment that is %s', async (state) => {
        const { id, job_id } = await begin(board, await board.employer())
        await forceStatus(board, id, state)
        const answer = await board.post(pathOf(id), ADMIN_KEY)
        expect([answer.status, answer.body.code]).toEqual([409, 'invalid_transition'])
        expect(answer.body).toMatchObject({ state, allowed: [] })
        expect(await entitlementsOf(board, job_id)).toEqual([])
      })
    })
  },
  { PAYMENTS: 'manual' },
)
