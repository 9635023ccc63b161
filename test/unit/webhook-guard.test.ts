import { networkInterfaces } from 'node:os'
import { describe, expect, test, vi } from 'vitest'
import { createWebhookClient } from '../../src/features/webhooks/webhooks.client.ts'
import { createGuard, type Guard, type Lookup } from '../../src/features/webhooks/webhooks.guard.ts'
import { systemClock } from '../../src/lib/time.ts'

const meaning =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** Private and reserved addresses in many spellings, as URL hosts. */
const notPublic = [
  // This machine
  ...[
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
  ],
  ...[
    '127.255.255.254',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '0',
    '0.0.0.0',
    '0x0',
    '0.1.2.3',
  ],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::0001]', '[::127.0.0.1]', '[::7f00:1]'],
  // IPv4 within IPv6
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[::FFFF:10.0.0.1]',
    '[::ffff:169.254.169.254]',
  ],
  ...['[::ffff:0:127.0.0.1]', '[::ffff:192.168.0.1]', '[::ffff:a9fe:a9fe]'],
  // Private and shared networks
  ...['10.0.0.0', '10.255.255.255', '10.1', '172.16.0.1', '172.31.255.255', '0xac100001', '192.168.0.1', '192.168.257'],
  ...['3232235777', '100.64.0.1', '100.127.255.255', '[fc00::1]', '[fd00:ec2::254]', '[fdff:ffff::1]', '[fec0::1]'],
  // Link-local addresses and metadata services
  ...['169.254.169.254', '169.254.0.1', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '[fe80::1]', '[febf::1]'],
  ...['169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16', '0xa83f8110', '[::ffff:168.63.129.16]'],
  ...['161.26.0.6', '166.8.0.1', '166.11.255.255', '169.254.42.42', '169.254.0.23'],
  ...['[fd20:ce::254]', '[fd00:c1::a9fe:a9fe]', '[fd00:42::42]', '[fd00:a9fe:a9fe::1]', '[fe80::a9fe:a9fe]'],
  // Addresses that embed another address
  ...['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::1]', '[2002:7f00:1::]'],
  ...['[2002:a9fe:a9fe::1]', '[2002:808:808::1]', '[2001::1]', '[2001:0:7f00:1::]', '[2001:10::1]', '[2001:20::1]'],
  // Reserved, documentation, benchmark and multicast addresses
  ...['192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.255', '192.88.99.1', '198.18.0.1', '198.19.255.255'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '4294967295', '[ff02::1]', '[ff0e::1]'],
  ...['[100::1]', '[2001:db8::1]', '[3fff::1]', '[3fff:fff::1]', '[5f00::1]', '[4000::1]', '[1fff::1]', '[e000::1]'],
]

const isPublic = [
  ...[
    '8.8.8.8',
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '166.7.255.255',
    '166.12.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0'],
  ...[
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '[::ffff:8.8.8.8]',
    '[2606:4700:4700::1111]',
    '[2a00:1450::1]',
  ],
  ...['[2001:200::1]', '[2001:db7::1]', '[2001:db9::1]', '[2003::1]', '[3ffe::1]'],
]

