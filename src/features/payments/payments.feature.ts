import { defineFeature } from '../feature.ts'
import { registerDeskPaymentPages } from './desk-payments.pages.ts'
import { pendingPaymentMail, receiptMail } from './invoices.mails.ts'
import { registerInvoicePages, registerInvoices } from './invoices.routes.ts'
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
    vat_rate: 20,
    vat_amount: 1_650,
    reference: 'N7RHV2C3DK',
    invoice_number: 'INV-000042',
    slug: 'job-post',
    'Product.name': 'Job post, 30 days',
  },
  navigation: [
    { menu: 'employer', href: '/employer/payments', text: 'menu.payments', rank: 40 },
    { menu: 'desk', href: '/desk/payments', text: 'menu.payments', rank: 30 },
  ],
  // Limited because drawing a PDF takes about 70 ms of processor time.
  limits: { invoices: { quota: 60, windowS: 60 } },
  open(kit) {
    const urlOf = kit.linkTo('/employer/payments/:id', '/v1/employers/payments/:id')
    const withHouse = () => {
      const [house] = kit.collect('paymentHouse')
      return house ? { ...kit, provider: { ...kit.provider, house } } : kit
    }
    return {
      api(v1) {
        registerPayments(v1, withHouse())
        registerInvoices(v1, kit)
      },
      pages(pages) {
        registerOwnPaymentPages(pages, withHouse())
        registerDeskPaymentPages(pages, withHouse())
        registerInvoicePages(pages, kit)
      },
      mails: {
        'payment-pending': { compose: pendingPaymentMail(urlOf) },
        'payment-received': { compose: receiptMail(urlOf) },
      },
      countHoldings: countPaymentHoldings,
      root: (root) => registerCheckout(root, withHouse()),
    }
  },
})
