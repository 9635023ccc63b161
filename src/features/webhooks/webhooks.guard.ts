/**
 * Restricts webhooks to public addresses, because webhooks could otherwise reach the operator's own network. Checks
 * the URL, the addresses of its host name, and every connection.
 */
import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

export interface Guard {
  /** Returns a description of the fault in a target URL, or undefined if the URL is valid. */
  checkUrl(text: string): string | undefined
  /** Returns the fault in the host's addresses, or undefined. Accepts a host name without addresses. */
  checkHost(url: URL): Promise<string | undefined>
  /** Returns whether an IP address, in any notation, is blocked. Any other text counts as blocked. */
  isBlocked(address: string): boolean
  isPortAllowed(port: number): boolean
  lookup: Lookup
}

/** An inclusive port range. */
export type PortRange = readonly [number, number]

/** The https port and the unprivileged ports. Services such as SMTP, LDAP and SMB use other ports, all below 1024. */
const RECEIVER_PORTS: readonly PortRange[] = [
  [443, 443],
  [1_024, 65_535],
]

export const portOf = ({ port }: URL): number => (port === '' ? 443 : Number(port))

interface GuardOptions {
  /** Non-public address ranges to allow. */
  allowCidrs: readonly string[]
  /** Allowed ports. Default: `RECEIVER_PORTS`. */
  allowPorts?: readonly PortRange[]
  lookup?: Lookup
  /** Returns this machine's addresses, including its public addresses. */
  ownAddresses?: () => readonly string[]
}

type Range = ReturnType<typeof ipaddr.parseCIDR>

const ranges = (texts: readonly string[]): Range[] => texts.map((text) => ipaddr.parseCIDR(text))

/** All of IPv4, and the global unicast range of IPv6, which excludes loopback, link-local and NAT64. */
const ROUTABLE = ranges(['0.0.0.0/0', '2000::/3'])

/** Private, local and reserved ranges within `ROUTABLE`, and ranges that embed other addresses. */
const SPECIAL = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT, Alibaba Cloud metadata
  '127.0.0.0/8',
  '161.26.0.0/16', // IBM Cloud service network, reachable only from IBM Cloud machines
  '166.8.0.0/14', // IBM Cloud private endpoints
  '168.63.129.16/32', // Azure WireServer, which serves certificates and machine settings
  '169.254.0.0/16', // link-local, metadata in most clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // Oracle Cloud Classic metadata
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23', // Teredo, ORCHID, anycast
  '2001:db8::/32',
  '2002::/16', // 6to4
  '2620:4f:8000::/48',
  '3fff::/20',
])

const URL_LENGTH_MAX = 2_048

/** Matches host names of the local machine or network. */
const LOCAL_NAME = /^[^.]*$|(?:^|\.)(?:localhost|local|internal)$/

/** Maximum duration of a lookup during a request, in milliseconds. The client is waiting. */
const CHECK_MS = 3_000

/** Returns the host of a URL without IPv6 brackets or a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, '')
}

const LOOKUP = { timeout: 1_500, tries: 2 }

/**
 * Returns a lookup that queries only DNS: `servers` or, by default, the system's servers. Node's default lookup
 * occupies one of four threads. Unresponsive name servers could therefore block all other lookups in the process.
 */
export function dnsLookup(servers?: readonly string[]): Lookup {
  return async (hostname) => {
    // Creates a resolver for each lookup, so that the lookup uses the current system settings.
    const resolver = new dns.Resolver(LOOKUP)
    if (servers) resolver.setServers(servers)
    const [v4, v6] = await Promise.all([
      resolver.resolve4(hostname).catch(() => []),
      resolver.resolve6(hostname).catch(() => []),
    ])
    return [...v4.map((address) => ({ address, family: 4 })), ...v6.map((address) => ({ address, family: 6 }))]
  }
}

export type Texts = (name: string) => Promise<readonly string[]>

/** Returns a function that finds the TXT records of a name, and rejects if the lookup fails. */
export function dnsTexts(servers?: readonly string[]): Texts {
  return async (name) => {
    const resolver = new dns.Resolver(LOOKUP)
    if (servers) resolver.setServers(servers)
    try {
      return (await resolver.resolveTxt(name)).map((chunks) => chunks.join(''))
    } catch (error) {
      if (['ENODATA', 'ENOTFOUND'].includes(String((error as NodeJS.ErrnoException).code))) return []
      throw error
    }
  }
}

function addressesOfMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
}

export function createGuard(options: GuardOptions): Guard {
  const { allowCidrs, allowPorts = RECEIVER_PORTS, lookup = dnsLookup(), ownAddresses = addressesOfMachine } = options
  const allowed = ranges(allowCidrs)

  function isBlocked(address: string): boolean {
    if (isIP(address) === 0) return true
    // Converts an IPv4 address in IPv6 notation to IPv4.
    const ip = ipaddr.process(address)
    const isIn = (list: readonly Range[]) => list.some((range) => range[0].kind() === ip.kind() && ip.match(range))
    // Blocks this machine's own addresses, because traffic from a machine to itself bypasses the firewall.
    const isOwn = () => ownAddresses().some((own) => ipaddr.process(own).toString() === ip.toString())
    return !isIn(allowed) && (!isIn(ROUTABLE) || isIn(SPECIAL) || isOwn())
  }

  const isPortAllowed = (port: number) => allowPorts.some(([from, to]) => from <= port && port <= to)
  const portsInWords = allowPorts.map(([from, to]) => (from === to ? from : `${from} to ${to}`)).join(', ')

  return {
    isBlocked,
    isPortAllowed,
    lookup,

    checkUrl(text) {
      if (text.length > URL_LENGTH_MAX) return `url must have at most ${URL_LENGTH_MAX} characters.`
      // Rejects these characters, because `URL` would silently remove or replace them.
      const url = /[\s\p{Cc}\\]/u.test(text) ? null : URL.parse(text)
      if (url === null || url.protocol !== 'https:') return 'url must be an https URL.'
      if (!/^https:\/\//i.test(text)) return 'url must be an https URL.'
      if (url.username !== '' || url.password !== '') return 'url must not contain credentials.'
      if (!isPortAllowed(portOf(url))) return `url must not use port ${portOf(url)}. Allowed ports: ${portsInWords}.`
      if (text.includes('#')) return 'url must not contain a fragment.'
      const host = hostOf(url)
      if (isIP(host) !== 0) return isBlocked(host) ? 'url must not use a private or reserved address.' : undefined
      if (LOCAL_NAME.test(host)) return 'url must have a public host name.'
      if (host.split('.').includes('')) return 'url must have a host name without empty labels.'
      return undefined
    },

    async checkHost(url) {
      const host = hostOf(url)
      if (isIP(host) !== 0) return isBlocked(host) ? 'url must not use a private or reserved address.' : undefined
      const { promise: late, resolve: giveUp } = Promise.withResolvers<[]>()
      const timer = setTimeout(() => giveUp([]), CHECK_MS)
      const addresses = await Promise.race([lookup(host).catch(() => []), late])
      clearTimeout(timer)
      const isPrivate = addresses.some(({ address }) => isBlocked(address))
      return isPrivate ? 'url must not resolve to a private or reserved address.' : undefined
    },
  }
}
