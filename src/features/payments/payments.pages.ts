/**
 * The checkout page: HTML that loads only the logo, at an unguessable URL. If there is an external payment service,
 * redirects payers to it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { sendPage } from '../../http/page.ts'
import { AppError } from '../../lib/errors.ts'
import { inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import type { BoardFace } from '../../pages/plain-page.ts'
import { createReaderLocale } from '../../pages/reader-locale.ts'
import type { Kit } from '../feature.ts'
import { findJob } from '../jobs/index.ts'
import { type CheckoutView, renderCheckout, renderUnknown } from './checkout.views.ts'
import { findTransfer } from './invoices.service.ts'
import { sayObstacle } from './payments.obstacles.ts'
import { findPaymentByToken, listOrderLines, type PaymentRow } from './payments.queries.ts'
import { obstacleTo, payAtCheckout } from './payments.service.ts'
import { vatLineOf } from './payments.vat.ts'

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
