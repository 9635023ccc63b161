import { expect, test } from 'vitest'
import { describeOperation } from '../support/operation.ts'
import { dispatch, makeDelivery, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('retryWebhookDelivery', ({ board, status }) => {
  status(202, () => {
    test('sends a delivered event again, with the same bytes', async () => {
      const { account, webhook, path, read } = await makeDelivery(board)
      await dispatch(board)
      const answer = await board.post(`${path}/retry`, account.key)
      const { attempts: _, ...shown } = await read()
      expect(answer.body).toEqual({ data: shown })
      expect(shown).toMatchObject({
        status: 'pending',
        settled_at: null,
        next_attempt_at: board.clock.now().toISOString(),
      })
      await dispatch(board)
      const [first, second, ...more] = board.receiver.to(webhook.url)
      expect([second!.body, second!.number, more]).toEqual([first!.body, 2, []])
      const { attempts, status } = await read()
      expect([status, attempts.map(({ trigger }: { trigger: string }) => trigger)]).toEqual([
        'delivered',
        ['scheduled', 'manual'],
      ])
    })
  })

  status(409, () => {
    test('refuses a retry while the webhook is not active', async () => {
      const { account, webhook, path, read } = await makeDelivery(board)
      await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
      const answer = await board.post(`${path}/retry`, account.key)
      expect([answer.status, answer.body.code, answer.body.webhook_status]).toEqual([409, 'conflict', 'paused'])
      expect((await read()).status).toBe('canceled')
    })
  })
})
