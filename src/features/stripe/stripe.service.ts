/** Payments by Stripe: sending people there, and believing what it tells (decision 0048). */
import type { Database, Tx } from '../../db/database.ts'
import type { Clock } from '../../lib/time.ts'
import { findJob, type JobSettings } from '../jobs/index.ts'
import {
  advancePayment,
  findPayment,
  listProducts,
  lockPayment,
  obstacleTo,
  type PaymentHouse,
} from '../payments/index.ts'
import { type CheckoutSession, isRefusal, type StripeApi, type StripeEvent, toStripeAmount } from './stripe.api.ts'
import {
  beginCheckout,
  type CheckoutRow,
  dropCheckout,
  endChecks,
  findCheckout,
  insertEvent,
  keepSession,
  markSubmitted,
} from './stripe.queries.ts'

export interface StripeLog {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface StripeDeps {
  database: Database
  clock: Clock
  settings: JobSettings
  api: StripeApi
  log: StripeLog
}

/**
 * How long a session can be paid, and how long an attempt to get one is repeated with the same key: a session that nobody
 * knows of has ended by then. Stripe takes up to 24 hours for both.
 */
const SESSION_MS = 23 * 3_600_000
/** A callback takes seconds; without one Stripe is asked after this. */
export const FIRST_CHECK_MS = 300_000

export class StripeHouse implements PaymentHouse {
  readonly #deps: StripeDeps

  constructor(deps: StripeDeps) {
    this.#deps = deps
  }

  async checkout(paymentId: string): Promise<string | undefined> {
    const { database, api, clock } = this.#deps
    const order = await database.inTx((tx) => this.#order(tx, paymentId))
    if (!order) return undefined
    let sessionId = order.checkout.session_id
    if (sessionId === null) {
      const created = await this.#create(order)
      const checkAt = new Date(clock.now().getTime() + FIRST_CHECK_MS)
      // Nobody is sent to a session that is not written down, so that nobody can pay one that is not known.
      sessionId = await database.inTx((tx) => keepSession(tx, order.checkout, created.id, checkAt))
      if (sessionId === created.id && created.state === 'open') return created.url ?? undefined
    }
    const session = await this.#heed(await api.retrieveSession(sessionId))
    return session.state === 'open' ? (session.url ?? undefined) : undefined
  }

  async refresh(paymentId: string): Promise<void> {
    const { database, api } = this.#deps
    const checkout = await database.read((db) => findCheckout(db, paymentId))
    if (checkout?.session_id) await this.#heed(await api.retrieveSession(checkout.session_id))
  }

  async isUnderWay(paymentId: string): Promise<boolean> {
    const checkout = await this.#deps.database.read((db) => findCheckout(db, paymentId))
    return Boolean(checkout?.submitted_at)
  }

  /** The same for those who watch: a session that is to buy nothing any more is ended, too. */
  async check(paymentId: string): Promise<void> {
    const { database, api } = this.#deps
    const checkout = await database.read((db) => findCheckout(db, paymentId))
    if (!checkout?.session_id) return
    const session = await this.#heed(await api.retrieveSession(checkout.session_id))
    if (session.state !== 'open') return
    const isWanted = await database.read(async (db) => {
      const payment = await findPayment(db, paymentId, null)
      return payment?.status === 'pending' && !(await obstacleTo(db, payment))
    })
    if (!isWanted) await this.#heed(await api.expireSession(session.id))
  }

  /** What an event tells, once. */
  async receive(event: StripeEvent): Promise<void> {
    const { database, clock, settings, log } = this.#deps
    await database.inTx(async (tx) => {
      if (!(await insertEvent(tx, event.id, clock.now()))) return
      if (event.about === 'session') await this.#apply(tx, event.session)
      if (event.about === 'dispute') log.warn({ stripe_event: event.id }, 'a payment is disputed: see Stripe')
      if (event.about === 'refund' && (await this.#isAsAgreed(tx, event.paymentId, event.amount, event.currency))) {
        await advancePayment(tx, settings, event.paymentId!, 'refunded', clock.now())
      }
    })
  }

  /** What there is to be paid; undefined where nothing is. */
  async #order(tx: Tx, paymentId: string) {
    const { clock, settings } = this.#deps
    const payment = await lockPayment(tx, paymentId)
    if (payment?.status !== 'pending' || payment.provider !== 'stripe' || (await obstacleTo(tx, payment)))
      return undefined
    const now = clock.now()
    const checkout = await beginCheckout(tx, paymentId, now, new Date(now.getTime() - SESSION_MS))
    const [job, products] = [await findJob(tx, payment.job_id), await listProducts(tx)]
    const page = `${settings.origin}/checkout/${payment.checkout_token}`
    return {
      checkout,
      key: `${paymentId}-${checkout.begun_at.getTime()}`,
      paymentId,
      jobId: payment.job_id,
      jobTitle: job!.title,
      currency: payment.currency,
      lines: payment.products.map((slug, index) => ({
        name: products.find((known) => known.slug === slug)?.name ?? slug,
        amount: payment.amounts[index]!,
      })),
      successUrl: `${page}/return`,
      cancelUrl: page,
      expiresAt: new Date(checkout.begun_at.getTime() + SESSION_MS),
    }
  }

  async #create({ checkout, ...order }: { checkout: CheckoutRow } & Parameters<StripeApi['createSession']>[0]) {
    try {
      return await this.#deps.api.createSession(order)
    } catch (error) {
      // Stripe gives the same refusal to the same key for a day, also where it was its own fault.
      if (isRefusal(error)) await this.#deps.database.inTx((tx) => dropCheckout(tx, checkout))
      throw error
    }
  }

  async #heed(session: CheckoutSession): Promise<CheckoutSession> {
    await this.#deps.database.inTx((tx) => this.#apply(tx, session))
    return session
  }

  /** What a session says of its payment. */
  async #apply(tx: Tx, { id, paymentId, state, amount, currency }: CheckoutSession): Promise<void> {
    const { clock, settings, log } = this.#deps
    const payment = paymentId === null ? undefined : await lockPayment(tx, paymentId)
    if (payment?.provider !== 'stripe' || state === 'open') return
    const now = clock.now()
    if (state === 'paid') {
      if (!(await this.#isAsAgreed(tx, payment.id, amount, currency))) return
      await advancePayment(tx, settings, payment.id, 'paid', now)
      if (!(await findJob(tx, payment.job_id))) log.warn({ payment_id: payment.id }, 'paid for a job that was deleted')
    }
    // Of sessions that nobody was sent to only the money would matter.
    const checkout = await findCheckout(tx, payment.id)
    if (checkout?.session_id !== id) return
    if (state === 'submitted') return markSubmitted(tx, payment.id, now)
    if (state !== 'paid') await advancePayment(tx, settings, payment.id, state, now)
    await endChecks(tx, payment.id)
  }

  /** Whether it is a payment of ours, and its amount the one that was agreed on. */
  async #isAsAgreed(tx: Tx, paymentId: string | null, amount: number | null, currency: string | null) {
    const payment = paymentId === null ? undefined : await findPayment(tx, paymentId, null)
    if (payment?.provider !== 'stripe') return false
    const agreed = toStripeAmount(payment.amount, payment.currency)
    if (amount === agreed && currency === payment.currency) return true
    const details = { payment_id: payment.id, amount, currency, agreed, agreed_currency: payment.currency }
    this.#deps.log.error(details, 'Stripe tells of another amount than was agreed on: nothing was settled')
    return false
  }
}
