/** From which address a request came, also through proxies that are trusted. */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Which proxies are believed: so many before this process, or those in these ranges. Undefined: none. */
export type TrustedProxies = { hops: number } | { ranges: readonly string[] } | undefined

type Address = ipaddr.IPv4 | ipaddr.IPv6

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

/**
 * A function from a request to the network it came from. `X-Forwarded-For` is read from its end, where the proxies next
 * to us write; it is believed as far as trusted ones wrote it, and nothing that is no address gets out of here.
 */
export function clientNetworkFinder(trusted: TrustedProxies): (request: IncomingMessage) => string {
  const ranges = trusted && 'ranges' in trusted ? trusted.ranges.map((range) => ipaddr.parseCIDR(range)) : []
  const isTrusted = (address: Address, hop: number) =>
    trusted !== undefined &&
    ('hops' in trusted
      ? hop < trusted.hops
      : ranges.some((range) => range[0].kind() === address.kind() && address.match(range as [ipaddr.IPv4, number])))
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? ''
    let address = parseAddress(peer)
    // The other end has gone meanwhile.
    if (address === undefined) return 'unknown'
    const header = headers['x-forwarded-for']
    if (trusted === undefined || header === undefined) return networkOf(address)
    const steps = String(header).split(',')
    for (let hop = 0; isTrusted(address, hop); hop++) {
      const next: Address | undefined = parseAddress(steps.pop()?.trim() ?? '')
      if (next === undefined) break
      address = next
    }
    return networkOf(address)
  }
}
