/** Tags of representations (RFC 9110, section 8.8.3). */
import { hash } from 'node:crypto'

/** 22 characters of base64url hold 132 bits. */
const TAG_LENGTH = 22

/** The strong tag of a representation: other bytes, another tag. */
export function entityTag(bytes: string | Uint8Array): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, TAG_LENGTH)}"`
}

/** Whether an If-None-Match lets the request pass: no tag in it is this one, weak or not. Without a header it does. */
export function matchesNone(header: string | undefined, tag: string): boolean {
  if (header === undefined) return true
  return header.trim() !== '*' && !header.split(',').some((other) => other.trim().replace(/^W\//, '') === tag)
}
