/** The checkout page: HTML that loads nothing, at an unguessable URL. It redirects payers to the external payment service, if any. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { sendPage } from '../../http/page.ts'
import { referenceOf } from '../../lib/billing.ts'
import { AppError } from '../../lib/errors.ts'
import { escapeHtml } from '../../lib/html.ts'
import { formatAmount } from '../../lib/money.ts'
import type { PageFace } from '../../lib/plain-page.ts'
import type { Kit } from '../feature.ts'
import { findJob } from '../jobs/index.ts'
import { findTransfer } from './invoices.service.ts'
import { renderCheckoutPage, renderTestCard, testBanner } from './payments.checkout-page.ts'
import {
  findPaymentByToken,
  includesVat,
  listOrderLines,
  type PaymentRow,
  vatLineOf,
  vatName,
} from './payments.queries.ts'
import { obstacleTo, payAtCheckout } from './payments.service.ts'

interface CheckoutView {
  payment: PaymentRow
  jobTitle: string
  lines: { name: string; amount: number }[]
  by: 'test' | 'house' | 'hand'
  transfer: Awaited<ReturnType<typeof findTransfer>>
  /** Reason why a pending payment should not be paid. */
  obstacle: string | undefined
  /** Error message if the external payment service was unavailable. */
  failure: string | undefined
  /** URL of the payer's payment list. Undefined if the website is disabled. */
  backTo: string | undefined
}

type TokenRequest = FastifyRequest<{ Params: { token: string } }>

const UNDER_WAY =
  'Your payment is being processed. Some banks take a few days. Your job is updated as soon as the money arrives.'
const HOUSE_AWAY =
  'You were not charged, because the payment service is not available right now. Try again in a minute.'

export function registerCheckout(app: App, { database, clock, settings, provider, brand, hasWebsite }: Kit): void {
  const { house } = provider
  const backTo = hasWebsite ? '/employer/payments' : undefined
  const find = (token: string) => database.read((db) => findPaymentByToken(db, token))
  const houseOf = (payment: PaymentRow) =>
    payment.status === 'pending' && payment.provider === provider.name ? house : undefined

  const show = async (reply: FastifyReply, token: string, failure?: string) => {
    const payment = await find(token)
    if (!payment) return sendPage(reply, 404, renderUnknown(brand.now()))
    const isUnderWay = (await houseOf(payment)?.isUnderWay(payment.id)) ?? false
    const by = provider.mayOwnerConfirm ? 'test' : houseOf(payment) ? 'house' : 'hand'
    const view = await database.read(async (db): Promise<CheckoutView> => {
      const job = await findJob(db, payment.job_id)
      const lines = [...(await listOrderLines(db, payment)), ...vatLineOf(payment)]
      const transfer = await findTransfer(db, payment)
      const obstacle = payment.status === 'pending' ? await obstacleTo(db, payment, clock.now()) : undefined
      const jobTitle = job?.title ?? 'a deleted job'
      return { payment, jobTitle, lines, by, transfer, obstacle: isUnderWay ? UNDER_WAY : obstacle, failure, backTo }
    })
    // Allows the form's redirect to the external service.
    const formTargets = by === 'house' ? "'self' https:" : undefined
    return sendPage(reply, failure ? 503 : 200, renderCheckout(brand.now(), view), formTargets)
  }
  /** Logs that the external service is down. Rethrows other errors. */
  const noteOutage = (request: FastifyRequest, error: unknown) => {
    if (!(error instanceof AppError && error.code === 'unavailable')) throw error
    request.log.error({ request_id: request.id, err: error.cause ?? error }, 'payment service unavailable')
  }

  app.register(async (scope) => {
    // The form has no fields, so its body is ignored.
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) =>
      done(null, {}),
    )
    scope.get('/checkout/:token', (request: TokenRequest, reply) => show(reply, request.params.token))
    scope.post('/checkout/:token', async (request: TokenRequest, reply) => {
      const { token } = request.params
      const payment = await database.inTx((tx) => payAtCheckout(tx, { settings, provider, token, now: clock.now() }))
      if (!payment) return show(reply, token)
      try {
        const url = await houseOf(payment)?.checkout(payment.id)
        return reply.redirect(url ?? `/checkout/${token}`, 303)
      } catch (error) {
        noteOutage(request, error)
        return show(reply, token, HOUSE_AWAY)
      }
    })
    if (!house) return
    // The external service redirects payers here after the payment. The service may not have reported the result yet.
    scope.get('/checkout/:token/return', async (request: TokenRequest, reply) => {
      const { token } = request.params
      const payment = await find(token)
      if (!payment) return show(reply, token)
      await houseOf(payment)
        ?.refresh(payment.id)
        .catch((error) => noteOutage(request, error))
      return reply.redirect(`/checkout/${token}`, 303)
    })
  })
}

function renderCheckout(face: PageFace, view: CheckoutView): string {
  const { payment, jobTitle, lines, by, transfer, obstacle, failure, backTo } = view
  const { amount, currency, status, id, vat_rate, vat_amount } = payment
  const reference = referenceOf(id)
  const back = backTo === undefined ? '' : `<p><a href="${backTo}/${escapeHtml(id)}">Back to your payments</a></p>`
  const rows = lines.map(
    (line) => `<tr><td>${escapeHtml(line.name)}</td><td>${escapeHtml(formatAmount(line.amount, currency))}</td></tr>`,
  )
  const included =
    vat_rate !== null && includesVat(payment)
      ? `<tr><td>Includes ${vatName(vat_rate)}</td><td>${escapeHtml(formatAmount(vat_amount, currency))}</td></tr>`
      : ''
  const ways = {
    test: `${renderTestCard()}<form method="post"><button type="submit">Pay (test)</button></form>`,
    house: `<form method="post"><button type="submit">Continue to payment</button></form>
<p><small>You pay through Stripe, by card or another method available in your country. This board does not see your payment details.</small></p>`,
    hand: transfer
      ? `<h2>Pay by bank transfer</h2><p>Include the payment reference, so that we can match your payment.</p><dl>${transfer.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value).replaceAll('\n', '<br>')}</dd>`).join('')}</dl>`
      : `<p>The operator of this board confirms payments manually. Pay as agreed, and include the reference <b>${reference}</b>.</p>`,
  }
  const next: Record<string, string> = {
    pending: ways[by],
    paid: '<p role="status" class="done"><b>Paid. Thank you.</b> Your job is updated.</p>',
    refunded: '<p role="status">This payment was refunded.</p>',
  }
  const after = obstacle
    ? `<p role="status">${escapeHtml(obstacle)}</p>`
    : (next[status] ?? `<p>This payment ${escapeHtml(status)}. Start a new payment.</p>`)
  return renderCheckoutPage(face, {
    title: 'Checkout',
    banner: by === 'test' ? testBanner : '',
    body: `<section><h1>Checkout</h1><p>For the job <b>${escapeHtml(jobTitle)}</b></p>
<table><thead><tr><th scope="col">Product</th><th scope="col">Price</th></tr></thead><tbody>${rows.join('')}
<tr class="total"><th scope="row">Total</th><td>${escapeHtml(formatAmount(amount, currency))}</td></tr>${included}</tbody></table></section>
<section>${failure ? `<p role="alert"><b>${escapeHtml(failure)}</b></p>` : ''}${after}<p><small>Reference ${reference}</small></p>${back}</section>`,
  })
}

function renderUnknown(face: PageFace): string {
  return renderCheckoutPage(face, {
    title: 'Not found',
    body: '<section class="wide"><h1>Not found</h1><p>This payment link is invalid.</p></section>',
  })
}
