import { randomBytes } from 'node:crypto'
import type { Reader, Tx } from '../../db/database.ts'
import { noteIfAdmin, noteOperatorAction } from '../../db/operator-actions.ts'
import type { EntitlementTable, ProductTable } from '../../db/schema.ts'
import { takesTransfers, totalOf } from '../../lib/billing.ts'
import type { Action, Change, Submission } from '../../lib/changes.ts'
import { AppError, found, validationFailed } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { mergeBody } from '../../lib/merge.ts'
import { formatAmount } from '../../lib/money.ts'
import type { Actor } from '../../lib/scopes.ts'
import { getBilling } from '../brand/index.ts'
import { findEmployerNames } from '../employers/index.ts'
import type { Kit } from '../feature.ts'
import {
  assertNotRemoved,
  type ConsumePaidRun,
  daysToAdd,
  endRun,
  findJob,
  findJobTitles,
  isRunning,
  JOB_POST,
  type JobRow,
  type JobSettings,
  lockJobToPost,
  moveExpiry,
  type PaidRun,
  postPaidJob,
  setJobFlags,
} from '../jobs/index.ts'
import { queuePaymentMail } from './invoices.mails.ts'
import { issueInvoice } from './invoices.service.ts'
import { buysNothing, type Obstacle } from './payments.obstacles.ts'
import { presentPayment, presentProduct, productName } from './payments.present.ts'
import type { PaymentProvider } from './payments.providers.ts'
import {
  consumeEntitlements,
  deleteEntitlements,
  findPaymentByToken,
  findProduct,
  insertEntitlements,
  insertPayment,
  isPaidOtherwise,
  listPaidProducts,
  listProducts,
  lockOpenEntitlements,
  lockPayment,
  lockProduct,
  type PaymentRow,
  releaseEntitlements,
  updatePaymentProvider,
  updatePaymentStatus,
  updateProduct,
} from './payments.queries.ts'
import {
  type PaymentBody,
  type PaymentStatus,
  type Product,
  type ProductBody,
  writableProductMembers,
} from './payments.schemas.ts'

const flagOf: Readonly<Record<string, keyof PaidRun['flags']>> = {
  featured: 'is_featured',
  urgent: 'is_urgent',
  highlighted: 'is_highlighted',
}

const isFlagged = (product: string): product is 'featured' | 'urgent' | 'highlighted' => Object.hasOwn(flagOf, product)

/**
 * Returns the reason why a product would have no effect for this job, if any. `open` lists products that are paid for
 * but unused.
 */
export function obstacleOf(product: string, job: JobRow, open: readonly string[], now: Date): Obstacle | undefined {
  const isInRun = isRunning(job, now)
  if (product === JOB_POST) {
    if (open.includes(JOB_POST)) return 'post_unused'
    return isInRun && daysToAdd(job, 1, now) === 0 ? 'post_full' : undefined
  }
  if (!isFlagged(product)) return undefined
  return open.includes(product) || (isInRun && job[flagOf[product]!]) ? product : undefined
}

type Settling = Pick<Kit, 'provider' | 'settings'>
type NewPayment = Submission<PaymentBody> & Settling & { employerId: string }

/** Returns payments with the names of their products, jobs and employers. */
export async function namePayments(reader: Reader, rows: readonly PaymentRow[], origin: string) {
  const products = new Map((await listProducts(reader)).map((product) => [product.slug, productName(product)]))
  const titles = await findJobTitles(reader, [...new Set(rows.map(({ job_id }) => job_id))])
  const companies = await findEmployerNames(reader, [...new Set(rows.map(({ employer_id }) => employer_id))])
  return rows.map((row) => ({
    ...presentPayment(row, origin),
    products: row.products.map((slug) => products.get(slug) ?? slug),
    title: titles.get(row.job_id) ?? '',
    employer_id: row.employer_id,
    company: companies.get(row.employer_id) ?? '',
  }))
}

