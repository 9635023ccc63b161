/**
 * The checkout page: plain HTML that works without scripts, at an unguessable URL. If an external payment service is
 * used, the page redirects payers to it, and the service redirects them back.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { sendPage } from '../../http/page.ts'
import { AppError } from '../../lib/errors.ts'
import { escapeHtml } from '../../lib/html.ts'
import { formatAmount } from '../../lib/money.ts'
import type { Clock } from '../../lib/time.ts'
import { findJob, type JobSettings } from '../jobs/index.ts'
import { renderCheckoutPage, renderTestCard, testBanner } from './payments.checkout-page.ts'
import type { PaymentHouse, PaymentProvider } from './payments.providers.ts'
import { findPaymentByToken, listProducts, type PaymentRow } from './payments.queries.ts'
import { obstacleTo, payAtCheckout } from './payments.service.ts'

export interface CheckoutDeps {
  database: Database
  clock: Clock
  settings: JobSettings
  provider: PaymentProvider
  /** URL of the payer's own list of payments, if the website has one. */
  backTo: string | undefined
}

interface CheckoutView {
  payment: PaymentRow
  jobTitle: string
  lines: { name: string; amount: number }[]
  /** Payment method. */
  by: 'test' | 'house' | 'hand'
  /** Reason why a pending payment should not be paid. */
  obstacle: string | undefined
}

type TokenRequest = FastifyRequest<{ Params: { token: string } }>

const UNDER_WAY =
  'Your payment is being processed, which takes days at some banks. You can activate the job once the money has arrived.'
const HOUSE_AWAY =
  'You were not charged, because the payment service is not available right now. Try again in a minute.'

export function registerCheckout(app: App, { database, clock, settings, provider, backTo }: CheckoutDeps): void {
  const { house } = provider
  const find = (token: string) => database.read((db) => findPaymentByToken(db, token))
  /** Returns the external service of a pending payment, or undefined. */
  const houseOf = (payment: PaymentRow | undefined): PaymentHouse | undefined =>
    payment?.status === 'pending' && payment.provider === provider.name ? house : undefined

  // The form has no fields, so its body is ignored.
  app.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) =>
      done(null, {}),
    )
    const show = async (reply: FastifyReply, token: string, failure?: string) => {
      const payment = await find(token)
      if (!payment) return sendPage(reply, 404, renderUnknown())
      const isUnderWay = (await houseOf(payment)?.isUnderWay(payment.id)) ?? false
      const view = await database.read(async (db): Promise<CheckoutView> => {
        const [job, products] = [await findJob(db, payment.job_id), await listProducts(db)]
        const lines = payment.products.map((slug, index) => ({
          name: products.find((known) => known.slug === slug)?.name ?? slug,
          amount: payment.amounts[index]!,
        }))
        const obstacle = payment.status === 'pending' ? await obstacleTo(db, payment) : undefined
        const by = provider.mayOwnerConfirm ? 'test' : houseOf(payment) ? 'house' : 'hand'
        return {
          payment,
          jobTitle: job?.title ?? 'a deleted job',
          lines,
          by,
          obstacle: isUnderWay ? UNDER_WAY : obstacle,
        }
      })
      // The submitted form is redirected to the external service's URL.
      const formTargets = view.by === 'house' ? "'self' https:" : undefined
      return sendPage(reply, failure ? 503 : 200, renderCheckout(view, { failure, backTo }), formTargets)
    }
    /**
     * Returns the result of a call to the external service, or undefined if the service is down. The page then reports
     * the outage.
     */
    const askHouse = async <T>(request: TokenRequest, question: () => Promise<T>) => {
      try {
        return { told: await question() }
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'unavailable')) throw error
        request.log.error({ request_id: request.id, err: error.cause ?? error }, 'a payment could not be asked about')
        return undefined
      }
    }
    scope.get('/checkout/:token', (request: TokenRequest, reply) => show(reply, request.params.token))
    scope.post('/checkout/:token', async (request: TokenRequest, reply) => {
      const { token } = request.params
      const payment = await database.inTx((tx) => payAtCheckout(tx, { settings, provider, token, now: clock.now() }))
      if (!payment) return show(reply, token)
      const at = houseOf(payment)
      const answer = at && (await askHouse(request, () => at.checkout(payment.id)))
      if (at && !answer) return show(reply, token, HOUSE_AWAY)
      return reply.redirect(answer?.told ?? `/checkout/${token}`, 303)
    })
    if (!house) return
    // The external service redirects payers here after the payment. The service may not have reported the result yet.
    scope.get('/checkout/:token/return', async (request: TokenRequest, reply) => {
      const { token } = request.params
      const payment = await find(token)
      if (!payment) return show(reply, token)
      const at = houseOf(payment)
      if (at) await askHouse(request, () => at.refresh(payment.id))
      return reply.redirect(`/checkout/${token}`, 303)
    })
  })
}

function renderCheckout(
  { payment, jobTitle, lines, by, obstacle }: CheckoutView,
  { failure, backTo }: { failure?: string | undefined; backTo?: string | undefined },
): string {
  const { amount, currency, status, id } = payment
  const back = backTo === undefined ? '' : `<p><a href="${backTo}/${escapeHtml(id)}">Back to your payments</a></p>`
  const rows = lines.map(
    (line) => `<tr><td>${escapeHtml(line.name)}</td><td>${escapeHtml(formatAmount(line.amount, currency))}</td></tr>`,
  )
  const ways = {
    test: `${renderTestCard()}<form method="post"><button type="submit">Pay (test)</button></form>`,
    house: `<form method="post"><button type="submit">Continue to payment</button></form>
<p><small>You pay at Stripe, by card or another method available in your country. This board does not see your payment details.</small></p>`,
    hand: `<p>This board confirms payments by hand. Pay as agreed with its operator, and state the reference <b>${escapeHtml(id)}</b>.</p>`,
  }
  const next: Record<string, string> = {
    pending: ways[by],
    paid: '<p role="status" class="done"><b>Paid. Thank you.</b> You can activate the job now.</p>',
    refunded: '<p role="status">This payment was refunded.</p>',
  }
  const after = obstacle
    ? `<p role="status">${escapeHtml(obstacle)}</p>`
    : (next[status] ?? `<p>This payment ${escapeHtml(status)}. Start a new one to pay.</p>`)
  return renderCheckoutPage(
    'Checkout',
    `${by === 'test' ? testBanner : ''}
<section><h1>Checkout</h1><p>For the job <b>${escapeHtml(jobTitle)}</b></p>
<table><thead><tr><th scope="col">Product</th><th scope="col">Price</th></tr></thead><tbody>${rows.join('')}
<tr class="total"><th scope="row">Total</th><td>${escapeHtml(formatAmount(amount, currency))}</td></tr></tbody></table></section>
<section>${failure ? `<p role="alert"><b>${escapeHtml(failure)}</b></p>` : ''}${after}<p><small>Reference ${escapeHtml(id)}</small></p>${back}</section>`,
  )
}

function renderUnknown(): string {
  return renderCheckoutPage(
    'Not found',
    '<section class="wide"><h1>Not found</h1><p>This payment link is invalid.</p></section>',
  )
}
