import { type Static, Type } from 'typebox'
import { Choice, Integer, MergeBody, Name, Nullable, Resource, Strict, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

export const paymentStatuses = ['pending', 'paid', 'failed', 'expired', 'refunded'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

export const ProductSchema = Resource('Product', {
  slug: Type.String(),
  name: Type.String(),
  amount: Type.Integer({ minimum: 0, description: 'In minor units, such as cents for USD.' }),
  currency: Type.String(),
  duration_days: Type.Integer({
    minimum: 1,
    description:
      'Number of days for which a job-post keeps a job without expires_at on the board, or by which it extends a run. Other products ignore it.',
  }),
  is_active: Type.Boolean({ description: 'Whether the product is for sale.' }),
})
export type Product = Static<typeof ProductSchema>

const writable = {
  name: Name(1, 100),
  amount: Integer(0, 100_000_000),
  currency: Type.String({ pattern: '^[A-Z]{3}$', format: 'currency' }),
  duration_days: Integer(1, 365),
  is_active: Type.Boolean(),
}
export const writableProductMembers = Object.keys(writable) as (keyof typeof writable)[]

export const ProductBody = MergeBody(writable, ProductSchema)
export type ProductBody = Static<typeof ProductBody>

/** The form for changing a product. People enter the price in major units, such as 199.00. */
export const ProductFormBody = Strict({
  name: writable.name,
  price: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  currency: writable.currency,
  duration_days: writable.duration_days,
  is_active: Type.Optional(Type.Boolean()),
})

export const PaymentSchema = Resource('Payment', {
  id: Type.String(),
  job_id: Type.String(),
  products: Type.Array(Type.String()),
  amount: Type.Integer({ minimum: 0, description: 'In minor units, such as cents for USD. Includes VAT.' }),
  currency: Type.String(),
  vat_rate: Nullable(Type.Number({ description: 'VAT rate in percent. Null if there is no VAT.' })),
  vat_amount: Type.Integer({ minimum: 0, description: 'The part of `amount` that is VAT, in minor units.' }),
  status: Choice(paymentStatuses),
  provider: Type.String(),
  checkout_url: Nullable(
    Type.String({ format: 'uri', description: 'URL of the checkout page; null unless the payment is pending.' }),
  ),
  created_at: Timestamp(),
  paid_at: Nullable(Timestamp()),
  reference: Type.String({ description: 'Reference for bank transfers.' }),
  invoice_number: Nullable(Type.String({ description: 'Number of the invoice or receipt, once there is one.' })),
})
export type Payment = Static<typeof PaymentSchema>

export const PaymentBody = Strict({
  job_id: Type.String(),
  products: Type.Array(Type.String(), { minItems: 1, maxItems: 10, uniqueItems: true }),
})
export type PaymentBody = Static<typeof PaymentBody>

export const paymentList = {
  name: 'payments',
  filters: {
    status: parameter.choice('Payment status.', paymentStatuses),
    job_id: parameter.text('ID of the job.'),
    created_at: parameter.time('When the payment was created.'),
    search: parameter.text(
      "Prefixes of words in the company's name, or an exact email address, invoice number, reference or ID.",
      {
        suffixes: [],
      },
    ),
  },
  sorts: { created_at: {}, paid_at: {}, amount: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
