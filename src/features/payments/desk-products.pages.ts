/** Admin pages for products and their prices. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { found, validationFailed } from '../../lib/errors.ts'
import { minorDigits } from '../../lib/money.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { decimalText, type Form, fieldFault } from '../../pages/forms.ts'
import { resultOnce } from '../../pages/once.ts'
import { seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { renderProduct, renderProducts } from './desk-products.views.ts'
import { presentProduct } from './payments.present.ts'
import { findProduct, listProducts } from './payments.queries.ts'
import { ProductParams } from './payments.routes.ts'
import { ProductFormBody, writableProductMembers } from './payments.schemas.ts'
import { changeProduct } from './payments.service.ts'

const path = '/desk/products'
const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const

/** Returns a price in minor units. Throws if it has more decimals than the currency. */
function amountOf(price: number, currency: string): number {
  const factor = 10 ** minorDigits(currency)
  const amount = Math.round(price * factor)
  // Multiplying decimal fractions is inexact in floating point.
  if (Math.abs(amount - price * factor) < 1e-6) return amount
  throw validationFailed([fieldFault('price', t('payments.price_decimals', { count: minorDigits(currency) }))])
}

export function registerDeskProductPages(pages: App, { database, clock }: Kit): void {
  pages.get(path, { config: reading }, async (request) =>
    renderProducts(request.page, (await database.read(listProducts)).map(presentProduct)),
  )

  const show = async (request: FastifyRequest, form?: Form) => {
    const { slug } = request.params as { slug: string }
    const product = presentProduct(found(await database.read((db) => findProduct(db, slug))))
    const digits = minorDigits(product.currency)
    const price = decimalText((product.amount / 10 ** digits).toFixed(digits))
    return renderProduct(request.page, product, form ?? editorForm(product, writableProductMembers, { price }))
  }

  pages.get(`${path}/:slug`, { config: reading, schema: { params: ProductParams } }, (request) => show(request))

  pages.post(`${path}/:slug`, {
    config: { ...writing, again: show },
    schema: { params: ProductParams, body: ProductFormBody },
    handler: async (request, reply) => {
      const { actor, params, body } = request
      const { price, is_active = false, ...members } = body
      const change = { actor, slug: params.slug, faults: [], now: clock.now() }
      const { name } = await resultOnce(request, database, (tx) =>
        changeProduct(tx, {
          ...change,
          body: { ...members, is_active, amount: amountOf(price, members.currency) },
          precondition: unlessChanged(request, writableProductMembers),
        }),
      )
      return seeOther(reply, path, t('payments.product_saved', { name }))
    },
  })
}
