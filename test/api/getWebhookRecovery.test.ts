import { expect, test } from 'vitest'
import { expectStatus } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import {
  describeOperation,
  refusesBadKeys,
  refusesMissingScope,
  refusesUnknownParameters,
} from '../support/operation.ts'
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

  status(400, () => {
    refusesUnknownParameters(board, 'employer', request)
  })
  status(401, () => refusesBadKeys(board, 'employer', request))
  status(403, () => refusesMissingScope(board, 'employer', 'webhooks:read', request))

  status(404, () => {
    test('finds recoveries only under their own webhook', async () => {
      const [mine, other] = [await make(), await make()]
      const paths = [
        other.path,
        `${WEBHOOKS}/${mine.webhook.id}/recoveries/${other.recovery.id}`,
        `${WEBHOOKS}/${mine.webhook.id}/recoveries/whr_x`,
        `${WEBHOOKS}/${mine.webhook.id}/recoveries/%00`,
      ]
      for (const path of paths) expect((await board.get(path, mine.account.key)).status, path).toBe(404)
    })
  })
})
