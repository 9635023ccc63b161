import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientNetworkFinder, type TrustedProxies } from '../../src/http/client-address.ts'

const find = (trusted: TrustedProxies, peer: string | undefined, forwarded?: string) =>
  clientNetworkFinder(trusted)({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage)
const local = { ranges: ['127.0.0.1/32', '10.0.0.0/8', 'fd00::/8'] }

describe("a client's network", () => {
  test('is its IPv4 address (even if mapped to IPv6), the /64 of its IPv6 address, or `unknown` without an address', () => {
    expect(find(undefined, '192.0.2.7')).toBe('192.0.2.7')
    expect(find(undefined, '::ffff:192.0.2.7')).toBe('192.0.2.7')
    expect(find(undefined, '2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(find(undefined, '2001:db8:1:2:ffff::')).toBe('2001:db8:1:2::/64')
    expect(find(undefined, 'fe80::1%eth0')).toBe('fe80:0:0:0::/64')
    expect(find(undefined, undefined)).toBe('unknown')
  })

  test('cannot be changed by a header if no proxy is trusted', () => {
    expect(find(undefined, '192.0.2.7', '203.0.113.1')).toBe('192.0.2.7')
  })

  test('is the address that the trusted proxies saw, whatever the client claims', () => {
    expect(find(local, '127.0.0.1', '203.0.113.1')).toBe('203.0.113.1')
    expect(find(local, '127.0.0.1', '6.6.6.6, 203.0.113.1')).toBe('203.0.113.1')
    expect(find(local, '127.0.0.1', '6.6.6.6, 203.0.113.1, 10.1.2.3')).toBe('203.0.113.1')
    expect(find(local, '127.0.0.1', '127.0.0.1, 6.6.6.6, 203.0.113.1,10.1.2.3')).toBe('203.0.113.1')
    // The peer is not a trusted proxy.
    expect(find(local, '198.51.100.9', '203.0.113.1')).toBe('198.51.100.9')
    expect(find({ hops: 1 }, '198.51.100.9', '6.6.6.6, 203.0.113.1')).toBe('203.0.113.1')
    expect(find({ hops: 2 }, '198.51.100.9', '6.6.6.6, 203.0.113.1, 10.9.9.9')).toBe('203.0.113.1')
    // If the client reached the inner proxy directly, the header lists fewer addresses than `hops`.
    expect(find({ hops: 3 }, '198.51.100.9', '203.0.113.1')).toBe('203.0.113.1')
  })

  test.each([
    ['203.0.113.1:4711', '203.0.113.1'],
    ['[2001:db8:1:2::5]:4711', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::5]', '2001:db8:1:2::/64'],
    ['::ffff:203.0.113.1', '203.0.113.1'],
    ['  203.0.113.1\t', '203.0.113.1'],
  ])('is parsed from %s, a notation that proxies use', (forwarded, network) => {
    expect(find(local, '127.0.0.1', forwarded)).toBe(network)
  })

  test.each([
    ...['', ' ', ',', ',,,', 'unknown', '_hidden', 'localhost', '<script>', '203.0.113', '0x7f.1', '017700000001'],
    ...[
      '2130706433',
      '1.2.3.4.5',
      '1.2.3.256',
      ':::',
      '[::1',
      '203.0.113.1:99999999',
      '203.0.113.1\nevil',
      'a'.repeat(9_000),
    ],
  ])('is the address of the last known proxy if the header contains %j', (forwarded) => {
    expect(find(local, '127.0.0.1', forwarded)).toBe('127.0.0.1')
    expect(find(local, '127.0.0.1', `203.0.113.1, ${forwarded}`)).toBe('127.0.0.1')
    expect(find(local, '127.0.0.1', `${forwarded}, 10.1.2.3`)).toBe('10.1.2.3')
  })

  test('is always a valid address or /64, for any header', () => {
    const part = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('10.0.0.1', '127.0.0.1', 'fd00::1', ''))
    fc.assert(
      fc.property(
        fc.array(part),
        fc.constantFrom<TrustedProxies>(local, { hops: 1 }, { hops: 9 }),
        (parts, trusted) => {
          expect(find(trusted, '127.0.0.1', parts.join(','))).toMatch(
            /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){3}::\/64)$/,
          )
        },
      ),
    )
  })
})

describe('a proxy that TRUST_PROXY does not list', () => {
  const noticed = (trusted: TrustedProxies, peer: string, headers: Record<string, string>) => {
    const addresses: string[] = []
    const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage
    clientNetworkFinder(trusted, (address) => addresses.push(address))(request)
    return addresses
  }

  test('is reported if its address is private and it sends forwarding headers', () => {
    for (const peer of ['127.0.0.1', '10.0.0.7', '172.20.0.2', '100.64.1.1', 'fd00::7', '::ffff:192.168.1.2']) {
      for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
        expect(noticed(undefined, peer, { [name]: '203.0.113.1' }), `${peer} ${name}`).toHaveLength(1)
      }
    }
    expect(noticed({ ranges: ['127.0.0.1/32'] }, '10.0.0.7', { 'x-forwarded-for': '203.0.113.1' })).toEqual([
      '10.0.0.7',
    ])
    // The address belongs to the outer of two proxies.
    const steps = { 'x-forwarded-for': '203.0.113.1, 10.0.0.7' }
    expect(noticed({ ranges: ['127.0.0.1/32'] }, '127.0.0.1', steps)).toEqual(['10.0.0.7'])
    expect(noticed({ hops: 1 }, '127.0.0.1', steps)).toEqual(['10.0.0.7'])
  })

  test('is not reported if the peer is trusted, forwards nothing or is on the internet', () => {
    expect(noticed(undefined, '10.0.0.7', {})).toEqual([])
    expect(noticed(undefined, '198.51.100.9', { 'x-forwarded-for': '203.0.113.1' })).toEqual([])
    expect(noticed({ hops: 1 }, '127.0.0.1', { 'x-forwarded-for': '203.0.113.1' })).toEqual([])
    expect(noticed({ hops: 1 }, '127.0.0.1', { 'x-forwarded-for': '6.6.6.6, 203.0.113.1' })).toEqual([])
    expect(noticed({ hops: 1 }, '127.0.0.1', { 'x-forwarded-for': '10.0.0.8', 'x-real-ip': '10.0.0.8' })).toEqual([])
  })
})
