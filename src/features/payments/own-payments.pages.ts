/** Payment pages of the employer dashboard: choose products, list payments, and view receipts. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { bodyFaultsOf } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { describePage } from '../../lists/meta.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import {
  assertMayChange,
  assertNotRemoved,
  findJob,
  findJobTitles,
  JOB_POST,
  type JobSettings,
  jobState,
  postingOf,
} from '../jobs/index.ts'
import { renderPay, renderPayments, renderReceipt } from './own-payments.views.ts'
import { presentPayment, presentProduct } from './payments.present.ts'
import type { PaymentProvider } from './payments.providers.ts'
import { findPayment, listPaidProducts, listPayments, listProducts } from './payments.queries.ts'
import { PaymentBody, paymentList } from './payments.schemas.ts'
import { createPayment } from './payments.service.ts'

export interface OwnPaymentPagesDeps {
  database: Database
  clock: Clock
  cursorSecret: Uint8Array
  settings: JobSettings
  provider: PaymentProvider
}

const JobParams = Strict({ id: Type.String({ pattern: idPattern('job') }) })
const PaymentParams = Strict({ id: Type.String({ pattern: idPattern('payment') }) })

const reading = { kinds: ['employer'], scope: 'payments:read' } as const
const writing = { kinds: ['employer'], scope: 'payments:write' } as const

export function registerOwnPaymentPages(pages: App, deps: OwnPaymentPagesDeps): void {
  registerPay(pages, deps)
  registerPaymentList(pages, deps)
}

function registerPay(pages: App, deps: OwnPaymentPagesDeps): void {
  const { database, clock, settings, provider } = deps
  const { origin } = settings

  /** Renders the page to choose products. Preselects the products that the job needs, unless `form` is given. */
  const choose = async (request: FastifyRequest, form?: Form) => {
    const { id } = request.params as { id: string }
    const { job, products, paid } = await database.read(async (db) => ({
      job: await findJob(db, id),
      products: (await listProducts(db)).map(presentProduct),
      paid: await listPaidProducts(db, id),
    }))
    assertMayChange(job, signedIn(request))
    assertNotRemoved(job)
    const state = jobState(job, clock.now())
    const needed = postingOf(state, paid) === 'unpaid' ? [JOB_POST] : []
    const chosen = form ?? Form.of({ products: needed })
    return renderPay(request.page, {
      job: { id, title: job.title, state },
      products,
      paid,
      isTest: provider.name === 'test',
      form: chosen,
    })
  }

  pages.get(
    '/employer/jobs/:id/pay',
    { config: { access: writing }, schema: { params: JobParams } },
    async (request, reply) => showPage(reply, await choose(request)),
  )

  pages.post(
    '/employer/jobs/:id/pay',
    {
      config: { access: writing, again: choose },
      attachValidation: true,
      schema: { params: JobParams, body: PaymentBody },
    },
    async (request, reply) => {
      const faults = bodyFaultsOf(request)
      const { id } = request.params
      const { accountId } = signedIn(request)
      const body = { ...request.body, job_id: id }
      const checkout_url = await doOnce(request, database, async (tx) => {
        const payment = await createPayment(tx, {
          settings,
          provider,
          employerId: accountId,
          body,
          faults,
          now: clock.now(),
        })
        return presentPayment(payment, origin).checkout_url
      })
      if (checkout_url === null) return seeOther(reply, `/employer/jobs/${id}`, 'Nothing to pay.')
      // On the website, the checkout always starts at this service's own URL, whichever provider takes the payment.
      return seeOther(reply, checkout_url.slice(origin.length))
    },
  )
}

function registerPaymentList(pages: App, deps: OwnPaymentPagesDeps): void {
  const { database, clock, cursorSecret, settings } = deps
  const { origin } = settings

  pages.get(
    '/employer/payments',
    {
      config: { access: reading, again: (request, form) => renderPayments(request.page, form, undefined) },
      schema: { querystring: ListQuerystring(paymentList) },
    },
    async (request, reply) => {
      const { query } = request
      const { accountId } = signedIn(request)
      const { found, products, titles } = await database.read(async (db) => {
        const found = await listPayments(db, accountId, query, cursorSecret)
        const products = new Map((await listProducts(db)).map(({ slug, name }) => [slug, name]))
        return {
          found,
          products,
          titles: await findJobTitles(db, [...new Set(found.rows.map(({ job_id }) => job_id))]),
        }
      })
      const { pagination } = describePage(request.raw.url!, query, found).meta
      const items = found.rows.map((row) => ({
        ...presentPayment(row, origin),
        products: row.products.map((slug) => products.get(slug) ?? slug),
        title: titles.get(row.job_id) ?? '',
      }))
      return showPage(reply, renderPayments(request.page, Form.of(query.applied), { items, pagination }))
    },
  )

  pages.get(
    '/employer/payments/:id',
    { config: { access: reading }, schema: { params: PaymentParams } },
    async (request, reply) => {
      const { accountId, name } = signedIn(request)
      const view = await database.read(async (db) => {
        const payment = await findPayment(db, request.params.id, accountId)
        if (!payment) throw new AppError('not_found')
        const products = await listProducts(db)
        const lines = payment.products.map((slug, index) => ({
          name: products.find((known) => known.slug === slug)?.name ?? slug,
          amount: payment.amounts[index]!,
        }))
        const job = await findJob(db, payment.job_id)
        const state = job && jobState(job, clock.now())
        const paid = await listPaidProducts(db, payment.job_id)
        const title = (await findJobTitles(db, [payment.job_id])).get(payment.job_id) ?? ''
        return {
          payment: presentPayment(payment, origin),
          lines,
          title,
          isJobThere: state !== undefined,
          // The run that was paid for may have been used already.
          isReady: payment.status === 'paid' && state !== undefined && postingOf(state, paid) === 'paid',
          company: name,
        }
      })
      return showPage(reply, renderReceipt(request.page, view))
    },
  )
}
