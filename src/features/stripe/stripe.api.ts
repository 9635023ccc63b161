/** A client for Stripe. Wraps Stripe's SDK, and returns only the fields that this service uses. */
import type Stripe from 'stripe'
import { AppError } from '../../lib/errors.ts'
import { idPattern } from '../../lib/ids.ts'
import { minorDigits } from '../../lib/money.ts'

interface StripeOptions {
  secretKey: string
  webhookSecret: string
  /** URL of the Stripe API. Only tests set it. Default: Stripe's own URL. */
  address?: { protocol: 'http' | 'https'; host: string; port: number }
  timeoutMs?: number
}

export interface CheckoutSession {
  id: string
  /** ID of the payment. Null if another system that shares the Stripe account created the session. */
  paymentId: string | null
  /** `submitted`: the payer has completed the checkout, but the payment is still being processed. */
  state: 'open' | 'submitted' | 'paid' | 'failed' | 'expired'
  /** Amount in Stripe's units. */
  amount: number | null
  /** ISO 4217 code in upper case. */
  currency: string | null
  /** URL of the checkout page while the session is open. */
  url: string | null
}

type Content =
  | { about: 'session'; session: CheckoutSession }
  | { about: 'refund'; paymentId: string | null; amount: number; currency: string }
  | { about: 'dispute' | 'nothing' }

/** An event from Stripe. A `riddle` is an event whose content could not be read. */
export type StripeEvent = { id: string; type: string; createdAt: Date } & (
  | Content
  | { about: 'riddle'; cause: unknown }
)

interface SessionOrder {
  /** Stripe's idempotency key. A repeated request with the same key does not create a second session. */
  key: string
  paymentId: string
  jobId: string
  jobTitle: string
  currency: string
  /** Order lines, with amounts in ISO 4217 minor units. */
  lines: { name: string; amount: number }[]
  successUrl: string
  cancelUrl: string
  expiresAt: Date
}

export type StripeApi = Awaited<ReturnType<typeof openStripe>>

/** Error for a refused or failed Stripe request. Contains no keys or payer data. */
class StripeFailure extends Error {
  readonly status: number | undefined
  readonly code: string | undefined

  constructor(message: string, status: number | undefined, code: string | undefined) {
    super(message)
    this.name = 'StripeFailure'
    this.status = status
    this.code = code
  }
}

const failureBehind = (error: unknown) => {
  const { cause } = Object(error) as Error
  return cause instanceof StripeFailure ? cause : undefined
}

export const isRefusal = (error: unknown) => failureBehind(error)?.status !== undefined

/** Returns whether a retry would also fail: Stripe refused the request, instead of being busy or unavailable. */
export function isLastingRefusal(error: unknown): boolean {
  const status = failureBehind(error)?.status
  return status !== undefined && status !== 429 && status < 500
}

/** Returns whether the error means that the key's account and mode do not contain the resource. */
export const isMissing = (error: unknown) => failureBehind(error)?.code === 'resource_missing'

/** Timeout per attempt, in milliseconds. A person waits for the response, so the client makes at most two attempts. */
const TIMEOUT_MS = 8_000
const PAGE = 100
/** Maximum age of a signature, in seconds. Stripe resends events for three days, each time with a new signature. */
const TOLERANCE_S = 300

const heeded = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.dispute.created',
] as const

/** Returns whether this is a test key. Test keys move no money. */
export const isTestKey = (secretKey: string) => /^.k_test_/.test(secretKey)

export async function openStripe(options: StripeOptions) {
  const { default: Sdk } = await import('stripe')
  const stripe = new Sdk(options.secretKey, {
    ...options.address,
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  })
  return {
    /** Checks that the key has the read permissions that later calls need. */
    async tryKey(): Promise<void> {
      await ask(() => stripe.checkout.sessions.list({ limit: 1 }))
      await ask(() => stripe.events.list({ limit: 1 }))
    },
    createSession: ({ key, ...order }: SessionOrder) =>
      ask(async () => readSession(await stripe.checkout.sessions.create(orderOf(order), { idempotencyKey: key }))),
    retrieveSession: (id: string) =>
      ask(async () => readSession(await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] }))),
    /** Expires an open session. Nobody can then pay through it. */
    expireSession: (id: string) => ask(async () => readSession(await stripe.checkout.sessions.expire(id))),
    /** Yields the relevant events in a period, page by page. */
    async *listEvents(from: Date, to: Date) {
      const created = { gte: seconds(from), lt: seconds(to) }
      for (let after: string | undefined; ; ) {
        const cursor = after === undefined ? {} : { starting_after: after }
        const page = await ask(async () => {
          const list = await stripe.events.list({ types: [...heeded], created, limit: PAGE, ...cursor })
          return { events: list.data.map(readEvent), isLast: !list.has_more }
        })
        yield page.events
        after = page.events.at(-1)?.id
        if (page.isLast || after === undefined) return
      }
    },
    /**
     * Returns the event in a callback's body. Returns undefined for an invalid or old signature, or an unreadable body.
     */
    readCallback(body: Buffer, signature: string, now: Date) {
      const { webhookSecret } = options
      try {
        const { webhooks } = stripe
        return readEvent(webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_S, undefined, now.getTime()))
      } catch {
        return undefined
      }
    },
  }
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000)

