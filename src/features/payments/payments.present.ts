import type { ProductTable } from '../../db/schema.ts'
import type { PaymentRow } from './payments.queries.ts'
import type { Payment, Product } from './payments.schemas.ts'

export function presentProduct({ slug, name, amount, currency, duration_days }: ProductTable): Product {
  return { slug, name, amount, currency, duration_days }
}

export function presentPayment(row: PaymentRow, origin: string): Payment {
  const { id, job_id, products, amount, currency, status, provider } = row
  return {
    ...{ id, job_id, products, amount, currency, status, provider },
    checkout_url: status === 'pending' ? `${origin}/checkout/${row.checkout_token}` : null,
    created_at: row.created_at.toISOString(),
    paid_at: row.paid_at?.toISOString() ?? null,
  }
}
