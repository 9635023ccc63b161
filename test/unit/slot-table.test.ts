/** The table of slots, compared with a Map. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlotTable } from '../../src/search/memory/slot-table.ts'

test('the table finds the slot of each number, even after other numbers were removed and their slots reused', () => {
  // Few numbers, so that many are added again, and multiples of 2^20, which could collide.
  const number = fc.oneof(
    fc.nat(40),
    fc.nat(5).map((n) => n * 2 ** 20),
    fc.nat(2 ** 31 - 1),
  )
  const step = fc.record({ isAdded: fc.boolean(), number })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 1_020, 5_000), (steps, others) => {
      const numbers = new Uint32Array(10_000)
      const table = new SlotTable(() => numbers)
      const known = new Map<number, number>()
      const free: number[] = []
      let size = 0
      const add = (number: number) => {
        const slot = free.pop() ?? size++
        numbers[slot] = number
        table.add(slot)
        known.set(number, slot)
      }
      for (let n = 0; n < others; n++) add(10_000_000 + n)
      for (const { isAdded, number } of steps) {
        const slot = known.get(number)
        expect(table.find(number)).toBe(slot)
        if (slot === undefined && isAdded) add(number)
        if (isAdded) continue
        table.remove(number)
        known.delete(number)
        if (slot !== undefined) free.push(slot)
      }
      for (const [number, slot] of known) expect(table.find(number)).toBe(slot)
    }),
  )
})
