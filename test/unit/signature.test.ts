import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { describe, expect, test, vi } from 'vitest'
import vectors from '../../docs/webhook-vectors.json' with { type: 'json' }
import { type VerifyOptions, verifyWebhook } from '../../packages/client/src/webhook.ts'
import {
  newWebhookSecret,
  signatureHeader,
  standardHeaders,
  standardKey,
} from '../../src/features/webhooks/webhooks.signature.ts'

const { webhooks } = new Stripe('key')
const dateOf = (seconds: number) => new Date(seconds * 1_000)

/** Returns whether the client accepts a body with this signature. */
const isSigned = (
  body: string | Uint8Array,
  header: string | string[] | undefined,
  secrets: string[],
  options?: VerifyOptions,
): Promise<boolean> =>
  verifyWebhook(body, { 'x-service-signature': header }, secrets, options).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ code: 'invalid_signature' })
      return false
    },
  )

describe('docs/webhook-vectors.json', () => {
  test.each(vectors.signed)('matches our signatures: $name', async (vector) => {
    const { secrets, body, timestamp, event_id } = vector
    const at = dateOf(timestamp)
    expect(signatureHeader(body, secrets, at)).toBe(vector['X-Service-Signature'])
    // Computed independently, following the specification.
    const macs = secrets.map((secret) => createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'))
    expect(vector['X-Service-Signature']).toBe(`t=${timestamp},${macs.map((mac) => `v1=${mac}`).join(',')}`)
    expect(standardHeaders(event_id, body, secrets, at)).toEqual({
      'webhook-id': event_id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': vector['webhook-signature'],
    })
    for (const secret of secrets) {
      for (const raw of [body, Buffer.from(body)]) {
        expect(await isSigned(raw, vector['X-Service-Signature'], [secret], { now: at })).toBe(true)
      }
      expect(
        webhooks.signature!.verifyHeader(body, vector['X-Service-Signature'], secret, 300, undefined, timestamp),
      ).toBe(true)
    }
  })

  test.each(vectors.accepted)('contains valid signatures: $name', async ({ body, now, secrets, ...vector }) => {
    expect(await isSigned(body, vector['X-Service-Signature'], secrets, { now: dateOf(now) })).toBe(true)
  })

  test.each(vectors.refused)('contains invalid signatures: $name', async ({ body, now, secrets, ...vector }) => {
    expect(await isSigned(body, vector['X-Service-Signature'], secrets, { now: dateOf(now) })).toBe(false)
  })
})

describe('a signature', () => {
  const at = new Date('2026-03-02T09:00:00.999Z')

  test('is verified for any body and secret, by us and by other libraries, but not for another body or secret', async () => {
    vi.useFakeTimers({ now: at })
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.string({
          unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
          minLength: 16,
        }),
        async (value, secret) => {
          const body = JSON.stringify({ id: 'evt_1', data: value })
          const header = signatureHeader(body, [secret], at)
          expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
          expect(await isSigned(body, header, [secret])).toBe(true)
          expect(webhooks.constructEvent(body, header, secret).id).toBe('evt_1')
          const headers = standardHeaders('evt_1', body, [secret], at)
          expect(new Webhook(standardKey(secret), { format: 'raw' }).verify(body, headers)).toEqual(JSON.parse(body))
          expect(await isSigned(`${body} `, header, [secret])).toBe(false)
          expect(await isSigned(body, header, [`${secret}x`])).toBe(false)
        },
      ),
    )
    vi.useRealTimers()
  })

  test('is valid for 300 seconds in both directions, or for the given tolerance', async () => {
    const header = signatureHeader('{}', ['secret'], at)
    const isValid = (offset: number, toleranceSeconds?: number) => {
      const now = new Date(at.getTime() + offset * 1_000)
      return isSigned('{}', header, ['secret'], {
        now,
        ...(toleranceSeconds !== undefined && { toleranceSeconds }),
      })
    }
    expect(await Promise.all([-301, -300, 0, 300, 301].map((offset) => isValid(offset)))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
    expect(await Promise.all([-1, 0, 1].map((offset) => isValid(offset, 0)))).toEqual([false, true, false])
    expect(await isSigned('{}', header, ['secret'], { now: new Date(Number.NaN) })).toBe(false)
    expect(await isSigned('{}', header, ['secret'], { now: at, toleranceSeconds: Number.NaN })).toBe(false)
  })

  test('is invalid with an empty secret, or none', async () => {
    const header = signatureHeader('{}', [''], at)
    expect(await isSigned('{}', header, [''], { now: at })).toBe(false)
    expect(await isSigned('{}', header, [], { now: at })).toBe(false)
  })

  test('is refused if the header is missing or repeated', async () => {
    const header = signatureHeader('{}', ['secret'], at)
    expect(await isSigned('{}', undefined, ['secret'], { now: at })).toBe(false)
    expect(await isSigned('{}', [header, header], ['secret'], { now: at })).toBe(false)
  })

  test('is invalid with other secrets, whatever the header contains, and the only error is invalid_signature', async () => {
    const good = signatureHeader('{}', ['secret'], at)
    const piece = fc.oneof(
      fc.constantFrom(
        't',
        'v1',
        'v0',
        '=',
        ',',
        ' ',
        '\0',
        good,
        good.slice(0, 20),
        't=1772442000',
        'v1=',
        'constructor',
      ),
      fc.string({ unit: 'binary' }),
      fc.bigInt().map(String),
      fc.stringMatching(/^[0-9a-f]{64}$/),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        fc.uint8Array(),
        async (header, body) => {
          expect(await isSigned(body, header, ['other secret', 'and\ud800another'], { now: at })).toBe(false)
          expect(typeof (await isSigned('{}', header, ['secret'], { now: at }))).toBe('boolean')
        },
      ),
      { numRuns: 10_000 },
    )
  })

  test('is invalid after any changed character', async () => {
    const good = signatureHeader('{}', ['secret'], at)
    for (let i = 0; i < good.length; i++) {
      const changed = good.slice(0, i) + (good[i] === '0' ? '1' : '0') + good.slice(i + 1)
      expect(await isSigned('{}', changed, ['secret'], { now: at, toleranceSeconds: 1e12 })).toBe(false)
    }
  })
})

describe('a secret', () => {
  test('works unchanged in Standard Webhooks libraries if we generated it', () => {
    const secret = newWebhookSecret()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newWebhookSecret()).not.toBe(secret)
    const now = new Date()
    expect(new Webhook(secret).verify('{"a":1}', standardHeaders('evt_1', '{"a":1}', [secret], now))).toEqual({ a: 1 })
  })

  test('is used as bytes, except for base64 after `whsec_`, which is decoded', () => {
    for (const secret of ['whsec_', 'whsec_not base64', 'whsec_YQ', 'my own secret of 26 letters', 'whsec_-_-_']) {
      expect(Buffer.from(standardKey(secret)).toString()).toBe(secret)
    }
    expect(Buffer.from(standardKey('whsec_YQ==')).toString()).toBe('a')
  })
})
