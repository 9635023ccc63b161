/** `secrets rotate` replaces an encryption key while the service is running. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { examine } from '../../src/commands/doctor.ts'
import { rotateSecrets } from '../../src/commands/rotate-secrets.ts'
import { SecretBox } from '../../src/lib/secret-box.ts'
import { readConfig } from '../../src/main/config.ts'
import { type Board, expectStatus, jobBody, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { dispatch, makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

const board = useBoard()
const [OLD, NEW, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32), 'ef'.repeat(32)]
const idOf = (key: string) => new SecretBox(Buffer.from(key, 'hex')).keyIds[0]

const sealed = async ({ database }: Board) => {
  const { rows } = await database.read((db) =>
    sql<{ value: string }>`
      select secret_sealed as value from webhook
      union all select previous_secret_sealed from webhook where previous_secret_sealed is not null
      union all select answer_sealed from idempotent_answer`.execute(db),
  )
  return rows.map(({ value }) => value)
}
const rotate = (keys: string) => rotateSecrets(readConfig({ ENCRYPTION_KEY: keys }), board.database)

test('after a new key replaces the old key, deliveries are still signed and responses replayed', async () => {
  const account = await board.employer()
  const { key } = account
  const webhook = await makeWebhook(board, account, { secret: 'first-secret-of-a-receiver' })
  const path = `${WEBHOOKS}/${webhook.id}/rotate-secret`
  expectStatus(await board.post(path, key, { secret: 'second-secret-of-a-receiver' }), 200)
  const create = () =>
    board.call('POST', '/v1/jobs', { key, body: jobBody(), headers: { 'idempotency-key': '"once"' } })
  const { id } = expectStatus(await create(), 201).body.data
  await expect(rotate(OLD)).rejects.toThrow('ENCRYPTION_KEY contains one key. Add the new key before it')
  expect((await sealed(board)).map((value) => value.split('.')[0])).toEqual(['v1', 'v1', 'v1'])

  await board.restart({ ENCRYPTION_KEY: `${NEW},${OLD}` })
  const made = await makeWebhook(board, account, { secret: 'third-secret-of-a-receiver' })
  const { keyId, resealed, counts } = await rotate(`${NEW},${OLD}`)
  expect([keyId, resealed, counts]).toEqual([
    idOf(NEW),
    3,
    {
      byKey: new Map([
        [idOf(NEW), 4],
        [idOf(OLD), 0],
      ]),
      lost: new Map(),
      unopened: 0,
    },
  ])
  expect((await sealed(board)).filter((value) => !value.startsWith(`v2.${idOf(NEW)}.`))).toEqual([])
  expect((await rotate(`${NEW},${OLD}`)).resealed).toBe(0)

  await board.restart({ ENCRYPTION_KEY: NEW })
  const again = await create()
  expect([again.status, again.headers.get('idempotency-replayed'), again.body.data.id]).toEqual([201, 'true', id])
  await dispatch(board)
  await board.job(account)
  await dispatch(board)
  expect(board.receiver.to(webhook.url).at(-1)!.secrets).toEqual([
    'second-secret-of-a-receiver',
    'first-secret-of-a-receiver',
  ])
  expect(board.receiver.to(made.url).at(-1)!.secrets).toEqual(['third-secret-of-a-receiver'])
})

test("processes with the old and the new key list read each other's values, and two simultaneous rotations re-encrypt every value", async () => {
  const boxes = [
    new SecretBox(...([OLD, NEW].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer])),
    new SecretBox(...([NEW, OLD].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer])),
  ]
  for (const [one, other] of [boxes, boxes.toReversed()]) expect(other!.open(one!.seal('text', 'c'), 'c')).toBe('text')
  const rows = Array.from({ length: 1_200 }, (_, n) => ({
    id: `answer-${String(n).padStart(4, '0')}`,
    account_id: null,
    fingerprint: 'f',
    answer_sealed: boxes[0]!.seal(String(n), `answer answer-${String(n).padStart(4, '0')}`),
    created_at: new Date(),
  }))
  await board.database.inTx((tx) => tx.insertInto('idempotent_answer').values(rows).execute())
  const both = await Promise.all([rotate(`${NEW},${OLD}`), rotate(`${NEW},${OLD}`)])
  expect(both[0]!.resealed + both[1]!.resealed).toBeGreaterThanOrEqual(1_200)
  expect((await sealed(board)).filter((value) => !value.startsWith(`v2.${idOf(NEW)}.`))).toEqual([])
  const stored = await board.database.read((db) =>
    db.selectFrom('idempotent_answer').select(['id', 'answer_sealed']).where('fingerprint', '=', 'f').execute(),
  )
  for (const { id, answer_sealed } of stored)
    expect(boxes[1]!.open(answer_sealed, `answer ${id}`)).toBe(String(Number(id.slice(7))))
})

test('a value that no key decrypts is kept and counted, but prevents the start if it is a webhook secret', async () => {
  const stranger = new SecretBox(Buffer.from(OTHER, 'hex'), Buffer.from(OLD, 'hex'))
  const { id } = await makeWebhook(board, await board.employer())
  // A newer secret follows, because startup checks every secret's encryption key, not only the latest secret's.
  await makeWebhook(board, await board.employer())
  const value = stranger.seal('secret', `webhook ${id}`)
  await board.database.inTx((tx) =>
    tx.updateTable('webhook').set({ secret_sealed: value }).where('id', '=', id).execute(),
  )
  const { counts } = await rotate(`${NEW},${OLD}`)
  expect(counts.lost).toEqual(new Map([[idOf(OTHER), 1]]))
  expect(await sealed(board)).toContain(value)
  await expect(board.restart({ ENCRYPTION_KEY: `${NEW},${OLD}` })).rejects.toThrow('ENCRYPTION_KEY lacks a key')
  await board.start({ ENCRYPTION_KEY: `${NEW},${OLD},${OTHER}` })
  expect((await rotate(`${NEW},${OLD},${OTHER}`)).counts.lost.size).toBe(0)
})

test.runIf(isOnPostgres)('doctor counts the values that each key encrypts', async () => {
  const ask = async (keys: string) => {
    const found = await Array.fromAsync(
      examine(readConfig({ DATABASE_URL: board.database.url!, ENCRYPTION_KEY: keys })),
    )
    return found.filter(({ about }) => about === 'encryption key').map(({ level, text }) => `${level} ${text}`)
  }
  const total = (await sealed(board)).length
  await rotate(`${NEW},${OLD}`)
  expect(await ask(`${NEW},${OLD}`)).toEqual([
    `ok ENCRYPTION_KEY: key ${idOf(NEW)}, which encrypts new values, encrypts ${total} values`,
    `ok Key ${idOf(OLD)} is unused: remove it`,
  ])
  expect(await ask(`${OLD},${NEW}`)).toEqual([
    `ok ENCRYPTION_KEY: key ${idOf(OLD)}, which encrypts new values, encrypts 0 values`,
    `warn Key ${idOf(NEW)} still encrypts ${total} values: run secrets rotate`,
  ])
  const lost = await ask(OLD)
  expect(lost[1]).toMatch(
    new RegExp(`^fail ENCRYPTION_KEY lacks the key for \\d+ webhook secrets? \\(key ${idOf(NEW)}\\)$`),
  )
  expect(lost[2]).toMatch(/^warn ENCRYPTION_KEY lacks the key for \d+ responses?/)
})
