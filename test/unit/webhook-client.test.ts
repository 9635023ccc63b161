import { createHmac } from 'node:crypto'
import tls, { type TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Attempt,
  createWebhookClient,
  retryAfterMs,
  storableText,
} from '../../src/features/webhooks/webhooks.client.ts'
import { createGuard, type Lookup } from '../../src/features/webhooks/webhooks.guard.ts'
import { newWebhookSecret } from '../../src/features/webhooks/webhooks.signature.ts'
import { systemClock } from '../../src/lib/time.ts'
import { type Certificate, makeCertificate, Receivers } from '../support/receivers.ts'

const receivers = new Receivers()
let authority: Certificate
const secret = newWebhookSecret()

beforeAll(async () => {
  authority = await makeCertificate(['Authority of the tests'], { isAuthority: true })
  receivers.certificate = await makeCertificate(['hook.example', '127.0.0.1'], { authority })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await receivers.close()
})

const body = JSON.stringify({ id: 'evt_1', type: 'job.created', data: { title: 'Schlüssel 🔑 </script>' } })

const attemptTo = (url: string, overrides: Partial<Attempt> = {}): Attempt => ({
  url,
  body,
  secrets: [secret],
  eventId: 'evt_1',
  eventType: 'job.created',
  deliveryId: 'whd_1',
  number: 1,
  ...overrides,
})

const to = (port: number) => attemptTo(`https://hook.example:${port}/in?a=1`)

interface Options {
  allowCidrs?: string[]
  /** The addresses that each lookup returns. Lookups beyond the list return the last entry. */
  answers?: string[][]
  timeoutMs?: number
  connectMs?: number
  ca?: string | undefined
}

