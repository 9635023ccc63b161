/** Finds the client address of a request, even behind trusted proxies. */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/**
 * The trusted proxies: a number of hops in front of this process, or all proxies in certain address ranges. Undefined:
 * none.
 */
export type TrustedProxies = { hops: number } | { ranges: readonly string[] } | undefined

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parses an address in a proxy header, with or without a port. Returns undefined if the address is invalid. */
function parseAddress(text: string): Address | undefined {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  // Accepts only the usual notation of IPv4 addresses, because programs interpret other notations differently (octal,
  // fewer parts).
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined
  return ipaddr.process(bare)
}

/**
 * Returns the network that counts as one client: an IPv4 address, or an IPv6 /64, which is the smallest network that
 * providers assign to households.
 */
function networkOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/**
 * Private address ranges, which only the operator's own proxies can use. Clients on the internet never have such
 * addresses.
 */
const privateRanges: ReadonlySet<string> = new Set([
  ...['loopback', 'private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal'],
])

/** Log formats for client addresses. */
export const addressForms = ['none', 'truncated', 'full'] as const
export type AddressForm = (typeof addressForms)[number]

/**
 * Formats an address for the log. Truncation keeps the /24 of an IPv4 address or the /48 of an IPv6 address, which many
 * clients share.
 */
export function formatAddress(address: Address, form: Exclude<AddressForm, 'none'>): string {
  if (form === 'full') return address.toString()
  const bytesKept = address.kind() === 'ipv4' ? 3 : 6
  return `${ipaddr.fromByteArray(address.toByteArray().fill(0, bytesKept))}/${bytesKept * 8}`
}

/** The parts of a request that determine the client's address. */
export type RequestOrigin = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }

/**
 * Returns a function that finds a request's client address. The function returns undefined if the client has
 * disconnected, and never returns an invalid address. It reads `X-Forwarded-For` from the end, where the nearest
 * proxies write, and uses only the entries that trusted proxies added. If an untrusted proxy with a private address
 * forwarded the request, the function calls `noteUnnamedProxy` with that address.
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
    // The client has disconnected.
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

/**
 * Returns a function that finds a request's network. The function returns `unknown` if the client has disconnected, and
 * calls `noteUnnamedProxy` as in `clientAddressFinder`.
 */
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
