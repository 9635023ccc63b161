import { expect, test } from 'vitest'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('getWebhook', ({ board, status }) => {
  const request = async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    return { method: 'GET', path: `${WEBHOOKS}/${id}`, key: account.key }
  }

  status(200, () => {
    test('returns the webhook without its secret', async () => {
      const account = await board.employer()
      const { secret: _, ...webhook } = await makeWebhook(board, account)
      expect((await board.get(`${WEBHOOKS}/${webhook.id}`, account.key)).body).toEqual({ data: webhook })
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))
})
