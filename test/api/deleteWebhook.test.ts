import { expect, test } from 'vitest'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import {
  describeOperation,
  refusesBadKeys,
  refusesMissingScope,
  refusesUnknownParameters,
  unreadableBodies,
} from '../support/operation.ts'
import { dispatch, knowsOnlyOwnWebhooks, makeDelivery, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

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

  status(400, () => {
    refusesUnknownParameters(board, 'employer', request)
    unreadableBodies[400](board, 'employer', request)
  })
  status(401, () => refusesBadKeys(board, 'employer', request))
  status(403, () => refusesMissingScope(board, 'employer', 'webhooks:write', request))
  status(404, () => knowsOnlyOwnWebhooks(board, 'DELETE'))
  status(412, () => changesOnlyWhatMatches(board, 'employer', request))
  status(413, () => unreadableBodies[413](board, 'employer', request))
  status(415, () => unreadableBodies[415](board, 'employer', request))
})
