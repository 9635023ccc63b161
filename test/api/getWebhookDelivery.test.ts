import { expect, test } from 'vitest'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { dispatch, makeDelivery } from '../support/webhooks.ts'

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
})
