/** Amounts in minor units, as ISO 4217 has them. */

const WITHOUT_MINOR_UNIT = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '))
const WITH_THOUSANDTHS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/**
 * Digits after the point. Not Intl's: those are what shops write, which is none for forints and rupiahs, and change with
 * its data: an amount in a database would then be another one.
 */
export function minorDigits(currency: string): number {
  if (WITHOUT_MINOR_UNIT.has(currency)) return 0
  return WITH_THOUSANDTHS.has(currency) ? 3 : 2
}

/** An amount for people: `199.00 USD`. */
export function formatAmount(amount: number, currency: string): string {
  const digits = minorDigits(currency)
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}
