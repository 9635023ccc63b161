import { expect, test } from 'vitest'
import { describeOperation } from '../support/operation.ts'

describeOperation('getEmailTemplate', ({ board, status }) => {
  status(200, () => {
    test('returns null for texts that the employer has not written', async () => {
      const { key } = await board.employer()
      for (const of of ['reviewed', 'contacted', 'rejected', 'hired']) {
        const { body } = await board.get(`/v1/employers/email-templates/${of}`, key)
        expect(body.data).toEqual({ status: of, subject: null, text: null })
      }
    })
  })

  status(404, () => {
    test('is returned for a status that no email reports', async () => {
      const { key } = await board.employer()
      expect((await board.get('/v1/employers/email-templates/pending', key)).status).toBe(404)
    })
  })
})
