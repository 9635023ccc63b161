import type { Event } from './api.ts'
import { JobMarketplaceError } from './errors.ts'

/** Headers as `fetch` and as Node's HTTP server represent them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Default: the current time. */
  now?: Date
  /** Largest difference between the signature's time and `now`, in either direction. Default: 300 seconds. */
  toleranceSeconds?: number
}

const SIGNATURE = 'x-service-signature'

/**
 * Returns the event of a webhook delivery. Throws `invalid_signature` unless one of the secrets signed exactly this
 * body within the tolerance. Pass the body as it arrived, before parsing it.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { now = new Date(), toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<Event> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers)
  const header = entries.find(([name]) => name.toLowerCase() === SIGNATURE)?.[1]
  const members = typeof header === 'string' ? header.split(',').map(splitMember) : []
  const times = members.filter(([scheme]) => scheme === 't').map(([, value]) => value)
  const given = members.filter(([scheme]) => scheme === 'v1').map(([, value]) => value)
  const [time = ''] = times
  const age = Math.floor(now.getTime() / 1_000) - Number(time)
  if (times.length !== 1 || !/^\d{1,12}$/.test(time) || !(Math.abs(age) <= toleranceSeconds)) throw invalid()
  const encoder = new TextEncoder()
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body)
  const prefix = encoder.encode(`${time}.`)
  const signed = new Uint8Array(prefix.length + bytes.length)
  signed.set(prefix)
  signed.set(bytes, prefix.length)
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    // Ignores empty secrets, because anyone could sign with them.
    if (secret === '') continue
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify'])
    for (const signature of given) {
      const mac = bytesOf(signature)
      // Compares in constant time.
      if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed))) {
        return JSON.parse(new TextDecoder().decode(bytes)) as Event
      }
    }
  }
  throw invalid()
}

function invalid(): JobMarketplaceError {
  return new JobMarketplaceError(
    'The webhook signature is invalid, or its time differs too much from the current time.',
    { code: 'invalid_signature' },
  )
}

function splitMember(member: string): [scheme: string, value: string] {
  const equals = member.indexOf('=')
  return equals < 0 ? [member, ''] : [member.slice(0, equals), member.slice(equals + 1)]
}

/** Returns the bytes of a signature, or undefined if it does not consist of 64 lowercase hexadecimal digits. */
function bytesOf(hex: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))
}
