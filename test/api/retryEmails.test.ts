import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { failedEmail } from '../support/mails.ts'
import { describeOperation } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('retryEmails', ({ board, status }) => {
  const path = '/v1/admin/emails/retry'
  const stateOf = async (id: string) => {
    const found = board.database.read((db) =>
      db.selectFrom('mail').select('state').where('id', '=', id).executeTakeFirst(),
    )
    return (await found)?.state
  }

  status(202, () => {
    test('retries all failed emails, or those queued since a given time, but none in the state unknown', async () => {
      const old = await failedEmail(board)
      board.clock.advance(3_600_000)
      const since = board.clock.now().toISOString()
      const [late, unknown] = [await failedEmail(board), await failedEmail(board, { state: 'unknown' })]
      const retry = async (body: object) => expectStatus(await board.post(path, ADMIN_KEY, body), 202).body.data
      expect(await retry({ since })).toEqual({ retried: 1 })
      expect(await Promise.all([old, late, unknown].map(stateOf))).toEqual(['failed', 'pending', 'unknown'])
      expect(await retry({})).toEqual({ retried: 1 })
      expect(await stateOf(old)).toBe('pending')
      expect(await retry({})).toEqual({ retried: 0 })
    })
  })

  status(409, () => refusesWhileRunning(board, 'retryEmails'))
})
