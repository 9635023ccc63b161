/** Any use of a least-recently-used cache, compared with a simple list. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LastUsed } from '../../src/lib/last-used.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd', 'eight bytes')
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('keep' as const), key, bytes: fc.integer({ min: 0, max: 40 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('find' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const) }) },
)

test('keeps the most recently used entries within both limits', () => {
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 60 }),
      fc.integer({ min: 20, max: 80 }),
      fc.integer({ min: 1, max: 5 }),
      (actions, bytesMax, countMax) => {
        const kept = new LastUsed<{ bytes: number }>(({ bytes }, of) => bytes + of.length, { bytesMax, countMax })
        /** The least recently used entry first. */
        let expected: [string, { bytes: number }][] = []
        const without = (gone: string) => expected.filter(([of]) => of !== gone)
        const sum = () => expected.reduce((total, [of, { bytes }]) => total + bytes + of.length, 0)
        for (const step of actions) {
          if (step.do === 'clear') {
            kept.clear()
            expected = []
          } else if (step.do === 'drop') {
            kept.drop(step.key)
            expected = without(step.key)
          } else if (step.do === 'find') {
            const found = expected.find(([of]) => of === step.key)
            expect(kept.find(step.key)).toBe(found?.[1])
            if (found) expected = [...without(step.key), found]
          } else {
            const value = { bytes: step.bytes }
            kept.keep(step.key, value)
            expected = [...without(step.key), [step.key, value]]
            while (sum() > bytesMax || expected.length > countMax) expected.shift()
          }
          expect([...kept]).toEqual(expected)
          expect([kept.bytes, kept.size]).toEqual([sum(), expected.length])
        }
      },
    ),
    { numRuns: 300 },
  )
})
