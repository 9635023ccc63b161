/** Stripe payments: creates checkout sessions, and updates payments from Stripe's reports (decision 0048). */
import type { Reader, Tx } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import { inLocale } from '../../locale/locale.ts'
import type { Kit } from '../feature.ts'
import { findJob } from '../jobs/index.ts'
import {
  advancePayment,
  findPayment,
  listOrderLines,
  listRivals,
  lockPayment,
  lockPendingPayments,
  obstacleTo,
  type PaymentHouse,
  vatLineOf,
} from '../payments/index.ts'
import {
  type CheckoutSession,
  isMissing,
  isRefusal,
  type StripeApi,
  type StripeEvent,
  toStripeAmount,
} from './stripe.api.ts'
import type { StripeMetrics, Trouble } from './stripe.metrics.ts'
import {
  beginCheckout,
  type CheckoutRow,
  dropCheckout,
  endChecks,
  findCheckout,
  forgetSession,
  hastenCheck,
  insertEvent,
  keepSession,
  markSubmitted,
} from './stripe.queries.ts'

interface StripeDeps extends Pick<Kit, 'clock' | 'database' | 'log' | 'settings'> {
  api: StripeApi
  metrics: StripeMetrics
}

/**
 * Lifetime of a session, and of the idempotency key for creating it, in milliseconds. Any session that was not stored
 * has therefore expired before the key changes. Stripe allows up to 24 hours for both.
 */
const SESSION_MS = 23 * 3_600_000
/** Delay before the first check of a session, in milliseconds. Callbacks usually arrive within seconds. */
export const FIRST_CHECK_MS = 300_000

const ENGLISH = { language: 'en', timeZone: 'UTC' } as const

/** Returns whether the error means that the database or Stripe is unavailable. */
export const isAway = (error: unknown) => error instanceof AppError && error.code === 'unavailable'

export class StripeHouse implements PaymentHouse {
  readonly #deps: StripeDeps

  constructor(deps: StripeDeps) {
    this.#deps = deps
  }

