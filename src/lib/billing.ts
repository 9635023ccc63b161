/** VAT, and the board's details on invoices and for bank transfers. */

/** The board's billing settings. The names match the API and the columns. */
export interface Billing {
  readonly seller_name: string | null
  readonly seller_address: string | null
  readonly seller_vat_id: string | null
  /** In percent. Null if the board charges no VAT. */
  readonly vat_rate: number | null
  readonly prices_include_vat: boolean
  readonly bank_account_name: string | null
  readonly bank_iban: string | null
  readonly bank_bic: string | null
  readonly bank_note: string | null
}

export const noBilling: Billing = {
  ...{ seller_name: null, seller_address: null, seller_vat_id: null },
  ...{ vat_rate: null, prices_include_vat: false },
  ...{ bank_account_name: null, bank_iban: null, bank_bic: null, bank_note: null },
}

/** Returns only the billing settings of a larger object. */
export function billingOf<T extends Billing>(row: T): Billing {
  return Object.fromEntries(
    Object.keys(noBilling).map((name) => [name, row[name as keyof Billing]]),
  ) as unknown as Billing
}

type VatSettings = Pick<Billing, 'vat_rate' | 'prices_include_vat'>

/** A total and the VAT included in it, in minor units. */
export interface Total {
  net: number
  vat: number
  total: number
}

/** Returns the net amount, VAT and total of prices. Rounds VAT half up, once for the sum. */
export function totalOf(prices: readonly number[], { vat_rate, prices_include_vat }: VatSettings): Total {
  const sum = prices.reduce((total, price) => total + price, 0)
  if (vat_rate === null) return { net: sum, vat: 0, total: sum }
  // In hundredths of a percent, the rate is an integer, so the division is the only inexact step.
  const rate = Math.round(vat_rate * 100)
  if (!prices_include_vat) {
    const vat = Math.round((sum * rate) / 10_000)
    return { net: sum, vat, total: sum + vat }
  }
  const vat = Math.round((sum * rate) / (10_000 + rate))
  return { net: sum - vat, vat, total: sum }
}

/** Returns an IBAN in uppercase, without spaces. */
export const bareIban = (iban: string): string => iban.replace(/\s/g, '').toUpperCase()

/** Formats an IBAN in groups of four characters, as banks print it. */
export const formatIban = (iban: string): string => iban.replace(/(.{4})(?=.)/g, '$1 ')

/** Returns whether the text is an IBAN with valid check digits (ISO 13616). Ignores spaces and case. */
export function isIban(text: string): boolean {
  const iban = bareIban(text)
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/** Returns whether bank transfers to the board are possible. */
export const takesTransfers = ({ bank_account_name, bank_iban, bank_note }: Billing): boolean =>
  bank_note !== null || (bank_account_name !== null && bank_iban !== null)

/**
 * Returns the payment reference for bank transfers: the last ten characters of the payment's ID, in uppercase. These
 * characters are random. Banks do not transmit the underscore in IDs.
 */
export const referenceOf = (paymentId: string): string => paymentId.slice(-10).toUpperCase()