/** Creates a payment for one of the employer's jobs. A free provider settles the payment immediately. */
export async function createPayment(
  tx: Tx,
  { settings, provider, employerId, body, faults: schemaFaults, now }: NewPayment,
): Promise<PaymentRow> {
  const products = await listProducts(tx)
  const faults = [...schemaFaults]
  const isSound = (member: string) => !schemaFaults.some(({ pointer }) => pointer.split('/')[1] === member)
  const job = isSound('job_id') ? await lockJobToPost(tx, body.job_id) : undefined
  if (isSound('job_id') && job?.employer_id !== employerId) {
    faults.push({ pointer: '#/job_id', code: 'not_found', detail: 'The employer has no job with this ID.' })
  }
  const wanted = isSound('products') ? body.products : []
  const chosen = wanted.flatMap((slug, index) => {
    const product = products.find((known) => known.slug === slug)
    if (product && !product.is_off_sale) return [product]
    const onSale = products.filter(({ is_off_sale }) => !is_off_sale).map((known) => known.slug)
    const detail = `${product ? 'This product is not for sale' : 'Unknown product'}. Use one of ${onSale.join(', ')}.`
    faults.push({ pointer: `#/products/${index}`, code: product ? 'not_allowed' : 'not_found', detail })
    return []
  })
  const currencies = new Set(chosen.map(({ currency }) => currency))
  if (currencies.size > 1) {
    const detail = 'All products of a payment must have the same currency.'
    faults.push({ pointer: '#/products', code: 'not_allowed', detail, words: { key: 'fault.one_currency' } })
  }
  if (faults.length > 0) throw validationFailed(faults)
  assertNotRemoved(job!)
  // The job is already locked. Every change to its entitlements requires this lock.
  const obstacle = await obstacleTo(tx, { ...body, id: '', created_at: now }, now)
  if (obstacle) throw buysNothing(obstacle)
  const amounts = chosen.map(({ amount }) => (provider.isFree ? 0 : amount))
  const billing = await getBilling(tx)
  const { total, vat } = totalOf(amounts, billing)
  const payment = await insertPayment(tx, {
    id: newId('payment'),
    employer_id: employerId,
    job_id: body.job_id,
    products: body.products,
    amounts,
    amount: total,
    vat_rate: provider.isFree ? null : billing.vat_rate,
    vat_amount: vat,
    currency: chosen[0]!.currency,
    provider: provider.name,
    checkout_token: randomBytes(24).toString('base64url'),
    created_at: now,
    paid_at: null,
  })
  if (provider.isFree) return settlePayment(tx, settings, payment.id, now)
  if (provider.name === 'manual' && takesTransfers(billing)) await queuePaymentMail(tx, 'payment-pending', payment, now)
  return payment
}

/**
 * Grants a payment's products, unless the payment is already paid. A Stripe payment becomes a manual payment. If Stripe
 * then reports it as paid, the employer has paid twice (decision 0048).
 */
export async function settlePayment(tx: Tx, settings: JobSettings, id: string, now: Date): Promise<PaymentRow> {
  const payment = found(await lockPayment(tx, id))
  if (payment.status === 'paid') return payment
  if (payment.status !== 'pending') {
    const detail = `The payment's status is ${payment.status}. Only pending payments can be confirmed or marked paid.`
    throw new AppError('invalid_transition', { detail, extra: { state: payment.status, allowed: [] } })
  }
  if (payment.provider === 'stripe') await updatePaymentProvider(tx, id, 'manual')
  return grant(tx, settings, payment, now)
}

/** Settles a payment that the operator received outside this service. */
export async function markPaymentPaid(
  tx: Tx,
  { settings, provider, actor, id, now }: Action & Settling,
): Promise<PaymentRow> {
  const before = await lockPayment(tx, id)
  const payment = await settlePayment(tx, settings, id, now)
  await provider.house?.settledOtherwise(tx, id)
  if (before?.status === 'pending') {
    const note = formatAmount(payment.amount, payment.currency)
    await noteOperatorAction(tx, actor, { action: 'payment.mark_paid', subject: id, note }, now)
  }
  return payment
}

const ranks: Record<PaymentStatus, number> = { pending: 0, expired: 1, failed: 2, paid: 3, refunded: 4 }

/**
 * Advances a payment to the status that an external service reports. Repeated or outdated reports change nothing. A
 * payment that succeeds after a failure counts as paid.
 */
export async function advancePayment(
  tx: Tx,
  { settings, id, to, now }: { settings: JobSettings; id: string; to: Exclude<PaymentStatus, 'pending'>; now: Date },
): Promise<void> {
  const payment = await lockPayment(tx, id)
  if (!payment || ranks[to] <= ranks[payment.status]) return
  if (to === 'paid') await grant(tx, settings, payment, now)
  else if (to === 'refunded') await revoke(tx, settings, payment, now)
  else await updatePaymentStatus(tx, id, to, null)
}

