import { expect, test } from 'vitest'
import { formatAmount } from '../../src/lib/money.ts'

test.each([
  [19_900, 'USD', '199.00 USD'],
  [2_900, 'JPY', '2900 JPY'],
  [2_900, 'KWD', '2.900 KWD'],
  [0, 'EUR', '0.00 EUR'],
  // Intl formats these currencies without a fraction.
  [2_900, 'HUF', '29.00 HUF'],
  [5, 'IDR', '0.05 IDR'],
])('%i in minor units of %s is written as %s', (amount, currency, text) => {
  expect(formatAmount(amount, currency)).toBe(text)
})
