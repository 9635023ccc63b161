/** Webhook secrets are encrypted in the database. Only `createWebhook` and `rotateWebhookSecret` return a secret. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ConfigError } from '../../src/main/config.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { runTask } from '../support/tasks.ts'
import { dispatch, makeWebhook, WEBHOOKS, webhookBody } from '../support/webhooks.ts'

const board = useBoard()
const SECRETS = ['first-secret-of-a-receiver', 'second-secret-of-a-receiver', 'third-secret-of-a-receiver']

test('webhook secrets appear in no later response, log or metric, and not in plain text in the database', async () => {
  const { receiver, clock } = board
  const account = await board.employer()
  const { key } = account
  const webhook = await makeWebhook(board, account, { secret: SECRETS[0] })
  const path = `${WEBHOOKS}/${webhook.id}`
  const texts: string[] = []
  const ask = async (method: string, where: string, body?: unknown) => {
    const answer = await board.call(method, where, { key, body })
    texts.push(answer.text, JSON.stringify([...answer.headers]))
    return answer
  }
  const rotated = await board.post(`${path}/rotate-secret`, key, { secret: SECRETS[1] })
  expect([webhook.secret, rotated.body.data.secret]).toEqual(SECRETS.slice(0, 2))
  // The service refuses these requests, although most contain a valid secret.
  await ask('POST', `${path}/rotate-secret`, { secret: SECRETS[2] })
  await ask('POST', `${path}/rotate-secret`, { secret: SECRETS[2], unknown: 1 })
  await ask('POST', WEBHOOKS, webhookBody({ secret: SECRETS[2], url: 'http://hook.example/' }))
  await ask('POST', WEBHOOKS, webhookBody({ secret: `${SECRETS[2]}\u00e9` }))
  await ask('POST', WEBHOOKS, webhookBody({ secret: [SECRETS[2]] }))
  await ask('PUT', path, { secret: SECRETS[2] })
  receiver.reply = ({ number }) => (number < 3 ? { status: null, errorClass: 'tls' } : 200)
  await board.job(account)
  for (let n = 0; n < 3; n++) {
    await dispatch(board)
    clock.advance(3_600_000)
    await runTask(board, 'webhook-leases')
  }
  expect(receiver.to(webhook.url).map(({ secrets }) => secrets)).toEqual(Array(3).fill([SECRETS[1], SECRETS[0]]))
  await ask('POST', `${path}/test`, {})
  await ask('GET', path)
  await ask('PUT', path, { description: 'Other' })
  const { body } = await ask('GET', `${path}/deliveries`)
  await ask('GET', `${path}/deliveries/${body.data[0].id}`)
  for (const where of [WEBHOOKS, '/v1/events', '/v1/me', '/metrics']) await ask('GET', where)
  const all = await board.get('/v1/events?limit=100', ADMIN_KEY)
  const { rows } = await board.database.read((db) =>
    sql<{
      name: string
    }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db),
  )
  for (const { name } of rows) {
    const table = await board.database.read((db) => sql`select * from ${sql.table(name)} as rows`.execute(db))
    texts.push(JSON.stringify(table.rows))
  }
  const everything = [...texts, all.text, board.log].join('\n')
  expect(everything).toContain(webhook.id)
  expect(SECRETS.filter((secret) => everything.includes(secret))).toEqual([])
  // The secrets do not appear in another encoding either.
  const written = SECRETS.flatMap((secret) =>
    (['base64', 'base64url', 'hex'] as const).map((as) => Buffer.from(secret).toString(as)),
  )
  expect(written.filter((secret) => everything.includes(secret))).toEqual([])
})

test('the service does not start with an encryption key that cannot open the webhook secrets', async () => {
  await makeWebhook(board, await board.employer())
  await board.service.app.close()
  await expect(board.start({ ENCRYPTION_KEY: 'cd'.repeat(32) })).rejects.toThrow(
    new ConfigError('ENCRYPTION_KEY lacks a key that encrypted webhook secrets in the database'),
  )
  await board.start()
})
