import { expect, test } from 'vitest'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { dispatch, makeDelivery, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('deleteWebhook', ({ board, status }) => {
  const request = async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    return { method: 'DELETE', path: `${WEBHOOKS}/${id}`, key: account.key }
  }

  status(204, () => {
    test('permanently deletes the webhook with its pending deliveries', async () => {
      const { account, webhook, path } = await makeDelivery(board)
      const answer = await board.delete(`${WEBHOOKS}/${webhook.id}`, account.key)
      expect([answer.status, answer.text]).toEqual([204, ''])
      await dispatch(board)
      expect(board.receiver.to(webhook.url)).toEqual([])
      expect((await board.get(WEBHOOKS, account.key)).body.data).toEqual([])
      expect((await board.get(path, account.key)).status).toBe(404)
      expect((await board.delete(`${WEBHOOKS}/${webhook.id}`, account.key)).status).toBe(404)
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'employer', request))
})
