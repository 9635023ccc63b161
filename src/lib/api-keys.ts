/**
 * API keys in the format `jm_<kind>_<32 random characters><checksum>`. The service finds keys by their hashes, and
 * stores the plain text only of publishable keys.
 */
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6

export const accountKinds = ['candidate', 'employer', 'admin', 'integrator'] as const
export type AccountKind = (typeof accountKinds)[number]

/** The kinds of API keys: the kinds of their accounts and, for keys that anyone may see, `publishable`. */
export const keyKinds = [...accountKinds, 'publishable'] as const
export type KeyKind = (typeof keyKinds)[number]

export const keyKindPrefixes: Record<KeyKind, string> = {
  candidate: 'cand',
  employer: 'emp',
  admin: 'adm',
  integrator: 'int',
  publishable: 'pub',
}

const KEY = new RegExp(`^jm_(?:cand|emp|adm|int|pub)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

function checksum(text: string): string {
  let rest = crc32(text)
  let encoded = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    encoded = ALPHABET[rest % 62] + encoded
    rest = Math.floor(rest / 62)
  }
  return encoded
}

/** Returns a new key with 190 bits of randomness. */
export function newApiKey(kind: KeyKind): string {
  let body = `jm_${keyKindPrefixes[kind]}_`
  for (let i = 0; i < RANDOM_LENGTH; i++) body += ALPHABET[randomInt(62)]
  return body + checksum(body)
}

/** Returns whether a text has the format and checksum of a key. Mistyped keys are refused without a lookup. */
export function isWellFormedApiKey(text: string): boolean {
  if (!KEY.test(text)) return false
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/**
 * Returns the hash of a key as stored in the database. Plain SHA-256 is sufficient, because keys are random, unlike
 * passwords.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key)
}
