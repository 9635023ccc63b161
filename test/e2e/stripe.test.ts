/** Payments through Stripe, from the first click to settlement and refunds, with a local Stripe server. */
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, ADMIN_KEY, Board, expectStatus, ORIGIN } from '../support/board.ts'
import { begin, entitlementsOf, UNKNOWN_PAYMENT } from '../support/payments.ts'
import { callback, STRIPE_ENVIRONMENT, type Trouble, useStripeBoard, WEBHOOK_SECRET } from '../support/stripe.ts'
import { runTask, taskOf } from '../support/tasks.ts'

const world = useStripeBoard()
const { board } = world

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const pageOf = ({ checkout_url }: { checkout_url: string }) => checkout_url.slice(ORIGIN.length)
const click = (path: string) =>
  board.call('POST', path, { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } })
const statusOf = async (id: string) => (await board.get(`/v1/employers/payments/${id}`, ADMIN_KEY)).body.data.status
const confirm = (employer: Account, id: string) => board.post(`/v1/employers/payments/${id}/confirm`, employer.key)
const activate = (employer: Account, jobId: string) => board.post(`/v1/jobs/${jobId}/activate`, employer.key)
/** Returns the counts of payment problems in the metrics. */
async function troubles(): Promise<Record<string, number>> {
  const { text } = await board.get('/metrics', ADMIN_KEY)
  return Object.fromEntries(
    [...text.matchAll(/^stripe_troubles_total\{trouble="(\w+)"\} (\d+)$/gm)].map(([, name, count]) => [
      name,
      Number(count),
    ]),
  )
}
const events = (path: string) => world.stripe.asked.filter((asked) => asked === path).length

/** Creates a payment whose payer was redirected to Stripe. */
async function sent(products?: string[], jobId?: string, employer?: Account) {
  const owner = employer ?? (await board.employer())
  const payment = await begin(board, owner, products, jobId)
  expectStatus(await click(pageOf(payment)), 303)
  return { employer: owner, payment, session: world.stripe.sessionOf(payment.id) }
}

/** Creates a payment whose first session Stripe does not recognize, and whose payer has started a second one. */
async function replaced() {
  const { employer, payment, session: first } = await sent()
  world.stripe.sessions.delete(first.id)
  board.clock.advance(MINUTE)
  expectStatus(await click(pageOf(payment)), 303)
  return { employer, payment, first, second: world.stripe.sessionOf(payment.id) }
}

/** Creates a paid payment whose callback was sent. */
async function paid(products?: string[], jobId?: string, employer?: Account) {
  const all = await sent(products, jobId, employer)
  expectStatus(await callback(board, world.stripe.pay(all.session)), 200)
  return all
}

