import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pace } from '../../src/lib/pace.ts'

test('a pace lets an account use its burst, then its share of the time', () => {
  const pace = new Pace({ burstMs: 1_000, share: 0.25 })
  pace.count('a', 1_000, 1_000)
  expect(pace.pauseMs('a', 1_000)).toBe(0)
  pace.count('a', 1_000, 2_000)
  expect(pace.pauseMs('a', 2_000)).toBe(2_000)
  expect(pace.pauseMs('a', 4_000)).toBe(0)
  expect(pace.pauseMs('b', 2_000)).toBe(0)
})

test('a pace never lets an account start work once it has used its burst and its share of the time', () => {
  const work = fc.record({ ms: fc.integer({ min: 1, max: 500 }), idleMs: fc.integer({ min: 0, max: 3_000 }) })
  fc.assert(
    fc.property(fc.array(work, { minLength: 1, maxLength: 60 }), (works) => {
      const pace = new Pace({ burstMs: 1_000, share: 0.25 })
      let now = 10_000
      let worked = 0
      for (const { ms, idleMs } of works) {
        now += idleMs + pace.pauseMs('a', now + idleMs)
        // The last piece of work starts within this limit and may end beyond it.
        expect(worked).toBeLessThanOrEqual(1_000 + 0.25 * (now - 10_000) + 0.001)
        now += ms
        worked += ms
        pace.count('a', ms, now)
      }
    }),
  )
})

test('a pace pauses an account for at most five seconds at a time', () => {
  const pace = new Pace({ burstMs: 1_000, share: 0.25 })
  pace.count('a', 60_000, 60_000)
  expect(pace.pauseMs('a', 60_000)).toBe(5_000)
})
