import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JobIds } from '../../src/search/memory/job-ids.ts'
import { Order } from '../../src/search/memory/orders.ts'

const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), keys: fc.array(fc.nat(5), { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('add' as const), keys: fc.array(fc.nat(5), { minLength: 1_001, maxLength: 1_010 }) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.array(fc.nat(), { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('change' as const), at: fc.array(fc.nat(), { maxLength: 3 }), key: fc.nat(5) }),
  fc.record({ kind: fc.constant('read' as const) }),
  fc.record({ kind: fc.constant('find' as const), key: fc.nat(6) }),
)

test('an order is sorted by key and ID after any insertions, deletions and changes', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 10 }), fc.array(step, { maxLength: 15 }), (first, steps) => {
      const keys: number[] = []
      const ids: string[] = []
      const jobIds = new JobIds()
      const present: number[] = []
      const create = (key: number) => {
        const slot = keys.push(key) - 1
        // The IDs have a different order from the slots.
        ids.push(`job_${`${(slot * 7_919) % 100_003}`.padStart(26, '0')}`)
        jobIds.set(slot, ids[slot]!)
        present.push(slot)
        return slot
      }
      const order = new Order((slot) => keys[slot]!, jobIds)
      const sorted = () =>
        present.toSorted((a, b) => keys[a]! - keys[b]! || (ids[a]! < ids[b]! ? -1 : ids[a] === ids[b] ? 0 : 1))
      const expectSorted = () => expect([...order.slots.subarray(0, order.length)]).toEqual(sorted())
      order.build(Uint32Array.from(first.map(create)))
      for (const one of steps) {
        if (one.kind === 'add') order.replace([], one.keys.map(create))
        if (one.kind === 'read') expectSorted()
        if (one.kind === 'find') {
          const before = sorted().filter((slot) => keys[slot]! < one.key)
          expect(order.positionOf(one.key, '')).toBe(before.length)
        }
        if (one.kind === 'remove' || one.kind === 'change') {
          if (present.length === 0) continue
          const slots = [...new Set(one.at.map((at) => present[at % present.length]!))]
          const positions = order.positions(slots)
          for (const slot of slots) {
            if (one.kind === 'change') keys[slot] = one.key
            else present.splice(present.indexOf(slot), 1)
          }
          order.replace(positions, one.kind === 'change' ? slots : [])
        }
      }
      expectSorted()
    }),
    { numRuns: 200 },
  )
})
