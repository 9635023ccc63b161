import { expect, test } from 'vitest'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation } from '../support/operation.ts'
import { makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('listWebhooks', ({ board, status }) => {
  const collection = async () => {
    const account = await board.candidate()
    const ids: string[] = []
    for (let made = 0; made < 5; made++) {
      board.clock.advance(1_000)
      ids.unshift((await makeWebhook(board, account)).id)
    }
    return { path: WEBHOOKS, key: account.key, ids, otherSort: 'updated_at' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('shows only webhooks of the account, without secrets', async () => {
      const [account, other] = [await board.employer(), await board.employer()]
      const { secret, ...webhook } = await makeWebhook(board, account)
      await makeWebhook(board, other)
      const answer = await board.get(WEBHOOKS, account.key)
      expect(answer.body.data).toEqual([webhook])
      expect(answer.text).not.toContain(secret)
    })

    test('sorts and filters', async () => {
      const account = await board.employer()
      const first = await makeWebhook(board, account)
      board.clock.advance(1_000)
      const second = await makeWebhook(board, account)
      board.clock.advance(1_000)
      await board.put(`${WEBHOOKS}/${first.id}`, account.key, { status: 'paused' })
      const list = async (query: string) => idsOf(await board.get(`${WEBHOOKS}?${query}`, account.key))
      expect(await list('sort=updated_at')).toEqual([second.id, first.id])
      expect(await list('status=paused')).toEqual([first.id])
      expect(await list('status_in=active,disabled')).toEqual([second.id])
      expect(await list(`created_at_gt=${first.created_at}`)).toEqual([second.id])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)
  })
})
