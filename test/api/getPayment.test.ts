import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { begin } from '../support/payments.ts'

describeOperation('getPayment', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/employers/payments/${id}`
  const request = async () => {
    const employer = await board.employer()
    return { method: 'GET', path: pathOf((await begin(board, employer)).id), key: employer.key }
  }

  status(200, () => {
    test('returns the same payment as createPayment, to its owner and admins', async () => {
      const employer = await board.employer()
      const payment = await begin(board, employer, ['job-post', 'highlighted'])
      for (const key of [employer.key, ADMIN_KEY]) {
        const answer = await board.get(pathOf(payment.id), key)
        expect([answer.status, answer.body]).toEqual([200, { data: payment }])
      }
    })

    test('returns a settled payment without its checkout URL', async () => {
      const employer = await board.employer()
      const payment = await begin(board, employer)
      board.clock.advance(1_000)
      await board.post(`${pathOf(payment.id)}/confirm`, employer.key)
      expect((await board.get(pathOf(payment.id), employer.key)).body.data).toEqual({
        ...payment,
        status: 'paid',
        checkout_url: null,
        paid_at: board.clock.now().toISOString(),
        invoice_number: expect.stringMatching(/^TEST-\d{6}$/),
      })
    })

    test('returns a payment even after its job was deleted', async () => {
      const employer = await board.employer()
      const payment = await begin(board, employer)
      await board.delete(`/v1/jobs/${payment.job_id}`, employer.key)
      expect((await board.get(pathOf(payment.id), employer.key)).body.data).toEqual(payment)
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))
})
