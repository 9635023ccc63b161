/** Issues invoices and receipts for completed payments (decision 0097). */
import type { Reader, Tx } from '../../db/database.ts'
import { type Billing, formatIban, referenceOf, takesTransfers } from '../../lib/billing.ts'
import { isLanguage } from '../../locale/languages.ts'
import { inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import { getBilling, getSeller } from '../brand/index.ts'
import { getBuyer } from '../employers/index.ts'
import { findJobTitles } from '../jobs/index.ts'
import { insertInvoice } from './invoices.queries.ts'
import { type InvoiceDocument, invoiceNumber } from './invoices.schemas.ts'
import { describeAmount } from './payments.amounts.ts'
import { listOrderLines, type PaymentRow, updateInvoiceNumber } from './payments.queries.ts'
import { includesVat } from './payments.vat.ts'

/**
 * Issues the invoice for a completed payment, and returns the payment with the invoice number. Payments of zero need no
 * invoice.
 */
export async function issueInvoice(tx: Tx, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  if (payment.amount === 0) return payment
  const { id: payment_id, provider } = payment
  const document = await describeInvoice(tx, payment, now)
  const series = provider === 'test' ? 'test' : 'invoice'
  const number = await insertInvoice(tx, { payment_id, series, issued_at: now, document })
  return updateInvoiceNumber(tx, payment_id, invoiceNumber({ series, number }))
}

async function describeInvoice(tx: Tx, payment: PaymentRow, now: Date): Promise<InvoiceDocument> {
  const { seller, isNamed, language } = await getSeller(tx)
  const { amount, currency, vat_rate, vat_amount, provider } = payment
  return {
    kind: isNamed ? 'invoice' : 'receipt',
    isTest: provider === 'test',
    language,
    seller,
    buyer: await getBuyer(tx, payment.employer_id),
    job: (await findJobTitles(tx, [payment.job_id])).get(payment.job_id) ?? '',
    lines: await inLocale({ language: isLanguage(language) ? language : 'en', timeZone: 'UTC' }, () =>
      listOrderLines(tx, payment),
    ),
    ...{ currency, vat_rate, vat: vat_amount, net: amount - vat_amount, total: amount },
    prices_include_vat: includesVat(payment),
    ...{ reference: referenceOf(payment.id), provider, paid_at: now.toISOString() },
  }
}

/**
 * Returns instructions for completing a pending payment by bank transfer, as labels and values in the reader's
 * language. Returns undefined if the payment is not pending, if its provider is not `manual`, or if the operator has
 * not set bank details.
 */
export async function findTransfer(
  reader: Reader,
  { id, status, provider, amount, currency }: PaymentRow,
): Promise<(readonly [label: string, value: string])[] | undefined> {
  if (status !== 'pending' || provider !== 'manual') return undefined
  const billing = await getBilling(reader)
  return takesTransfers(billing)
    ? describeTransfer({ amount, currency, reference: referenceOf(id) }, billing)
    : undefined
}

export function describeTransfer(
  { amount, currency, reference }: { amount: number; currency: string; reference: string },
  {
    bank_account_name,
    bank_iban,
    bank_bic,
    bank_note,
  }: Pick<Billing, `bank_${'account_name' | 'iban' | 'bic' | 'note'}`>,
): (readonly [label: string, value: string])[] {
  const details = [
    [t('payments.amount'), describeAmount(amount, currency)],
    [t('payments.reference'), reference],
    [t('payments.account_holder'), bank_account_name],
    ['IBAN', bank_iban && formatIban(bank_iban)],
    ['BIC', bank_bic],
    [t('payments.note'), bank_note],
  ] as const
  return details.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]))
}
