/** Reads parts of a long list of IDs without reading the preceding parts again. */
import { expect, test } from 'vitest'
import { type IdPart, IdParts } from '../../src/lib/id-parts.ts'
import { useMonotonic } from '../support/monotonic.ts'

const monotonic = useMonotonic()
const all = Array.from({ length: 95 }, (_, n) => `id_${String(n).padStart(2, '0')}`)

function reader(ids = all) {
  const parts = new IdParts()
  const asked: IdPart[] = []
  const read = (skip: number) =>
    parts.read(skip, 10, async (part) => {
      asked.push(part)
      const first = ids.findIndex((id) => id >= part.from)
      return ids.slice(first + part.skip, first + part.skip + part.limit)
    })
  return { read, asked }
}

test('parts that are read in turn start at the ID after the previous part', async () => {
  const { read, asked } = reader()
  const found: string[] = []
  for (let skip = 0; skip <= 100; skip += 10) found.push(...(await read(skip)))
  expect(found).toEqual(all)
  expect(asked.slice(0, 10).map(({ skip }) => skip)).toEqual(Array(10).fill(0))
  expect(asked.map(({ from }) => from).slice(0, 3)).toEqual(['', 'id_10', 'id_20'])
})

test('a part after a gap is counted from the nearest known start', async () => {
  const { read, asked } = reader()
  await read(20)
  expect(await read(50)).toEqual(all.slice(50, 60))
  expect(asked).toEqual([
    { from: '', skip: 20, limit: 11 },
    { from: 'id_30', skip: 20, limit: 11 },
  ])
})

test('parts neither repeat nor omit IDs if other IDs are added between reads, until the known starts expire', async () => {
  const ids = [...all]
  const { read, asked } = reader(ids)
  const found = await read(0)
  ids.unshift('id_')
  found.push(...(await read(10)))
  expect(found).toEqual(all.slice(0, 20))
  monotonic.advance(3_600_001)
  expect(await read(10)).toEqual(ids.slice(10, 20))
  expect(asked.at(-1)).toEqual({ from: '', skip: 10, limit: 11 })
})
