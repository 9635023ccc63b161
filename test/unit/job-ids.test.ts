/** Reads IDs back as they were written, and compares them like strings, even IDs that the service did not generate. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { JobIds } from '../../src/search/memory/job-ids.ts'

const digit = fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz')
const generated = fc.array(digit, { minLength: 26, maxLength: 26 }).map((digits) => `job_${digits.join('')}`)
const similar = fc
  .constantFrom(0, 13, 24, 25)
  .chain((at) => digit.map((one) => `job_${'7'.repeat(at)}${one}`.padEnd(30, '0')))
const other = fc.oneof(fc.string(), fc.constantFrom('job_1', `job_${'l'.repeat(26)}`, `emp_${'0'.repeat(26)}`))
const sign = (number: number) => Math.sign(number)

test.each([
  { name: 'generated IDs', id: fc.oneof(generated, similar) },
  { name: 'IDs of any origin', id: fc.oneof(generated, other) },
])('reads and compares $name', ({ id }) => {
  // Some slots share an entry in the cache of recently read IDs.
  const slot = fc.oneof(fc.nat(3_000), fc.constantFrom(7, 32_768 + 7))
  const write = fc.record({ slot, id })
  fc.assert(
    fc.property(fc.array(write, { minLength: 1, maxLength: 20 }), (writes) => {
      const ids = new JobIds()
      const known = new Map<number, string>()
      for (const { slot, id } of writes) {
        ids.set(slot, id)
        known.set(slot, id)
        for (const [slot, id] of known) expect(ids.get(slot)).toBe(id)
      }
      const restored = new JobIds()
      restored.restore(ids.save())
      for (const [slot, id] of known) {
        for (const one of [ids, restored]) expect(one.get(slot)).toBe(id)
        for (const [against, otherId] of known) {
          const expected = id < otherId ? -1 : Number(id > otherId)
          if (slot === against || id !== otherId) expect(sign(ids.compare(slot, against))).toBe(expected)
        }
      }
    }),
  )
})

test('new IDs are in the order of creation', () => {
  const ids = new JobIds()
  for (let slot = 0; slot < 100; slot++) ids.set(slot, newId('job'))
  for (let slot = 1; slot < 100; slot++) expect(ids.compare(slot - 1, slot)).toBeLessThan(0)
})
