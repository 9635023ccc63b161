import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { makeAlert } from '../support/alerts.ts'
import { setStatus, world } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { failedEmail, mailsIn, runAlerts } from '../support/mails.ts'
import { describeOperation } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { runTask } from '../support/tasks.ts'

describeOperation('retryEmail', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/emails/${id}/retry`

  status(202, () => {
    test.each(['failed', 'unknown'])('retries an email whose state is %s, and resets its attempts', async (state) => {
      const id = await failedEmail(board, { state })
      board.clock.advance(60_000)
      const { data } = expectStatus(await board.post(pathOf(id), ADMIN_KEY, {}), 202).body
      expect(data).toMatchObject({
        ...{ id, state: 'pending', attempts: 0, settled_at: null },
        due_at: board.clock.now().toISOString(),
      })
      await runTask(board, 'mail')
      const sent = (await mailsIn(board.config.dataDir)).filter((mail) => mail.to?.[0]?.address === data.to)
      expect(sent).toHaveLength(1)
      const actions = await board.database.read((db) =>
        db.selectFrom('operator_action').select(['action', 'note']).where('subject', '=', id).execute(),
      )
      expect(actions).toEqual([{ action: 'email.retry', note: 'sign-in' }])
    })

    test('resends sent emails about an alert and an application as new emails with the same content', async () => {
      const email = 'again@candidate.example'
      const { application, candidate, employer } = await world(board, { candidate: await board.candidate({ email }) })
      await board.database.inTx((tx) =>
        sql`update account set email_confirmed_key = email_key where id = ${candidate.id}`.execute(tx),
      )
      await makeAlert(board, candidate, { name: 'Vans', criteria: { search: 'van' }, frequency: 'instant' })
      await board.activeJob(employer, { title: 'Van electrician' })
      await setStatus(board, employer, application.id, 'reviewed')
      await runAlerts(board)
      const sentTo = async () => {
        const { body } = await board.get(`/v1/admin/emails?account_id=${candidate.id}&state=sent`, ADMIN_KEY)
        return body.data as { id: string; kind: string; repeats: string | null }[]
      }
      const first = await sentTo()
      const kinds = ['application-sent', 'application-status', 'job-alert']
      expect(first.map(({ kind }) => kind).sort()).toEqual(kinds)
      for (const { id } of first) expectStatus(await board.post(pathOf(id), ADMIN_KEY, {}), 202)
      // The repeated email must not contain a new match.
      await board.activeJob(employer, { title: 'Van fitter' })
      await runAlerts(board)
      const all = await sentTo()
      const repeated = all.filter(({ repeats }) => repeats !== null)
      expect(repeated.map(({ kind }) => kind).sort()).toEqual(kinds)
      const mails = (await mailsIn(board.config.dataDir)).filter(({ to }) => to?.[0]?.address === email)
      const ofAlert = mails.filter(({ subject }) => subject?.includes('Vans'))
      const titles = ofAlert.map(({ text }) => /Van (?:electrician|fitter)/.exec(text!)![0])
      expect(titles.sort()).toEqual(['Van electrician', 'Van electrician', 'Van fitter'])
      expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(7)
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'retryEmail')

    test('refuses a sent email that is queued to be sent again', async () => {
      const id = await failedEmail(board, { state: 'sent' })
      const { data } = expectStatus(await board.post(pathOf(id), ADMIN_KEY, {}), 202).body
      expect((await board.post(pathOf(id), ADMIN_KEY, {})).body.code).toBe('conflict')
      await runTask(board, 'mail')
      const third = expectStatus(await board.post(pathOf(data.id), ADMIN_KEY, {}), 202).body.data
      expect([data.repeats, third.repeats]).toEqual([id, id])
    })

    test.each(['pending', 'dropped'])('refuses an email that is %s', async (state) => {
      const answer = await board.post(pathOf(await failedEmail(board, { state })), ADMIN_KEY, {})
      expect([answer.status, answer.body.code, answer.body.state]).toEqual([409, 'invalid_transition', state])
    })
  })
})
