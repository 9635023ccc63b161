import { expect, test } from 'vitest'
import { expectStatus } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('getWebhookRecovery', ({ board, status }) => {
  const make = async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account)
    const begun = await board.post(`${WEBHOOKS}/${webhook.id}/recover`, account.key, { since: '2026-01-01' })
    return { account, webhook, path: begun.headers.get('location')!, recovery: expectStatus(begun, 202).body.data }
  }
  const request = async () => {
    const { path, account } = await make()
    return { method: 'GET', path, key: account.key }
  }

  status(200, () => {
    test('returns the recovery', async () => {
      const { path, account, recovery } = await make()
      expect((await board.get(path, account.key)).body).toEqual({ data: recovery })
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))
})