  async checkout(paymentId: string): Promise<string | undefined> {
    const { database } = this.#deps
    // Makes at most two rounds: if the session does not exist at Stripe, the second round creates another one.
    for (let round = 1; round <= 2; round++) {
      const order = await database.inTx((tx) => this.#order(tx, paymentId))
      if (!order) return undefined
      for (const id of order.superseded) await this.check(id)
      let sessionId = order.checkout.session_id
      if (sessionId === null) {
        const created = await this.#create(order)
        // Stores the session before redirecting the payer, so that no one can pay through an unknown session.
        const kept = await database.inTx((tx) => this.#keep(tx, order.checkout, created.id))
        if (!kept.isWanted) return undefined
        sessionId = kept.sessionId
        if (sessionId === created.id && created.state === 'open') return created.url ?? undefined
      }
      const session = await this.#retrieve(paymentId, sessionId)
      if (session) return session.state === 'open' ? (session.url ?? undefined) : undefined
    }
    return undefined
  }

  async refresh(paymentId: string): Promise<void> {
    const checkout = await this.#deps.database.read((db) => findCheckout(db, paymentId))
    if (checkout?.session_id) await this.#retrieve(paymentId, checkout.session_id)
  }

  settledOtherwise(tx: Tx, paymentId: string): Promise<void> {
    return hastenCheck(tx, paymentId, this.#deps.clock.now())
  }

  async isUnderWay(paymentId: string): Promise<boolean> {
    return this.#deps.database.read(async (db) =>
      this.#isSubmitted(db, [paymentId, ...(await listRivals(db, paymentId))]),
    )
  }

  /** Returns whether the payer has completed the checkout of any of these payments. */
  async #isSubmitted(reader: Reader, paymentIds: readonly string[]): Promise<boolean> {
    for (const id of paymentIds) if ((await findCheckout(reader, id))?.submitted_at) return true
    return false
  }

  /** Refreshes a payment. Ends its open session if the payment is settled or would have no effect. */
  async check(paymentId: string): Promise<void> {
    const { database, api } = this.#deps
    const checkout = await database.read((db) => findCheckout(db, paymentId))
    if (!checkout?.session_id) return
    const session = await this.#retrieve(paymentId, checkout.session_id)
    if (session?.state !== 'open') return
    const isWanted = await database.read(async (db) => {
      const payment = await findPayment(db, paymentId, null)
      return payment?.status === 'pending' && !(await obstacleTo(db, payment, this.#deps.clock.now()))
    })
    if (!isWanted) await this.#heed(await api.expireSession(session.id))
  }

  /** Applies an event once. Rethrows failures, so that Stripe resends the event or `stripe-events` reads it again. */
  async receive(event: StripeEvent): Promise<void> {
    try {
      await this.#receive(event)
    } catch (error) {
      const details = { err: error, stripe_event: event.id }
      if (!isAway(error)) this.#report('event_failed', details, 'could not apply a Stripe event')
      throw error
    }
  }

  async #receive(event: StripeEvent): Promise<void> {
    const { database, clock, settings } = this.#deps
    if (event.about === 'riddle') throw new Error('The event content does not match its type', { cause: event.cause })
    await database.inTx(async (tx) => {
      if (!(await insertEvent(tx, event.id, clock.now()))) return
      if (event.about === 'session') await this.#apply(tx, event.session)
      if (event.about === 'dispute') {
        this.#report('disputed', { stripe_event: event.id }, 'a payment is disputed: see Stripe')
      }
      if (event.about === 'refund' && (await this.#isAsAgreed(tx, event.paymentId, event.amount, event.currency))) {
        await advancePayment(tx, { settings, id: event.paymentId!, to: 'refunded', now: clock.now() })
      }
    })
  }

  async #order(tx: Tx, paymentId: string) {
    const { clock, settings } = this.#deps
    const now = clock.now()
    const asked = await findPayment(tx, paymentId, null)
    if (!asked) return undefined
    await lockPendingPayments(tx, asked.job_id)
    const payment = await lockPayment(tx, paymentId)
    if (payment?.status !== 'pending' || payment.provider !== 'stripe') return undefined
    if (await obstacleTo(tx, payment, now)) return undefined
    // Only the latest of several checkouts for the same product can be paid.
    const superseded = await listRivals(tx, paymentId)
    if (await this.#isSubmitted(tx, superseded)) return undefined
    for (const id of superseded) await advancePayment(tx, { settings, id, to: 'expired', now })
    const checkout = await beginCheckout(tx, paymentId, now, new Date(now.getTime() - SESSION_MS))
    const job = await findJob(tx, payment.job_id)
    const page = `${settings.origin}/checkout/${payment.checkout_token}`
    return {
      superseded,
      checkout,
      key: `${paymentId}-${checkout.begun_at.getTime()}`,
      paymentId,
      jobId: payment.job_id,
      jobTitle: job!.title,
      currency: payment.currency,
      // Uses a single language, because a repeated request with the same idempotency key must be identical.
      lines: await inLocale(ENGLISH, async () => [...(await listOrderLines(tx, payment)), ...vatLineOf(payment)]),
      successUrl: `${page}/return`,
      cancelUrl: page,
      expiresAt: new Date(checkout.begun_at.getTime() + SESSION_MS),
    }
  }

  async #create({ checkout, ...order }: { checkout: CheckoutRow } & Parameters<StripeApi['createSession']>[0]) {
    try {
      return await this.#deps.api.createSession(order)
    } catch (error) {
      // Drops the attempt, because Stripe repeats an error for the same idempotency key for a day, even an internal
      // error.
      if (isRefusal(error)) await this.#deps.database.inTx((tx) => dropCheckout(tx, checkout))
      throw error
    }
  }

  /** Stores a session. Returns the stored session ID, and whether the payment is still pending. */
  async #keep(tx: Tx, checkout: CheckoutRow, createdId: string) {
    const now = this.#deps.clock.now()
    const isWanted = (await lockPayment(tx, checkout.payment_id))?.status === 'pending'
    // If the payment was settled in the meantime, the next check is due immediately and ends the session.
    const checkAt = isWanted ? new Date(now.getTime() + FIRST_CHECK_MS) : now
    return { isWanted, sessionId: await keepSession(tx, checkout, createdId, checkAt) }
  }

  /**
   * Retrieves a session and applies its status. If the session does not exist at Stripe, returns undefined, and deletes
   * its record unless the payer has completed the checkout.
   */
  async #retrieve(paymentId: string, sessionId: string): Promise<CheckoutSession | undefined> {
    const { database, api } = this.#deps
    try {
      return await this.#heed(await api.retrieveSession(sessionId))
    } catch (error) {
      // Stripe reports a session as missing if it belongs to another Stripe account or mode.
      if (!isMissing(error)) throw error
      const { cause } = error as Error
      this.#report('session_unknown', { err: cause, payment_id: paymentId }, 'the session does not exist at Stripe')
      await database.inTx((tx) => forgetSession(tx, paymentId, sessionId))
      return undefined
    }
  }

