import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { failedEmail, mailsIn } from '../support/mails.ts'
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
  })

  status(409, () => {
    refusesWhileRunning(board, 'retryEmail')

    test.each(['pending', 'sent', 'dropped'])('refuses an email that is %s', async (state) => {
      const answer = await board.post(pathOf(await failedEmail(board, { state })), ADMIN_KEY, {})
      expect([answer.status, answer.body.code, answer.body.state]).toEqual([409, 'invalid_transition', state])
    })
  })
})
