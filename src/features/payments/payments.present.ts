import type { ProductTable } from '../../db/schema.ts'
import type { PaymentRow } from './payments.queries.ts'
import type { Payment, Product } from './payments.schemas.ts'

export function presentProduct({ slug, name, amount, currency, duration_days }: ProductTable): Product {
  return { slug, name, amount, currency, duration_days }
}

function checkoutUrl(row: Pick<PaymentRow, 'checkout_token'>, origin: string): string {
  return `${origin}/checkout/${row.checkout_token}`
}

export function presentPayment(row: PaymentRow, origin: string): Payment {
  return {
    id: row.id,
    job_id: row.job_id,
    products: row.products,
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    provider: row.provider,
    checkout_url: row.status === 'pending' ? checkoutUrl(row, origin) : null,
    created_at: row.created_at.toISOString(),
    paid_at: row.paid_at?.toISOString() ?? null,
  }
}
