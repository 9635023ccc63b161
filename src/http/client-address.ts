/** From which address a request came, also through proxies that are trusted. */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Which proxies are believed: so many before this process, or those in these ranges. Undefined: none. */
export type TrustedProxies = { hops: number } | { ranges: readonly string[] } | undefined

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An address as proxies write it, also with a port; undefined for what is none. */
function parseAddress(text: string): Address | undefined {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  // Of IPv4 only the usual form: others (octal, fewer parts) are read differently by others.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined
  return ipaddr.process(bare)
}

/** The network that counts as one: an address of IPv4, a /64 of IPv6, of which a household has at least one. */
function networkOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** Ranges of addresses that a proxy of one's own has, and no client on the internet. */
const privateRanges: ReadonlySet<string> = new Set([
  ...['loopback', 'private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal'],
])

/** How much of a client's address the log holds. */
export const addressForms = ['none', 'truncated', 'full'] as const
export type AddressForm = (typeof addressForms)[number]

/** Writes an address for the log; truncated to /24 of IPv4 and /48 of IPv6, which many clients share. */
export function formatAddress(address: Address, form: Exclude<AddressForm, 'none'>): string {
  if (form === 'full') return address.toString()
  const bytesKept = address.kind() === 'ipv4' ? 3 : 6
  return `${ipaddr.fromByteArray(address.toByteArray().fill(0, bytesKept))}/${bytesKept * 8}`
}

/** What tells where a request came from. */
export type RequestOrigin = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }

/**
 * Returns a function from a request to the address of its client; undefined once the client has gone. `X-Forwarded-For`
 * is read from its end, where the proxies next
 * to us write; it is believed as far as trusted ones wrote it, and nothing that is no address gets out of here.
 * `noteUnnamedProxy` is called with a private address that forwards requests without being trusted.
 */
export function clientAddressFinder(
  trusted: TrustedProxies,
  noteUnnamedProxy: (address: string) => void = () => {},
): (request: RequestOrigin) => Address | undefined {
  const ranges = trusted && 'ranges' in trusted ? trusted.ranges.map((range) => ipaddr.parseCIDR(range)) : []
  const isTrusted = (address: Address, hop: number) =>
    trusted !== undefined &&
    ('hops' in trusted
      ? hop < trusted.hops
      : ranges.some((range) => range[0].kind() === address.kind() && address.match(range as [ipaddr.IPv4, number])))
  return ({ socket, headers }) => {
    let address = parseAddress(socket.remoteAddress ?? '')
    // The other end has gone meanwhile.
    if (address === undefined) return undefined
    const header = headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip']
    if (header === undefined) return address
    const steps = String(headers['x-forwarded-for'] ?? '').split(',')
    for (let hop = 0; isTrusted(address, hop); hop++) {
      const next: Address | undefined = parseAddress(steps.pop()?.trim() ?? '')
      if (next === undefined) break
      address = next
    }
    if (steps.length > 0 && privateRanges.has(address.range())) noteUnnamedProxy(address.toString())
    return address
  }
}

/** Returns a function from a request to the network it came from; `noteUnnamedProxy` as above. */
export function clientNetworkFinder(
  trusted: TrustedProxies,
  noteUnnamedProxy?: (address: string) => void,
): (request: RequestOrigin) => string {
  const findAddress = clientAddressFinder(trusted, noteUnnamedProxy)
  return (request) => {
    const address = findAddress(request)
    return address ? networkOf(address) : 'unknown'
  }
}
