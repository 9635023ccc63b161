import { expect, test } from 'vitest'
import { answersNotModified } from '../support/conditional.ts'
import {
  describeOperation,
  refusesBadKeys,
  refusesMissingScope,
  refusesUnknownParameters,
} from '../support/operation.ts'
import { dispatch, makeDelivery, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('getWebhookDelivery', ({ board, status }) => {
  const request = async () => {
    const { path, account } = await makeDelivery(board)
    return { method: 'GET', path: `${path}`, key: account.key }
  }

  status(200, () => {
    test('returns the delivery with its attempts', async () => {
      const { webhook, read } = await makeDelivery(board)
      const { reply } = board.receiver
      board.receiver.reply = ({ url, number }) => {
        if (url !== webhook.url) return 200
        return number === 1 ? { status: 503, excerpt: '\u{1F697} busy', durationMs: 12.4 } : 204
      }
      const [first, second] = [board.clock.now(), new Date(board.clock.time + 80_000)]
      await dispatch(board)
      board.clock.advance(80_000)
      await dispatch(board)
      board.receiver.reply = reply
      const delivery = await read()
      expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 2, next_attempt_at: null, last_error: null })
      expect(delivery.settled_at).toBe(second.toISOString())
      expect(delivery.attempts).toEqual([
        {
          number: 1,
          trigger: 'scheduled',
          started_at: first.toISOString(),
          duration_ms: 12,
          response_status: 503,
          error_class: 'http_status',
          error: 'The answer was 503.',
          response_excerpt: '\u{1F697} busy',
        },
        {
          number: 2,
          trigger: 'scheduled',
          started_at: second.toISOString(),
          duration_ms: 0,
          response_status: 204,
          error_class: null,
          error: null,
          response_excerpt: 'ok',
        },
      ])
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))

  status(400, () => {
    refusesUnknownParameters(board, 'employer', request)
  })
  status(401, () => refusesBadKeys(board, 'employer', request))
  status(403, () => refusesMissingScope(board, 'employer', 'webhooks:read', request))

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
        const answer = await board.get(`${path}`, mine.account.key)
        expect([answer.status, answer.body.code], path).toEqual([404, 'not_found'])
      }
    })
  })
})
