/** Emails about payments: how to pay by bank transfer, and receipts. Employers cannot opt out of them. */
import type { Tx } from '../../db/database.ts'
import { formatAmount } from '../../lib/money.ts'
import { t } from '../../locale/messages.ts'
import { type MailComposer, queueMails } from '../../mail/queue.ts'
import { findEmployerAccountId } from '../employers/index.ts'
import { findJobTitles } from '../jobs/index.ts'
import { findTransfer } from './invoices.service.ts'
import { findPayment, listOrderLines, type PaymentRow } from './payments.queries.ts'
import { vatLineOf } from './payments.vat.ts'

export async function queuePaymentMail(
  tx: Tx,
  kind: 'payment-pending' | 'payment-received',
  { id, employer_id, provider, amount }: Pick<PaymentRow, 'id' | 'employer_id' | 'provider' | 'amount'>,
  at: Date,
): Promise<void> {
  // Test payments move no money, so they need no email.
  const accountId = amount === 0 || provider === 'test' ? null : await findEmployerAccountId(tx, employer_id)
  if (accountId !== null) await queueMails(tx, [{ kind, accountId, subjectId: id, at }])
}

export function pendingPaymentMail(urlOf: (paymentId: string) => string): MailComposer {
  return async (reader, mail) => {
    const payment = await findPayment(reader, mail.subject_id, null)
    if (payment?.status !== 'pending') return undefined
    const title = (await findJobTitles(reader, [payment.job_id])).get(payment.job_id) ?? ''
    const details = (await findTransfer(reader, payment)) ?? []
    return {
      subject: t('payments.mail_pay_subject', { title }),
      paragraphs: [
        t('payments.mail_pay_text', { title }),
        ...details.map(([label, value]) => t('payments.mail_line', { label, value })),
      ],
      neutral: { subject: t('payments.mail_pay_neutral_subject'), paragraph: t('payments.mail_pay_neutral') },
      link: { text: t('payments.mail_view_payment'), url: urlOf(payment.id) },
      reason: t('payments.mail_pay_reason'),
    }
  }
}

export function receiptMail(urlOf: (paymentId: string) => string): MailComposer {
  return async (reader, mail) => {
    const payment = await findPayment(reader, mail.subject_id, null)
    if (payment?.status !== 'paid') return undefined
    const { amount, currency, invoice_number } = payment
    const title = (await findJobTitles(reader, [payment.job_id])).get(payment.job_id) ?? ''
    const lines = [
      ...(await listOrderLines(reader, payment)),
      ...vatLineOf(payment),
      { name: t('payments.total'), amount },
    ]
    const sum = formatAmount(amount, currency)
    return {
      subject: t('payments.mail_receipt_subject', { number: invoice_number ?? '', title }),
      paragraphs: [
        t('payments.mail_receipt_text', { sum, title }),
        ...lines.map((line) =>
          t('payments.mail_line', { label: line.name, value: formatAmount(line.amount, currency) }),
        ),
      ],
      neutral: { subject: t('payments.mail_receipt_neutral_subject'), paragraph: t('payments.mail_receipt_neutral') },
      link: { text: t('payments.mail_view_receipt'), url: urlOf(payment.id) },
      reason: t('payments.mail_receipt_reason'),
    }
  }
}
