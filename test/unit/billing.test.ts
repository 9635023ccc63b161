import { describe, expect, test } from 'vitest'
import { formatIban, isIban, referenceOf, totalOf } from '../../src/lib/billing.ts'

describe('totalOf', () => {
  test.each([
    [[19_900], null, false, { net: 19_900, vat: 0, total: 19_900 }],
    [[19_900, 9_900], 20, false, { net: 29_800, vat: 5_960, total: 35_760 }],
    [[19_900], 20, true, { net: 16_583, vat: 3_317, total: 19_900 }],
    [[33, 33, 33], 19, false, { net: 99, vat: 19, total: 118 }],
    [[12_345], 8.1, false, { net: 12_345, vat: 1_000, total: 13_345 }],
    [[], 20, false, { net: 0, vat: 0, total: 0 }],
  ])('of %j at %s %%, included: %s', (prices, vat_rate, prices_include_vat, expected) => {
    expect(totalOf(prices, { vat_rate, prices_include_vat })).toEqual(expected)
  })
})

describe('isIban', () => {
  test.each([
    'GB33BUKB20201555555555',
    'de89 3704 0044 0532 0130 00',
    'NO9386011117947',
    'MT84MALT011000012345MTLCAST001S',
  ])('accepts %s', (text) => expect(isIban(text)).toBe(true))
  test.each(['', 'GB33BUKB20201555555556', 'GB33', '3704 0044 0532 0130 00', 'DE89-3704-0044-0532-0130-00'])(
    'refuses %j',
    (text) => expect(isIban(text)).toBe(false),
  )
})

test('an IBAN is shown in groups of four, and a payment reference has ten characters', () => {
  expect(formatIban('NO9386011117947')).toBe('NO93 8601 1117 947')
  expect(referenceOf('pay_01k9z6q4x0e8wbmt5n7rhv2c3d')).toBe('5N7RHV2C3D')
})