/** Creates a client. By default, it resolves every name to a loopback address, and allows that address. */
function makeClient(options: Options = {}) {
  const { allowCidrs = ['127.0.0.0/8'], answers = [['127.0.0.1']], timeoutMs = 10_000, connectMs = 5_000 } = options
  const ca = 'ca' in options ? options.ca : authority.cert
  let asked = 0
  const lookup: Lookup = async () => {
    const addresses = answers[Math.min(asked++, answers.length - 1)]!
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  const guard = createGuard({ allowCidrs, lookup })
  const client = receivers.closing(createWebhookClient({ guard, clock: systemClock, timeoutMs, connectMs, ca }))
  return { ...client, guard, asked: () => asked }
}

describe('a request', () => {
  test('contains the exact body, signed for Stripe and for Standard Webhooks, and identifies the service', async () => {
    const receiver = await receivers.https()
    const before = Date.now()
    const outcome = await makeClient().send({ ...to(receiver.port), number: 3 })
    expect(outcome).toMatchObject({ status: 200, errorClass: null, reason: null, excerpt: null, address: '127.0.0.1' })
    expect(outcome.startedAt.getTime()).toBeGreaterThanOrEqual(before)
    const [{ headers, rawBody, path }] = receiver.received as [(typeof receiver.received)[0]]
    expect(rawBody).toBe(body)
    expect(path).toBe('/in?a=1')
    expect(headers).toEqual({
      host: `hook.example:${receiver.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'JobMarketplace-Webhooks/1',
      'x-service-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
      'x-service-event-id': 'evt_1',
      'x-service-event-type': 'job.created',
      'x-service-delivery-id': 'whd_1',
      'x-service-attempt': '3',
      'webhook-id': 'evt_1',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
    const event = new Stripe('key').webhooks.constructEvent(rawBody, headers['x-service-signature']!, secret)
    expect(event.id).toBe('evt_1')
    expect(new Webhook(secret).verify(rawBody, headers as Record<string, string>)).toEqual(JSON.parse(body))
    const time = Number(headers['webhook-timestamp'])
    expect(Math.abs(time - Date.now() / 1_000)).toBeLessThan(2)
  })

  test('is marked as a test, and signed with both secrets during a rotation', async () => {
    const receiver = await receivers.https()
    await makeClient().send({
      ...to(receiver.port),
      isTest: true,
      secrets: ['new-secret-of-mine', 'old-secret-of-mine'],
    })
    const { headers } = receiver.received[0]!
    expect(headers['x-service-test']).toBe('true')
    const [t, ...macs] = String(headers['x-service-signature']).split(',')
    const signed = (key: string) =>
      `v1=${createHmac('sha256', key)
        .update(`${t!.slice(2)}.${body}`)
        .digest('hex')}`
    expect(macs).toEqual([signed('new-secret-of-mine'), signed('old-secret-of-mine')])
    for (const key of ['new-secret-of-mine', 'old-secret-of-mine']) {
      const verifier = new Webhook(Buffer.from(key).toString('base64'))
      expect(verifier.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
    }
  })

  test('is timestamped after waiting for a connection', async () => {
    const receiver = await receivers.https()
    const times = [1_000_000, 2_000_000]
    const clock = { now: () => new Date(times.length > 1 ? times.shift()! : times[0]!) }
    let isLookedUp = false
    const guard = createGuard({
      allowCidrs: ['127.0.0.0/8'],
      lookup: async () => {
        isLookedUp = true
        times.splice(0, times.length, 9_000_000)
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    const client = receivers.closing(createWebhookClient({ guard, clock, timeoutMs: 5_000, ca: authority.cert }))
    await client.send(to(receiver.port))
    expect([isLookedUp, receiver.received[0]!.headers['webhook-timestamp']]).toEqual([true, '9000'])
  })

  test('reuses connections', async () => {
    const receiver = await receivers.https((response) => response.end('done'))
    const client = makeClient()
    for (let batch = 0; batch < 3; batch++) {
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => client.send(to(receiver.port))))
      expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill(200))
    }
    expect(receiver.connections()).toBe(8)
    expect(client.asked()).toBe(8)
  })

  test('does not wait for hanging requests to the same origin, which may belong to another account', async () => {
    const receiver = await receivers.https((response, { path }) => {
      if (path === '/well') response.end()
    })
    const client = makeClient({ timeoutMs: 2_000 })
    const url = `https://hook.example:${receiver.port}`
    const hanging = Array.from({ length: 40 }, () => client.send(attemptTo(`${url}/hangs`)))
    expect(await Promise.race([client.send(attemptTo(`${url}/well`)), ...hanging])).toMatchObject({ status: 200 })
    expect(new Set((await Promise.all(hanging)).map(({ errorClass }) => errorClass))).toEqual(new Set(['timeout']))
  })

  test('ignores the proxy settings of the environment', async () => {
    const receiver = await receivers.https()
    const proxy = await receivers.tcp((socket) => socket.destroy())
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`)
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    const { status } = await makeClient().send(to(receiver.port))
    vi.unstubAllEnvs()
    expect([status, proxy.connections()]).toEqual([200, 0])
  })
})

describe('a status', () => {
  const receive = async (status: number, headers: Record<string, string> = {}) => {
    const receiver = await receivers.https((response) => {
      response.writeHead(status, headers)
      response.end(status === 204 || status === 304 ? undefined : `said ${status}`)
    })
    const client = makeClient()
    return { outcome: await client.send(to(receiver.port)), receiver, client }
  }

  test.each([200, 201, 202, 204, 206, 250, 299])('of %i is a success', async (status) => {
    const { outcome } = await receive(status)
    expect(outcome).toMatchObject({ status, errorClass: null, reason: null, retryAfterMs: null })
    expect(outcome.excerpt).toBe(status === 204 ? null : `said ${status}`)
  })

  test.each([
    300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 408, 410, 413, 422, 425, 429, 500, 501, 502, 503, 504, 599,
  ])('of %i is a failure', async (status) => {
    const { outcome } = await receive(status)
    expect(outcome).toMatchObject({ status, errorClass: 'http_status' })
    expect(outcome.reason).toContain(`The receiver responded with ${status}.`)
  })

  test('of 199 without a final status does not count as a response', async () => {
    const receiver = await receivers.tls((socket) => socket.write('HTTP/1.1 199 Odd\r\n\r\n'))
    expect(await makeClient({ timeoutMs: 300 }).send(to(receiver.port))).toMatchObject({
      status: null,
      errorClass: 'timeout',
    })
  })

  test.each([301, 302, 303, 307, 308])('of %i is a failure, and its redirect is not followed', async (status) => {
    const elsewhere = await receivers.https()
    for (const location of [`https://hook.example:${elsewhere.port}/`, 'http://169.254.169.254/latest/meta-data/']) {
      const { outcome, client } = await receive(status, { location })
      expect(outcome).toMatchObject({ status, errorClass: 'http_status' })
      expect(outcome.reason).toContain('Redirects are not followed.')
      expect([elsewhere.connections(), client.asked()]).toEqual([0, 1])
    }
  })

  test("of a failure is returned with the response's retry delay", async () => {
    const { outcome } = await receive(503, { 'retry-after': '120' })
    expect(outcome.retryAfterMs).toBe(120_000)
    expect((await receive(200, { 'retry-after': '120' })).outcome.retryAfterMs).toBeNull()
  })
})

describe('a receiver', () => {
  test('makes the attempt fail if it has no open port', async () => {
    const receiver = await receivers.tcp(() => {})
    const { port } = receiver
    await receivers.close()
    expect(await makeClient().send(to(port))).toMatchObject({
      status: null,
      errorClass: 'connect',
      reason: 'The connection failed (ECONNREFUSED).',
    })
  })

  test('makes the attempt fail if its name lookup times out', async () => {
    const guard = createGuard({ allowCidrs: [], lookup: () => new Promise(() => {}) })
    const client = receivers.closing(
      createWebhookClient({ guard, clock: systemClock, timeoutMs: 5_000, connectMs: 100 }),
    )
    expect(await client.send(to(443))).toMatchObject({ errorClass: 'timeout', address: null })
  })

  test.each<[string, (socket: import('node:net').Socket) => void, string]>([
    ['does not respond to the TLS handshake', () => {}, 'timeout'],
    ['speaks plain HTTP', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'tls'],
    ['closes during the handshake', (socket) => socket.once('data', () => socket.destroy()), 'tls'],
    ['resets during the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'tls'],
  ])('makes the attempt fail if it %s', async (_what, onConnection, errorClass) => {
    const receiver = await receivers.tcp(onConnection)
    expect(await makeClient({ connectMs: 200 }).send(to(receiver.port))).toMatchObject({ status: null, errorClass })
  })

  test('makes the attempt fail if it does not respond to the request', async () => {
    const receiver = await receivers.https(() => {})
    const outcome = await makeClient({ timeoutMs: 300 }).send(to(receiver.port))
    expect(outcome).toMatchObject({ status: null, errorClass: 'timeout', address: '127.0.0.1' })
    expect(outcome.durationMs).toBeGreaterThanOrEqual(290)
    expect(outcome.durationMs).toBeLessThan(3_000)
  })

  test.each([200, 500])('is cut off if it sends the body of a %i slowly', async (status) => {
    const receiver = await receivers.https((response) => {
      response.writeHead(status)
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const outcome = await makeClient({ timeoutMs: 400 }).send(to(receiver.port))
    expect(outcome).toMatchObject({ status, errorClass: status === 200 ? 'timeout' : 'http_status' })
    expect(outcome.excerpt).toMatch(/^\.+$/)
    expect(outcome.durationMs).toBeLessThan(3_000)
  })

  test('makes the attempt fail if it sends its headers slowly', async () => {
    const receiver = await receivers.tls((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      const timer = setInterval(() => socket.write('a'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await makeClient({ timeoutMs: 300 }).send(to(receiver.port))).toMatchObject({ errorClass: 'timeout' })
  })

  test('makes the attempt fail if its headers are too large', async () => {
    const receiver = await receivers.tls((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${`x: ${'a'.repeat(1_000)}\r\n`.repeat(100)}`)
    })
    expect(await makeClient().send(to(receiver.port))).toMatchObject({ status: null, errorClass: 'reset' })
  })

  test.each([200, 500])('is cut off if it sends an endless body with a %i, but its status is used', async (status) => {
    let sent = 0
    const receiver = await receivers.https((response) => {
      response.writeHead(status)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) sent += 10_000
      }
      response.on('drain', more)
      more()
    })
    const client = makeClient()
    const outcome = await client.send(to(receiver.port))
    expect(outcome).toMatchObject({ status, errorClass: status === 200 ? null : 'http_status' })
    expect(outcome.excerpt).toBe('x'.repeat(4_096))
    expect(sent).toBeLessThan(20_000_000)
    // The client does not read the rest, so the next delivery needs a new connection.
    await client.send(to(receiver.port))
    expect(receiver.connections()).toBe(2)
  })

  test('is cut off if it announces a gigabyte, but its status is used', async () => {
    const receiver = await receivers.https((response) => {
      response.writeHead(200, { 'content-length': String(2 ** 30) })
      response.write('y'.repeat(40_000))
    })
    expect(await makeClient().send(to(receiver.port))).toMatchObject({ status: 200, errorClass: null })
  })

  test.each<[string, string, string]>([
    ['sends endless interim responses', '', `HTTP/1.1 103 Early Hints\r\nlink: </${'a'.repeat(1_000)}>\r\n\r\n`],
    ['sends an endless chunk extension', 'HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\n1;', 'a'.repeat(1_000)],
    [
      'sends endless trailers',
      'HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\n0\r\n',
      `x: ${'a'.repeat(1_000)}\r\n`,
    ],
    ['sends one byte per chunk', 'HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\na\r\n'.repeat(200)],
  ])('is disconnected if it %s', async (_what, begin, more) => {
    let written = 0
    const receiver = await receivers.tls((socket) => {
      socket.write(begin)
      const flood = () => {
        while (!socket.destroyed && socket.write(more)) written += more.length
      }
      socket.on('drain', flood)
      flood()
    })
    const outcome = await makeClient().send(to(receiver.port))
    expect(['reset', 'http_status']).toContain(outcome.errorClass)
    expect(written).toBeLessThan(20_000_000)
  })

  test('acknowledges the event despite a gzip bomb, because the client does not decompress the body', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const receiver = await receivers.https((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(bomb)
    })
    const outcome = await makeClient().send(to(receiver.port))
    expect(outcome).toMatchObject({ status: 200, errorClass: null })
    expect(Buffer.byteLength(outcome.excerpt!)).toBeLessThanOrEqual(4_096)
    expect(outcome.excerpt).not.toContain('\0')
  })

  test('makes the attempt fail if it resets the connection inside its body', async () => {
    const receiver = await receivers.https((response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('half', () => response.socket!.destroy())
    })
    expect(await makeClient().send(to(receiver.port))).toMatchObject({
      status: 200,
      errorClass: 'reset',
      excerpt: 'half',
    })
  })

  test.each<[string, (socket: TLSSocket) => void]>([
    ['closes before it responds', (socket) => socket.end()],
    ['resets before it responds', (socket) => socket.destroy()],
    ['closes inside its headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nx: y')],
    ['responds with HTTP 0.9', (socket) => socket.end('<p>fine</p>')],
    ['responds with another protocol', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['switches protocols', (socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
    [
      'sends two different lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'),
    ],
  ])('makes the attempt fail after the request if it %s', async (_what, onRequest) => {
    const receiver = await receivers.tls(onRequest)
    expect(await makeClient().send(to(receiver.port))).toMatchObject({ status: null, errorClass: 'reset' })
    expect(receiver.connections()).toBe(1)
  })

  test('causes no internal error if it responds 200 before reading anything, and closes', async () => {
    const receiver = await receivers.tls(
      () => {},
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    )
    const outcome = await makeClient().send({ ...to(receiver.port), body: 'x'.repeat(200_000) })
    // The response arrives before the request is complete. Either outcome is right, but an internal error is not.
    expect([null, 'reset']).toContain(outcome.errorClass)
  })

  test('acknowledges the event if it responds 200 to the first bytes and then closes the connection', async () => {
    const receiver = await receivers.tls((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const outcome = await makeClient().send(to(receiver.port))
    expect(outcome).toMatchObject({ status: 200, errorClass: null })
  })

  test('gets the next request on a new connection if it closes a keep-alive connection', async () => {
    const receiver = await receivers.https((response) => response.end('fine'))
    const client = makeClient()
    expect(await client.send(to(receiver.port))).toMatchObject({ status: 200 })
    const closed = [...receiver.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    receiver.https.closeIdleConnections()
    await Promise.all(closed)
    expect(await client.send(to(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.received.length).toBe(2)
  })
})

test('closing a client aborts requests in flight', async () => {
  const arrived = Promise.withResolvers<void>()
  const receiver = await receivers.https(() => arrived.resolve())
  const client = makeClient()
  const sent = client.send(to(receiver.port))
  await arrived.promise
  await client.close()
  expect(await sent).toMatchObject({ status: null, errorClass: 'reset' })
})

describe('a keep-alive connection that dies', () => {
  test('leads to a new connection within the same attempt if nothing was written', async () => {
    const connect = vi.spyOn(tls, 'connect')
    const receiver = await receivers.https((response) => response.end('fine'))
    const client = makeClient()
    await client.send(to(receiver.port))
    const kept = connect.mock.results[0]!.value as TLSSocket
    kept.write = () => {
      kept.destroy(new Error('gone'))
      return false
    }
    expect(await client.send(to(receiver.port))).toMatchObject({ status: 200, errorClass: null })
    expect([receiver.received.length, connect.mock.calls.length]).toEqual([2, 2])
  })

  test('makes the attempt fail after a write, because the request may have arrived', async () => {
    let count = 0
    const receiver = await receivers.https((response) => {
      if (++count === 1) response.end('fine')
      else response.socket!.destroy()
    })
    const client = makeClient()
    await client.send(to(receiver.port))
    expect(await client.send(to(receiver.port))).toMatchObject({ status: null, errorClass: 'reset' })
    expect([receiver.received.length, receiver.connections()]).toEqual([2, 1])
  })
})

describe('TLS', () => {
  test.each<[string, () => Promise<Certificate>, string]>([
    ['for another name', () => makeCertificate(['other.example'], { authority }), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that is self-signed', () => makeCertificate(['hook.example']), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'that has expired',
      () => makeCertificate(['hook.example'], { authority, notAfterDate: new Date('2020-01-01') }),
      'CERT_HAS_EXPIRED',
    ],
  ])('refuses a certificate %s, regardless of the environment', async (_what, make, code) => {
    const receiver = await receivers.https(undefined, await make())
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const outcome = await makeClient().send(to(receiver.port))
    vi.unstubAllEnvs()
    expect(outcome).toMatchObject({ errorClass: 'tls', reason: `The TLS handshake failed (${code}).` })
    expect(receiver.received).toEqual([])
  })

  test('trusts only the default authorities if no file is configured', async () => {
    const receiver = await receivers.https()
    expect(await makeClient({ ca: undefined }).send(to(receiver.port))).toMatchObject({ errorClass: 'tls' })
  })

  test('requires at least version 1.2, regardless of the options of Node', async () => {
    const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls
    Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1', DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0' })
    const old = await receivers.https(undefined, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' })
    const outcome = await makeClient().send(to(old.port))
    Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS })
    expect(outcome).toMatchObject({ errorClass: 'tls' })
    const good = await receivers.https(undefined, { maxVersion: 'TLSv1.2' })
    expect(await makeClient().send(to(good.port))).toMatchObject({ status: 200 })
  })

  test('refuses renegotiation', async () => {
    const asked = Promise.withResolvers<Error | null>()
    const receiver = await receivers.tls(
      (socket) => {
        socket.renegotiate({}, asked.resolve)
        socket.once('close', () => asked.resolve(new Error('closed')))
      },
      undefined,
      { maxVersion: 'TLSv1.2' },
    )
    const sent = makeClient({ timeoutMs: 2_000 }).send(to(receiver.port))
    expect(await asked.promise).toBeInstanceOf(Error)
    expect((await sent).status).toBeNull()
  })

  test('sends the host name to the receiver, without the dot of a rooted name', async () => {
    const names: string[] = []
    const SNICallback: tls.TlsOptions['SNICallback'] = (name, done) => {
      names.push(name)
      done(null, tls.createSecureContext(receivers.certificate))
    }
    const receiver = await receivers.https(undefined, { SNICallback })
    for (const host of ['hook.example', 'hook.example.', '127.0.0.1']) {
      expect(await makeClient().send(attemptTo(`https://${host}:${receiver.port}/`))).toMatchObject({ status: 200 })
    }
    expect(names).toEqual(['hook.example', 'hook.example'])
  })
})

describe('a private address', () => {
  const noneOpen = { allowCidrs: [] }
  const refused = { status: null, errorClass: 'blocked_address', excerpt: null, address: null }

  test('is refused in the URL itself, without a lookup', async () => {
    const receiver = await receivers.https()
    const client = makeClient(noneOpen)
    for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', '127.0.0.1.']) {
      expect(await client.send(attemptTo(`https://${host}:${receiver.port}/`))).toMatchObject(refused)
    }
    expect([receiver.connections(), client.asked()]).toEqual([0, 0])
  })

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['::ffff:7f00:1']],
    [['2606:4700::1111', 'fd00:ec2::254']],
    [['64:ff9b::7f00:1']],
    [['not an address']],
  ])('is refused if a name resolves to it, alone or among others: %j', async (addresses) => {
    const receiver = await receivers.https()
    const connect = vi.spyOn(tls, 'connect')
    const outcome = await makeClient({ ...noneOpen, answers: [addresses] }).send(to(receiver.port))
    expect(outcome).toMatchObject(refused)
    expect([receiver.connections(), connect.mock.calls.length]).toEqual([0, 1])
  })

  test('is refused even if the name had a public address when the webhook was created', async () => {
    const receiver = await receivers.https()
    const client = makeClient({ ...noneOpen, answers: [['8.8.8.8'], ['127.0.0.1']] })
    const { url } = to(receiver.port)
    expect([client.guard.checkUrl(url), await client.guard.checkHost(new URL(url))]).toEqual([undefined, undefined])
    expect(await client.send(to(receiver.port))).toMatchObject(refused)
    expect([receiver.connections(), client.asked()]).toEqual([0, 2])
  })

  test('is refused if the name resolves to it at the next connection', async () => {
    const receiver = await receivers.https((response) => response.writeHead(200, { connection: 'close' }).end())
    const client = makeClient({ allowCidrs: ['127.0.0.1/32'], answers: [['127.0.0.1'], ['127.0.0.2']] })
    // Each connection uses one lookup, so the client connects to the address that was checked.
    expect(await client.send(to(receiver.port))).toMatchObject({ status: 200, address: '127.0.0.1' })
    expect(client.asked()).toBe(1)
    expect(await client.send(to(receiver.port))).toMatchObject(refused)
    expect([receiver.connections(), client.asked()]).toEqual([1, 2])
  })

  test('is not reported for a name without addresses, which causes a DNS error', async () => {
    expect(await makeClient({ answers: [[]] }).send(to(443))).toMatchObject({ status: null, errorClass: 'dns' })
    const guard = createGuard({ allowCidrs: [], lookup: () => Promise.reject(new Error('ENOTFOUND')) })
    const client = receivers.closing(createWebhookClient({ guard, clock: systemClock, timeoutMs: 1_000 }))
    expect(await client.send(to(443))).toMatchObject({
      errorClass: 'dns',
      reason: 'The host name could not be resolved to an IP address.',
    })
  })

  test('is disconnected if a connection reaches it anyway', async () => {
    const receiver = await receivers.https()
    const { connect } = tls
    // Simulates a connection that is diverted after the lookup.
    vi.spyOn(tls, 'connect').mockImplementation(((options: object) =>
      connect({ ...options, host: '127.0.0.1', lookup: undefined } as never)) as never)
    const outcome = await makeClient({ ...noneOpen, answers: [['8.8.8.8']] }).send(to(receiver.port))
    expect(outcome).toMatchObject(refused)
    expect(receiver.received).toEqual([])
  })

  test('has the same error class as a URL without TLS and an invalid URL', async () => {
    const receiver = await receivers.tcp(() => {})
    for (const url of [`http://hook.example:${receiver.port}/`, 'nonsense', 'file:///etc/passwd']) {
      expect((await makeClient().send(attemptTo(url))).errorClass).toBe('blocked_address')
    }
    expect(receiver.connections()).toBe(0)
  })
})

describe('storableText', () => {
  test.each<[string, Uint8Array, string | null]>([
    ['nothing', new Uint8Array(), null],
    ['text', Buffer.from('fine'), 'fine'],
    ['a NUL', Buffer.from('a\0b'), 'a�b'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a��b'],
    ['half a character at the end', Buffer.from('aé').subarray(0, 2), 'a'],
    ['a surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0x80, 0x61]), '���a'],
  ])('converts %s', (_what, bytes, text) => {
    expect(storableText(bytes, 4_096)).toBe(text)
  })

  test('never exceeds the limit or ends inside a character', () => {
    for (const bytes of [Buffer.alloc(9_000, 0xff), Buffer.from('🔑'.repeat(2_000)), Buffer.from('aé'.repeat(3_000))]) {
      const text = storableText(bytes, 4_096)!
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096)
      expect(text.isWellFormed()).toBe(true)
    }
  })
})

describe('retryAfterMs', () => {
  const now = new Date('2026-03-02T09:00:00.000Z')
  test.each<[string | string[] | undefined, number | null]>([
    ['0', 0],
    ['120', 120_000],
    [' 120 ', 120_000],
    ['9'.repeat(400), 86_400_000],
    ['Mon, 02 Mar 2026 09:01:00 GMT', 60_000],
    ['Mon, 02 Mar 2026 08:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['2026-03-02T09:01:00Z', null],
    ['Mon, 99 Foo 2026 09:01:00 GMT', null],
    ['', null],
    [['1', '2'], null],
    [undefined, null],
  ])('turns %j into %j', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms)
  })
})
