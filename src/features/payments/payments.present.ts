import type { ProductTable } from '../../db/schema.ts'
import { referenceOf } from '../../lib/billing.ts'
import { namesOf, pickMembers } from '../../lib/members.ts'
import { nameInWords } from '../../locale/messages.ts'
import type { PaymentRow } from './payments.queries.ts'
import { type Payment, PaymentSchema, type Product } from './payments.schemas.ts'

const paymentNames = namesOf(PaymentSchema.properties)

export function presentProduct({ slug, name, amount, currency, duration_days, is_off_sale }: ProductTable): Product {
  return { slug, name, amount, currency, duration_days, is_active: is_off_sale !== true }
}

/** Returns a product's name in the reader's language, unless an operator has renamed the product. */
export const productName = ({ slug, name }: Pick<Product, 'slug' | 'name'>): string =>
  nameInWords(`product.${slug}`, name)

export function presentPayment(row: PaymentRow, origin: string): Payment {
  const checkout_url = row.status === 'pending' ? `${origin}/checkout/${row.checkout_token}` : null
  return pickMembers({ ...row, checkout_url, reference: referenceOf(row.id) }, paymentNames)
}
