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
  navigation: [
    { menu: 'employer', href: '/employer/payments', text: 'Payments', rank: 40 },
    { menu: 'desk', href: '/desk/payments', text: 'Payments', rank: 30 },
  ],
  open(kit) {
    const deps = () => {
      const [house] = kit.collect('paymentHouse')
      return { ...kit, provider: { ...kit.provider, ...(house && { house }) } }
    }
    return {
      api: (v1) => registerPayments(v1, deps()),
      pages(pages) {
        registerOwnPaymentPages(pages, deps())
        registerDeskPaymentPages(pages, deps())
      },
      countHoldings: countPaymentHoldings,
      root: (root) => registerCheckout(root, { ...deps(), backTo: kit.hasWebsite ? '/employer/payments' : undefined }),
    }
  },
})
