/**
 * A local server that implements the part of Stripe's API that this service uses: checkout sessions, the event list and
 * idempotency keys. Stripe's own SDK signs the callbacks.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openStripe, type StripeApi } from '../../src/features/stripe/index.ts'
import { Board } from './board.ts'

export const SECRET_KEY = 'sk_test_0123456789abcdefTESTS'
export const WEBHOOK_SECRET = 'whsec_0123456789abcdefghijTESTS'
export const STRIPE_ENVIRONMENT = {
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
}

// biome-ignore lint/suspicious/noExplicitAny: tests read only a few fields of Stripe's objects
type Thing = any

/** How the server fails. `lose` performs the request but loses the response. */
export type Trouble = 'none' | 'fail' | 'refuse' | 'unauthorized' | 'hang' | 'malformed' | 'lose' | 'busy'

export class TestStripe {
  trouble: Trouble = 'none'
  /** The method and path of every request, such as `POST /v1/checkout/sessions`. */
  readonly asked: string[] = []
  /** The form fields of every request that creates a session. */
  readonly forms: URLSearchParams[] = []
  readonly sessions = new Map<string, Thing>()
  readonly events: Thing[] = []
  #pause: { arrived: () => void; over: Promise<void> } | undefined
  readonly #answers = new Map<string, { form: string; status: number; body: string }>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #clock: { now(): Date }
  #count = 0

  private constructor(clock: { now(): Date }) {
    this.#clock = clock
  }

  static async start(clock: { now(): Date }): Promise<TestStripe> {
    const stripe = new TestStripe(clock)
    stripe.#server.listen(0, '127.0.0.1')
    await once(stripe.#server, 'listening')
    return stripe
  }

  /** Returns the service's Stripe client, connected to this server. */
  api(options: { timeoutMs?: number } = {}): Promise<StripeApi> {
    const { port } = this.#server.address() as AddressInfo
    const address = { protocol: 'http', host: '127.0.0.1', port } as const
    return openStripe({ secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, address, ...options })
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Returns a payment's latest session. */
  sessionOf(paymentId: string): Thing {
    return [...this.sessions.values()].findLast((session) => session.client_reference_id === paymentId)
  }

  /** Pays by card. The money arrives immediately. */
  pay(session: Thing): Thing {
    Object.assign(session, { status: 'complete', payment_status: 'paid', url: null })
    session.payment_intent.status = 'succeeded'
    return this.event('checkout.session.completed', session)
  }

  /** Starts a bank transfer. */
  submit(session: Thing): Thing {
    Object.assign(session, { status: 'complete', payment_status: 'unpaid', url: null })
    session.payment_intent.status = 'processing'
    return this.event('checkout.session.completed', session)
  }

  /** Completes the bank transfer. */
  arrive(session: Thing): Thing {
    session.payment_status = 'paid'
    session.payment_intent.status = 'succeeded'
    return this.event('checkout.session.async_payment_succeeded', session)
  }

  /** Fails the bank transfer. */
  bounce(session: Thing): Thing {
    session.payment_intent.status = 'requires_payment_method'
    return this.event('checkout.session.async_payment_failed', session)
  }

  expire(session: Thing): Thing {
    Object.assign(session, { status: 'expired', url: null })
    return this.event('checkout.session.expired', session)
  }

  /** Refunds an amount, by default the full amount. */
  refund(session: Thing, amount = session.amount_total): Thing {
    return this.event('charge.refunded', {
      id: `ch_${session.payment_intent.id.slice(3)}`,
      object: 'charge',
      amount: session.amount_total,
      amount_refunded: amount,
      currency: session.currency,
      refunded: amount === session.amount_total,
      payment_intent: session.payment_intent.id,
      metadata: session.payment_intent.metadata,
    })
  }

  /** Records an event at the current time without sending it. */
  event(type: string, object: Thing): Thing {
    const event = {
      id: `evt_${++this.#count}${randomUUID().replaceAll('-', '')}`,
      object: 'event',
      api_version: '2026-10-28.endive',
      created: Math.floor(this.#clock.now().getTime() / 1000),
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
      data: { object: structuredClone(shown(object)) },
    }
    this.events.unshift(event)
    return event
  }

  /** Performs the next request but delays its response. */
  pause(): { arrived: Promise<void>; end: () => void } {
    const [arrived, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.#pause = { arrived: arrived.resolve, over: over.promise }
    return { arrived: arrived.promise, end: over.resolve }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url!, 'http://stripe.test')
    const form = Buffer.concat(chunks).toString()
    this.asked.push(`${request.method} ${url.pathname}`)
    const send = (status: number, body: unknown) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test' }).end(text)
    }
    if (this.trouble === 'hang') return
    if (this.trouble === 'busy') return send(429, failure('invalid_request_error', 'Too many requests'))
    if (this.trouble === 'malformed') return send(200, '<html>')
    const key = request.headers['idempotency-key'] as string | undefined
    const before = key === undefined ? undefined : this.#answers.get(key)
    if (before && before.form !== form) {
      return send(400, failure('idempotency_error', 'Keys can only be used with the same parameters.'))
    }
    const { status, body } = before ?? this.#do(request, url, new URLSearchParams(form))
    // Stripe stores responses, including its own failures, except responses to requests that it refuses to start.
    if (key !== undefined && ![400, 401].includes(status)) this.#answers.set(key, { form, status, body })
    if (this.trouble === 'lose') return void response.destroy()
    const pause = this.#pause
    this.#pause = undefined
    pause?.arrived()
    await pause?.over
    send(status, body)
  }

  #do(request: IncomingMessage, url: URL, form: URLSearchParams): { status: number; body: string } {
    const answer = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) })
    if (this.trouble === 'fail') return answer(500, failure('api_error', 'Something went wrong on our side.'))
    if (this.trouble === 'refuse') return answer(402, failure('card_error', 'It was refused.'))
    if (this.trouble === 'unauthorized' || request.headers.authorization !== `Bearer ${SECRET_KEY}`) {
      return answer(401, failure('invalid_request_error', `Invalid API Key provided: ${SECRET_KEY}`))
    }
    const [, , resource, kind, id, action] = url.pathname.split('/')
    if (resource === 'events') return answer(200, this.#listEvents(url.searchParams))
    if (resource !== 'checkout' || kind !== 'sessions')
      return answer(404, failure('invalid_request_error', 'No such path'))
    if (id === undefined && request.method === 'GET') {
      return answer(200, { object: 'list', url: url.pathname, has_more: false, data: [] })
    }
    if (id === undefined) return this.#create(form, answer)
    const session = this.sessions.get(id)
    if (!session) {
      return answer(404, failure('invalid_request_error', `No such checkout.session: ${id}`, 'resource_missing'))
    }
    if (action === 'expire') {
      if (session.status !== 'open') return answer(400, failure('invalid_request_error', 'Only open sessions expire.'))
      this.expire(session)
    }
    return answer(200, shown(session, url.searchParams.get('expand[0]') === 'payment_intent'))
  }

  #create(form: URLSearchParams, answer: (status: number, body: unknown) => { status: number; body: string }) {
    this.forms.push(form)
    const metadata = (prefix: string) => ({
      payment_id: form.get(`${prefix}[payment_id]`),
      job_id: form.get(`${prefix}[job_id]`),
    })
    let total = 0
    for (let n = 0; form.has(`line_items[${n}][quantity]`); n++) {
      const amount = Number(form.get(`line_items[${n}][price_data][unit_amount]`))
      if (!Number.isInteger(amount)) return answer(400, failure('invalid_request_error', `Invalid integer: ${amount}`))
      total += amount * Number(form.get(`line_items[${n}][quantity]`))
    }
    const expiresAt = Number(form.get('expires_at'))
    const ahead = expiresAt - this.#clock.now().getTime() / 1000
    if (ahead < 1_800 || ahead > 86_400)
      return answer(400, failure('invalid_request_error', 'expires_at is not possible'))
    const id = `cs_test_${++this.#count}${randomUUID().replaceAll('-', '')}`
    this.sessions.set(id, {
      id,
      object: 'checkout.session',
      mode: form.get('mode'),
      status: 'open',
      payment_status: 'unpaid',
      client_reference_id: form.get('client_reference_id'),
      amount_total: total,
      currency: form.get('line_items[0][price_data][currency]'),
      url: `https://checkout.stripe.test/c/pay/${id}`,
      success_url: form.get('success_url'),
      cancel_url: form.get('cancel_url'),
      expires_at: expiresAt,
      metadata: metadata('metadata'),
      payment_intent: {
        id: `pi_${id.slice(8)}`,
        status: 'requires_payment_method',
        metadata: metadata('payment_intent_data[metadata]'),
      },
    })
    return answer(200, shown(this.sessions.get(id)))
  }

  #listEvents(query: URLSearchParams) {
    const types = [...query].filter(([name]) => name.startsWith('types[')).map(([, type]) => type)
    const after = query.get('starting_after')
    const limit = Number(query.get('limit') ?? 10)
    const found = this.events
      .slice(after === null ? 0 : this.events.findIndex(({ id }) => id === after) + 1)
      .filter(({ type }) => types.includes(type))
      .filter(
        ({ created }) => created >= Number(query.get('created[gte]')) && created < Number(query.get('created[lt]')),
      )
    return { object: 'list', url: '/v1/events', has_more: found.length > limit, data: found.slice(0, limit) }
  }
}