/** Sends a request. Throws `unavailable` with the cause if the request fails. */
async function ask<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question()
  } catch (error) {
    throw new AppError('unavailable', {
      detail: 'The request to Stripe failed. Try again in a moment.',
      headers: { 'retry-after': '10' },
      cause: describeFailure(error as Error),
    })
  }
}

/** Returns a failure without headers and bodies. Replaces the message of a 401 error, because it quotes the key. */
function describeFailure(error: Error & Partial<Stripe.errors.StripeError>): StripeFailure {
  const { type, statusCode, code, param, requestId } = error
  const message = statusCode === 401 ? 'the key is not valid' : error.message
  const facts = [type ?? error.name, statusCode, code, param, requestId].filter((fact) => fact !== undefined)
  return new StripeFailure(`${facts.join(' ')}: ${message}`, statusCode, code)
}

/** Number of decimal digits in Stripe's units, for currencies in which Stripe deviates from ISO 4217. */
const digitsOfStripe: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 }

/** Converts an amount to Stripe's units. Stripe rejects amounts that are not a whole number of units. */
export function toStripeAmount(amount: number, currency: string): number {
  const ours = minorDigits(currency)
  return (amount * 10 ** (digitsOfStripe[currency] ?? ours)) / 10 ** ours
}

function orderOf(order: Omit<SessionOrder, 'key'>): Stripe.Checkout.SessionCreateParams {
  // Stripe copies this metadata to the charge. The metadata links refunds to their payment.
  const metadata = { payment_id: order.paymentId, job_id: order.jobId }
  return {
    mode: 'payment',
    client_reference_id: order.paymentId,
    metadata,
    payment_intent_data: { metadata },
    // Prevents Stripe from converting the currency.
    adaptive_pricing: { enabled: false },
    line_items: order.lines.map(({ name, amount }) => ({
      quantity: 1,
      price_data: {
        currency: order.currency.toLowerCase(),
        unit_amount: toStripeAmount(amount, order.currency),
        product_data: { name, description: order.jobTitle },
      },
    })),
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    expires_at: seconds(order.expiresAt),
  }
}

const PAYMENT_ID = new RegExp(idPattern('payment'))

/** Returns the text if it has the format of our payment IDs, otherwise null. Other systems may use the same field. */
const paymentIdIn = (text: string | null | undefined) => (PAYMENT_ID.test(text ?? '') ? text! : null)

function readSession(session: Stripe.Checkout.Session): CheckoutSession {
  const state = stateOf(session)
  if (typeof session.id !== 'string' || !state) throw new Error('The response is not a checkout session')
  return {
    id: session.id,
    paymentId: paymentIdIn(session.client_reference_id),
    state,
    amount: session.amount_total,
    currency: session.currency?.toUpperCase() ?? null,
    url: session.url,
  }
}

function stateOf(session: Stripe.Checkout.Session): CheckoutSession['state'] | undefined {
  const { status, payment_status, payment_intent } = session
  if (status === 'open') return 'open'
  if (status === 'expired') return 'expired'
  if (status !== 'complete') return undefined
  if (payment_status === 'paid' || payment_status === 'no_payment_required') return 'paid'
  // Retrieved sessions contain the expanded payment intent. Sessions in events do not, so `readContent` derives
  // failures from the event type.
  const intent = payment_intent && typeof payment_intent === 'object' ? payment_intent.status : undefined
  return intent === 'requires_payment_method' || intent === 'canceled' ? 'failed' : 'submitted'
}

/** Reads one event. Does not throw if its content is unreadable, because other events must still be read. */
function readEvent(event: Stripe.Event): StripeEvent {
  const { id, type, created } = event
  if (typeof id !== 'string') throw new Error('The response is not an event')
  const head = { id, type, createdAt: new Date(created * 1_000) }
  try {
    return { ...head, ...readContent(event) }
  } catch (cause) {
    return { ...head, about: 'riddle', cause }
  }
}

/** Reads the content of an event. Ignores unknown types, because other systems may share the account. */
function readContent(event: Stripe.Event): Content {
  const nothing = { about: 'nothing' } as const
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired': {
      if (!stateOf(event.data.object)) return nothing
      const session = readSession(event.data.object)
      if (event.type === 'checkout.session.async_payment_failed') session.state = 'failed'
      return { about: 'session', session }
    }
    case 'charge.refunded': {
      const { refunded, metadata, amount, currency } = event.data.object
      // Ignores partial refunds, which Stripe also reports.
      if (!refunded) return nothing
      const paymentId = paymentIdIn(metadata?.payment_id)
      return { about: 'refund', paymentId, amount, currency: currency.toUpperCase() }
    }
    case 'charge.dispute.created':
      return { about: 'dispute' }
    default:
      return nothing
  }
}
