import { minorDigits } from '../../lib/money.ts'
import { formatDecimal } from '../../locale/formats.ts'

/** Formats an amount in ISO 4217 minor units in the reader's number format, such as `1.199,00 EUR` in German. */
export function describeAmount(amount: number, currency: string): string {
  const digits = minorDigits(currency)
  return `${formatDecimal(amount / 10 ** digits, digits)} ${currency}`
}
