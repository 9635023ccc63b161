/**
 * Payment emails for employers, their owners and their recruiters: instructions for bank transfers, and receipts.
 * Recipients cannot opt out.
 */
import type { Tx } from '../../db/database.ts'
import { t } from '../../locale/messages.ts'
import type { Message } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { queueToEmployer } from '../employers/index.ts'
import type { FeatureMails } from '../feature.ts'
import { findJobTitles } from '../jobs/index.ts'
import { describeTransfer, findTransfer } from './invoices.service.ts'
import { describeAmount } from './payments.amounts.ts'
import { findPayment, listOrderLines, type PaymentRow } from './payments.queries.ts'
import { vatLineOf } from './payments.vat.ts'

export async function queuePaymentMail(
  tx: Tx,
  kind: 'payment-pending' | 'payment-received',
  { id, employer_id, provider, amount }: Pick<PaymentRow, 'id' | 'employer_id' | 'provider' | 'amount'>,
  at: Date,
): Promise<void> {
  // Test payments and payments of 0 move no money, so they need no email.
  if (amount > 0 && provider !== 'test') await queueToEmployer(tx, employer_id, { kind, subjectId: id, at })
}

type Line = readonly [label: string, value: string]

export function pendingPaymentMails(urlOf: (paymentId: string) => string): FeatureMails {
  const messageOf = (title: string, transfer: readonly Line[], url: string): Message => ({
    subject: t('payments.mail_pay_subject', { title }),
    paragraphs: [t('payments.mail_pay_text', { title })],
    facts: transfer,
    neutral: { subject: t('payments.mail_pay_neutral_subject'), paragraph: t('payments.mail_pay_neutral') },
    link: { text: t('payments.mail_view_payment'), url },
    reason: t('payments.mail_pay_reason'),
  })
  return {
    async compose(reader, mail) {
      const payment = await findPayment(reader, mail.subject_id, null)
      if (payment?.status !== 'pending') return undefined
      const title = (await findJobTitles(reader, [payment.job_id])).get(payment.job_id) ?? ''
      return messageOf(title, (await findTransfer(reader, payment)) ?? [], urlOf(payment.id))
    },
    samples() {
      const { jobs } = samples()
      const transfer = describeTransfer(
        { amount: SAMPLE_PRICE, currency: 'EUR', reference: 'N7RHV2C3DK' },
        {
          ...{ bank_account_name: jobs[0].company, bank_iban: 'DE02120300000000202051', bank_bic: 'BYLADEM1001' },
          bank_note: null,
        },
      )
      return [{ message: messageOf(jobs[0].title, transfer, urlOf(SAMPLE_ID)) }]
    },
  }
}

/** Price in the sample emails, in cents. */
const SAMPLE_PRICE = 9_900

interface Receipt {
  title: string
  number: string
  sum: string
  lines: readonly Line[]
  url: string
}

export function receiptMails(urlOf: (paymentId: string) => string): FeatureMails {
  const messageOf = ({ title, number, sum, lines, url }: Receipt): Message => ({
    subject: t('payments.mail_receipt_subject', { number, title }),
    paragraphs: [t('payments.mail_receipt_text', { sum, title })],
    facts: [...lines, [t('payments.total'), sum]],
    neutral: { subject: t('payments.mail_receipt_neutral_subject'), paragraph: t('payments.mail_receipt_neutral') },
    link: { text: t('payments.mail_view_receipt'), url },
    reason: t('payments.mail_receipt_reason'),
  })
  return {
    async compose(reader, mail) {
      const payment = await findPayment(reader, mail.subject_id, null)
      if (payment?.status !== 'paid') return undefined
      const { id, job_id, amount, currency, invoice_number } = payment
      const title = (await findJobTitles(reader, [job_id])).get(job_id) ?? ''
      const lines = [...(await listOrderLines(reader, payment)), ...vatLineOf(payment)].map(
        (line): Line => [line.name, describeAmount(line.amount, currency)],
      )
      const sum = describeAmount(amount, currency)
      return messageOf({ title, number: invoice_number ?? '', sum, lines, url: urlOf(id) })
    },
    samples() {
      const { jobs, product } = samples()
      const sum = describeAmount(SAMPLE_PRICE, 'EUR')
      const receipt = { title: jobs[0].title, number: 'INV-000042', sum, lines: [[product, sum]] as const }
      return [{ message: messageOf({ ...receipt, url: urlOf(SAMPLE_ID) }) }]
    },
  }
}
