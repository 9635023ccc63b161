import type { ProductTable } from '../../db/schema.ts'
import { referenceOf } from '../../lib/billing.ts'
import { nameInWords } from '../../locale/messages.ts'
import type { PaymentRow } from './payments.queries.ts'
import type { Payment, Product } from './payments.schemas.ts'

export function presentProduct({ slug, name, amount, currency, duration_days, is_off_sale }: ProductTable): Product {
  return { slug, name, amount, currency, duration_days, is_active: is_off_sale !== true }
}

/** Returns a product's name in the reader's language, unless an operator has renamed the product. */
export const productName = ({ slug, name }: Pick<Product, 'slug' | 'name'>): string =>
  nameInWords(`product.${slug}`, name)

export function presentPayment(row: PaymentRow, origin: string): Payment {
  const { id, job_id, products, amount, currency, status, provider, vat_rate, vat_amount, invoice_number } = row
  return {
    ...{ id, job_id, products, amount, currency, vat_rate, vat_amount, status, provider },
    checkout_url: status === 'pending' ? `${origin}/checkout/${row.checkout_token}` : null,
    created_at: row.created_at.toISOString(),
    paid_at: row.paid_at?.toISOString() ?? null,
    reference: referenceOf(id),
    invoice_number,
  }
}
