/**
 * Where webhooks may go: public addresses only, whatever they are called. Accounts name the targets, so each is a way
 * into the operator's own network until it is judged: as a text, as what its name means, and at every connection.
 */
import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

export interface Guard {
  /** What is wrong with a text as a target, one sentence. */
  checkUrl(text: string): string | undefined
  /** The same of what its name means now; nothing where nobody knows the name yet. */
  checkHost(url: URL): Promise<string | undefined>
  /** Whether nothing may be sent to this address, in any spelling; what is no address is refused. */
  isBlocked(address: string): boolean
  /** Returns whether webhooks may go to this port. */
  isPortAllowed(port: number): boolean
  lookup: Lookup
}

/** From a port to a port, both included. */
export type PortRange = readonly [number, number]

/** The port of https and those that need no privilege to listen on: below 1024 are mail servers, LDAP, SMB and the like. */
export const RECEIVER_PORTS: readonly PortRange[] = [
  [443, 443],
  [1_024, 65_535],
]

/** Returns the port that an https URL leads to. */
export const portOf = ({ port }: URL): number => (port === '' ? 443 : Number(port))

interface GuardOptions {
  /** Ranges that are open although they are not public. */
  allowCidrs: readonly string[]
  /** Ports that are open; default: `RECEIVER_PORTS`. */
  allowPorts?: readonly PortRange[]
  lookup?: Lookup
  /** The addresses of this machine, public ones too. */
  ownAddresses?: () => readonly string[]
}

type Range = ReturnType<typeof ipaddr.parseCIDR>

const ranges = (texts: readonly string[]): Range[] => texts.map((text) => ipaddr.parseCIDR(text))

/** All of IPv4, and what is assigned as global unicast of IPv6: loopback, link-local, NAT64 and the like lie outside. */
const ROUTABLE = ranges(['0.0.0.0/0', '2000::/3'])

/** Of those, what is private, local, reserved, or a way to write another address. */
const SPECIAL = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT, metadata of Alibaba Cloud
  '127.0.0.0/8',
  '161.26.0.0/16', // service network of IBM Cloud, reachable from its machines only
  '166.8.0.0/14', // private endpoints of IBM Cloud
  '168.63.129.16/32', // WireServer of Azure: certificates and settings of its machines
  '169.254.0.0/16', // link-local, metadata of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // metadata of Oracle Cloud Classic
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24', // relays of 6to4
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

/** Names that mean the machine or the network of whoever asks. */
const LOCAL_NAME = /^[^.]*$|(?:^|\.)(?:localhost|local|internal)$/

/** Looking a name up while a client waits for its answer. */
const CHECK_MS = 3_000

/** The host of a URL without the brackets of IPv6 and the dot of a rooted name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, '')
}

const LOOKUP = { timeout: 1_500, tries: 2 }

/**
 * Asks DNS alone, of `servers` or else those of the system. Not the system itself: that holds a thread of four for
 * each name, and whoever registers names whose servers are silent would stop all other look-ups of the process.
 */
export function dnsLookup(servers?: readonly string[]): Lookup {
  return async (hostname) => {
    // One for each look-up: it reads the system's settings as they are now.
    const resolver = new dns.Resolver(LOOKUP)
    if (servers) resolver.setServers(servers)
    const [v4, v6] = await Promise.all([
      resolver.resolve4(hostname).catch(() => []),
      resolver.resolve6(hostname).catch(() => []),
    ])
    return [...v4.map((address) => ({ address, family: 4 })), ...v6.map((address) => ({ address, family: 6 }))]
  }
}

function addressesOfMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
}

/** The guard of an installation. */
export function createGuard(options: GuardOptions): Guard {
  const { allowCidrs, allowPorts = RECEIVER_PORTS, lookup = dnsLookup(), ownAddresses = addressesOfMachine } = options
  const allowed = ranges(allowCidrs)

  function isBlocked(address: string): boolean {
    if (isIP(address) === 0) return true
    // An IPv4 address inside IPv6 becomes the one that it is.
    const ip = ipaddr.process(address)
    const isIn = (list: readonly Range[]) => list.some((range) => range[0].kind() === ip.kind() && ip.match(range))
    // What the machine sends to itself passes by the firewall that keeps others out.
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
      if (text.length > URL_LENGTH_MAX) return `url must not be longer than ${URL_LENGTH_MAX} characters.`
      // URL leaves out what it takes for a slip of the pen; an address with such a thing in it is not one to guess at.
      const url = /[\s\p{Cc}\\]/u.test(text) ? null : URL.parse(text)
      if (url === null || url.protocol !== 'https:') return 'url must be an https address.'
      if (!/^https:\/\//i.test(text)) return 'url must be an https address.'
      if (url.username !== '' || url.password !== '') return 'url must not have credentials.'
      if (!isPortAllowed(portOf(url))) return `url must not have port ${portOf(url)}: allowed are ${portsInWords}.`
      if (text.includes('#')) return 'url must not have a fragment.'
      const host = hostOf(url)
      if (isIP(host) !== 0) return isBlocked(host) ? 'url must not be a private or reserved address.' : undefined
      if (LOCAL_NAME.test(host)) return 'url must have a public host name.'
      if (host.split('.').includes('')) return 'url must have a host name without empty parts.'
      return undefined
    },

    async checkHost(url) {
      const host = hostOf(url)
      if (isIP(host) !== 0) return isBlocked(host) ? 'url must not be a private or reserved address.' : undefined
      const { promise: late, resolve: giveUp } = Promise.withResolvers<[]>()
      const timer = setTimeout(() => giveUp([]), CHECK_MS)
      const addresses = await Promise.race([lookup(host).catch(() => []), late])
      clearTimeout(timer)
      const isPrivate = addresses.some(({ address }) => isBlocked(address))
      return isPrivate ? 'url must not lead to a private or reserved address.' : undefined
    },
  }
}
