/** Admin pages for listing payments and recording payments received outside this service. */
import type { FastifyRequest } from 'fastify'
import type { Reader } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import { parseListQuery } from '../../lists/query.ts'
import { ListQuerystring } from '../../lists/routes.ts'
import { t } from '../../locale/messages.ts'
import { withQuery } from '../../pages/components.ts'
import { Form } from '../../pages/forms.ts'
import { listed, seeOther } from '../../pages/page.ts'
import type { DeskFinder, Kit } from '../feature.ts'
import { findJob } from '../jobs/index.ts'
import { renderDeskPayment, renderDeskPayments, WAITING } from './desk-payments.views.ts'
import { describeAmount } from './payments.amounts.ts'
import { findPayment, listExactPayments, listPayments, listPaymentsById, type PaymentRow } from './payments.queries.ts'
import { PaymentParams } from './payments.routes.ts'
import { paymentList } from './payments.schemas.ts'
import { markPaymentPaid, namePayments, obstacleTo } from './payments.service.ts'

const path = '/desk/payments'
const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const

export const paymentFinder = ({ cursorSecret, settings }: Pick<Kit, 'cursorSecret' | 'settings'>): DeskFinder => ({
  title: 'menu.payments',
  list: path,
  async find(db, text, limit) {
    const { query } = parseListQuery(paymentList, { search: text, limit: String(limit) }, cursorSecret)
    const { rows, total } = await listPayments(db, null, query)
    const present = async (payments: readonly PaymentRow[]) =>
      (await namePayments(db, payments, settings.origin)).map((payment) => ({
        href: `${path}/${payment.id}`,
        title: t('payments.sum_from', {
          sum: describeAmount(payment.amount, payment.currency),
          company: payment.company,
        }),
        details: [payment.title, payment.invoice_number ?? payment.reference, t(`payments.status_${payment.status}`)],
      }))
    const exact = await present(await listExactPayments(db, text))
    return { exact, newest: await present(rows), total }
  },
})

export const paymentNames = async (reader: Reader, ids: readonly string[], origin: string) => {
  const named = await namePayments(reader, await listPaymentsById(reader, ids), origin)
  return new Map(
    named.map(({ id, amount, currency, company }) => [
      id,
      t('payments.sum_from', { sum: describeAmount(amount, currency), company }),
    ]),
  )
}

export function registerDeskPaymentPages(pages: App, kit: Kit): void {
  const { database, searches, clock, settings, provider } = kit
  const { origin } = settings

  pages.get(path, {
    config: {
      ...reading,
      charges: ['search-time'],
      again: (request, form) => renderDeskPayments(request.page, form, undefined, clock.now()),
    },
    // Redirects to the pending payments, oldest first, unless the URL specifies a status or a search.
    onRequest: (request, reply, done) => {
      if (/[?&](?:status|search)/.test(request.raw.url!)) done()
      else reply.redirect(withQuery(request.raw.url!, WAITING), 303)
    },
    schema: { querystring: ListQuerystring(paymentList) },
    handler: async (request) => {
      const { query } = request
      const payments = await searches.read(request.chargedTo, async (db) => {
        const page = await listPayments(db, null, query)
        return { ...page, rows: await namePayments(db, page.rows, origin) }
      })
      const found = listed(request, payments, (payment) => payment)
      return renderDeskPayments(request.page, Form.of(query.applied), found, clock.now())
    },
  })

  const show = async (request: FastifyRequest, form: Form = Form.of()) => {
    const { id } = request.params as { id: string }
    const { named, ...circumstances } = await database.read(async (db) => {
      const payment = found(await findPayment(db, id, null))
      const [named] = await namePayments(db, [payment], origin)
      const job = await findJob(db, payment.job_id)
      return {
        named: named!,
        obstacle: payment.status === 'pending' ? await obstacleTo(db, payment, clock.now()) : undefined,
        isPublic: job && job.first_activated_at !== null,
        isElsewhere: provider.house !== undefined && payment.provider === provider.name,
      }
    })
    return renderDeskPayment(request.page, named, { ...circumstances, now: clock.now() }, form)
  }

  pages.get(`${path}/:id`, { config: reading, schema: { params: PaymentParams } }, (request) => show(request))

  pages.post(`${path}/:id/mark-paid`, {
    config: { ...writing, again: show },
    schema: { params: PaymentParams },
    handler: async ({ actor, params: { id } }, reply) => {
      await database.inTx((tx) => markPaymentPaid(tx, { settings, provider, actor, id, now: clock.now() }))
      return seeOther(reply, `${path}/${id}`, t('payments.marked'))
    },
  })
}
