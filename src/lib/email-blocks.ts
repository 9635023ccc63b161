/** The forms in which email addresses and their domains are blocked and compared. */
import { domainToASCII } from 'node:url'

/** An email address in the form in which accounts compare it. */
export const addressKey = (email: string): string => email.normalize('NFC').toLowerCase()

const isLabel = (text: string) =>
  text.length <= 63 && /^[a-z0-9-]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-')

/** A domain in lower case and ASCII, or undefined for what is none. `@` before it and a dot after it are ignored. */
export function domainKey(domain: string): string | undefined {
  const key = domainToASCII(domain.trim().replace(/^@/, '').replace(/\.$/, ''))
  const labels = key.split('.')
  const isDomain = labels.length > 1 && key.length <= 253 && labels.every(isLabel)
  // An IP address is none.
  return isDomain && /[a-z]/.test(labels.at(-1)!) ? key : undefined
}

/** What blocks an email address: its own key, and its domain with every domain above. */
export function blockedValuesOf(email: string): { address: string; domains: string[] } {
  const address = addressKey(email)
  const written = address.slice(address.lastIndexOf('@') + 1)
  const labels = (domainToASCII(written) || written).split('.')
  return { address, domains: labels.map((_, index) => labels.slice(index).join('.')) }
}
