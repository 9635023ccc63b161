import { defineFeature } from '../feature.ts'
import { registerDeskPaymentPages } from './desk-payments.pages.ts'
import { registerOwnPaymentPages } from './own-payments.pages.ts'
import { registerCheckout } from './payments.pages.ts'
import { countPaymentHoldings } from './payments.queries.ts'
import { registerPayments } from './payments.routes.ts'
import { PaymentSchema, ProductSchema } from './payments.schemas.ts'

/** Products and payments. */
export const payments = defineFeature({
  name: 'payments',
  schemas: [PaymentSchema, ProductSchema],
  examples: {
    amount: 9_900,
    currency: 'EUR',
    products: ['job-post'],
    provider: 'manual',
    slug: 'job-post',
    'Product.name': 'Job post, 30 days',
  },
  navigation: [
    { menu: 'employer', href: '/employer/payments', text: 'menu.payments', rank: 40 },
    { menu: 'desk', href: '/desk/payments', text: 'menu.payments', rank: 30 },
  ],
  open(kit) {
    const withHouse = () => {
      const [house] = kit.collect('paymentHouse')
      return house ? { ...kit, provider: { ...kit.provider, house } } : kit
    }
    return {
      api: (v1) => registerPayments(v1, withHouse()),
      pages(pages) {
        registerOwnPaymentPages(pages, withHouse())
        registerDeskPaymentPages(pages, withHouse())
      },
      countHoldings: countPaymentHoldings,
      root: (root) => registerCheckout(root, withHouse()),
    }
  },
})
