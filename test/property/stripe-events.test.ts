/** Stripe's events lead to the same result in any order and with any repetitions. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectStatus, ORIGIN } from '../support/board.ts'
import { begin } from '../support/payments.ts'
import { callback, useStripeBoard } from '../support/stripe.ts'

const world = useStripeBoard()
const { board } = world

/** A session's possible outcomes, each as ordered events. */
const fates = {
  paid: ['pay'],
  'paid and refunded': ['pay', 'refund'],
  'refunded in two parts': ['pay', 'refundPart', 'refund'],
  'refunded in part': ['pay', 'refundPart'],
  arrived: ['submit', 'arrive'],
  'arrived and refunded': ['submit', 'arrive', 'refund'],
  bounced: ['submit', 'bounce'],
  expired: ['expire'],
} as const

const expected = {
  paid: 'paid',
  'paid and refunded': 'refunded',
  'refunded in two parts': 'refunded',
  'refunded in part': 'paid',
  arrived: 'paid',
  'arrived and refunded': 'refunded',
  bounced: 'failed',
  expired: 'expired',
}

async function endState(paymentId: string, jobId: string) {
  return board.database.read(async (db) => {
    const payment = await db
      .selectFrom('payment')
      .select(['status', 'paid_at'])
      .where('id', '=', paymentId)
      .executeTakeFirstOrThrow()
    const entitlements = await db
      .selectFrom('entitlement')
      .select(['product', 'consumed_at'])
      .where('job_id', '=', jobId)
      .orderBy('product')
      .execute()
    const checkout = await db
      .selectFrom('stripe_checkout')
      .select(['submitted_at', 'check_at'])
      .where('payment_id', '=', paymentId)
      .executeTakeFirstOrThrow()
    const job = await db
      .selectFrom('job')
      .select(['state', 'is_featured', 'is_urgent', 'is_highlighted'])
      .where('id', '=', jobId)
      .executeTakeFirstOrThrow()
    return { payment, entitlements, checkout, job }
  })
}

test("any order and repetition of a session's events leads to the same result", async () => {
  const employer = await board.employer()
  /** The results by outcome, after each event is delivered once and in order. */
  const ends = new Map<string, unknown>()
  const deliver = async (fate: keyof typeof fates, orderOf: (events: object[]) => object[]) => {
    const payment = await begin(board, employer, ['job-post', 'urgent'])
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expectStatus(await board.call('POST', payment.checkout_url.slice(ORIGIN.length), { body: '', headers }), 303)
    const session = world.stripe.sessionOf(payment.id)
    const events = fates[fate].map((step) =>
      step === 'refundPart' ? world.stripe.refund(session, 100) : world.stripe[step](session),
    )
    for (const event of orderOf(events)) expectStatus(await callback(board, event), 200)
    const end = await endState(payment.id, payment.job_id)
    expect(end.payment.status).toBe(expected[fate])
    return end
  }
  for (const fate of Object.keys(fates) as (keyof typeof fates)[]) ends.set(fate, await deliver(fate, (all) => all))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(fates) as (keyof typeof fates)[])),
      fc.infiniteStream(fc.nat()),
      fc.nat(4),
      async (fate, numbers, repetitions) => {
        const end = await deliver(fate, (events) => {
          const again = Array.from({ length: repetitions }, () => events[numbers.next().value! % events.length]!)
          return [...events, ...again]
            .map((event) => ({ event, at: numbers.next().value! }))
            .sort((a, b) => a.at - b.at)
            .map(({ event }) => event)
        })
        expect(end).toEqual(ends.get(fate))
      },
    ),
    { numRuns: 60 },
  )
})
