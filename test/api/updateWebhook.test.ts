import { expect, test } from 'vitest'
import { expectStatus } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { deliveriesOf, dispatch, hookUrl, makeDelivery, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('updateWebhook', ({ board, status }) => {
  const request = async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    return { method: 'PUT', path: `${WEBHOOKS}/${id}`, key: account.key, body: {} }
  }

  status(200, () => {
    test('changes only the given fields, and keeps the secret', async () => {
      const account = await board.employer()
      const { secret, ...webhook } = await makeWebhook(board, account, { description: 'First' })
      const path = `${WEBHOOKS}/${webhook.id}`
      board.clock.advance(1_000)
      const url = hookUrl()
      const answer = await board.put(path, account.key, { url, events: ['job.deleted', 'job.created', 'job.deleted'] })
      const updated_at = board.clock.now().toISOString()
      expect(answer.body.data).toEqual({ ...webhook, url, events: ['job.deleted', 'job.created'], updated_at })
      expect(answer.text).not.toContain(secret)
      expect((await board.put(path, account.key, { description: null })).body.data.description).toBeNull()
      expect((await board.get(path, account.key)).body.data.url).toBe(url)
    })

    test('accepts the response of getWebhook as a request body', async () => {
      const account = await board.employer()
      const { id } = await makeWebhook(board, account)
      const { data } = (await board.get(`${WEBHOOKS}/${id}`, account.key)).body
      expect((await board.put(`${WEBHOOKS}/${id}`, account.key, data)).body.data).toEqual(data)
    })

    test('cancels pending deliveries when it pauses the webhook, and queues none until the webhook is resumed', async () => {
      const { account, webhook, read } = await makeDelivery(board)
      const path = `${WEBHOOKS}/${webhook.id}`
      expect((await board.put(path, account.key, { status: 'paused' })).body.data.status).toBe('paused')
      await board.job(account)
      await dispatch(board)
      expect(await read()).toMatchObject({
        status: 'canceled',
        last_error: 'The webhook was paused or disabled.',
        attempts: [],
      })
      expect(await deliveriesOf(board, account, webhook.id)).toHaveLength(1)
      expect((await board.put(path, account.key, { status: 'active' })).body.data.status).toBe('active')
      await board.job(account)
      await dispatch(board)
      expect(board.receiver.to(webhook.url)).toHaveLength(1)
    })

    test('sends pending deliveries to the new URL', async () => {
      const { account, webhook } = await makeDelivery(board)
      const url = hookUrl()
      await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { url })
      await dispatch(board)
      expect([board.receiver.to(webhook.url).length, board.receiver.to(url).length]).toEqual([0, 1])
    })

    test('enables a disabled webhook, and keeps it disabled if the status is unchanged', async () => {
      const { account, webhook } = await makeDelivery(board)
      const path = `${WEBHOOKS}/${webhook.id}`
      board.receiver.reply = ({ url }) => (url === webhook.url ? 410 : 200)
      await dispatch(board)
      const { data } = (await board.get(path, account.key)).body
      expect(data).toMatchObject({ status: 'disabled', disabled_reason: 'gone', disabled_at: expect.any(String) })
      expect(
        expectStatus(await board.put(path, account.key, { ...data, description: 'x' }), 200).body.data.status,
      ).toBe('disabled')
      const again = await board.put(path, account.key, { status: 'active' })
      expect(again.body.data).toMatchObject({ status: 'active', disabled_reason: null, disabled_at: null })
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'employer', request))

  status(422, () => {
    test.each<[Record<string, unknown>, string]>([
      [{ url: 'http://hooks.example/' }, '#/url not_allowed'],
      [{ url: 'https://inside.example/' }, '#/url not_allowed'],
      [{ url: null }, '#/url invalid_type'],
      [{ events: [] }, '#/events too_few'],
      [{ events: null }, '#/events invalid_type'],
      [{ status: 'disabled' }, '#/status not_allowed'],
      [{ status: 'gone' }, '#/status not_allowed'],
      [{ secret: 'x'.repeat(20) }, '#/secret unknown_field'],
      [{ id: 'wh_1' }, '#/id read_only_field'],
      [{ disabled_reason: 'gone' }, '#/disabled_reason read_only_field'],
    ])('refuses %o and changes nothing', async (body, fault) => {
      const account = await board.employer()
      const { id } = await makeWebhook(board, account)
      const before = (await board.get(`${WEBHOOKS}/${id}`, account.key)).body
      board.clock.advance(1_000)
      const answer = await board.put(`${WEBHOOKS}/${id}`, account.key, { description: 'Other', ...body })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
      expect((await board.get(`${WEBHOOKS}/${id}`, account.key)).body).toEqual(before)
    })
  })
})
