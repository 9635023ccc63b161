/** Tokens that only this service can create: a text with a MAC, in URL-safe characters. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const MAC_BYTES = 16

function mac(secret: Uint8Array, payload: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(payload).digest().subarray(0, MAC_BYTES)
}

/** Returns the token of a text. */
export function signToken(secret: Uint8Array, text: string): string {
  const payload = Buffer.from(text)
  return Buffer.concat([mac(secret, payload), payload]).toString('base64url')
}

/** Returns the text in a token, or undefined if this service did not create it. */
export function readToken(secret: Uint8Array, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Buffer skips characters outside base64url, so only the exact canonical form is accepted.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) return undefined
  const payload = bytes.subarray(MAC_BYTES)
  return timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(secret, payload)) ? payload.toString() : undefined
}
