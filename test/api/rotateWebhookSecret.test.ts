import { expect, test } from 'vitest'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { dispatch, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

describeOperation('rotateWebhookSecret', ({ board, status }) => {
  const make = async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account)
    const rotate = (body?: object) => board.post(`${WEBHOOKS}/${webhook.id}/rotate-secret`, account.key, body)
    const signers = async () => {
      await board.job(account)
      await dispatch(board)
      return board.receiver.to(webhook.url).at(-1)!.secrets
    }
    return { webhook, rotate, signers }
  }

  status(200, () => {
    test('returns the webhook with its new secret, and signs with both secrets for a day', async () => {
      const { webhook, rotate, signers } = await make()
      const answer = await rotate()
      const { secret } = answer.body.data
      expect(answer.body.data).toEqual({ ...webhook, secret: expect.stringMatching(/^whsec_/) })
      expect(secret).not.toBe(webhook.secret)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      board.clock.advance(86_400_000 - 1)
      expect(await signers()).toEqual([secret, webhook.secret])
      board.clock.advance(1)
      expect(await signers()).toEqual([secret])
    })

    test('revokes the previous secret immediately if the grace period is 0, and accepts a secret from the caller', async () => {
      const { rotate, signers } = await make()
      const secret = 'given by the receiver'
      expect((await rotate({ secret, grace_period_seconds: 0 })).body.data.secret).toBe(secret)
      expect(await signers()).toEqual([secret])
      expect((await rotate({ grace_period_seconds: 604_800 })).status).toBe(200)
    })

    test('replaces the oldest secret during a grace period if the request forces the rotation', async () => {
      const { rotate, signers } = await make()
      const second = (await rotate()).body.data.secret
      const third = (await rotate({ force: true })).body.data.secret
      expect(await signers()).toEqual([third, second])
    })
  })

  status(409, () => {
    test('refuses a second rotation within the grace period, and reports the end of that period', async () => {
      const { rotate } = await make()
      await rotate({ grace_period_seconds: 60 })
      const answer = await rotate()
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
      expect(answer.body.grace_period_ends_at).toBe(new Date(board.clock.time + 60_000).toISOString())
      board.clock.advance(60_000)
      expect((await rotate()).status).toBe(200)
    })
  })

  status(422, () => {
    test.each<[Record<string, unknown>, string]>([
      [{ grace_period_seconds: -1 }, '#/grace_period_seconds too_small'],
      [{ grace_period_seconds: 604_801 }, '#/grace_period_seconds too_large'],
      [{ grace_period_seconds: '60' }, '#/grace_period_seconds invalid_type'],
      [{ force: 'yes' }, '#/force invalid_type'],
      [{ secret: 'short' }, '#/secret too_short'],
    ])('refuses %o', async (body, fault) => {
      const { rotate } = await make()
      expect(faultsOf(await rotate(body))).toEqual([fault])
    })
  })
})
