import { expect, test } from 'vitest'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'
import { dispatch, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('listWebhookDeliveries', ({ board, status }) => {
  const collection = async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    const path = `${WEBHOOKS}/${id}/deliveries`
    for (let made = 0; made < 5; made++) {
      board.clock.advance(1_000)
      await board.job(account)
    }
    const { data } = (await board.get(path, account.key)).body
    return { path, key: account.key, ids: data.map((delivery: { id: string }) => delivery.id), otherSort: 'settled_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('shows deliveries before and after their attempts, newest first, and filters them', async () => {
      const account = await board.employer()
      const webhook = await makeWebhook(board, account, { events: ['job.created', 'job.deleted'] })
      const { id } = await board.job(account)
      board.receiver.reply = ({ url, eventType }) => (url === webhook.url && eventType === 'job.created' ? 500 : 200)
      await dispatch(board)
      board.clock.advance(1_000)
      await board.delete(`/v1/jobs/${id}`, account.key)
      const path = `${WEBHOOKS}/${webhook.id}/deliveries`
      const { data } = (await board.get(path, account.key)).body
      const [deleted, created] = (await board.events())
        .filter(({ type }) => /job/.test(type))
        .slice(-2)
        .reverse()
      const now = board.clock.now()
      expect(data).toEqual([
        {
          id: expect.stringMatching(/^whd_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
          event_id: deleted!.id,
          event_type: 'job.deleted',
          status: 'pending',
          attempt_count: 0,
          next_attempt_at: now.toISOString(),
          last_response_status: null,
          last_error: null,
          created_at: now.toISOString(),
          settled_at: null,
        },
        {
          id: expect.stringMatching(/^whd_/),
          event_id: created!.id,
          event_type: 'job.created',
          status: 'pending',
          attempt_count: 1,
          next_attempt_at: expect.any(String),
          last_response_status: 500,
          last_error: 'The answer was 500.',
          created_at: new Date(now.getTime() - 1_000).toISOString(),
          settled_at: null,
        },
      ])
      await dispatch(board)
      const list = async (query: string) => idsOf(await board.get(`${path}?${query}`, account.key))
      expect(await list('status=delivered')).toEqual([data[0].id])
      expect(await list('status=pending')).toEqual([data[1].id])
      expect(await list('type=job.created')).toEqual([data[1].id])
      expect(await list('type_in=job.created,job.deleted&sort=settled_at')).toEqual([data[0].id, data[1].id])
      expect(await list('status=exhausted')).toEqual([])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)
  })
})
