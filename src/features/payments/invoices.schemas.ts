/** The content of an invoice, stored when the invoice is issued. Amounts are in minor units. */
export interface InvoiceDocument {
  /** An invoice requires the seller's legal name. If the operator has not set one, employers get a receipt. */
  kind: 'invoice' | 'receipt'
  isTest: boolean
  /** BCP 47 tag of the invoice's language. */
  language: string
  seller: { name: string; address: string | null; vat_id: string | null; email: string | null }
  buyer: { name: string; address: string | null; vat_id: string | null }
  job: string
  lines: readonly { name: string; amount: number }[]
  currency: string
  net: number
  vat_rate: number | null
  vat: number
  total: number
  prices_include_vat: boolean
  /** The payment's reference. */
  reference: string
  provider: string
  paid_at: string
}

export interface InvoiceRow {
  payment_id: string
  series: 'invoice' | 'test'
  number: number
  issued_at: Date
  document: InvoiceDocument
}

const prefixes = { invoice: 'INV', test: 'TEST' } as const

/** Returns the number in display format, such as INV-000042. */
export const invoiceNumber = ({ series, number }: Pick<InvoiceRow, 'series' | 'number'>): string =>
  `${prefixes[series]}-${String(number).padStart(6, '0')}`