describe('an address', () => {
  const guard = createGuard({ allowCidrs: [], lookup: meaning() })

  test('has at least 80 private or reserved examples', () => {
    expect(new Set(notPublic).size).toBeGreaterThanOrEqual(80)
  })

  test.each(notPublic)('is refused if it is private or reserved: %s', async (host) => {
    const url = `https://${host}/hook`
    expect(guard.checkUrl(url)).toMatch(/^url must (not )?(be|have|use|contain) .*\.$/)
    // The client also refuses to connect to such a URL if the URL bypassed the check at creation.
    const client = createWebhookClient({ guard, clock: systemClock, timeoutMs: 1_000 })
    const sent = await client.send({
      url,
      body: '{}',
      secrets: ['secret'],
      eventId: 'e',
      eventType: 't',
      deliveryId: 'd',
      number: 1,
    })
    expect(sent).toMatchObject({ status: null, errorClass: 'blocked_address' })
    const { hostname } = new URL(url)
    expect(await guard.checkHost(new URL(url))).toBeDefined()
    const named = createGuard({ allowCidrs: [], lookup: meaning('8.8.8.8', hostname.replace(/^\[|\]$/g, '')) })
    expect(await named.checkHost(new URL('https://hook.example/'))).toMatch(/private or reserved/)
  })

  test.each(isPublic)('is accepted if it is public: %s', async (host) => {
    const url = `https://${host}/hook`
    expect([guard.checkUrl(url), await guard.checkHost(new URL(url))]).toEqual([undefined, undefined])
  })

  const ports = (guard: Guard, ...tried: string[]) => tried.map((port) => guard.checkUrl(`https://8.8.8.8${port}/hook`))
  const PORTS = 'Allowed ports: 443, 1024 to 65535.'

  test.each([':22', ':25', ':80', ':389', ':445', ':465', ':636', ':993', ':1', ':1023', ':0'])(
    'is refused with port %s, when the URL is checked and when the client connects',
    async (port) => {
      expect(ports(guard, port)).toEqual([`url must not use port ${port.slice(1)}. ${PORTS}`])
      const client = createWebhookClient({ guard, clock: systemClock, timeoutMs: 1_000 })
      const attempt = { body: '{}', secrets: ['secret'], eventId: 'e', eventType: 't', deliveryId: 'd', number: 1 }
      expect(await client.send({ ...attempt, url: `https://8.8.8.8${port}/hook` })).toMatchObject({
        errorClass: 'blocked_address',
        reason: 'The port is not allowed.',
      })
    },
  )

  test('is accepted with port 443 and ports from 1024, or with the configured ports', () => {
    expect(ports(guard, '', ':443', ':1024', ':8443', ':65535')).toEqual(Array(5).fill(undefined))
    const own = createGuard({
      allowCidrs: [],
      allowPorts: [
        [443, 443],
        [80, 90],
      ],
      lookup: meaning(),
    })
    expect(ports(own, '', ':80', ':90')).toEqual(Array(3).fill(undefined))
    expect(ports(own, ':8443')).toEqual(['url must not use port 8443. Allowed ports: 443, 80 to 90.'])
  })

  test('is refused if it is invalid', () => {
    for (const text of ['', 'localhost', '127.0.0.1 ', 'fe80::1%eth0', '8.8.8.8/8', '::ffff:8.8.8.8.8']) {
      expect(guard.isBlocked(text)).toBe(true)
    }
  })
})

describe('a target', () => {
  const guard = createGuard({ allowCidrs: ['127.0.0.0/8'] })

  test.each([
    'https://hook.example/',
    'https://hook.example',
    'HTTPS://Hook.Example:8443/a/b?c=d',
    'https://hook.example./',
    'https://xn--bcher-kva.example/ü',
    'https://internal.example/localhost',
    'https://localhost.example/',
    `https://hook.example/${'a'.repeat(2_048 - 21)}`,
  ])('may be %s', (url) => {
    expect(guard.checkUrl(url)).toBeUndefined()
  })

  test.each([
    ['http://hook.example/', 'url must be an https URL.'],
    ['http://127.0.0.1/', 'url must be an https URL.'],
    ['ftp://hook.example/', 'url must be an https URL.'],
    ['https:hook.example', 'url must be an https URL.'],
    ['https:/hook.example', 'url must be an https URL.'],
    ['https:\\\\hook.example', 'url must be an https URL.'],
    ['//hook.example', 'url must be an https URL.'],
    ['hook.example', 'url must be an https URL.'],
    ['', 'url must be an https URL.'],
    ['https://', 'url must be an https URL.'],
    ['https://hook.example:65536/', 'url must be an https URL.'],
    ['https://hook.ex\tample/', 'url must be an https URL.'],
    [' https://hook.example/', 'url must be an https URL.'],
    ['https://hook.example/a b', 'url must be an https URL.'],
    ['https://hook.example\\@8.8.8.8/', 'url must be an https URL.'],
    ['https://[fe80::1%25eth0]/', 'url must be an https URL.'],
    ['https://user:password@hook.example/', 'url must not contain credentials.'],
    ['https://user@hook.example/', 'url must not contain credentials.'],
    ['https://:password@hook.example/', 'url must not contain credentials.'],
    ['https://hook.example/#part', 'url must not contain a fragment.'],
    ['https://hook.example/#', 'url must not contain a fragment.'],
    ['https://hook.example:0/', 'url must not use port 0. Allowed ports: 443, 1024 to 65535.'],
    ['https://hook.example:65536/', 'url must be an https URL.'],
    ['https://localhost/', 'url must have a public host name.'],
    ['https://LOCALHOST./', 'url must have a public host name.'],
    ['https://a.localhost/', 'url must have a public host name.'],
    ['https://ⓛocalhost/', 'url must have a public host name.'],
    ['https://printer.local/', 'url must have a public host name.'],
    ['https://metadata.google.internal/', 'url must have a public host name.'],
    ['https://metadata.google.internal./', 'url must have a public host name.'],
    ['https://db/', 'url must have a public host name.'],
    ['https://db./', 'url must have a public host name.'],
    ['https://hook..example/', 'url must have a host name without empty labels.'],
    ['https://hook.example../', 'url must have a host name without empty labels.'],
    [`https://hook.example/${'a'.repeat(2_049 - 21)}`, 'url must have at most 2048 characters.'],
  ])('must not be %j', (url, sentence) => {
    expect(guard.checkUrl(url)).toBe(sentence)
  })
})