/**
 * Grants a payment's products. Upgrades mark the job immediately. During a run, a post extends the run. An upgrade that
 * the job already has, or a post that cannot extend the run, stays unused until the next run. Outside a run, a paid
 * post puts the job on the board, as `postPaidJob` does.
 */
async function grant(tx: Tx, settings: JobSettings, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  const products = await listProducts(tx)
  const job = await lockJobToPost(tx, payment.job_id)
  const settled = await updatePaymentStatus(tx, payment.id, 'paid', now)
  const run = job && isRunning(job, now) ? job : undefined
  const granted = payment.products.map((slug) => {
    const { duration_days } = products.find((product) => product.slug === slug)!
    const added = run && slug === JOB_POST ? daysToAdd(run, duration_days, now) : 0
    const flag = flagOf[slug]
    const isUsed = run !== undefined && (slug === JOB_POST ? added > 0 : flag !== undefined && !run[flag])
    return {
      ...{ id: newId('entitlement'), job_id: payment.job_id, payment_id: payment.id, product: slug, created_at: now },
      duration_days: added > 0 ? added : duration_days,
      consumed_at: isUsed ? now : null,
    }
  })
  await insertEntitlements(tx, granted)
  const flags: Partial<PaidRun['flags']> = {}
  for (const slug of payment.products) if (flagOf[slug]) flags[flagOf[slug]] = true
  await setJobFlags(tx, { settings, now }, payment.job_id, flags)
  const post = granted.find(({ product }) => product === JOB_POST)
  if (run && post?.consumed_at) await moveExpiry(tx, { settings, now }, run.id, post.duration_days)
  if (job && !run && post) await postPaidJob(tx, { settings, now }, job.id, consumeRun)
  await queuePaymentMail(tx, 'payment-received', settled, now)
  // Runs last, because other payments wait for the lock on the invoice numbers.
  return issueInvoice(tx, settled, now)
}

/** Revokes the products of a refunded payment, even those in use: ends or shortens the run, and ends its upgrades. */
async function revoke(tx: Tx, settings: JobSettings, payment: PaymentRow, now: Date): Promise<void> {
  await updatePaymentStatus(tx, payment.id, 'refunded', payment.paid_at ?? now)
  const job = await lockJobToPost(tx, payment.job_id)
  const revoked = await deleteEntitlements(tx, payment.id)
  if (!job) return
  const runSince = job.activated_at
  const left = await listPaidProducts(tx, job.id, runSince)
  const flags: Partial<PaidRun['flags']> = {}
  for (const { product, consumed_at } of revoked) {
    const isOfRun = consumed_at === null || (runSince !== null && consumed_at >= runSince)
    const flag = flagOf[product]
    if (isOfRun && flag && !left.includes(product)) flags[flag] = false
  }
  await setJobFlags(tx, { settings, now }, job.id, flags)
  for (const { product, consumed_at, duration_days } of revoked) {
    if (product !== JOB_POST || !consumed_at || !runSince || consumed_at < runSince) continue
    // The post that started the run has the same timestamp as the activation. Later posts only extended the run.
    if (consumed_at > runSince) await moveExpiry(tx, { settings, now }, job.id, -duration_days)
    else {
      await endRun(tx, settings, job.id, now)
      await releaseEntitlements(tx, job.id, JOB_POST, runSince)
    }
  }
}

/**
 * Consumes one paid job post and all of the job's unused upgrades. Returns undefined if the job has no unused paid
 * post.
 */
const consumeRun: ConsumePaidRun = async (tx, job, now) => {
  const open = await lockOpenEntitlements(tx, job.id)
  const post = open.find(({ product }) => product === JOB_POST)
  return post && useEntitlements(tx, open, post, now)
}

async function useEntitlements(
  tx: Tx,
  open: readonly EntitlementTable[],
  post: Pick<EntitlementTable, 'id' | 'duration_days'> | ProductTable,
  now: Date,
): Promise<PaidRun> {
  const used = open.filter((each) => each === post || each.product !== JOB_POST)
  await consumeEntitlements(tx, used, now)
  const has = (product: string) => used.some((entitlement) => entitlement.product === product)
  return {
    durationDays: post.duration_days,
    flags: { is_featured: has('featured'), is_urgent: has('urgent'), is_highlighted: has('highlighted') },
  }
}

