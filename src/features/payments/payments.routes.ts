import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Id, Ref, Strict } from '../../lib/schema.ts'
import { ownerOf } from '../../lib/scopes.ts'
import { ListEnvelope, ListQuerystring, presentList } from '../../lists/routes.ts'
import type { Kit } from '../feature.ts'
import { presentPayment, presentProduct } from './payments.present.ts'
import { findPayment, findProduct, listPayments, listProducts } from './payments.queries.ts'
import { PaymentBody, PaymentSchema, ProductBody, ProductSchema, paymentList } from './payments.schemas.ts'
import { changeProduct, confirmPayment, createPayment, markPaymentPaid } from './payments.service.ts'

export const PaymentParams = Strict({ id: Id('payment') })
export const ProductParams = Strict({ slug: Type.String({ pattern: '^[a-z0-9-]{1,64}$' }) })
const reading = { kinds: ['employer', 'admin'], scope: 'payments:read' } as const
const administration = { kinds: ['admin'], scope: 'admin:write' } as const

export function registerPayments(app: App, { database, reads, clock, settings, provider }: Kit): void {
  const { origin } = settings
  const getPayment = async ({ actor, params }: ResourceRequest) => {
    const payment = found(await reads.read((db) => findPayment(db, params.id, ownerOf(actor))))
    return { data: presentPayment(payment, origin) }
  }

  app.get('/employers/products', {
    config: { access: reading },
    schema: {
      operationId: 'listProducts',
      summary: 'List all products, including products that are not for sale',
      response: { 200: Strict({ data: Type.Array(Ref(ProductSchema)) }) },
    },
    handler: async () => ({ data: (await reads.read(listProducts)).map(presentProduct) }),
  })

  app.post('/employers/payments', {
    config: { access: { kinds: ['employer'], scope: 'payments:write' } },
    attachValidation: true,
    schema: {
      operationId: 'createPayment',
      summary: 'Create a payment for a job; a person completes it at checkout_url',
      body: PaymentBody,
      response: { 201: Envelope(Ref(PaymentSchema)) },
    },
    handler: async ({ actor, body, faults }, reply) =>
      answerPost(reply, database, async (tx) => {
        const order = { employerId: actor.accountId, body, faults, now: clock.now() }
        const payment = await createPayment(tx, { settings, provider, ...order })
        const headers = { location: `/v1/employers/payments/${payment.id}` }
        return { headers, body: { data: presentPayment(payment, origin) } }
      }),
  })

  app.get('/employers/payments', {
    config: { access: reading },
    schema: {
      operationId: 'listPayments',
      summary: "List the calling employer's payments; admins see all payments",
      querystring: ListQuerystring(paymentList),
      response: { 200: ListEnvelope(Ref(PaymentSchema)) },
    },
    handler: async ({ actor, query }, reply) => {
      const owner = ownerOf(actor)
      const page = await reads.read((db) => listPayments(db, owner, query))
      return presentList(reply, page, (row) => presentPayment(row, origin))
    },
  })

  app.get('/employers/payments/:id', {
    config: { access: reading, guard: getPayment },
    schema: {
      operationId: 'getPayment',
      summary: 'Get a payment',
      params: PaymentParams,
      response: { 200: Envelope(Ref(PaymentSchema)) },
    },
    handler: getPayment,
  })

  app.post('/employers/payments/:id/confirm', {
    config: { access: { kinds: ['employer', 'admin'], scope: 'payments:write' }, guard: getPayment },
    schema: {
      operationId: 'confirmPayment',
      summary: 'Confirm a payment: check its status with Stripe, or settle a test payment without a charge',
      params: PaymentParams,
      body: Strict({}),
      response: { 200: Envelope(Ref(PaymentSchema)) },
    },
    handler: async (request, reply) => {
      const { actor, params } = request
      if (provider.house) {
        const { data } = await getPayment(request)
        // A settled payment requires no request to the external service.
        if (data.status === 'pending') await provider.house.refresh(params.id)
      }
      return answerPost(reply, database, async (tx) => {
        const payment = await confirmPayment(tx, { settings, provider, actor, id: params.id, now: clock.now() })
        return { body: { data: presentPayment(payment, origin) } }
      })
    },
  })

  app.post('/admin/payments/:id/mark-paid', {
    config: { access: administration, guard: getPayment },
    schema: {
      operationId: 'markPaymentPaid',
      summary: 'Record that a payment has arrived',
      params: PaymentParams,
      body: Strict({}),
      response: { 200: Envelope(Ref(PaymentSchema)) },
    },
    handler: async ({ actor, params }, reply) =>
      answerPost(reply, database, async (tx) => {
        const payment = await markPaymentPaid(tx, { settings, provider, actor, id: params.id, now: clock.now() })
        return { body: { data: presentPayment(payment, origin) } }
      }),
  })

  app.put('/admin/products/:slug', {
    config: {
      access: administration,
      guard: async ({ params }: ResourceRequest<{ slug: string }>) =>
        found(await database.read((db) => findProduct(db, params.slug))),
    },
    attachValidation: true,
    schema: {
      operationId: 'updateProduct',
      summary: 'Change a product, or stop selling it',
      params: ProductParams,
      body: ProductBody,
      response: { 200: Envelope(Ref(ProductSchema)) },
    },
    handler: async ({ actor, params, body, faults, precondition }) => {
      const change = { actor, slug: params.slug, body, faults, precondition, now: clock.now() }
      return { data: await database.inTx((tx) => changeProduct(tx, change)) }
    },
  })
}
