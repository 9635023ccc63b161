/** Emails about payments: how to pay by bank transfer, and receipts. Employers cannot opt out of either. */
import type { Tx } from '../../db/database.ts'
import { formatAmount } from '../../lib/money.ts'
import { type MailComposer, queueMails } from '../../mail/queue.ts'
import { findEmployerAccountId } from '../employers/index.ts'
import { findJobTitles } from '../jobs/index.ts'
import { findTransfer } from './invoices.service.ts'
import { findPayment, listOrderLines, type PaymentRow, vatLineOf } from './payments.queries.ts'

export async function queuePaymentMail(
  tx: Tx,
  kind: 'payment-pending' | 'payment-received',
  { id, employer_id, amount }: Pick<PaymentRow, 'id' | 'employer_id' | 'amount'>,
  at: Date,
): Promise<void> {
  const accountId = amount === 0 ? null : await findEmployerAccountId(tx, employer_id)
  if (accountId !== null) await queueMails(tx, [{ kind, accountId, subjectId: id, at }])
}

export function pendingPaymentMail(urlOf: (paymentId: string) => string): MailComposer {
  return async (reader, mail) => {
    const payment = await findPayment(reader, mail.subject_id, null)
    if (payment?.status !== 'pending') return undefined
    const title = (await findJobTitles(reader, [payment.job_id])).get(payment.job_id) ?? ''
    const details = (await findTransfer(reader, payment)) ?? []
    return {
      subject: `How to pay for your job: ${title}`,
      paragraphs: [
        `Your order for “${title}” is waiting for your payment. Include the reference, so that we can match it.`,
        ...details.map(([label, value]) => `${label}: ${value}`),
      ],
      neutral: {
        subject: 'How to pay for your job',
        paragraph: 'An order for one of your jobs is waiting for payment.',
      },
      link: { text: 'View payment', url: urlOf(payment.id) },
      reason: 'You get this because your account ordered something on this board.',
    }
  }
}

export function receiptMail(urlOf: (paymentId: string) => string): MailComposer {
  return async (reader, mail) => {
    const payment = await findPayment(reader, mail.subject_id, null)
    if (payment?.status !== 'paid') return undefined
    const { amount, currency, invoice_number } = payment
    const title = (await findJobTitles(reader, [payment.job_id])).get(payment.job_id) ?? ''
    const lines = [...(await listOrderLines(reader, payment)), ...vatLineOf(payment), { name: 'Total', amount }]
    return {
      subject: `Receipt ${invoice_number} for your job: ${title}`,
      paragraphs: [
        `We received your payment of ${formatAmount(amount, currency)} for “${title}”. Thank you.`,
        ...lines.map((line) => `${line.name}: ${formatAmount(line.amount, currency)}`),
      ],
      neutral: { subject: 'Payment received', paragraph: 'We received a payment for one of your jobs.' },
      link: { text: 'View receipt', url: urlOf(payment.id) },
      reason: 'You get this because your account paid for something on this board.',
    }
  }
}
