/** Tokens that only this service can create. A token consists of a text and its MAC, in URL-safe characters. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const MAC_BYTES = 16

function mac(secret: Uint8Array, payload: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(payload).digest().subarray(0, MAC_BYTES)
}

/** Returns a token that contains the text. */
export function signToken(secret: Uint8Array, text: string): string {
  const payload = Buffer.from(text)
  return Buffer.concat([mac(secret, payload), payload]).toString('base64url')
}

/** Returns the text in a token, or undefined if this service did not create the token. */
export function readToken(secret: Uint8Array, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Accepts only the canonical encoding, because Buffer skips invalid characters.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) return undefined
  const payload = bytes.subarray(MAC_BYTES)
  return timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(secret, payload)) ? payload.toString() : undefined
}
