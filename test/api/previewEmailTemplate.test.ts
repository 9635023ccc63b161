import { expect, test } from 'vitest'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('previewEmailTemplate', ({ board, status }) => {
  const path = '/v1/employers/email-templates/rejected'

  status(200, () => {
    test('shows an email addressed to a fictional candidate, and saves nothing', async () => {
      const { key } = await board.employer({ name: 'Voltaire Vans' })
      const preview = async (body: object) => (await board.post(`${path}/preview`, key, body)).body.data
      expect(await preview({})).toEqual({
        subject: 'Not selected: your application for Electrician',
        text: 'The status of your application for “Electrician” at Voltaire Vans is now “Not selected”.\n\nThe employer decided not to continue with your application.',
      })
      await board.put(path, key, { text: 'Thank you,\n{{candidate.first_name}}.' })
      expect(await preview({ subject: '{{job.title}} at {{employer.name}}' })).toEqual({
        subject: 'Electrician at Voltaire Vans',
        text: 'Thank you,\n\nAmara.',
      })
      expect((await board.get(path, key)).body.data.subject).toBe(null)
    })
  })

  status(409, () => refusesWhileRunning(board, 'previewEmailTemplate'))

  status(404, () => {
    test('is returned for a status that no email reports', async () => {
      const { key } = await board.employer()
      expect((await board.post('/v1/employers/email-templates/pending/preview', key, {})).status).toBe(404)
    })
  })

  status(422, () => {
    test.each([
      [{ subject: '{{job}}' }, ['#/subject not_allowed']],
      [{ text: ' ', status: 'hired' }, ['#/status unknown_field', '#/text too_short']],
    ])('refuses %j', async (body, faults) => {
      const { key } = await board.employer()
      const answer = await board.post(`${path}/preview`, key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
    })
  })
})
