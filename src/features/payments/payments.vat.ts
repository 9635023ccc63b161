/** Functions for the VAT of a payment. */
import { t } from '../../locale/messages.ts'
import type { PaymentRow } from './payments.queries.ts'

type Priced = Pick<PaymentRow, 'amounts' | 'amount' | 'vat_rate' | 'vat_amount'>

/** Returns whether the order lines already contain the VAT. */
export const includesVat = ({ amounts, amount, vat_amount }: Priced): boolean =>
  vat_amount > 0 && amounts.reduce((sum, each) => sum + each, 0) === amount

/** Returns the VAT line to add to the order lines, if any, in the reader's language. */
export const vatLineOf = (payment: Priced): { name: string; amount: number }[] =>
  payment.vat_rate === null || payment.vat_amount === 0 || includesVat(payment)
    ? []
    : [{ name: t('payments.vat', { rate: payment.vat_rate }), amount: payment.vat_amount }]

/** Returns the VAT line to show below a total that includes VAT, if any, in the reader's language. */
export const includedVatLineOf = (payment: Priced): { name: string; amount: number }[] =>
  payment.vat_rate !== null && includesVat(payment)
    ? [{ name: t('payments.includes_vat', { rate: payment.vat_rate }), amount: payment.vat_amount }]
    : []
