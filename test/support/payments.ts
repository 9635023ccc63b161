/** Shared helpers for tests of payments. */
import type { PaymentStatus } from '../../src/features/payments/payments.schemas.ts'
import { type Account, ADMIN_KEY, type Board, expectStatus } from './board.ts'

export const PAYMENT_ID = /^pay_[0-7][0-9a-hjkmnp-tv-z]{25}$/
export const UNKNOWN_PAYMENT = 'pay_00000000000000000000000000'

/** Starts a payment and returns it. Creates a job unless one is given. */
export async function begin(board: Board, employer: Account, products = ['job-post'], jobId?: string) {
  const job_id = jobId ?? (await board.job(employer)).id
  return expectStatus(await board.post('/v1/employers/payments', employer.key, { job_id, products }), 201).body.data
}

/** Pays for a job while its employer is suspended, which leaves the paid post unused. */
export async function payUnused(board: Board, employer: Account, jobId: string, products = ['job-post']) {
  const payment = await begin(board, employer, products, jobId)
  const account = `/v1/admin/accounts/${employer.id}`
  expectStatus(await board.post(`${account}/suspend`, ADMIN_KEY, { reason: 'Spam' }), 200)
  const paid = expectStatus(await board.post(`/v1/employers/payments/${payment.id}/confirm`, ADMIN_KEY), 200)
  expectStatus(await board.post(`${account}/resume`, ADMIN_KEY), 200)
  return paid.body.data
}

/** Returns a job's entitlements, oldest first. */
export function entitlementsOf(board: Board, jobId: string) {
  return board.database.read((db) =>
    db
      .selectFrom('entitlement')
      .select(['payment_id', 'product', 'duration_days', 'consumed_at'])
      .where('job_id', '=', jobId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  )
}

/** Sets a status that only another payment provider can cause. */
export async function forceStatus(board: Board, id: string, status: PaymentStatus) {
  await board.database.inTx((tx) => tx.updateTable('payment').set({ status }).where('id', '=', id).execute())
}
