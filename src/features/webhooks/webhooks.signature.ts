/**
 * Signs webhook deliveries. In `X-Service-Signature: t=<seconds>,v1=<hex>`, `v1` is an HMAC-SHA256 of `<t>.<body>`,
 * keyed with the UTF-8 bytes of the whole secret. During a rotation, the header has one `v1` per secret.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Attempt } from './webhooks.client.ts'

const STANDARD_PREFIX = 'whsec_'

/** Returns a new secret in the format that Standard Webhooks libraries accept. */
export function newWebhookSecret(): string {
  return STANDARD_PREFIX + randomBytes(32).toString('base64')
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1_000)

function hexMac(secret: string, time: string, body: string): string {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
}

/** Returns the signature header for a body. The signature with the current secret comes first. */
export function signatureHeader(body: string, secrets: readonly string[], at: Date): string {
  const time = String(secondsOf(at))
  return [`t=${time}`, ...secrets.map((secret) => `v1=${hexMac(secret, time, body)}`)].join(',')
}

/**
 * Returns the Standard Webhooks key of a secret. For a secret in the format `whsec_<base64>`, which this service also
 * generates, the key is the decoded base64. For any other secret, the key is the UTF-8 bytes of the whole secret.
 */
export function standardKey(secret: string): Uint8Array {
  const written = secret.startsWith(STANDARD_PREFIX) ? secret.slice(STANDARD_PREFIX.length) : ''
  const bytes = Buffer.from(written, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === written ? bytes : Buffer.from(secret)
}

const USER_AGENT = 'JobMarketplace-Webhooks/1'

/** Returns the headers that identify an attempt. Signature headers are separate, because they depend on the time. */
export function describingHeaders(
  attempt: Pick<Attempt, 'eventId' | 'eventType' | 'deliveryId' | 'number' | 'isTest'>,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-event-id': attempt.eventId,
    'x-service-event-type': attempt.eventType,
    'x-service-delivery-id': attempt.deliveryId,
    'x-service-attempt': String(attempt.number),
    ...(attempt.isTest && { 'x-service-test': 'true' }),
  }
}

/** Returns the Standard Webhooks headers (standardwebhooks.com) for a body. */
export function standardHeaders(id: string, body: string, secrets: readonly string[], at: Date) {
  const time = String(secondsOf(at))
  const sign = (secret: string) =>
    createHmac('sha256', standardKey(secret)).update(`${id}.${time}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  }
}

/** Returns all headers of an attempt that is sent at this time. */
export function attemptHeaders(attempt: Attempt, at: Date): Record<string, string> {
  const { body, secrets, eventId } = attempt
  return {
    ...describingHeaders(attempt),
    'x-service-signature': signatureHeader(body, secrets, at),
    ...standardHeaders(eventId, body, secrets, at),
  }
}
