import { expect, test } from 'vitest'
import {
  describeOperation,
  refusesBadKeys,
  refusesMissingScope,
  refusesUnknownParameters,
  unreadableBodies,
} from '../support/operation.ts'
import { dispatch, makeDelivery, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('retryWebhookDelivery', ({ board, status }) => {
  const request = async () => {
    const { path, account } = await makeDelivery(board)
    return { method: 'POST', path: `${path}/retry`, key: account.key, body: {} }
  }

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

  status(400, () => {
    refusesUnknownParameters(board, 'employer', request)
    unreadableBodies[400](board, 'employer', request)
  })
  status(401, () => refusesBadKeys(board, 'employer', request))
  status(403, () => refusesMissingScope(board, 'employer', 'webhooks:write', request))
  status(413, () => unreadableBodies[413](board, 'employer', request))
  status(415, () => unreadableBodies[415](board, 'employer', request))

  status(404, () => {
    test('finds deliveries only under their own webhook', async () => {
      const [mine, other] = [await makeDelivery(board), await makeDelivery(board)]
      const paths = [
        `${WEBHOOKS}/${mine.webhook.id}/deliveries/${other.id}`,
        `${WEBHOOKS}/${other.webhook.id}/deliveries/${other.id}`,
        `${WEBHOOKS}/${other.webhook.id}/deliveries/${mine.id}`,
        `${WEBHOOKS}/${mine.webhook.id}/deliveries/whd_x`,
        `${WEBHOOKS}/${mine.webhook.id}/deliveries/%00`,
      ]
      for (const path of paths) {
        const answer = await board.post(`${path}/retry`, mine.account.key, { x: 1 })
        expect([answer.status, answer.body.code], path).toEqual([404, 'not_found'])
      }
    })
  })

  status(409, () => {
    test('refuses while the webhook is not active', async () => {
      const { account, webhook, path, read } = await makeDelivery(board)
      await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
      const answer = await board.post(`${path}/retry`, account.key)
      expect([answer.status, answer.body.code, answer.body.webhook_status]).toEqual([409, 'conflict', 'paused'])
      expect((await read()).status).toBe('canceled')
    })
  })

  status(422, () => unreadableBodies[422](board, 'employer', request))
})
