/** Sends every POST in the OpenAPI document with an idempotency key. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { isReplay, posts, refusesWhileRunning, replayOf, sendWith } from '../support/posts.ts'
import { wholeDatabase } from '../support/whole-database.ts'

const board = useBoard()

test('every POST in the OpenAPI document has a test request', () => {
  const documented = Object.values(board.contract.document.paths).flatMap(({ post }) => post?.operationId ?? [])
  expect(Object.keys(posts).sort()).toEqual(documented.sort())
})

test.each(Object.entries(posts))('%s has one effect and one response for repeated requests', async (_id, make) => {
  const request = await make(board)
  const key = randomUUID()
  const first = await sendWith(board, key, request)
  expect([Math.floor(first.status / 100), isReplay(first)]).toEqual([2, false])

  // Repetitions neither change the database nor send webhooks or emails.
  await board.service.keyRing.flushUses()
  const before = await wholeDatabase(board.database)
  const sent = board.receiver.sent.length
  for (const restart of [false, true]) {
    if (restart) await board.restart()
    const again = await sendWith(board, key, request)
    expect([again.status, again.text, isReplay(again)]).toEqual([first.status, replayOf(first.text), true])
    for (const name of ['location', 'cache-control', 'content-type', 'etag']) {
      expect(again.headers.get(name), name).toBe(first.headers.get(name))
    }
  }
  expect(await wholeDatabase(board.database)).toBe(before)
  expect(board.receiver.sent).toHaveLength(sent)

  const other = await sendWith(board, key, { ...request, body: { ...request.body, reason: 'Another' } })
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reuse'])
  expect(await wholeDatabase(board.database)).toBe(before)

  // After a day, the key can be reused.
  board.clock.advance(86_400_000)
  const { headers, status } = await sendWith(board, key, request)
  expect([headers.get('idempotency-replayed'), status === 422]).toEqual([null, false])
})

for (const operationId of Object.keys(posts)) refusesWhileRunning(board, operationId)