/** Returns a function that consumes a paid run. With a free provider, jobs run without payments. */
export function paidRunConsumer(provider: PaymentProvider): ConsumePaidRun {
  return async (tx, job, now) => {
    const run = await consumeRun(tx, job, now)
    if (run || !provider.isFree) return run
    return useEntitlements(tx, await lockOpenEntitlements(tx, job.id), (await findProduct(tx, JOB_POST))!, now)
  }
}

/** Returns the reason why a payment would have no effect, if any. Operators can still mark such a payment as paid. */
export async function obstacleTo(
  reader: Reader,
  { id, job_id, products, created_at }: Pick<PaymentRow, 'id' | 'job_id' | 'products' | 'created_at'>,
  now: Date,
): Promise<Obstacle | undefined> {
  const job = await findJob(reader, job_id)
  if (!job) return 'deleted'
  if (await isPaidOtherwise(reader, { id, job_id, products, created_at })) {
    return 'paid_otherwise'
  }
  const open = await listPaidProducts(reader, job_id)
  return products.map((product) => obstacleOf(product, job, open, now)).find((obstacle) => obstacle !== undefined)
}

/** Settles a payment if payers may confirm payments. Otherwise, throws `conflict` for a pending payment. */
export async function confirmPayment(
  tx: Tx,
  { settings, provider, actor, id, now }: Action & Settling,
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, id)
  const isOwn = payment?.employer_id === actor.accountId
  if (!payment || (!isOwn && actor.kind !== 'admin')) throw new AppError('not_found')
  if (payment.status === 'pending' && !provider.mayOwnerConfirm) {
    const detail = provider.house
      ? 'The payment provider has not reported this payment as paid yet.'
      : 'This payment cannot be confirmed. An admin must mark it as paid.'
    throw new AppError('conflict', { detail })
  }
  if (payment.status === 'pending' && actor.kind !== 'admin') {
    await lockJobToPost(tx, payment.job_id)
    const obstacle = await obstacleTo(tx, payment, now)
    if (obstacle) throw buysNothing(obstacle)
  }
  if (payment.status === 'pending') await noteIfAdmin(tx, actor, { action: 'payment.confirm', subject: id }, now)
  return settlePayment(tx, settings, id, now)
}

/**
 * Settles a test payment after a click on the checkout page. Returns undefined if there is no payment with this token.
 */
export async function payAtCheckout(
  tx: Tx,
  { settings, provider, token, now }: Settling & { token: string; now: Date },
): Promise<PaymentRow | undefined> {
  const payment = await findPaymentByToken(tx, token)
  if (payment?.status !== 'pending' || !provider.mayOwnerConfirm) return payment
  await lockPayment(tx, payment.id)
  await lockJobToPost(tx, payment.job_id)
  // The checkout page shows why the payment would have no effect.
  if (await obstacleTo(tx, payment, now)) return payment
  return settlePayment(tx, settings, payment.id, now)
}

/** Changes a product. Earlier payments keep their amounts. */
export async function changeProduct(
  tx: Tx,
  { actor, slug, body, faults, precondition, now }: Omit<Change<ProductBody>, 'id'> & { actor: Actor; slug: string },
): Promise<Product> {
  const row = found(await lockProduct(tx, slug))
  const present = presentProduct(row)
  const allFaults = [...faults]
  if (slug === JOB_POST && body.is_active === false) {
    const detail = 'The job post must stay for sale, because employers could not post jobs without it.'
    allFaults.push({ pointer: '#/is_active', code: 'not_allowed', detail, words: { key: 'fault.post_on_sale' } })
  }
  const { changed, merged } = mergeBody(present, { body, faults: allFaults }, writableProductMembers)
  precondition(present)
  const { is_active, ...members } = merged
  await updateProduct(tx, { ...row, ...members, is_off_sale: is_active ? null : true })
  if (changed.length > 0) {
    const price = formatAmount(merged.amount, merged.currency)
    const note = changed.map((name) => `${name}: ${name === 'amount' ? price : merged[name]}`).join(', ')
    await noteOperatorAction(tx, actor, { action: 'product.update', subject: slug, note }, now)
  }
  return merged
}
