/**
 * The checkout page: HTML that loads only the logo, at an unguessable URL. If there is an external payment service,
 * redirects payers to it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { sendPage } from '../../http/page.ts'
import { referenceOf } from '../../lib/billing.ts'
import { AppError } from '../../lib/errors.ts'
import { escapeHtml } from '../../lib/html.ts'
import { inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import type { BoardFace } from '../../pages/plain-page.ts'
import { createReaderLocale } from '../../pages/reader-locale.ts'
import { rich } from '../../pages/text.ts'
import type { Kit } from '../feature.ts'
import { findJob } from '../jobs/index.ts'
import { renderCheckoutPage, renderTestCard, testBanner } from './checkout.views.ts'
import { findTransfer } from './invoices.service.ts'
import { describeAmount } from './payments.amounts.ts'
import { sayObstacle } from './payments.obstacles.ts'
import { findPaymentByToken, listOrderLines, type PaymentRow } from './payments.queries.ts'
import { obstacleTo, payAtCheckout } from './payments.service.ts'
import { includesVat, vatLineOf } from './payments.vat.ts'

interface CheckoutView {
  payment: PaymentRow
  /** Undefined if the job was deleted. */
  jobTitle: string | undefined
  lines: { name: string; amount: number }[]
  by: 'test' | 'house' | 'hand'
  transfer: Awaited<ReturnType<typeof findTransfer>>
  /** The reason why the payer should not complete a pending payment. */
  obstacle: string | undefined
  /** Error message if the external payment service was unavailable. */
  failure: string | undefined
  hasWebsite: boolean
}

type TokenRequest = FastifyRequest<{ Params: { token: string } }>

export function registerCheckout(app: App, { database, clock, settings, provider, brand, hasWebsite }: Kit): void {
  const { house } = provider
  const face = (): BoardFace => ({ brand: brand.now(), hasWebsite })
  const find = (token: string) => database.read((db) => findPaymentByToken(db, token))
  const houseOf = (payment: PaymentRow) =>
    payment.status === 'pending' && payment.provider === provider.name ? house : undefined

  const show = async (reply: FastifyReply, token: string, failure?: string) => {
    const payment = await find(token)
    if (!payment) return sendPage(reply, 404, renderUnknown(face()))
    const isUnderWay = (await houseOf(payment)?.isUnderWay(payment.id)) ?? false
    const by = provider.mayOwnerConfirm ? 'test' : houseOf(payment) ? 'house' : 'hand'
    const view = await database.read(async (db): Promise<CheckoutView> => {
      const job = await findJob(db, payment.job_id)
      const lines = [...(await listOrderLines(db, payment)), ...vatLineOf(payment)]
      const transfer = await findTransfer(db, payment)
      const obstacle = payment.status === 'pending' ? await obstacleTo(db, payment, clock.now()) : undefined
      return {
        payment,
        jobTitle: job?.title,
        lines,
        by,
        transfer,
        obstacle: isUnderWay ? t('payments.under_way') : obstacle && sayObstacle(obstacle),
        failure,
        hasWebsite,
      }
    })
    // Allows the form's redirect to the external service.
    const formTargets = by === 'house' ? "'self' https:" : undefined
    return sendPage(reply, failure ? 503 : 200, renderCheckout(face(), view), formTargets)
  }
  /** Logs that the external service is unavailable. Rethrows other errors. */
  const noteOutage = (request: FastifyRequest, error: unknown) => {
    if (!(error instanceof AppError && error.code === 'unavailable')) throw error
    request.log.error({ request_id: request.id, err: error.cause ?? error }, 'payment service unavailable')
  }

  const { localeOf } = createReaderLocale({ origin: settings.origin, brand: brand.now })
  app.register(async (scope) => {
    // Restores the locale, which is lost when a body is read.
    scope.addHook('preHandler', (request, _reply, done) => inLocale(localeOf(request), done))
    // Ignores the body, because the form has no fields.
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
        return show(reply, token, t('payments.house_away'))
      }
    })
    if (!house) return
    // The external service redirects payers here after the payment. It may not yet have reported the result.
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

function renderCheckout(face: BoardFace, view: CheckoutView): string {
  const { payment, jobTitle, lines, by, transfer, obstacle, failure, hasWebsite } = view
  const { amount, currency, status, id, job_id, vat_rate, vat_amount } = payment
  const reference = referenceOf(id)
  const link = (path: string, text: string) => `<p><a href="${escapeHtml(path)}">${escapeHtml(text)}</a></p>`
  const toJob = jobTitle === undefined ? '' : link(`/employer/jobs/${job_id}`, t('payments.back_to_job'))
  const back = hasWebsite ? `${toJob}${link(`/employer/payments/${id}`, t('payments.to_payment'))}` : ''
  const rows = lines.map(
    (line) => `<tr><td>${escapeHtml(line.name)}</td><td>${escapeHtml(describeAmount(line.amount, currency))}</td></tr>`,
  )
  const included =
    vat_rate !== null && includesVat(payment)
      ? `<tr><td>${escapeHtml(t('payments.includes_vat', { rate: vat_rate }))}</td><td>${escapeHtml(describeAmount(vat_amount, currency))}</td></tr>`
      : ''
  const ways = {
    test: `${renderTestCard()}<form method="post"><button type="submit">${escapeHtml(t('payments.pay_test'))}</button></form>`,
    house: `<form method="post"><button type="submit">${escapeHtml(t('payments.continue'))}</button></form>
<p><small>${escapeHtml(t('payments.stripe_note'))}</small></p>`,
    hand: transfer
      ? `<h2>${escapeHtml(t('payments.pay_transfer'))}</h2><p>${escapeHtml(t('payments.transfer_short'))}</p><dl>${transfer.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value).replaceAll('\n', '<br>')}</dd>`).join('')}</dl>`
      : `<p>${rich('payments.manual_note', { reference })}</p>`,
  }
  const next: Record<string, string> = {
    pending: ways[by],
    paid: `<p role="status" class="done">${rich('payments.thanks')}</p>`,
    refunded: `<p role="status">${escapeHtml(t('payments.was_refunded'))}</p>`,
  }
  const after = obstacle
    ? `<p role="status">${escapeHtml(obstacle)}</p>`
    : (next[status] ??
      `<p>${escapeHtml(t(status === 'failed' ? 'payments.ended_failed' : 'payments.ended_expired'))}</p>`)
  return renderCheckoutPage(face, {
    title: t('payments.checkout_title'),
    banner: by === 'test' ? testBanner() : '',
    body: `<section><h1>${escapeHtml(t('payments.checkout_title'))}</h1><p>${jobTitle === undefined ? rich('payments.for_deleted_job') : rich('payments.for_job', { title: jobTitle })}</p>
<table><thead><tr><th scope="col">${escapeHtml(t('payments.product'))}</th><th scope="col">${escapeHtml(t('payments.price'))}</th></tr></thead><tbody>${rows.join('')}
<tr class="total"><th scope="row">${escapeHtml(t('payments.total'))}</th><td>${escapeHtml(describeAmount(amount, currency))}</td></tr>${included}</tbody></table></section>
<section>${failure ? `<p role="alert"><b>${escapeHtml(failure)}</b></p>` : ''}${after}<p><small>${escapeHtml(t('payments.reference_note', { reference }))}</small></p>${back}</section>`,
  })
}

function renderUnknown(face: BoardFace): string {
  return renderCheckoutPage(face, {
    title: t('payments.link_not_found'),
    body: `<section class="wide"><h1>${escapeHtml(t('payments.link_not_found'))}</h1><p>${escapeHtml(t('payments.link_invalid'))}</p></section>`,
  })
}
