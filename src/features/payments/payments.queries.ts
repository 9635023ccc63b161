import { type Insertable, sql } from 'kysely'
import { type Backlog, countRows, findBacklog } from '../../db/backlog.ts'
import { notify, type Reader, type Tx } from '../../db/database.ts'
import type { EntitlementTable, ProductTable, Row, Schema } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'
import type { QueryOf } from '../../lists/query.ts'
import { type Condition, comparingColumns, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { employersWithEmail } from '../accounts/index.ts'
import { employersNamed } from '../employers/employers.sql.ts'
import { productName } from './payments.present.ts'
import type { ProviderName } from './payments.providers.ts'
import type { PaymentStatus, paymentList } from './payments.schemas.ts'

export type PaymentRow = Row<'payment'>

export function listProducts(reader: Reader): Promise<ProductTable[]> {
  return reader.selectFrom('product').selectAll().orderBy('position').execute()
}

/** Returns the products of a payment in the reader's language, with their prices. */
export async function listOrderLines(reader: Reader, { products, amounts }: Pick<PaymentRow, 'products' | 'amounts'>) {
  const known = await listProducts(reader)
  return products.map((slug, index) => ({
    name: productName(known.find((product) => product.slug === slug) ?? { slug, name: slug }),
    amount: amounts[index]!,
  }))
}

export function findProduct(reader: Reader, slug: string): Promise<ProductTable | undefined> {
  return reader.selectFrom('product').selectAll().where('slug', '=', slug).executeTakeFirst()
}

export async function findProductNames(reader: Reader, slugs: readonly string[]): Promise<Map<string, string>> {
  const products = (await listProducts(reader)).filter(({ slug }) => slugs.includes(slug))
  return new Map(products.map(({ slug, name }) => [slug, name]))
}

export function lockProduct(tx: Tx, slug: string): Promise<ProductTable | undefined> {
  return tx.selectFrom('product').selectAll().where('slug', '=', slug).forUpdate().executeTakeFirst()
}

export async function updateProduct(tx: Tx, product: ProductTable): Promise<void> {
  await tx.updateTable('product').set(product).where('slug', '=', product.slug).execute()
}

export async function insertPayment(tx: Tx, payment: Insertable<Schema['payment']>): Promise<PaymentRow> {
  notify(tx, 'payment-pending')
  return tx.insertInto('payment').values(payment).returningAll().executeTakeFirstOrThrow()
}

/** Returns a payment of this employer, or any payment if `employerId` is null. */
export function findPayment(reader: Reader, id: string, employerId: string | null): Promise<PaymentRow | undefined> {
  return reader
    .selectFrom('payment')
    .selectAll()
    .where('id', '=', id)
    .$if(employerId !== null, (query) => query.where('employer_id', '=', employerId))
    .executeTakeFirst()
}

/** Format of checkout tokens. Other texts could contain characters that PostgreSQL rejects. */
const CHECKOUT_TOKEN = /^[\w-]{32}$/

export async function findPaymentByToken(reader: Reader, token: string): Promise<PaymentRow | undefined> {
  if (!CHECKOUT_TOKEN.test(token)) return undefined
  return reader.selectFrom('payment').selectAll().where('checkout_token', '=', token).executeTakeFirst()
}

export function lockPayment(tx: Tx, id: string): Promise<PaymentRow | undefined> {
  return tx.selectFrom('payment').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locks all pending payments for a job, in a fixed order. */
export async function lockPendingPayments(tx: Tx, jobId: string): Promise<void> {
  await sql`select 1 from payment where job_id = ${jobId} and status = 'pending' order by id for update`.execute(tx)
}

/**
 * Returns the IDs of other pending payments for the same job, through the same provider, that share a product with this
 * payment.
 */
export function listRivals(reader: Reader, paymentId: string): Promise<string[]> {
  return statement<{ id: string }>`
    select rival.id from payment
    join payment as rival on rival.job_id = payment.job_id and rival.id <> payment.id
    where payment.id = ${paymentId} and payment.status = 'pending' and rival.status = 'pending'
      and rival.provider = payment.provider and rival.products && payment.products
    order by rival.id`.allValues(reader)
}

/** Returns whether another payment for the job and one of the products was paid after this payment's creation. */
export function isPaidOtherwise(
  reader: Reader,
  { id, job_id, products, created_at }: Pick<PaymentRow, 'id' | 'job_id' | 'products' | 'created_at'>,
): Promise<boolean> {
  return statement`
    select from payment
    where job_id = ${job_id} and id <> ${id} and status = 'paid' and paid_at > ${created_at}
      and products && ${products}::text[] limit 1`.exists(reader)
}

export async function updatePaymentStatus(
  tx: Tx,
  id: string,
  status: PaymentStatus,
  paidAt: Date | null,
): Promise<PaymentRow> {
  notify(tx, `payment-${status}`)
  return tx
    .updateTable('payment')
    .set({ status, paid_at: paidAt })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function updateInvoiceNumber(tx: Tx, id: string, invoice_number: string): Promise<PaymentRow> {
  return tx.updateTable('payment').set({ invoice_number }).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function updatePaymentProvider(tx: Tx, id: string, provider: ProviderName): Promise<void> {
  await tx.updateTable('payment').set({ provider }).where('id', '=', id).execute()
}

export async function insertEntitlements(tx: Tx, entitlements: readonly EntitlementTable[]): Promise<void> {
  await tx.insertInto('entitlement').values(entitlements).execute()
}

/** Deletes and returns the entitlements of a payment. The caller must hold the job's lock. */
export function deleteEntitlements(tx: Tx, paymentId: string): Promise<EntitlementTable[]> {
  return tx.deleteFrom('entitlement').where('payment_id', '=', paymentId).returningAll().execute()
}

/** Locks and returns the unused entitlements of a job, oldest first. The caller must hold the job's lock. */
export function lockOpenEntitlements(tx: Tx, jobId: string): Promise<EntitlementTable[]> {
  return tx
    .selectFrom('entitlement')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('consumed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Returns the slugs of a job's unused paid products. If `usedSince` is given, includes products used since then. */
export function listPaidProducts(reader: Reader, jobId: string, usedSince: Date | null = null) {
  return statement<{ product: string }>`
    select distinct product from entitlement
    where job_id = ${jobId} and (consumed_at is null or consumed_at >= ${usedSince}) order by product`.allValues(reader)
}

export async function consumeEntitlements(tx: Tx, used: readonly EntitlementTable[], now: Date): Promise<void> {
  if (used.length === 0) return
  const ids = used.map(({ id }) => id)
  await tx.updateTable('entitlement').set({ consumed_at: now }).where('id', 'in', ids).execute()
}

/**
 * Makes entitlements of a product available again if they were used since a given time. The caller must hold the job's
 * lock.
 */
export async function releaseEntitlements(tx: Tx, jobId: string, product: string, usedSince: Date): Promise<void> {
  await tx
    .updateTable('entitlement')
    .set({ consumed_at: null })
    .where('job_id', '=', jobId)
    .where('product', '=', product)
    .where('consumed_at', '>=', usedSince)
    .execute()
}

/** Matches the payment with this ID, reference (`referenceOf`) or invoice number. */
function isExactly(text: string): Condition {
  const wanted = text.trim()
  return sql`(payment.id = ${wanted} or payment.invoice_number = ${wanted.toUpperCase()}
    or right(payment.id, 10) = ${wanted.toLowerCase()})`
}

/** Matches payments by prefixes of words in the company's name, by its email address, or as `isExactly` does. */
const searched = (text: string): Condition => sql`(${isExactly(text)}
  or payment.employer_id = any(array(${employersNamed(text)}))
  or payment.employer_id = any(array(${employersWithEmail(text)})))`

export function listPaymentsById(reader: Reader, ids: readonly string[]): Promise<PaymentRow[]> {
  return reader.selectFrom('payment').selectAll().where(sql<boolean>`id = any(${ids}::text[])`).execute()
}

/** Returns the payments with this ID, reference or invoice number. */
export function listExactPayments(reader: Reader, text: string): Promise<PaymentRow[]> {
  return statement<PaymentRow>`
    select payment.* from payment where ${isExactly(text)} order by created_at desc, id`.all(reader)
}

export function listPayments(
  reader: Reader,
  employerId: string | null,
  query: QueryOf<typeof paymentList>,
): Promise<Page<PaymentRow>> {
  return listPage(reader, query, {
    table: 'payment',
    where: employerId === null ? [] : [sql`payment.employer_id = ${employerId}`],
    filters: {
      ...comparingColumns('payment', ['status', 'job_id', 'created_at']),
      search: (_operator, value) => searched(String(value)),
    },
    sorts: {
      created_at: sortKey.time('payment.created_at'),
      paid_at: sortKey.nullableTime('payment.paid_at'),
      amount: sortKey.bigint('payment.amount'),
    },
  })
}

/** Matches jobs with a pending payment. `jobId` names the column that contains the job's ID. */
export function hasPendingPayment(jobId: string): Condition {
  return sql`exists (select from payment where payment.job_id = ${sql.raw(jobId)} and payment.status = 'pending')`
}

export const countPaymentHoldings = async (reader: Reader, employerId: string) => ({
  payments: await countRows(reader, sql`payment where employer_id = ${employerId}`),
})

export function findPendingPayments(reader: Reader): Promise<Backlog> {
  return findBacklog(reader, { since: 'created_at', from: sql`payment where status = 'pending'` })
}

/** Returns the amounts paid since a given time, by UTC day and currency. Refunded payments do not count. */
export function sumPaymentsByDay(reader: Reader, since: Date) {
  return statement<{ day: string; currency: string; amount: number }>`
    select to_char(paid_at at time zone 'UTC', 'YYYY-MM-DD') as day, currency, sum(amount)::bigint as amount
    from payment where status = 'paid' and paid_at >= ${since} group by 1, 2`.all(reader)
}
