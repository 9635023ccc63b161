/** How deliveries go: from the event to the end of their attempts. */
import { describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { deliveriesOf, deliveryOf, dispatch, makeDelivery, makeWebhook, runTask, WEBHOOKS } from '../support/webhooks.ts'

const board = useBoard()
const { receiver, clock } = board

describe('a delivery', () => {
  test('sends the very bytes of the event, with the secret, once', async () => {
    const employer = await board.employer()
    const webhook = await makeWebhook(board, employer)
    const { id } = await board.job(employer, { title: 'Héritage \u{1F697} </script>' })
    await dispatch(board)
    const [attempt, ...more] = receiver.to(webhook.url)
    expect(more).toEqual([])
    const row = await board.database.read((db) =>
      db.selectFrom('event').selectAll().where('subject_id', '=', id).executeTakeFirstOrThrow(),
    )
    const [delivery] = await deliveriesOf(board, employer, webhook.id)
    expect(attempt).toEqual({
      url: webhook.url,
      body: row.body,
      secrets: [webhook.secret],
      eventId: row.id,
      eventType: 'job.created',
      deliveryId: delivery.id,
      number: 1,
    })
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 1, next_attempt_at: null })
    await dispatch(board)
    expect(receiver.to(webhook.url)).toHaveLength(1)
  })
})
