import { expect, test } from 'vitest'
import { applicationMessageMails } from '../../src/features/applications/applications.mails.ts'
import { mails, world } from '../support/applications.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('messageApplicant', ({ board, status }) => {
  const path = (id: string) => `/v1/employers/applications/${id}/messages`

  status(201, () => {
    test('sends and emails a message that both sides can read until the candidate is erased', async () => {
      const { application, candidate, employer, job } = await world(board)
      const answer = await board.post(path(application.id), employer.key, { text: ' Hello.\n\nCan you call? ' })
      const created_at = board.clock.now().toISOString()
      const message = { from: 'employer', by: null, text: 'Hello.\n\nCan you call?', created_at, read_at: null }
      expect([answer.status, answer.body.data]).toEqual([201, { id: expect.stringMatching(/^msg_/), ...message }])
      const [mail] = (await mails(board, application.id)).filter(({ kind }) => kind === 'application-message')
      expect(mail).toMatchObject({ account_id: candidate.id, details: { message_id: answer.body.data.id } })
      const composed = async () => {
        const queued = {
          id: 'mail_x',
          repeats: null,
          member_id: null,
          ...mail!,
          details: mail!.details as Record<string, unknown>,
        }
        const urlOf = { candidate: (id: string) => `/me/${id}`, employer: (id: string) => `/employer/${id}` }
        return board.database.read((db) => applicationMessageMails(urlOf).compose(db, queued, board.clock.now()))
      }
      const { company, title } = (await board.get(`/v1/jobs/${job.id}`, employer.key)).body.data
      expect(await composed()).toMatchObject({
        subject: `Message from ${company}: ${title}`,
        paragraphs: [`${company} wrote to you about the application for “${title}”:`, 'Hello.', 'Can you call?'],
        link: { text: 'Reply', url: `/me/${application.id}` },
      })
      const own = `/v1/candidates/applications/${application.id}/messages`
      const received = { ...answer.body.data, read_at: created_at }
      expect((await board.get(own, candidate.key)).body.data).toEqual([received])
      const { applications } = (await board.get('/v1/candidates/export', candidate.key)).body.data
      const { from, text, read_at } = received
      expect(applications[0].messages).toEqual([{ from, text, created_at, read_at }])
      await board.put('/v1/candidates/profile', candidate.key, { email_preferences: { status_changes: false } })
      await board.delete('/v1/candidates/profile', candidate.key)
      expect((await board.get(path(application.id), employer.key)).body.data).toEqual([])
      expect(await composed()).toBeUndefined()
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'messageApplicant')

    test('refuses messages about withdrawn and erased applications, and more than 200 messages', async () => {
      const { application, candidate, employer } = await world(board)
      const at = board.clock.now()
      const rows = Array.from({ length: 200 }, (_, n) => ({ id: `msg_${application.id}_${n}`, text: 'x' }))
      const same = { application_id: application.id, is_from_employer: true, created_at: at, read_at: null }
      await board.database.inTx((tx) =>
        tx
          .insertInto('application_message')
          .values(rows.map((row) => ({ ...row, ...same })))
          .execute(),
      )
      const send = async () => (await board.post(path(application.id), employer.key, { text: 'More' })).body
      expect(await send()).toMatchObject({ code: 'limit_reached', limit: 200 })
      await board.post(`/v1/candidates/applications/${application.id}/withdraw`, candidate.key)
      expect(await send()).toMatchObject({ code: 'invalid_transition', state: 'withdrawn' })
      await board.delete('/v1/candidates/profile', candidate.key)
      expect(await send()).toMatchObject({ code: 'invalid_transition', state: 'erased' })
    })
  })

  status(422, () => {
    test.each([
      [{}, ['#/text required']],
      [{ text: ' ' }, ['#/text too_short']],
      [{ text: 'x'.repeat(10_001) }, ['#/text too_long']],
    ])('refuses %j', async (body, faults) => {
      const { application, employer } = await world(board)
      const answer = await board.post(path(application.id), employer.key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
    })
  })
})