/**
 * Returns a session as Stripe does: unless expanded, the payment intent is an ID, or null before the session is
 * complete. Returns other objects unchanged.
 */
function shown(object: Thing, isExpanded = false): Thing {
  if (object?.object !== 'checkout.session' || isExpanded) return object
  const hasIntent = object.status === 'complete'
  return { ...object, payment_intent: hasIntent ? (object.payment_intent?.id ?? null) : null }
}

function failure(type: string, message: string, code = type === 'card_error' ? 'card_declined' : undefined) {
  return { error: { type, message, code } }
}

/** Sends Stripe's webhook for an event, signed with the current or another time. */
export function callback(board: Board, event: unknown, { at = board.clock.now(), secret = WEBHOOK_SECRET } = {}) {
  const payload = typeof event === 'string' ? event : JSON.stringify(event, null, 2)
  const timestamp = Math.floor(at.getTime() / 1000)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
  return board.call('POST', '/payments/stripe/events', { body: payload, headers: { 'stripe-signature': signature } })
}

/** Starts a board that accepts payments through the test Stripe server. */
export function useStripeBoard(): { board: Board; readonly stripe: TestStripe } {
  const board = new Board()
  let stripe: TestStripe
  beforeAll(async () => {
    stripe = await TestStripe.start(board.clock)
    board.stripe = await stripe.api({ timeoutMs: 30_000 })
    await board.start(STRIPE_ENVIRONMENT)
  })
  afterEach(() => {
    stripe.trouble = 'none'
  })
  afterAll(async () => {
    await board.stop()
    stripe.stop()
  })
  return {
    board,
    get stripe() {
      return stripe
    },
  }
}
