import { expect, test } from 'vitest'
import { mails, world } from '../support/applications.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('sendApplicationMessage', ({ board, status }) => {
  const path = (id: string) => `/v1/candidates/applications/${id}/messages`

  status(201, () => {
    test('sends and emails a message to the employer', async () => {
      const { application, candidate, employer } = await world(board)
      const { body } = await board.post(path(application.id), candidate.key, { text: 'When do I start?' })
      expect(body.data).toMatchObject({ from: 'candidate', text: 'When do I start?', read_at: null })
      const sent = (await mails(board, application.id)).filter(({ kind }) => kind === 'application-message')
      expect(sent.map(({ account_id }) => account_id)).toEqual([employer.id])
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'sendApplicationMessage')

    test('refuses messages about a withdrawn application', async () => {
      const { application, candidate } = await world(board)
      await board.post(`/v1/candidates/applications/${application.id}/withdraw`, candidate.key)
      const { status: code, body } = await board.post(path(application.id), candidate.key, { text: 'Sorry' })
      expect([code, body.code, body.state]).toEqual([409, 'invalid_transition', 'withdrawn'])
    })
  })

  status(422, () => {
    test('refuses an empty message', async () => {
      const { application, candidate } = await world(board)
      const answer = await board.post(path(application.id), candidate.key, { text: ' ' })
      expect([answer.status, faultsOf(answer)]).toEqual([422, ['#/text too_short']])
    })
  })
})
