import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quota } from '../../src/lib/quota.ts'

const START = Date.UTC(2026, 2, 2, 9)
const make = (quota: number, subjectsMax?: number) => new Quota({ name: 'test', quota, windowS: 60 }, subjectsMax)

describe('a quota', () => {
  test('limits each subject separately', () => {
    const quota = make(3)
    expect([1, 2, 3, 4, 5].map(() => quota.take('a', START))).toEqual([2, 1, 0, -1, -1])
    expect(quota.take('b', START)).toBe(2)
    expect([quota.isSpent('a', START), quota.isSpent('b', START), quota.isSpent('c', START)]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('is renewed with each clock window, and reports the seconds until then', () => {
    const quota = make(1)
    expect(quota.take('a', START + 59_001)).toBe(0)
    expect(quota.resetS(START + 59_001)).toBe(1)
    expect(quota.take('a', START + 59_999)).toBe(-1)
    expect(quota.take('a', START + 60_000)).toBe(0)
    expect(quota.resetS(START + 60_000)).toBe(60)
    expect(quota.isSpent('a', START + 120_000)).toBe(false)
  })

  test('blocks nobody for longer than a window, even if the clock is set back by a year', () => {
    const quota = make(1)
    quota.take('a', START)
    const before = START - 365 * 86_400_000
    expect([quota.take('a', before), quota.take('a', before)]).toEqual([0, -1])
    expect(quota.resetS(before)).toBe(60)
  })

  test('tracks a limited number of subjects, admits all other subjects, and forgets no tracked subject', () => {
    const quota = make(2, 1_000)
    quota.take('first', START)
    for (let n = 0; n < 1_000_000; n++) quota.take(`2001:db8:${n}::/64`, START)
    expect(quota.shares(START)).toHaveLength(1_000)
    expect([quota.take('new', START), quota.take('new', START), quota.take('new', START)]).toEqual([1, 1, 1])
    expect([quota.take('first', START), quota.take('first', START)]).toEqual([0, -1])
  })

  test('shares usage once it exceeds a hundredth of the limit, and includes the usage of other processes', () => {
    const quota = make(600)
    for (let n = 0; n < 6; n++) quota.take('a', START)
    expect(quota.shares(START)).toEqual([])
    quota.take('a', START)
    const [share] = quota.shares(START)
    expect(share).toMatchObject({ policy: 'test', subject: 'a', added: 7, windowEnd: new Date(START + 60_000) })
    // One more use happens during the exchange.
    quota.take('a', START)
    share!.settle(500)
    expect(quota.shares(START)).toEqual([])
    expect(quota.take('a', START)).toBe(600 - 500 - 2)
  })

  test('shares usage later if sharing failed', () => {
    const quota = make(100)
    for (let n = 0; n < 5; n++) quota.take('a', START)
    expect(quota.shares(START)[0]?.added).toBe(5)
    quota.take('a', START)
    expect(quota.shares(START)[0]?.added).toBe(6)
  })

  test('never admits more requests per subject and window than its limit, whenever they arrive', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20_000))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 5 }), (steps, most) => {
        const quota = make(most)
        const taken = new Map<string, number>()
        let now = START
        for (const [subject, later] of steps) {
          now += later
          const key = `${subject} ${Math.floor(now / 60_000)}`
          if (quota.take(subject, now) >= 0) taken.set(key, (taken.get(key) ?? 0) + 1)
        }
        for (const count of taken.values()) expect(count).toBeLessThanOrEqual(most)
      }),
    )
  })
})
