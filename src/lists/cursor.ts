/**
 * Keyset cursors: opaque, URL-safe, versioned and tamper-evident. The service does not store them. The MAC also covers
 * the list, sort and filters, so the service rejects a cursor from another query.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The start of a page: after (or before) the row with these sort keys. If `key` is null, the page starts at the start
 * (or end) of the list.
 */
export interface Cursor {
  direction: 'next' | 'prev'
  /** Sort keys in sort order, ending with the ID. */
  key: readonly (string | number)[] | null
}

const VERSION = 1
const MAC_BYTES = 16

/** The cursors of one query. The fields are private, so a logged query does not reveal the secret. */
export class QueryCursors {
  readonly #secret: Uint8Array
  readonly #binding: string

  constructor(secret: Uint8Array, binding: string) {
    this.#secret = secret
    this.#binding = binding
  }

  encode({ direction, key }: Cursor): string {
    const payload = Buffer.from(JSON.stringify([direction === 'next' ? 0 : 1, key]))
    return Buffer.concat([Uint8Array.of(VERSION), this.#mac(payload), payload]).toString('base64url')
  }

  /** Decodes a cursor. Returns undefined if this service did not create it, or created it for another query. */
  decode(text: string): Cursor | undefined {
    const bytes = Buffer.from(text, 'base64url')
    // Accepts only the canonical encoding, because Buffer skips invalid characters.
    if (bytes.length <= 1 + MAC_BYTES || bytes[0] !== VERSION || bytes.toString('base64url') !== text) return undefined
    const payload = bytes.subarray(1 + MAC_BYTES)
    if (!timingSafeEqual(bytes.subarray(1, 1 + MAC_BYTES), this.#mac(payload))) return undefined
    const [direction, key] = JSON.parse(payload.toString()) as [0 | 1, Cursor['key']]
    return { direction: direction === 0 ? 'next' : 'prev', key }
  }

  #mac(payload: Uint8Array): Buffer {
    const hmac = createHmac('sha256', this.#secret)
    hmac.update(`${VERSION}\n${Buffer.byteLength(this.#binding)}\n${this.#binding}\n`)
    return hmac.update(payload).digest().subarray(0, MAC_BYTES)
  }
}
