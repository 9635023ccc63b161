import { defineFeature } from '../feature.ts'
import { paymentFinder, paymentNames, registerDeskPaymentPages } from './desk-payments.pages.ts'
import { registerDeskProductPages } from './desk-products.pages.ts'
import { pendingPaymentMails, receiptMails } from './invoices.mails.ts'
import { registerInvoicePages, registerInvoices } from './invoices.routes.ts'
import { registerOwnPaymentPages } from './own-payments.pages.ts'
import { registerCheckout } from './payments.pages.ts'
import { countPaymentHoldings, findProductNames } from './payments.queries.ts'
import { registerPayments } from './payments.routes.ts'
import { PaymentSchema, ProductSchema } from './payments.schemas.ts'

/** Products and payments. */
export const payments = defineFeature({
  name: 'payments',
  tag: 'Payments',
  personalColumns: {
    invoice: {
      columns: ['document'],
      purpose: 'the invoice, with the name and address of its recipient',
      until: 'not deleted, because tax law requires invoices',
    },
  },
  schemas: [PaymentSchema, ProductSchema],
  examples: {
    'updateProduct.slug': 'featured',
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
    'Product.is_active': true,
  },
  navigation: [
    { menu: 'employer', href: '/employer/payments', text: 'menu.payments', rank: 40 },
    { menu: 'desk', href: '/desk/payments', text: 'menu.payments', rank: 30 },
    { menu: 'desk', href: '/desk/products', text: 'payments.products', rank: 98, group: 'menu.setup' },
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
        registerDeskProductPages(pages, kit)
        registerInvoicePages(pages, kit)
      },
      mails: {
        'payment-pending': pendingPaymentMails(urlOf),
        'payment-received': receiptMails(urlOf),
      },
      countHoldings: countPaymentHoldings,
      deskFinder: paymentFinder(kit),
      deskSubjects: [
        {
          kind: 'payment',
          page: '/desk/payments/:id',
          name: (reader, ids) => paymentNames(reader, ids, kit.settings.origin),
        },
        { kind: 'product', page: '/desk/products/:slug', name: findProductNames },
      ],
      root: (root) => registerCheckout(root, withHouse()),
    }
  },
})
