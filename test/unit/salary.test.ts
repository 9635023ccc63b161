import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { annualize, isCurrency, payPeriods, SALARY_MAX } from '../../src/lib/salary.ts'

describe('annualize', () => {
  test.each([
    ['hour', 2_080],
    ['day', 260],
    ['week', 52],
    ['month', 12],
    ['year', 1],
  ] as const)('counts a %s %i times a year', (period, times) => {
    expect(annualize({ min: 2, max: 3, currency: 'EUR', period })).toEqual({ low: 2 * times, high: 3 * times })
  })

  test('uses the known end of an open range', () => {
    expect(annualize({ min: 7, max: null, currency: 'EUR', period: 'month' })).toEqual({ low: 84, high: 84 })
    expect(annualize({ min: null, max: 7, currency: 'EUR', period: 'month' })).toEqual({ low: 84, high: 84 })
  })

  test('distinguishes a salary of zero from a missing salary', () => {
    expect(annualize({ min: 0, max: null, currency: 'EUR', period: 'year' })).toEqual({ low: 0, high: 0 })
    expect(annualize({ min: 0, max: 5, currency: 'EUR', period: 'year' })).toEqual({ low: 0, high: 5 })
    expect(annualize(null)).toEqual({ low: null, high: null })
  })

  test('returns exact, ordered bounds for every valid salary', () => {
    const bound = fc.integer({ min: 0, max: SALARY_MAX })
    fc.assert(
      fc.property(bound, bound, fc.constantFrom(...payPeriods), (a, b, period) => {
        const { low, high } = annualize({ min: Math.min(a, b), max: Math.max(a, b), currency: 'EUR', period })
        expect(Number.isSafeInteger(low) && Number.isSafeInteger(high)).toBe(true)
        expect(low!).toBeLessThanOrEqual(high!)
      }),
    )
  })
})

describe('isCurrency', () => {
  test.each(['EUR', 'USD', 'JPY', 'CHF'])('accepts %s', (code) => {
    expect(isCurrency(code)).toBe(true)
  })

  test.each(['eur', 'ZZZ', 'EURO', '', 'XX', ' EUR', '__proto__'])('rejects %j', (code) => {
    expect(isCurrency(code)).toBe(false)
  })
})
