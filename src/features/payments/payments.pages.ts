/** The checkout page: plain HTML that works without script, at an address nobody can guess. */
import type { FastifyReply } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { renderPage, sendPage } from '../../http/page.ts'
import { escapeHtml } from '../../lib/html.ts'
import type { Clock } from '../../lib/time.ts'
import { findJob, type JobSettings } from '../jobs/index.ts'
import { formatAmount } from './payments.present.ts'
import type { PaymentProvider } from './payments.providers.ts'
import { findPaymentByToken, listProducts, type PaymentRow } from './payments.queries.ts'
import { obstacleTo, payAtCheckout } from './payments.service.ts'

export interface CheckoutDeps {
  database: Database
  clock: Clock
  settings: JobSettings
  provider: PaymentProvider
  /** Where the payer's own pages of payments are, if there are any. */
  backTo: string | undefined
}

interface CheckoutView {
  payment: PaymentRow
  jobTitle: string
  lines: { name: string; amount: number }[]
  isTest: boolean
  /** Why it should not be paid, if it is still to be. */
  obstacle: string | undefined
}

export function registerCheckout(app: App, { database, clock, settings, provider, backTo }: CheckoutDeps): void {
  // A form without fields; its body is not looked at.
  app.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) =>
      done(null, {}),
    )
    const show = async (reply: FastifyReply, token: string) => {
      const view = await database.read(async (db): Promise<CheckoutView | undefined> => {
        const payment = await findPaymentByToken(db, token)
        if (!payment) return undefined
        const [job, products] = [await findJob(db, payment.job_id), await listProducts(db)]
        const lines = payment.products.map((slug, index) => ({
          name: products.find((known) => known.slug === slug)?.name ?? slug,
          amount: payment.amounts[index]!,
        }))
        const obstacle = payment.status === 'pending' ? await obstacleTo(db, payment) : undefined
        const jobTitle = job?.title ?? 'a job that was deleted'
        return { payment, jobTitle, lines, isTest: provider.mayOwnerConfirm, obstacle }
      })
      return sendPage(reply, view ? 200 : 404, view ? renderCheckout(view, backTo) : renderUnknown())
    }
    scope.get<{ Params: { token: string } }>('/checkout/:token', (request, reply) => show(reply, request.params.token))
    scope.post<{ Params: { token: string } }>('/checkout/:token', async (request, reply) => {
      const { token } = request.params
      const payment = await database.inTx((tx) => payAtCheckout(tx, settings, provider, token, clock.now()))
      if (!payment) return show(reply, token)
      return reply.redirect(`/checkout/${token}`, 303)
    })
  })
}

function renderCheckout({ payment, jobTitle, lines, isTest, obstacle }: CheckoutView, backTo?: string): string {
  const { amount, currency, status, id } = payment
  const rows = lines.map(
    (line) => `<tr><td>${escapeHtml(line.name)}</td><td>${escapeHtml(formatAmount(line.amount, currency))}</td></tr>`,
  )
  const next: Record<string, string> = {
    pending: isTest
      ? '<form method="post"><button type="submit">Pay (test)</button></form>'
      : `<p>This board confirms payments by hand. Pay as agreed with its operator and name the reference <b>${escapeHtml(id)}</b>.</p>`,
    paid: '<p role="status"><b>Paid. Thank you.</b> The job can be activated now.</p>',
  }
  const after = obstacle
    ? `<p role="status">${escapeHtml(obstacle)}</p>`
    : (next[status] ?? `<p>This payment is ${escapeHtml(status)}.</p>`)
  return renderPage(
    'Checkout',
    `${isTest ? '<p class="test"><b>Test payment.</b> No money moves on this page.</p>' : ''}
<h1>Checkout</h1><p>For the job <b>${escapeHtml(jobTitle)}</b></p>
<table><thead><tr><th scope="col">Product</th><th scope="col">Price</th></tr></thead><tbody>${rows.join('')}
<tr><th scope="row">Total</th><td><b>${escapeHtml(formatAmount(amount, currency))}</b></td></tr></tbody></table>
${after}<p><small>Reference ${escapeHtml(id)}</small></p>${backTo === undefined ? '' : `<p><a href="${backTo}/${escapeHtml(id)}">Back to your payments</a></p>`}`,
  )
}

function renderUnknown(): string {
  return renderPage('Not found', '<h1>Not found</h1><p>There is no payment at this address.</p>')
}