  async #heed(session: CheckoutSession): Promise<CheckoutSession> {
    await this.#deps.database.inTx((tx) => this.#apply(tx, session))
    return session
  }

  async #apply(tx: Tx, { id, paymentId, state, amount, currency }: CheckoutSession): Promise<void> {
    const { clock, settings } = this.#deps
    // A session without a payment ID belongs to another system that shares the account.
    if (paymentId === null || state === 'open') return
    const details = { payment_id: paymentId, session_id: id, amount, currency }
    const payment = await lockPayment(tx, paymentId)
    if (!payment) {
      if (state === 'paid') this.#report('unknown_payment', details, 'Stripe received money for an unknown payment')
      return
    }
    const now = clock.now()
    // For sessions other than the payment's current one, only received payments matter.
    const checkout = await findCheckout(tx, payment.id)
    const isPresent = checkout?.session_id === id
    const isByStripe = payment.provider === 'stripe'
    if (state === 'paid') {
      const isRefunded = payment.status === 'refunded'
      // A refund can arrive before the payment. A session that paid is no longer checked.
      const isKnown = isByStripe && isPresent && (isRefunded || checkout.check_at === null)
      const wasPaidOtherwise = (isRefunded || payment.status === 'paid') && !isKnown
      if (wasPaidOtherwise)
        this.#report('paid_twice', details, 'the employer paid twice: refund this session in Stripe')
      else if (!isByStripe)
        this.#report('other_provider', details, 'Stripe received money for a payment that was not created for Stripe')
      else if (!(await this.#isAsAgreed(tx, payment.id, amount, currency))) return
      else await advancePayment(tx, { settings, id: payment.id, to: 'paid', now })
      if (!(await findJob(tx, payment.job_id)))
        this.#report('job_deleted', details, 'payment received for a deleted job')
    }
    // If another session was paid, an immediate check ends the current session of the payment, if there is one.
    if (!isPresent) return state === 'paid' ? hastenCheck(tx, payment.id, now) : undefined
    if (state === 'submitted') return markSubmitted(tx, payment.id, now)
    if (state !== 'paid' && isByStripe) await advancePayment(tx, { settings, id: payment.id, to: state, now })
    await endChecks(tx, payment.id)
  }

  async #isAsAgreed(tx: Tx, paymentId: string | null, amount: number | null, currency: string | null) {
    const payment = paymentId === null ? undefined : await findPayment(tx, paymentId, null)
    if (payment?.provider !== 'stripe') return false
    const agreed = toStripeAmount(payment.amount, payment.currency)
    if (amount === agreed && currency === payment.currency) return true
    const details = { payment_id: payment.id, amount, currency, agreed, agreed_currency: payment.currency }
    this.#report(
      'other_amount',
      details,
      'Stripe reports an amount or currency other than agreed: the payment was not updated',
    )
    return false
  }

  #report(trouble: Trouble, details: object, message: string): void {
    this.#deps.metrics.inc({ trouble })
    this.#deps.log.error({ trouble, ...details }, message)
  }
}