describe('a payment', () => {
  test('redirects the payer to a session with the products, their prices and a return URL', async () => {
    const employer = await board.employer()
    const payment = await begin(board, employer, ['job-post', 'featured'])
    expect(payment).toMatchObject({ provider: 'stripe', status: 'pending', amount: 29_800 })
    const before = events('POST /v1/checkout/sessions')
    const page = expectStatus(await board.get(pageOf(payment)), 200)
    expect(page.text).toContain('<form method="post"><button type="submit">Continue to payment</button></form>')
    expect(page.text).not.toContain('No money is charged')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:;")
    // Viewing the page does not start a session.
    expect(events('POST /v1/checkout/sessions')).toBe(before)

    const answer = expectStatus(await click(pageOf(payment)), 303)
    const session = world.stripe.sessionOf(payment.id)
    expect(answer.headers.get('location')).toBe(session.url)
    expect(Object.fromEntries(world.stripe.forms.at(-1)!)).toEqual({
      mode: 'payment',
      client_reference_id: payment.id,
      'metadata[payment_id]': payment.id,
      'metadata[job_id]': payment.job_id,
      'payment_intent_data[metadata][payment_id]': payment.id,
      'payment_intent_data[metadata][job_id]': payment.job_id,
      'adaptive_pricing[enabled]': 'false',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '19900',
      'line_items[0][price_data][product_data][name]': 'Job post',
      'line_items[0][price_data][product_data][description]': 'Battery engineer',
      'line_items[1][quantity]': '1',
      'line_items[1][price_data][currency]': 'usd',
      'line_items[1][price_data][unit_amount]': '9900',
      'line_items[1][price_data][product_data][name]': 'Featured in lists',
      'line_items[1][price_data][product_data][description]': 'Battery engineer',
      success_url: `${payment.checkout_url}/return`,
      cancel_url: payment.checkout_url,
      expires_at: String((board.clock.time + 23 * HOUR) / 1000),
    })
  })

  test('is settled once by the callback, and lets the employer activate the job', async () => {
    const { employer, payment, session } = await sent()
    expect((await activate(employer, payment.job_id)).status).toBe(402)
    const event = world.stripe.pay(session)
    for (let times = 0; times < 3; times++) {
      expect(expectStatus(await callback(board, event), 200).body).toEqual({ received: true })
    }
    await Promise.all(Array.from({ length: 5 }, () => callback(board, event)))
    expect(await entitlementsOf(board, payment.job_id)).toEqual([
      { payment_id: payment.id, product: 'job-post', duration_days: 30, consumed_at: board.clock.now() },
    ])
    const page = await board.get(pageOf(payment))
    expect(page.text).toContain('Paid. Thank you.')
    expect(expectStatus(await activate(employer, payment.job_id), 200).body.data.is_active).toBe(true)
  })

  test("is settled on the payer's return if the callback has not arrived yet", async () => {
    const { payment, session } = await sent()
    world.stripe.pay(session)
    const answer = expectStatus(await board.get(`${pageOf(payment)}/return`), 303)
    expect(answer.headers.get('location')).toBe(pageOf(payment))
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('can be continued in the same session after the payer cancels', async () => {
    const { payment, session } = await sent()
    expectStatus(await board.get(`${pageOf(payment)}/return`), 303)
    expect((await board.get(pageOf(payment))).text).toContain('Continue to payment')
    const before = events('POST /v1/checkout/sessions')
    expect((await click(pageOf(payment))).headers.get('location')).toBe(session.url)
    expect(events('POST /v1/checkout/sessions')).toBe(before)
  })

  test('expires when a later checkout for the same products starts', async () => {
    const first = await sent()
    const second = await sent(['job-post'], first.payment.job_id, first.employer)
    expect(await statusOf(first.payment.id)).toBe('expired')
    expect(world.stripe.sessions.get(first.session.id).status).toBe('expired')
    expectStatus(await callback(board, world.stripe.pay(second.session)), 200)
    expect(await entitlementsOf(board, first.payment.job_id)).toHaveLength(1)
  })

  test('has one session, even for ten simultaneous clicks', async () => {
    const payment = await begin(board, await board.employer())
    const answers = await Promise.all(Array.from({ length: 10 }, () => click(pageOf(payment))))
    const { url } = world.stripe.sessionOf(payment.id)
    expect(answers.map(({ headers }) => headers.get('location'))).toEqual(Array(10).fill(url))
    expect([...world.stripe.sessions.values()].filter((one) => one.client_reference_id === payment.id)).toHaveLength(1)
  })

  test.each([
    ['JPY', 2_900, '2900'],
    ['KWD', 2_900, '2900'],
    ['HUF', 290_000, '290000'],
    ['ISK', 2_900, '290000'],
    ['UGX', 2_900, '290000'],
    ['MGA', 290_000, '2900'],
    ['EUR', 0, '0'],
  ])("charges %s %i in Stripe's units", async (currency, amount, expected) => {
    expectStatus(await board.put('/v1/admin/products/highlighted', ADMIN_KEY, { currency, amount }), 200)
    const { payment } = await paid(['highlighted'])
    expect(world.stripe.forms.at(-1)!.get('line_items[0][price_data][unit_amount]')).toBe(expected)
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('shows VAT as a separate line, and gets an invoice number', async () => {
    const setVat = async (vat_rate: number | null) =>
      expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, { vat_rate }), 200)
    await setVat(20)
    const { payment } = await paid(['job-post'])
    await setVat(null)
    const form = world.stripe.forms.at(-1)!
    expect([0, 1].map((line) => form.get(`line_items[${line}][price_data][unit_amount]`))).toEqual(['19900', '3980'])
    expect(form.get('line_items[1][price_data][product_data][name]')).toBe('VAT (20%)')
    const { data } = (await board.get(`/v1/employers/payments/${payment.id}`, ADMIN_KEY)).body
    expect(data).toMatchObject({ status: 'paid', amount: 23_880, invoice_number: expect.stringMatching(/^INV-/) })
  })

  test('does not start a session if the payment would buy nothing', async () => {
    const { employer, payment } = await paid()
    const body = { job_id: payment.job_id, products: ['featured'] }
    const other = expectStatus(await board.post('/v1/employers/payments', employer.key, body), 201).body.data
    expectStatus(await board.delete(`/v1/jobs/${payment.job_id}`, employer.key), 204)
    const before = world.stripe.asked.length
    expect((await click(pageOf(other))).headers.get('location')).toBe(pageOf(other))
    expect((await board.get(pageOf(other))).text).toContain('was deleted')
    expect(world.stripe.asked.length).toBe(before)
  })

  test('is settled even if its job was deleted before, and the log reports the payment', async () => {
    const { employer, payment, session } = await sent()
    expectStatus(await board.delete(`/v1/jobs/${payment.job_id}`, employer.key), 204)
    expectStatus(await callback(board, world.stripe.pay(session)), 200)
    expect(await statusOf(payment.id)).toBe('paid')
    expect(board.log).toContain('payment received for a deleted job')
  })

  test('starts no session if it was created with PAYMENTS=manual', async () => {
    await board.restart({ PAYMENTS: 'manual' })
    const payment = await begin(board, await board.employer())
    await board.restart(STRIPE_ENVIRONMENT)
    expect((await board.get(pageOf(payment))).text).toContain('confirms payments manually')
    expect((await click(pageOf(payment))).headers.get('location')).toBe(pageOf(payment))
    expect(world.stripe.sessionOf(payment.id)).toBeUndefined()
  })
})

describe('unexpected money', () => {
  test('is reported if the payment was already settled otherwise, and its refund does not close the job', async () => {
    const { employer, payment, session } = await sent()
    const marked = expectStatus(await board.post(`/v1/admin/payments/${payment.id}/mark-paid`, ADMIN_KEY), 200)
    expect(marked.body.data).toMatchObject({ status: 'paid', provider: 'manual' })
    expectStatus(await activate(employer, payment.job_id), 200)
    const before = await troubles()
    expectStatus(await callback(board, world.stripe.pay(session)), 200)
    expect((await troubles()).paid_twice! - before.paid_twice!).toBe(1)
    expect(board.log).toContain('refund this session in Stripe')
    expect(await entitlementsOf(board, payment.job_id)).toHaveLength(1)
    expectStatus(await callback(board, world.stripe.refund(session)), 200)
    expect(await statusOf(payment.id)).toBe('paid')
    expect((await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body.data.is_active).toBe(true)
  })

  test('is not reported as a second payment if the payment is pending, but was not created for Stripe', async () => {
    const { session } = await sent()
    await board.restart({ PAYMENTS: 'manual' })
    const payment = await begin(board, await board.employer())
    await board.restart(STRIPE_ENVIRONMENT)
    const before = await troubles()
    // A payment link in Stripe can have any reference.
    const linked = { ...session, client_reference_id: payment.id, status: 'complete', payment_status: 'paid' }
    expectStatus(await callback(board, world.stripe.event('checkout.session.completed', linked)), 200)
    const after = await troubles()
    expect(after.paid_twice! - before.paid_twice!).toBe(0)
    expect(after.other_provider! - before.other_provider!).toBe(1)
    expect(await statusOf(payment.id)).toBe('pending')
  })

  test('is reported if the payment is unknown', async () => {
    const { session } = await sent()
    const before = await troubles()
    const unknown = { ...session, client_reference_id: UNKNOWN_PAYMENT, status: 'complete', payment_status: 'paid' }
    expectStatus(await callback(board, world.stripe.event('checkout.session.completed', unknown)), 200)
    expect((await troubles()).unknown_payment! - before.unknown_payment!).toBe(1)
    expect(board.log).toContain(UNKNOWN_PAYMENT)
  })

  test('is reported if it arrives for both a forgotten session and its replacement', async () => {
    const { payment, first, second } = await replaced()
    expectStatus(await callback(board, world.stripe.pay(second)), 200)
    const before = await troubles()
    expectStatus(await callback(board, world.stripe.pay(first)), 200)
    expect((await troubles()).paid_twice! - before.paid_twice!).toBe(1)
    expect(await entitlementsOf(board, payment.job_id)).toHaveLength(1)
  })

  test('is reported if it arrives for a replacement before the check that ends it', async () => {
    const { payment, first, second } = await replaced()
    expectStatus(await callback(board, world.stripe.pay(first)), 200)
    const before = await troubles()
    expectStatus(await callback(board, world.stripe.pay(second)), 200)
    // Reading the session again reports nothing new.
    expectStatus(await board.get(`${pageOf(payment)}/return`), 303)
    expect((await troubles()).paid_twice! - before.paid_twice!).toBe(1)
  })

  test('is reported if it arrives for another session after the refund', async () => {
    const { payment, first, second } = await replaced()
    expectStatus(await callback(board, world.stripe.pay(second)), 200)
    expectStatus(await callback(board, world.stripe.refund(second)), 200)
    const before = await troubles()
    expectStatus(await callback(board, world.stripe.pay(first)), 200)
    expect((await troubles()).paid_twice! - before.paid_twice!).toBe(1)
    expect(await statusOf(payment.id)).toBe('refunded')
    expect(await entitlementsOf(board, payment.job_id)).toEqual([])
  })

  test('is not reported if the refund arrives first', async () => {
    const { session } = await sent()
    const [payment, refund] = [world.stripe.pay(session), world.stripe.refund(session)]
    const before = await troubles()
    for (const event of [refund, payment]) expectStatus(await callback(board, event), 200)
    expect(await troubles()).toEqual(before)
  })
})

describe('a session unknown to Stripe, such as one from another Stripe account,', () => {
  test('is forgotten, and the next click starts a new session', async () => {
    const { employer, payment, session } = await sent()
    world.stripe.sessions.delete(session.id)
    board.clock.advance(MINUTE)
    const answer = expectStatus(await click(pageOf(payment)), 303)
    const second = world.stripe.sessionOf(payment.id)
    expect(answer.headers.get('location')).toBe(second.url)
    expectStatus(await callback(board, world.stripe.pay(second)), 200)
    expect((await activate(employer, payment.job_id)).status).toBe(200)
  })

  test('causes no internal errors', async () => {
    const { employer, payment, session } = await sent()
    world.stripe.sessions.delete(session.id)
    const answer = await confirm(employer, payment.id)
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    expectStatus(await board.get(`${pageOf(payment)}/return`), 303)
    expect((await board.get(pageOf(payment))).text).toContain('Continue to payment')
  })

  test('settles the payment if the payer has paid it after all, and its replacement expires', async () => {
    const { payment, first } = await replaced()
    expectStatus(await callback(board, world.stripe.pay(first)), 200)
    expect(await statusOf(payment.id)).toBe('paid')
    await runTask(board, 'stripe-sessions')
    expect(world.stripe.sessionOf(payment.id).status).toBe('expired')
  })

  test('is not replaced while its payment is processing, to prevent a double payment', async () => {
    const { payment, session } = await sent()
    await callback(board, world.stripe.submit(session))
    world.stripe.sessions.delete(session.id)
    expect((await click(pageOf(payment))).headers.get('location')).toBe(pageOf(payment))
    expect((await board.get(pageOf(payment))).text).toContain('Your payment is being processed')
    expect(world.stripe.sessionOf(payment.id)).toBeUndefined()
    expectStatus(await callback(board, world.stripe.arrive(session)), 200)
    expect(await statusOf(payment.id)).toBe('paid')
  })
})

describe('a delayed bank transfer', () => {
  test('stays pending until it arrives, as the page explains', async () => {
    const { employer, payment, session } = await sent()
    expectStatus(await callback(board, world.stripe.submit(session)), 200)
    expect(await statusOf(payment.id)).toBe('pending')
    const page = await board.get(pageOf(payment))
    expect(page.text).toContain('Your payment is being processed')
    expect(page.text).not.toContain('<button')
    expect((await activate(employer, payment.job_id)).status).toBe(402)
    expectStatus(await callback(board, world.stripe.arrive(session)), 200)
    expect(await statusOf(payment.id)).toBe('paid')
    expect((await activate(employer, payment.job_id)).status).toBe(200)
  })

  test('is marked as failed if Stripe reports the failure', async () => {
    const { payment, session } = await sent()
    await callback(board, world.stripe.submit(session))
    expectStatus(await callback(board, world.stripe.bounce(session)), 200)
    expect(await statusOf(payment.id)).toBe('failed')
    expect(await entitlementsOf(board, payment.job_id)).toEqual([])
    expect((await board.get(pageOf(payment))).text).toContain('This payment failed.')
  })

  test('is marked as failed even if the callback is lost', async () => {
    const { payment, session } = await sent()
    world.stripe.submit(session)
    world.stripe.bounce(session)
    expectStatus(await board.get(`${pageOf(payment)}/return`), 303)
    expect(await statusOf(payment.id)).toBe('failed')
  })
})

describe('confirmPayment', () => {
  test('queries Stripe and settles paid sessions, for the owner and for admins', async () => {
    for (const by of ['owner', 'operator']) {
      const { employer, payment, session } = await sent()
      world.stripe.pay(session)
      const key = by === 'owner' ? employer.key : ADMIN_KEY
      const answer = expectStatus(await board.post(`/v1/employers/payments/${payment.id}/confirm`, key), 200)
      expect(answer.body.data).toMatchObject({ status: 'paid', checkout_url: null })
    }
  })

  test('refuses payments that are unpaid, not started or expired', async () => {
    const { employer, payment, session } = await sent()
    const open = await confirm(employer, payment.id)
    expect([open.status, open.body.code]).toEqual([409, 'conflict'])
    const { id } = await begin(board, employer)
    expect((await confirm(employer, id)).body.code).toBe('conflict')
    world.stripe.expire(session)
    const ended = await confirm(employer, payment.id)
    expect([ended.status, ended.body.code]).toEqual([409, 'invalid_transition'])
    expect(await statusOf(payment.id)).toBe('expired')
  })

  test('does not query Stripe for other accounts', async () => {
    const { payment } = await sent()
    const before = world.stripe.asked.length
    expect((await confirm(await board.employer(), payment.id)).status).toBe(404)
    expect(world.stripe.asked.length).toBe(before)
  })

  test('replays its response for the same idempotency key', async () => {
    const { employer, payment, session } = await sent()
    world.stripe.pay(session)
    const path = `/v1/employers/payments/${payment.id}/confirm`
    const options = { key: employer.key, headers: { 'idempotency-key': 'k1' } }
    const first = expectStatus(await board.call('POST', path, options), 200)
    const second = expectStatus(await board.call('POST', path, options), 200)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(second.body).toEqual(first.body)
  })
})

describe('the callback', () => {
  test.each<[string, (event: object) => ReturnType<typeof callback>]>([
    ['another secret', (event) => callback(board, event, { secret: 'whsec_of_somebody_else' })],
    ['an outdated time', (event) => callback(board, event, { at: new Date(board.clock.time - 301_000) })],
    ['no signature', (event) => board.call('POST', '/payments/stripe/events', { body: event })],
    [
      'a signature for other bytes',
      async (event) => {
        const payload = JSON.stringify(event)
        const stripe = (await import('stripe')).default
        const timestamp = Math.floor(board.clock.time / 1000)
        const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, timestamp })
        const headers = { 'stripe-signature': signature }
        return board.call('POST', '/payments/stripe/events', { body: `${payload} `, headers })
      },
    ],
    ['invalid JSON', () => callback(board, 'paid!')],
    ['an empty body', () => callback(board, '')],
    ['a list instead of an event', () => callback(board, [])],
  ])('changes nothing with %s', async (_what, deliver) => {
    const { payment, session } = await sent()
    const answer = await deliver(world.stripe.pay(session))
    expect([answer.status, answer.body.code]).toEqual([400, 'bad_request'])
    expect(await statusOf(payment.id)).toBe('pending')
  })

  test('accepts a signature up to five minutes old', async () => {
    const { payment, session } = await sent()
    const at = new Date(board.clock.time - 300_000)
    expectStatus(await callback(board, world.stripe.pay(session), { at }), 200)
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('refuses GET', async () => {
    const answer = await board.get('/payments/stripe/events')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('is acknowledged but settles no payment if its event is unrelated, unexpected or about an unknown session', async () => {
    const { payment, session } = await sent()
    const others = [
      ['customer.created', { id: 'cus_1', object: 'customer' }],
      ['charge.dispute.created', { id: 'dp_1', object: 'dispute', charge: 'ch_1' }],
      [
        'checkout.session.completed',
        {
          id: 'cs_1',
          object: 'checkout.session',
          status: 'complete',
          payment_status: 'paid',
          client_reference_id: null,
        },
      ],
      [
        'checkout.session.completed',
        {
          id: 'cs_1',
          object: 'checkout.session',
          status: 'complete',
          payment_status: 'paid',
          client_reference_id: 'order\u0000 7',
        },
      ],
      [
        'checkout.session.completed',
        { id: 'cs_1', object: 'checkout.session', status: 'new', client_reference_id: payment.id },
      ],
      ['charge.refunded', { id: 'ch_1', object: 'charge', refunded: true, amount: 1, currency: 'usd', metadata: {} }],
      // Nobody was redirected to this session.
      ['checkout.session.expired', { ...session, id: 'cs_2', status: 'expired' }],
    ] as const
    for (const [type, object] of others) {
      expectStatus(await callback(board, world.stripe.event(type, object)), 200)
    }
    expect(await statusOf(payment.id)).toBe('pending')
    expect(board.log).toContain('a payment is disputed')
  })

  test.each([
    ['another amount', { amount_total: 1 }],
    ['another currency', { currency: 'eur' }],
  ])('settles nothing and alerts the operator if it reports %s', async (_what, change) => {
    const { payment, session } = await sent()
    Object.assign(session, change)
    board.log = ''
    expectStatus(await callback(board, world.stripe.pay(session)), 200)
    expect(await statusOf(payment.id)).toBe('pending')
    expect(board.log).toContain('an amount or currency other than agreed')
    expectStatus(await callback(board, world.stripe.refund(session)), 200)
    expect(await statusOf(payment.id)).toBe('pending')
  })

  test('does not exist without PAYMENTS=stripe', async () => {
    await board.restart({ PAYMENTS: 'test' })
    const answer = await callback(board, world.stripe.event('checkout.session.completed', {}))
    expect(answer.status).toBe(404)
    await board.restart(STRIPE_ENVIRONMENT)
  })
})

describe('a refund', () => {
  test('takes the job off the board and ends its upgrades, and a new payment buys the full 30 days', async () => {
    const { employer, payment, session } = await paid(['job-post', 'urgent'])
    expect(expectStatus(await activate(employer, payment.job_id), 200).body.data).toMatchObject({ is_urgent: true })
    board.clock.advance(10 * DAY_MS)
    expectStatus(await callback(board, world.stripe.refund(session)), 200)
    expect(await statusOf(payment.id)).toBe('refunded')
    const { data } = (await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body
    expect(data).toMatchObject({ is_active: false, is_urgent: false, expires_at: null })
    expect((await board.get('/v1/jobs', employer.key)).text).not.toContain(payment.job_id)
    expect((await activate(employer, payment.job_id)).status).toBe(402)
    const told = (await board.events('job.updated')).filter((event) => JSON.stringify(event).includes(payment.job_id))
    expect(told.at(-1)!.data).toMatchObject({ changed_fields: ['is_active', 'expires_at'] })

    await paid(['job-post'], payment.job_id, employer)
    const again = expectStatus(await activate(employer, payment.job_id), 200).body.data
    expect(again.expires_at).toBe(new Date(board.clock.time + 30 * DAY_MS).toISOString())
  })

  test('removes unused entitlements', async () => {
    const { employer, payment, session } = await paid(['job-post', 'featured'])
    expectStatus(await callback(board, world.stripe.refund(session)), 200)
    expect(await entitlementsOf(board, payment.job_id)).toEqual([])
    expect((await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body.data.is_featured).toBe(false)
    expect((await activate(employer, payment.job_id)).status).toBe(402)
    expect((await board.get(pageOf(payment))).text).toContain('This payment was refunded.')
  })

  test('removes a refunded upgrade, unless another payment covers it', async () => {
    const { employer, payment } = await paid()
    expectStatus(await activate(employer, payment.job_id), 200)
    const first = await sent(['urgent'], payment.job_id, employer)
    const second = await sent(['urgent'], payment.job_id, employer)
    for (const { session } of [first, second]) expectStatus(await callback(board, world.stripe.pay(session)), 200)
    const isUrgent = async () => (await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body.data.is_urgent
    expectStatus(await callback(board, world.stripe.refund(first.session)), 200)
    expect(await isUrgent()).toBe(true)
    expectStatus(await callback(board, world.stripe.refund(second.session)), 200)
    expect(await isUrgent()).toBe(false)
    expect((await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body.data.is_active).toBe(true)
  })

  test('removes the days that the refunded job post added', async () => {
    const { employer, payment } = await paid()
    const expiry = async () => (await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body.data.expires_at
    const before = await expiry()
    board.clock.advance(MINUTE)
    const second = await paid(['job-post'], payment.job_id, employer)
    expect(Date.parse(await expiry()) - Date.parse(before)).toBe(30 * DAY_MS)
    expectStatus(await callback(board, world.stripe.refund(second.session)), 200)
    expect(await expiry()).toBe(before)
  })

  test('prevents the reopening of a closed job', async () => {
    const { employer, payment, session } = await paid()
    expectStatus(await activate(employer, payment.job_id), 200)
    expectStatus(await board.post(`/v1/jobs/${payment.job_id}/close`, employer.key), 200)
    expectStatus(await callback(board, world.stripe.refund(session)), 200)
    expect((await board.post(`/v1/jobs/${payment.job_id}/reopen`, employer.key)).status).toBe(409)
    expect((await activate(employer, payment.job_id)).status).toBe(402)
  })

  test('changes nothing until the full amount is refunded', async () => {
    const { employer, payment, session } = await paid()
    expectStatus(await activate(employer, payment.job_id), 200)
    expectStatus(await callback(board, world.stripe.refund(session, 5_000)), 200)
    expect(await statusOf(payment.id)).toBe('paid')
    expect((await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body.data.is_active).toBe(true)
    expectStatus(await callback(board, world.stripe.refund(session)), 200)
    expect(await statusOf(payment.id)).toBe('refunded')
  })

  test('does not affect a job that was renewed after the refunded payment', async () => {
    const first = await paid()
    const { employer, payment } = first
    expectStatus(await activate(employer, payment.job_id), 200)
    board.clock.advance(31 * DAY_MS)
    await paid(['job-post'], payment.job_id, employer)
    expectStatus(await activate(employer, payment.job_id), 200)
    expectStatus(await callback(board, world.stripe.refund(first.session)), 200)
    expect((await board.get(`/v1/jobs/${payment.job_id}`, employer.key)).body.data.is_active).toBe(true)
  })
})

describe('the tasks for missed callbacks', () => {
  const miss = () => runTask(board, 'stripe-sessions')
  const read = () => runTask(board, 'stripe-events')

  test('query pending sessions that are five minutes old', async () => {
    const { payment, session } = await sent()
    world.stripe.pay(session)
    await miss()
    expect(await statusOf(payment.id)).toBe('pending')
    board.clock.advance(5 * MINUTE)
    await miss()
    expect(await statusOf(payment.id)).toBe('paid')
    board.clock.advance(DAY_MS)
    const before = world.stripe.asked.length
    await miss()
    expect(world.stripe.asked.slice(before)).not.toContain(`GET /v1/checkout/sessions/${session.id}`)
  })

  test('query a session less and less often, until it ends', async () => {
    const { payment, session } = await sent()
    const path = `GET /v1/checkout/sessions/${session.id}`
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      board.clock.advance(5 * MINUTE)
      if (minute === 23 * 60) world.stripe.expire(session)
      await miss()
    }
    expect(await statusOf(payment.id)).toBe('pending')
    expect(events(path)).toBeLessThan(12)
    board.clock.advance(DAY_MS)
    await miss()
    expect(await statusOf(payment.id)).toBe('expired')
  })

  test('read the event list, including refunds', async () => {
    await read()
    const one = await sent()
    const other = await paid()
    expectStatus(await activate(other.employer, other.payment.job_id), 200)
    world.stripe.pay(one.session)
    world.stripe.refund(other.session)
    board.clock.advance(5 * MINUTE)
    await read()
    expect([await statusOf(one.payment.id), await statusOf(other.payment.id)]).toEqual(['paid', 'refunded'])
    expect((await board.get(`/v1/jobs/${other.payment.job_id}`, other.employer.key)).body.data.is_active).toBe(false)
    const entitlements = await entitlementsOf(board, one.payment.job_id)
    await read()
    expect(await entitlementsOf(board, one.payment.job_id)).toEqual(entitlements)
  })

  test('read the event list page by page and day by day after a week of downtime', async () => {
    await read()
    const { payment, session } = await sent()
    world.stripe.pay(session)
    for (let n = 0; n < 250; n++) {
      world.stripe.event('checkout.session.expired', { id: `cs_${n}`, object: 'checkout.session', status: 'expired' })
    }
    board.clock.advance(7 * DAY_MS)
    const late = await sent()
    world.stripe.pay(late.session)
    const before = events('GET /v1/events')
    await read()
    expect([await statusOf(payment.id), await statusOf(late.payment.id)]).toEqual(['paid', 'paid'])
    expect(events('GET /v1/events') - before).toBe(7 + 2)
  })

  test('read the event list in one process at a time', async () => {
    await read()
    board.clock.advance(5 * MINUTE)
    const before = events('GET /v1/events')
    const other = new Board()
    Object.assign(other, { database: board.database, stripe: board.stripe })
    other.clock.time = board.clock.time
    await other.start(STRIPE_ENVIRONMENT)
    const { arrived, end } = world.stripe.pause()
    const first = taskOf(board, 'stripe-events').once()
    await arrived
    await taskOf(other, 'stripe-events').once()
    end()
    await first
    expect(events('GET /v1/events') - before).toBe(1)
    await other.service.app.close()
  })

  test('read the event list again after a Stripe outage', async () => {
    await read()
    const { payment, session } = await sent()
    world.stripe.pay(session)
    board.clock.advance(5 * MINUTE)
    world.stripe.trouble = 'fail'
    await expect(read()).rejects.toThrow()
    world.stripe.trouble = 'none'
    board.clock.advance(11 * MINUTE)
    await read()
    expect(await statusOf(payment.id)).toBe('paid')
  })

  test('query an unknown session only once, and still query other sessions', async () => {
    const [lost, kept] = [await sent(), await sent()]
    world.stripe.sessions.delete(lost.session.id)
    world.stripe.pay(kept.session)
    board.clock.advance(10 * MINUTE)
    await miss()
    expect([await statusOf(lost.payment.id), await statusOf(kept.payment.id)]).toEqual(['pending', 'paid'])
    expect(board.log).toContain('the session does not exist at Stripe')
    board.clock.advance(DAY_MS)
    await miss()
    expect(events(`GET /v1/checkout/sessions/${lost.session.id}`)).toBe(1)
  })

  test('repeat a failed query within five minutes, and query the other sessions on schedule', async () => {
    const all = [await sent(), await sent(), await sent()]
    for (const { session } of all) world.stripe.pay(session)
    board.clock.advance(12 * HOUR)
    world.stripe.trouble = 'busy'
    await expect(miss()).rejects.toThrow()
    world.stripe.trouble = 'none'
    await miss()
    const states = () => Promise.all(all.map(({ payment }) => statusOf(payment.id)))
    expect((await states()).toSorted()).toEqual(['paid', 'paid', 'pending'])
    board.clock.advance(5 * MINUTE)
    await miss()
    expect(await states()).toEqual(['paid', 'paid', 'paid'])
  })

  test('process a failed event again once the cause of its internal error is fixed, even days later', async () => {
    await read()
    const one = await sent()
    const [other, riddle] = [await sent(), await sent()]
    world.stripe.pay(one.session)
    world.stripe.pay(riddle.session)
    // Simulates an event from a later Stripe API version.
    world.stripe.events[0].data.object.currency = { code: 'usd' }
    const change = (products: string[]) =>
      board.database.inTx((tx) =>
        tx.updateTable('payment').set({ products }).where('id', '=', one.payment.id).execute(),
      )
    await change(['gone'])
    const before = await troubles()
    for (let round = 0; round < 3; round++) {
      board.clock.advance(DAY_MS)
      if (round === 2) world.stripe.pay(other.session)
      board.clock.advance(HOUR)
      await read()
    }
    expect(await statusOf(other.payment.id)).toBe('paid')
    expect(await statusOf(one.payment.id)).toBe('pending')
    expect((await troubles()).event_failed! - before.event_failed!).toBe(6)
    expect(board.log).toContain('could not apply a Stripe event')

    await change(['job-post'])
    world.stripe.events.find(({ data }) => data.object.id === riddle.session.id).data.object.currency = 'usd'
    board.clock.advance(5 * MINUTE)
    await read()
    expect([await statusOf(one.payment.id), await statusOf(riddle.payment.id)]).toEqual(['paid', 'paid'])
    board.clock.advance(HOUR)
    await read()
    const asked = events('GET /v1/events')
    await read()
    expect(events('GET /v1/events') - asked).toBe(1)
  })

  test('query sessions and read events on schedule after a wrong clock is corrected', async () => {
    await read()
    await runTask(board, 'clock-steps')
    board.clock.advance(5 * HOUR)
    const { payment, session } = await sent()
    await runTask(board, 'clock-steps')
    await miss()
    await read()
    const other = await sent()
    board.clock.advance(-5 * HOUR)
    await runTask(board, 'clock-steps')
    world.stripe.pay(session)
    world.stripe.pay(other.session)
    board.clock.advance(5 * MINUTE)
    await miss()
    expect([await statusOf(payment.id), await statusOf(other.payment.id)]).toEqual(['paid', 'paid'])
    world.stripe.refund(session)
    await read()
    expect(await statusOf(payment.id)).toBe('refunded')
    board.clock.advance(5 * HOUR)
  })

  test.each<[string, (all: Awaited<ReturnType<typeof sent>>) => Promise<unknown>]>([
    ['already marked as paid', ({ payment }) => board.post(`/v1/admin/payments/${payment.id}/mark-paid`, ADMIN_KEY)],
    ['for a deleted job', ({ payment, employer }) => board.delete(`/v1/jobs/${payment.job_id}`, employer.key)],
    ['paid for by another payment', ({ payment, employer }) => paid(['job-post'], payment.job_id, employer)],
  ])('expire a session that is %s, because its payment would buy nothing', async (what, spoil) => {
    const all = await sent()
    await spoil(all)
    board.clock.advance(10 * MINUTE)
    await miss()
    expect(all.session.status).toBe('expired')
    expect(await statusOf(all.payment.id)).toBe(what === 'already marked as paid' ? 'paid' : 'expired')
  })

  test('expire the session in the next run after an admin marks the payment as paid', async () => {
    const { payment, session } = await sent()
    expectStatus(await board.post(`/v1/admin/payments/${payment.id}/mark-paid`, ADMIN_KEY), 200)
    await miss()
    expect(session.status).toBe('expired')
    const asked = world.stripe.asked.length
    board.clock.advance(DAY_MS)
    await miss()
    expect(world.stripe.asked.slice(asked).filter((path) => path.includes(session.id))).toEqual([])
  })

  test('expire the session even if an admin marks the payment as paid before Stripe responds', async () => {
    const payment = await begin(board, await board.employer())
    const { arrived, end } = world.stripe.pause()
    const clicked = click(pageOf(payment))
    await arrived
    expectStatus(await board.post(`/v1/admin/payments/${payment.id}/mark-paid`, ADMIN_KEY), 200)
    end()
    expect((await clicked).headers.get('location')).toBe(pageOf(payment))
    await miss()
    expect(world.stripe.sessionOf(payment.id).status).toBe('expired')
  })

  test('delete event records that are older than 31 days', async () => {
    const count = () =>
      board.database.read(async (db) => (await db.selectFrom('stripe_event').select('id').execute()).length)
    await callback(board, world.stripe.event('customer.created', {}))
    board.clock.advance(31 * DAY_MS + 1)
    await runTask(board, 'stripe-event-purge')
    expect(await count()).toBe(0)
  })
})

describe('when Stripe fails', () => {
  test.each<[Trouble]>([['fail'], ['refuse'], ['unauthorized'], ['malformed'], ['lose'], ['busy']])(
    '(%s), the page and the API report the failure, no partial state remains, and the next click continues',
    async (trouble) => {
      const { stripe } = world
      const employer = await board.employer()
      const payment = await begin(board, employer)
      stripe.trouble = trouble
      const page = await click(pageOf(payment))
      expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
      expect(page.text).toContain('You were not charged')
      expect(page.text).toContain('Continue to payment')
      stripe.trouble = 'none'
      board.clock.advance(1_000)
      const url = (await click(pageOf(payment))).headers.get('location')
      const sessions = [...stripe.sessions.values()].filter((one) => one.client_reference_id === payment.id)
      expect(sessions).toHaveLength(1)
      expect(url).toBe(sessions[0].url)

      stripe.trouble = trouble
      const answer = await confirm(employer, payment.id)
      expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
      expect(answer.headers.get('retry-after')).toBe('10')
      expect(answer.body.detail).toBe('The request to Stripe failed. Try again in a moment.')
      // Payers who return from Stripe are still redirected to the checkout page.
      expectStatus(await board.get(`${pageOf(payment)}/return`), 303)
      expect(await statusOf(payment.id)).toBe('pending')
      stripe.trouble = 'none'
      stripe.pay(sessions[0])
      expect((await confirm(employer, payment.id)).status).toBe(200)
    },
  )

  test('a request times out if Stripe never responds, and the next click continues', async () => {
    const { stripe } = world
    const employer = await board.employer()
    const payment = await begin(board, employer)
    const patient = board.stripe
    board.stripe = await stripe.api({ timeoutMs: 50 })
    await board.restart(STRIPE_ENVIRONMENT)
    stripe.trouble = 'hang'
    expectStatus(await click(pageOf(payment)), 503)
    board.stripe = patient
    await board.restart(STRIPE_ENVIRONMENT)
    stripe.trouble = 'none'
    const answer = expectStatus(await click(pageOf(payment)), 303)
    expect(answer.headers.get('location')).toBe(stripe.sessionOf(payment.id).url)
  })

  test('a refused click does not affect a successful click', async () => {
    const { stripe } = world
    const payment = await begin(board, await board.employer())
    const { arrived, end } = stripe.pause()
    const first = click(pageOf(payment))
    await arrived
    stripe.trouble = 'busy'
    expectStatus(await click(pageOf(payment)), 503)
    stripe.trouble = 'none'
    end()
    const { url } = stripe.sessionOf(payment.id)
    expect(expectStatus(await first, 303).headers.get('location')).toBe(url)
    expect((await click(pageOf(payment))).headers.get('location')).toBe(url)
  })

  test('an attempt without a response is restarted once its session has expired', async () => {
    const { stripe } = world
    const payment = await begin(board, await board.employer())
    stripe.trouble = 'lose'
    expectStatus(await click(pageOf(payment)), 503)
    const lost = stripe.sessionOf(payment.id)
    stripe.trouble = 'none'
    board.clock.advance(23 * HOUR)
    expectStatus(await callback(board, stripe.expire(lost)), 200)
    expect(await statusOf(payment.id)).toBe('pending')
    const answer = expectStatus(await click(pageOf(payment)), 303)
    expect(answer.headers.get('location')).toBe(stripe.sessionOf(payment.id).url)
    expect(stripe.sessionOf(payment.id).id).not.toBe(lost.id)
  })
})
