/** Purges read only the part of an index from which they have not deleted rows yet. */
import { expect, test } from 'vitest'
import { purgeInOrder } from '../../src/db/purge.ts'

test('each batch starts where the previous batch ended, and a new round starts with the first row', async () => {
  const rows = Array.from({ length: 2_500 }, (_, n) => n)
  const starts: number[] = []
  const purge = purgeInOrder(0, async (_before, { from, limit }) => {
    starts.push(from)
    const first = rows.findIndex((row) => row >= from)
    const deleted = first === -1 ? [] : rows.splice(first, limit)
    return { count: deleted.length, last: deleted.at(-1) ?? null }
  })
  const outcomes = []
  for (let round = 0; round < 3; round++) outcomes.push(await purge(new Date()))
  expect(outcomes).toEqual(['more', 'more', 'done'])
  expect(starts).toEqual([0, 999, 1_999])
  // Simulates a row that was locked during the first round.
  rows.push(5)
  expect(await purge(new Date())).toBe('done')
  expect(rows).toEqual([])
})

test('a failed batch is retried', async () => {
  const starts: number[] = []
  let isFailing = false
  const purge = purgeInOrder(0, async (_before, { from, limit }) => {
    starts.push(from)
    if (isFailing) throw new Error('unavailable')
    return { count: limit, last: from + limit }
  })
  await purge(new Date())
  isFailing = true
  await expect(purge(new Date())).rejects.toThrow('unavailable')
  isFailing = false
  await purge(new Date())
  expect(starts).toEqual([0, 1_000, 1_000])
})
