/** Sends every POST in the OpenAPI document with an idempotency key. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Answer, useBoard } from '../support/board.ts'
import { isReplay, type Post, posts, refusesWhileRunning, replayOf, sendWith } from '../support/posts.ts'
import { wholeDatabase } from '../support/whole-database.ts'

const board = useBoard()

test('every POST in the OpenAPI document has a test request', () => {
  const documented = Object.values(board.contract.document.paths).flatMap(({ post }) => post?.operationId ?? [])
  expect(Object.keys(posts).sort()).toEqual(documented.sort())
})

/** The first request of each operation, which the tests below repeat. */
const sent: { id: string; key: string; request: Post; first: Answer }[] = []

/** Sends a request again, and expects the first response. */
async function expectReplay({ id, key, request, first }: (typeof sent)[number]): Promise<void> {
  const again = await sendWith(board, key, request)
  expect([again.status, again.text, isReplay(again)], id).toEqual([first.status, replayOf(first.text), true])
  for (const name of ['location', 'cache-control', 'content-type', 'etag']) {
    expect(again.headers.get(name), `${id} ${name}`).toBe(first.headers.get(name))
  }
}

/** Expects that repetitions neither change the database nor send webhooks or emails. */
async function expectNoEffect(repeat: () => Promise<void>): Promise<void> {
  await board.service.keyRing.flushUses()
  const before = await wholeDatabase(board.database)
  const webhooks = board.receiver.sent.length
  await repeat()
  expect(await wholeDatabase(board.database)).toBe(before)
  expect(board.receiver.sent).toHaveLength(webhooks)
}

test.each(Object.entries(posts))('%s has one effect and one response for repeated requests', async (id, make) => {
  const request = await make(board)
  const key = randomUUID()
  const first = await sendWith(board, key, request)
  expect([Math.floor(first.status / 100), isReplay(first)]).toEqual([2, false])
  sent.push({ id, key, request, first })
  await expectNoEffect(async () => {
    await expectReplay(sent.at(-1)!)
    const other = await sendWith(board, key, { ...request, body: { ...request.body, reason: 'Another' } })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reuse'])
  })
})

test('every POST operation has one effect and one response across a restart', async () => {
  expect(sent).toHaveLength(Object.keys(posts).length)
  await expectNoEffect(async () => {
    await board.restart()
    for (const one of sent) await expectReplay(one)
  })
})

test('every idempotency key can be used again after a day', async () => {
  board.clock.advance(86_400_000)
  for (const { id, key, request } of sent) {
    const { headers, status } = await sendWith(board, key, request)
    expect([headers.get('idempotency-replayed'), status === 422], id).toEqual([null, false])
  }
})

for (const operationId of Object.keys(posts)) refusesWhileRunning(board, operationId)
