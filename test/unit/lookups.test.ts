import { expect, test } from 'vitest'
import { Lookups } from '../../src/lib/lookups.ts'

/** Creates lookups that find keys beginning with `known`. Each query ends when the test releases it. */
function world() {
  const queries: { keys: readonly string[]; end: PromiseWithResolvers<void> }[] = []
  const lookups = new Lookups(async (keys) => {
    const end = Promise.withResolvers<void>()
    queries.push({ keys, end })
    await end.promise
    return new Map(keys.filter((key) => key.startsWith('known')).map((key) => [key, key.toUpperCase()]))
  })
  return { queries, lookups }
}

test('keys requested during a query share the next query, without duplicates', async () => {
  const { queries, lookups } = world()
  const first = lookups.find('known-1')
  const others = ['known-2', 'other', 'known-2', 'known-1'].map((key) => lookups.find(key))
  expect(queries.map(({ keys }) => keys)).toEqual([['known-1']])
  queries[0]!.end.resolve()
  expect(await first).toBe('KNOWN-1')
  queries[1]!.end.resolve()
  // The second request for a key uses a query that started after the request.
  expect(await Promise.all(others)).toEqual(['KNOWN-2', undefined, 'KNOWN-2', 'KNOWN-1'])
  expect(queries.map(({ keys }) => keys)).toEqual([['known-1'], ['known-2', 'other', 'known-1']])
})

test('a query takes up to 500 keys', async () => {
  const { queries, lookups } = world()
  const found = Array.from({ length: 1_201 }, (_, n) => lookups.find(`known-${n}`))
  for (let n = 0; n < 4; n++) {
    queries[n]!.end.resolve()
    await Promise.resolve().then(() => new Promise(setImmediate))
  }
  expect((await Promise.all(found)).at(-1)).toBe('KNOWN-1200')
  expect(queries.map(({ keys }) => keys.length)).toEqual([1, 500, 500, 200])
})

test('a failed query affects only its own keys', async () => {
  const { queries, lookups } = world()
  const [first, second] = [lookups.find('known-1'), lookups.find('known-2')]
  queries[0]!.end.reject(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  queries[1]!.end.resolve()
  expect(await second).toBe('KNOWN-2')
})
