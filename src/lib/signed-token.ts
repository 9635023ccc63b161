/** Tokens that only we can make: a text with a code over it, in characters that any address may hold. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const MAC_BYTES = 16

function mac(secret: Uint8Array, payload: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(payload).digest().subarray(0, MAC_BYTES)
}

/** The token of a text. */
export function signToken(secret: Uint8Array, text: string): string {
  const payload = Buffer.from(text)
  return Buffer.concat([mac(secret, payload), payload]).toString('base64url')
}

/** The text behind a token, or undefined when we did not make it. */
export function readToken(secret: Uint8Array, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Buffer reads past what is no base64url: only the one form that we write is ours.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) return undefined
  const payload = bytes.subarray(MAC_BYTES)
  return timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(secret, payload)) ? payload.toString() : undefined
}