describe('an address of this machine', () => {
  const ownAddresses = () => ['127.0.0.1', '8.8.4.4', '2a00:1450::0001']
  const own = ['8.8.4.4', '::ffff:8.8.4.4', '2a00:1450::1', '2a00:1450:0::1']

  test('is refused although it is public', async () => {
    const { isBlocked, checkUrl } = createGuard({ allowCidrs: [], lookup: meaning(), ownAddresses })
    expect(own.filter((address) => !isBlocked(address))).toEqual([])
    expect(['8.8.4.5', '2a00:1450::2'].filter(isBlocked)).toEqual([])
    expect(checkUrl('https://8.8.4.4/')).toBe('url must not use a private or reserved address.')
    const named = createGuard({ allowCidrs: [], lookup: meaning('8.8.4.4'), ownAddresses })
    expect(await named.checkHost(new URL('https://hook.example/'))).toMatch(/private or reserved/)
  })

  test('is allowed if the operator allows it', () => {
    const { isBlocked } = createGuard({ allowCidrs: ['8.8.4.4/32'], lookup: meaning(), ownAddresses })
    expect([isBlocked('8.8.4.4'), isBlocked('2a00:1450::1')]).toEqual([false, true])
  })

  test('is any address of its interfaces', () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
    expect(addresses.length).toBeGreaterThan(0)
    const { isBlocked } = createGuard({ allowCidrs: [], lookup: meaning() })
    expect(addresses.filter((address) => !isBlocked(address))).toEqual([])
  })
})

describe('a name', () => {
  const check = (lookup: Lookup) =>
    createGuard({ allowCidrs: ['10.1.0.0/16'], lookup }).checkHost(new URL('https://hook.example/'))

  test('is refused if any of its addresses is refused', async () => {
    expect(await check(meaning('8.8.8.8', '10.0.0.1'))).toBe('url must not resolve to a private or reserved address.')
    expect(await check(meaning('8.8.8.8', '10.1.0.1'))).toBeUndefined()
  })

  test('is accepted at creation if it is unknown or its servers do not respond', async () => {
    expect(await check(meaning())).toBeUndefined()
    expect(await check(() => Promise.reject(new Error('ENOTFOUND')))).toBeUndefined()
    vi.useFakeTimers()
    const silent = check(() => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(3_000)
    vi.useRealTimers()
    expect(await silent).toBeUndefined()
  })
})

describe('WEBHOOK_ALLOW_CIDRS', () => {
  test('permits private addresses only in its ranges', () => {
    const { isBlocked, checkUrl } = createGuard({
      allowCidrs: ['127.0.0.1/32', '10.20.0.0/16', 'fd00:1::/32', '::1/128'],
    })
    const open = ['127.0.0.1', '::ffff:127.0.0.1', '10.20.0.0', '10.20.255.255', 'fd00:1::1', 'fd00:1:ffff::', '::1']
    const closed = ['127.0.0.2', '10.19.255.255', '10.21.0.0', 'fd00::1', 'fd00:2::', '::', '::2', '64:ff9b::7f00:1']
    expect(open.filter(isBlocked)).toEqual([])
    expect(closed.filter((address) => !isBlocked(address))).toEqual([])
    expect(checkUrl('https://127.0.0.1:8443/')).toBeUndefined()
    expect(checkUrl('http://127.0.0.1:8443/')).toBe('url must be an https URL.')
  })

  test('does not apply IPv4 ranges to IPv6, or vice versa', () => {
    expect(createGuard({ allowCidrs: ['0.0.0.0/0'] }).isBlocked('::1')).toBe(true)
    expect(createGuard({ allowCidrs: ['::/0'] }).isBlocked('127.0.0.1')).toBe(true)
  })
})
