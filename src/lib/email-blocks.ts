/** Canonical forms of email addresses and domains, for comparing and blocking them. */
import { domainToASCII } from 'node:url'

/** Returns the canonical form of an email address, which identifies an account. */
export const addressKey = (email: string): string => email.normalize('NFC').toLowerCase()

const isLabel = (text: string) =>
  text.length <= 63 && /^[a-z0-9-]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-')

/** Returns a domain in lowercase ASCII, or undefined if it is invalid. Ignores a leading `@` and a trailing dot. */
export function domainKey(domain: string): string | undefined {
  const key = domainToASCII(domain.trim().replace(/^@/, '').replace(/\.$/, ''))
  const labels = key.split('.')
  const isDomain = labels.length > 1 && key.length <= 253 && labels.every(isLabel)
  // If the last label has no letter, the name is an IP address, not a domain.
  return isDomain && /[a-z]/.test(labels.at(-1)!) ? key : undefined
}

/** Returns the values that can block an email address: its canonical form, its domain and all parent domains. */
export function blockedValuesOf(email: string): { address: string; domains: string[] } {
  const address = addressKey(email)
  const written = address.slice(address.lastIndexOf('@') + 1)
  const labels = (domainToASCII(written) || written).split('.')
  return { address, domains: labels.map((_, index) => labels.slice(index).join('.')) }
}
