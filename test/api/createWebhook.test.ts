import { expect, test } from 'vitest'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { makeWebhook, WEBHOOKS, webhookBody } from '../support/webhooks.ts'
import { wholeDatabase } from '../support/whole-database.ts'

describeOperation('createWebhook', ({ board, status }) => {
  status(201, () => {
    test('returns exactly the documented webhook, with a generated secret and a Location header', async () => {
      const { key } = await board.employer()
      const body = webhookBody({ events: ['job.expired', 'job.created', 'job.expired'], description: ' Our ATS ' })
      const answer = await board.post(WEBHOOKS, key, body)
      const now = board.clock.now().toISOString()
      expect(answer.status).toBe(201)
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^wh_/),
          url: body.url,
          events: ['job.expired', 'job.created'],
          description: 'Our ATS',
          secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
          status: 'active',
          created_at: now,
          updated_at: now,
          disabled_reason: null,
          disabled_at: null,
        },
      })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const { secret: _, ...shown } = answer.body.data
      expect((await board.get(answer.headers.get('location')!, key)).body).toEqual({ data: shown })
    })

    test.each(['candidate', 'employer', 'integrator', 'admin'] as const)(
      'lets %s accounts create webhooks',
      async (kind) => {
        const secret = 'a secret of our own, 16 or more ~!'
        const webhook = await makeWebhook(board, await board.account(kind), { secret })
        expect([webhook.secret, webhook.description]).toEqual([secret, null])
      },
    )

    test('accepts an unknown host name, and secrets of the minimum and maximum length', async () => {
      const { key } = await board.employer()
      for (const secret of ['x'.repeat(16), 'x'.repeat(256)]) {
        const body = webhookBody({ url: 'https://nowhere.example:8443/a?b=c', secret, description: null })
        expect((await board.post(WEBHOOKS, key, body)).body.data).toMatchObject({ url: body.url, secret })
      }
    })

    test('keeps the plain secret out of the database and the log', async () => {
      const secret = 'whsec_never_to_be_seen_anywhere'
      await makeWebhook(board, await board.employer(), { secret })
      expect((await wholeDatabase(board.database)) + board.log).not.toContain(secret)
    })
  })

  status(409, () => {
    test('limits an account to twenty webhooks, even with simultaneous requests', async () => {
      const account = await board.employer()
      for (let made = 0; made < 17; made++) await makeWebhook(board, account)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => board.post(WEBHOOKS, account.key, webhookBody())),
      )
      expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(3).fill(201), ...Array(5).fill(409)])
      const refused = await board.post(WEBHOOKS, account.key, webhookBody())
      expect([refused.body.code, refused.body.limit]).toEqual(['limit_reached', 20])
    })
  })

  status(422, () => {
    test.each<[Record<string, unknown>, string]>([
      [{ url: 'http://hooks.example/in' }, '#/url not_allowed'],
      [{ url: 'hooks.example' }, '#/url not_allowed'],
      [{ url: '' }, '#/url too_short'],
      [{ url: 7 }, '#/url invalid_type'],
      [{ url: `https://hooks.example/${'x'.repeat(2_048)}` }, '#/url too_long'],
      [{ url: 'https://user:word@hooks.example' }, '#/url not_allowed'],
      [{ url: 'https://hooks.example/#in' }, '#/url not_allowed'],
      [{ url: 'https://127.0.0.1/' }, '#/url not_allowed'],
      [{ url: 'https://inside.example/' }, '#/url not_allowed'],
      [{ events: [] }, '#/events too_few'],
      [{ events: 'job.created' }, '#/events invalid_type'],
      [{ events: ['job.created', 'job.painted'] }, '#/events/1 not_allowed'],
      [{ secret: 'x'.repeat(15) }, '#/secret too_short'],
      [{ secret: 'x'.repeat(257) }, '#/secret too_long'],
      [{ secret: 'sixteen or more é' }, '#/secret invalid_format'],
      [{ secret: 'sixteen or more \n' }, '#/secret invalid_format'],
      [{ description: 'x'.repeat(501) }, '#/description too_long'],
      [{ status: 'active' }, '#/status unknown_field'],
    ])('refuses %o', async (overrides, fault) => {
      const answer = await board.post(WEBHOOKS, (await board.employer()).key, webhookBody(overrides))
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })

    test('reports all errors at once, and never shows the secret', async () => {
      const body = { url: 'https://localhost', events: ['x'], secret: 'too short', color: 1 }
      const answer = await board.post(WEBHOOKS, (await board.employer()).key, body)
      expect(faultsOf(answer).sort()).toEqual([
        '#/color unknown_field',
        '#/events/0 not_allowed',
        '#/secret too_short',
        '#/url not_allowed',
      ])
      expect(answer.text).not.toContain('too short')
      expect(faultsOf(await board.post(WEBHOOKS, (await board.employer()).key, {}))).toEqual([
        '#/url required',
        '#/events required',
      ])
    })
  })
})
