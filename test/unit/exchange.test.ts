import { describe, expect, test } from 'vitest'
import { shippedRates } from '../../src/features/currency-rates/shipped-rates.ts'
import { CONVERTED_MAX, convert, Exchange } from '../../src/lib/exchange.ts'
import { isCurrency } from '../../src/lib/salary.ts'

const exchange = new Exchange({ base: 'EUR', as_of: '2026-01-02', rates: { USD: 1.25, JPY: 150 } }, 'USD')
const converted = (amount: number, from: string, to: string) =>
  convert(amount, exchange.conversionTo(to).factors.get(from))

describe('a conversion', () => {
  test.each([
    [100, 'EUR', 'USD', 125],
    [125, 'USD', 'EUR', 100],
    [300, 'JPY', 'EUR', 2],
    [74, 'JPY', 'EUR', 0],
    [75, 'JPY', 'EUR', 1],
    [1_000, 'USD', 'JPY', 120_000],
    [333_333_333_333, 'USD', 'USD', 333_333_333_333],
    [7, 'GBP', 'GBP', 7],
    [7, 'GBP', 'EUR', Number.NaN],
    [7, 'EUR', 'GBP', Number.NaN],
    [Number.NaN, 'EUR', 'USD', Number.NaN],
  ])('of %d %s to %s is %d', (amount, from, to, expected) => {
    expect(converted(amount, from, to)).toBe(expected)
  })

  test('stays below the sort value that jobs without a salary have in ascending order', () => {
    expect(convert(1e12, 1e9)).toBe(CONVERTED_MAX)
    expect(CONVERTED_MAX).toBeLessThan(Number.MAX_SAFE_INTEGER)
  })

  test('to the default currency is created only once', () => {
    expect(exchange.conversionTo('USD')).toBe(exchange.byDefault)
  })
})

test('the built-in rates are plausible', () => {
  const { base, rates } = shippedRates
  expect([base, ...Object.keys(rates)].filter((code) => !isCurrency(code))).toEqual([])
  expect(Object.keys(rates)).toEqual(Object.keys(rates).toSorted())
  expect(Object.keys(rates).length).toBeGreaterThanOrEqual(30)
  expect(Object.values(rates).filter((rate) => rate < 0.5 || rate > 50_000)).toEqual([])
})
