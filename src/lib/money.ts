/** Formats amounts in ISO 4217 minor units. */

const WITHOUT_MINOR_UNIT = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '))
const WITH_THOUSANDTHS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/**
 * Returns the number of digits after the decimal point. `Intl` is unsuitable, because it follows retail conventions,
 * such as no decimals for forints and rupiahs. `Intl`'s data can also change, which would change the meaning of stored
 * amounts.
 */
export function minorDigits(currency: string): number {
  if (WITHOUT_MINOR_UNIT.has(currency)) return 0
  return WITH_THOUSANDTHS.has(currency) ? 3 : 2
}

/** Formats an amount for display: `199.00 USD`. */
export function formatAmount(amount: number, currency: string): string {
  const digits = minorDigits(currency)
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}
