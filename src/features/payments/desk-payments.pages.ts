/** Admin pages to list payments, and to mark payments as paid that were received outside this service. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { Strict } from '../../lib/schema.ts'
import type { Clock } from '../../lib/time.ts'
import { describePage } from '../../lists/meta.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { withQuery } from '../../pages/components.ts'
import { Form } from '../../pages/forms.ts'
import { seeOther, showPage, signedIn } from '../../pages/page.ts'
import { findEmployerNames } from '../employers/index.ts'
import { findJob, findJobTitles, type JobSettings } from '../jobs/index.ts'
import { renderDeskPayment, renderDeskPayments, WAITING } from './desk-payments.views.ts'
import { presentPayment } from './payments.present.ts'
import type { PaymentProvider } from './payments.providers.ts'
import { findPayment, listPayments, listProducts, type PaymentRow } from './payments.queries.ts'
import { paymentList } from './payments.schemas.ts'
import { markPaymentPaid, obstacleTo } from './payments.service.ts'

export interface DeskPaymentPagesDeps {
  database: Database
  clock: Clock
  cursorSecret: Uint8Array
  settings: JobSettings
  provider: PaymentProvider
}

const PaymentParams = Strict({ id: Type.String({ pattern: idPattern('payment') }) })

export function registerDeskPaymentPages(pages: App, deps: DeskPaymentPagesDeps): void {
  const { database, clock, cursorSecret, settings, provider } = deps
  const reading = { kinds: ['admin'], scope: 'admin:read' } as const
  const writing = { kinds: ['admin'], scope: 'admin:write' } as const

  /** Returns payments with the names of their products, jobs and employers. */
  const named = async (rows: readonly PaymentRow[]) =>
    database.read(async (db) => {
      const products = new Map((await listProducts(db)).map(({ slug, name }) => [slug, name]))
      const titles = await findJobTitles(db, [...new Set(rows.map(({ job_id }) => job_id))])
      const companies = await findEmployerNames(db, [...new Set(rows.map(({ employer_id }) => employer_id))])
      return rows.map((row) => ({
        ...presentPayment(row, settings.origin),
        products: row.products.map((slug) => products.get(slug) ?? slug),
        title: titles.get(row.job_id) ?? '',
        employer_id: row.employer_id,
        company: companies.get(row.employer_id) ?? '',
      }))
    })

  pages.get(
    '/desk/payments',
    {
      config: {
        access: reading,
        again: (request, form) => renderDeskPayments(request.page, form, undefined, clock.now()),
      },
      // Shows pending payments, oldest first, unless a status is given.
      onRequest: (request, reply, done) => {
        if (/[?&]status/.test(request.raw.url!)) done()
        else reply.redirect(withQuery(request.raw.url!, WAITING), 303)
      },
      schema: { querystring: ListQuerystring(paymentList) },
    },
    async (request, reply) => {
      const { query } = request
      const found = await database.read((db) => listPayments(db, null, query, cursorSecret))
      const { pagination } = describePage(request.raw.url!, query, found).meta
      const listed = { items: await named(found.rows), pagination }
      return showPage(reply, renderDeskPayments(request.page, Form.of(query.applied), listed, clock.now()))
    },
  )

  const show = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id } = request.params as { id: string }
    const payment = await database.read((db) => findPayment(db, id, null))
    if (!payment) throw new AppError('not_found')
    const [one] = await named([payment])
    const { obstacle, job } = await database.read(async (db) => ({
      obstacle: payment.status === 'pending' ? await obstacleTo(db, payment) : undefined,
      job: await findJob(db, payment.job_id),
    }))
    const isPublic = job && job.first_activated_at !== null
    const isElsewhere = provider.house !== undefined && payment.provider === provider.name
    return renderDeskPayment(request.page, one!, { obstacle, isPublic, isElsewhere, now: clock.now() }, form)
  }

  pages.get(
    '/desk/payments/:id',
    { config: { access: reading }, schema: { params: PaymentParams } },
    async (request, reply) => showPage(reply, await show(request)),
  )

  pages.post(
    '/desk/payments/:id/mark-paid',
    { config: { access: writing, again: show }, schema: { params: PaymentParams } },
    async (request, reply) => {
      const { id } = request.params
      await database.inTx((tx) =>
        markPaymentPaid(tx, { settings, provider, actor: signedIn(request), id, now: clock.now() }),
      )
      return seeOther(reply, `/desk/payments/${id}`, 'Payment marked as paid. The employer can use the products now.')
    },
  )
}
