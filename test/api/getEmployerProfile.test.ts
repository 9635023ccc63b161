import { expect, test } from 'vitest'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getEmployerProfile', ({ board, status }) => {
  const request = async () => ({ method: 'GET', path: '/v1/employers/profile' })

  status(200, () => {
    test("returns the caller's own profile, with public and private data", async () => {
      const emails = ['one@own-profile.example', 'two@own-profile.example']
      for (const email of emails) {
        const { id, key } = await board.employer({ email })
        const answer = await board.get('/v1/employers/profile', key)
        expect([answer.status, answer.body.data.id]).toEqual([200, id])
        const { data } = (await board.get(`/v1/employers/${id}`, key)).body
        expect(data).not.toHaveProperty('email')
        expect(answer.body).toEqual({
          data: { ...data, email, mail_on_application: true, billing_name: null, billing_address: null, vat_id: null },
        })
      }
    })

    test("counts the employer's own open positions", async () => {
      const employer = await board.employer()
      await board.activeJob(employer)
      expect((await board.get('/v1/employers/profile', employer.key)).body.data.open_positions).toBe(1)
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))
})
