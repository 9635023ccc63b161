/** Joins JSON values into lists, and escapes JSON for use inside JSON strings. */
import { describe, expect, test } from 'vitest'
import { escapeJson, joinList } from '../../src/lib/json-text.ts'

const items = [{ title: 'Cell "engineer"\n\u2028\u0001' }, { title: 'Å\\🔋' }]
const meta = { next: '/v1/jobs?search="a"' }

describe.each([true, false])('lists, items cached: %s', (areCached) => {
  test.each([0, 1, 2])('joins and escapes %d items like JSON.stringify', (count) => {
    const data = items.slice(0, count)
    const parts = data.map((item) => Buffer.from(JSON.stringify(item)))
    const list = joinList(parts, meta, areCached)
    const json = JSON.stringify({ data, meta })
    expect(list.toString()).toBe(json)
    for (const isCached of [false, true, true]) {
      expect(`"${escapeJson(list, isCached)}"`).toBe(JSON.stringify(json))
    }
  })
})

test('cached lists and items are escaped once', () => {
  const item = Buffer.from(JSON.stringify(items[0]))
  const list = joinList([item], meta, true)
  expect(escapeJson(list, true)).toBe(escapeJson(list, true))
  expect(escapeJson(item, true)).toBe(escapeJson(item, true))
  expect(escapeJson(item, false).equals(escapeJson(item, true))).toBe(true)
})

test('a short list does not keep a larger buffer in memory', () => {
  const list = joinList([Buffer.from('{}')], {}, true)
  expect(list.buffer.byteLength).toBe(list.length)
})
