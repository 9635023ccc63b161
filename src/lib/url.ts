import { isIP } from 'node:net'

/** Maximum length of the path and query of a request, in characters. */
export const URL_LENGTH_MAX = 8_192

/** Returns whether a text is an absolute http or https URL without credentials. */
export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.hostname !== '' && url.username === '' && url.password === ''
}

/**
 * Returns the domain of an origin's passkeys, or undefined if browsers offer no passkeys there. Passkeys require HTTPS
 * or localhost, and a domain name instead of an IP address.
 */
export function passkeyDomain(origin: string): string | undefined {
  const { protocol, hostname } = new URL(origin)
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return hostname
  return protocol === 'https:' && !isIpHost(hostname) ? hostname : undefined
}

/** Returns whether the host of a URL is an IP address. */
export const isIpHost = (host: string): boolean => isIP(host) !== 0 || host.startsWith('[')

/** Parses an http or https origin, with or without a final slash. Returns undefined for any other text. */
export function originIn(text: string): string | undefined {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined
}

/** Returns a URL for display, in ASCII, so that no character of the host can imitate another. */
export function shownUrl(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : (URL.parse(text)?.href ?? text)
}
