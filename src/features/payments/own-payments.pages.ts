/** Payment pages of the employer dashboard for choosing products, listing payments and viewing receipts. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { resultOnce } from '../../pages/once.ts'
import { listed, seeOther } from '../../pages/page.ts'
import { getBilling } from '../brand/index.ts'
import { getBuyer } from '../employers/index.ts'
import type { Kit } from '../feature.ts'
import {
  assertMayChange,
  assertNotRemoved,
  awaitsPublication,
  findJob,
  findJobTitles,
  isRunning,
  JOB_POST,
  jobState,
  postingOf,
} from '../jobs/index.ts'
import { findTransfer } from './invoices.service.ts'
import { renderPay, renderPayments, renderReceipt } from './own-payments.views.ts'
import { presentPayment, presentProduct, productName } from './payments.present.ts'
import { findPayment, listOrderLines, listPaidProducts, listPayments, listProducts } from './payments.queries.ts'
import { PaymentParams } from './payments.routes.ts'
import { PaymentBody, paymentList } from './payments.schemas.ts'
import { createPayment, namePayments, obstacleOf } from './payments.service.ts'
import { includedVatLineOf, vatLineOf } from './payments.vat.ts'

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })

const reading = { access: { kinds: ['employer'], scope: 'payments:read' } } as const
const writing = { access: { kinds: ['employer'], scope: 'payments:write' } } as const

export function registerOwnPaymentPages(pages: App, kit: Kit): void {
  registerPay(pages, kit)
  registerPaymentList(pages, kit)
}

function registerPay(pages: App, { database, clock, settings, provider, collect }: Kit): void {
  const path = '/employer/jobs/:id/pay'

  /** Renders the order page with the products that the job can still use. */
  const choose = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id } = request.params as { id: string }
    const { job, products, paid, billing, buyer, warning } = await database.read(async (db) => ({
      job: await findJob(db, id),
      products: (await listProducts(db)).map(presentProduct),
      paid: await listPaidProducts(db, id),
      billing: await getBilling(db),
      buyer: await getBuyer(db, request.actor.accountId),
      warning: await collect('copyWarning')[0]?.(db, id, request.page),
    }))
    assertMayChange(job, request.actor)
    assertNotRemoved(job)
    const now = clock.now()
    const running = isRunning(job, now)
    return renderPay(request.page, {
      job,
      isRunning: running,
      offered: products.filter(({ slug, is_active }) => is_active && obstacleOf(slug, job, paid, now) === undefined),
      plannedFor: awaitsPublication(job, now) ? job.publish_at!.toISOString() : null,
      endsAt: job.expires_at && job.expires_at > now ? job.expires_at.toISOString() : null,
      isPostNeeded: !running && !paid.includes(JOB_POST),
      unused: products.filter(({ slug }) => paid.includes(slug)).map(productName),
      isTest: provider.name === 'test',
      isManual: provider.name === 'manual',
      billing,
      buyer,
      warning,
      form,
    })
  }

  pages.get(path, { config: writing, schema: { params: JobParams } }, (request) => choose(request))

  pages.post(path, {
    config: { ...writing, again: choose },
    attachValidation: true,
    schema: { params: JobParams, body: PaymentBody },
    handler: async (request, reply) => {
      const { id } = request.params
      if (request.form.get('_do')?.at(-1) === 'sum') {
        return choose(request, Form.sent(request.form, []))
      }
      const { accountId: employerId } = request.actor
      const order = { employerId, body: { ...request.body, job_id: id }, faults: request.faults }
      const checkout_url = await resultOnce(request, database, async (tx) => {
        const payment = await createPayment(tx, { settings, provider, ...order, now: clock.now() })
        return presentPayment(payment, settings.origin).checkout_url
      })
      if (checkout_url === null) return seeOther(reply, `/employer/jobs/${id}`, t('payments.nothing_to_pay'))
      // With every provider, the checkout begins on this service's own origin, so the path is sufficient.
      return seeOther(reply, checkout_url.slice(settings.origin.length))
    },
  })
}

function registerPaymentList(pages: App, { database, clock, settings }: Kit): void {
  const { origin } = settings

  pages.get('/employer/payments', {
    config: { ...reading, again: (request, form) => renderPayments(request.page, form, undefined) },
    schema: { querystring: ListQuerystring(paymentList) },
    handler: async (request) => {
      const { actor, query } = request
      const payments = await database.read(async (db) => {
        const page = await listPayments(db, actor.accountId, query)
        return { ...page, rows: await namePayments(db, page.rows, origin) }
      })
      const found = listed(request, payments, (payment) => payment)
      return renderPayments(request.page, Form.of(query.applied), found)
    },
  })

  pages.get('/employer/payments/:id', {
    config: reading,
    schema: { params: PaymentParams },
    handler: async ({ actor, page, params }) => {
      const view = await database.read(async (db) => {
        const payment = found(await findPayment(db, params.id, actor.accountId))
        const job = await findJob(db, payment.job_id)
        const state = job && jobState(job, clock.now())
        const paid = await listPaidProducts(db, payment.job_id)
        return {
          payment: presentPayment(payment, origin),
          lines: [...(await listOrderLines(db, payment)), ...vatLineOf(payment)],
          includedVat: includedVatLineOf(payment),
          transfer: await findTransfer(db, payment),
          title: (await findJobTitles(db, [payment.job_id])).get(payment.job_id) ?? '',
          isJobThere: state !== undefined,
          // The job may already have used the run that this payment bought.
          isReady:
            payment.status === 'paid' &&
            state !== undefined &&
            postingOf(state, paid) === 'paid' &&
            !awaitsPublication(job!, clock.now()),
          company: actor.name,
        }
      })
      return renderReceipt(page, view)
    },
  })
}
