import { expect, test } from 'vitest'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { deliveriesOf, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('testWebhook', ({ board, status }) => {
  const request = async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    return { method: 'POST', path: `${WEBHOOKS}/${id}/test`, key: account.key, body: {} }
  }

  status(200, () => {
    test("sends a sample of the webhook's first event type immediately, and returns the receiver's response", async () => {
      const account = await board.employer()
      const webhook = await makeWebhook(board, account, { events: ['job.deleted', 'job.created'] })
      const answer = await board.post(`${WEBHOOKS}/${webhook.id}/test`, account.key)
      const [attempt, ...more] = board.receiver.to(webhook.url)
      expect(more).toEqual([])
      expect(attempt).toMatchObject({ eventType: 'job.deleted', secrets: [webhook.secret], isTest: true, number: 1 })
      const now = board.clock.now().toISOString()
      const event = JSON.parse(attempt!.body)
      expect(event).toEqual({ id: attempt!.eventId, type: 'job.deleted', created_at: now, data: expect.any(Object) })
      expect(answer.body).toEqual({
        data: {
          event_id: event.id,
          event_type: 'job.deleted',
          is_success: true,
          started_at: now,
          duration_ms: 0,
          response_status: 200,
          error_class: null,
          error: null,
          response_excerpt: 'ok',
        },
      })
      expect(await deliveriesOf(board, account, webhook.id)).toEqual([])
    })

    test("sends an event type outside the webhook's events, even to a paused webhook, and does not disable the webhook", async () => {
      const account = await board.employer()
      const webhook = await makeWebhook(board, account)
      const path = `${WEBHOOKS}/${webhook.id}`
      await board.put(path, account.key, { status: 'paused' })
      board.receiver.reply = ({ url }) => (url === webhook.url ? 410 : 200)
      const answer = await board.post(`${path}/test`, account.key, { type: 'employer.registered' })
      expect(answer.body.data).toMatchObject({
        event_type: 'employer.registered',
        is_success: false,
        response_status: 410,
        error_class: 'http_status',
        error: 'The answer was 410.',
      })
      expect((await board.get(path, account.key)).body.data.status).toBe('paused')
    })
  })

  status(409, () => refusesWhileRunning(board, 'testWebhook'))

  status(422, () => {
    test('refuses an unknown event type', async () => {
      const { method, path, key } = await request()
      const answer = await board.call(method, path, { key, body: { type: 'job.painted' } })
      expect(faultsOf(answer)).toEqual(['#/type not_allowed'])
    })
  })

  status(429, () => {
    test('permits one test per webhook every five seconds, even with simultaneous requests', async () => {
      const account = await board.employer()
      const [first, second] = [await makeWebhook(board, account), await makeWebhook(board, account)]
      const ask = ({ id }: { id: string }) => board.post(`${WEBHOOKS}/${id}/test`, account.key)
      const answers = await Promise.all([ask(first), ask(first), ask(first)])
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 429, 429])
      board.clock.advance(3_500)
      const refused = await ask(first)
      expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['rate_limited', '2'])
      expect((await ask(second)).status).toBe(200)
      board.clock.advance(1_500)
      expect((await ask(first)).status).toBe(200)
      expect(board.receiver.to(first.url)).toHaveLength(2)
    })
  })
})
