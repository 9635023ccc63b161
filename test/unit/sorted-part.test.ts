import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortedPart } from '../../src/lib/sorted-part.ts'

const descending = (a: number, b: number) => b - a

test('sortedPart returns the same part as sorting everything, at any position', () => {
  const numbers = fc.uniqueArray(fc.nat(1_000), { maxLength: 60 })
  fc.assert(
    fc.property(numbers, fc.nat(70), fc.nat(20), (some, from, length) => {
      const expected = some.toSorted(descending).slice(from, from + length)
      expect([...sortedPart(Uint32Array.from(some), descending, from, from + length)]).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})

test.each(['ascending', 'descending', 'mixed'])(
  'sortedPart needs few comparisons for one page of many items in %s order',
  (order) => {
    const count = 100_000
    const orders: Record<string, (n: number) => number> = {
      ascending: (n) => n,
      descending: (n) => count - n,
      mixed: (n) => (n * 7_919) % count,
    }
    let comparisons = 0
    const numbers = Uint32Array.from({ length: count }, (_, n) => orders[order]!(n))
    const compare = (a: number, b: number) => {
      comparisons++
      return a - b
    }
    sortedPart(numbers, compare, 50_000, 50_021)
    // Complete sorting needs about 17 comparisons per item.
    expect(comparisons).toBeLessThan(12 * count)
  },
)
