/** Lists of numbers by slot, compared with a Map. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberLists } from '../../src/search/memory/number-lists.ts'

test('each slot has the list that was set last, even after lists were replaced many times', () => {
  const list = fc.array(fc.nat(2 ** 32 - 1), { maxLength: 8 })
  const write = fc.record({ slot: fc.oneof(fc.nat(20), fc.nat(5_000)), list })
  fc.assert(
    fc.property(fc.array(write, { maxLength: 50 }), fc.constantFrom(1, 50), (writes, times) => {
      const lists = new NumberLists()
      const known = new Map<number, number[]>()
      for (let time = 0; time < times; time++) {
        for (const { slot, list } of writes) {
          lists.set(slot, time % 2 === 0 ? list : list.toReversed())
          known.set(slot, time % 2 === 0 ? list : list.toReversed())
        }
      }
      const restored = new NumberLists()
      restored.restore(lists.save())
      restored.set(5_001, [1])
      for (const one of [lists, restored]) {
        for (const [slot, list] of known) {
          expect([...one.get(slot)]).toEqual(list)
          const [first = 0] = list
          expect(one.some(slot, (number) => number === first)).toBe(list.length > 0)
          expect(one.some(slot, () => false)).toBe(false)
        }
      }
      expect([...lists.get(5_002)]).toEqual([])
    }),
  )
  // The outdated lists are removed, even those from before a restart.
  let lists = new NumberLists()
  for (let time = 0; time < 100_000; time++) {
    lists.set(time % 7, [time, time])
    if (time % 100 > 0) continue
    const restored = new NumberLists()
    restored.restore(lists.save())
    lists = restored
  }
  expect(lists.save().numbers.length).toBeLessThan(5_000)
})
