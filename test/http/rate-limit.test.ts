import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newApiKey } from '../../src/lib/api-keys.ts'
import { type Account, type Answer, Board, expectStatus, jobBody, useBoard } from '../support/board.ts'
import { readsWhileArriving } from '../support/gathering.ts'
import { rawRequest, sendRaw } from '../support/raw.ts'

const board = useBoard({ RATE_LIMIT: 'on', TRUST_PROXY: '127.0.0.1' })
let candidate: Account
let employer: Account
beforeAll(async () => {
  candidate = await board.candidate()
  employer = await board.employer()
})
// Moves the clock to the start of the next window for every policy.
beforeEach(() => board.clock.advance(3_600_000 - (board.clock.time % 3_600_000)))

/** Returns the options for a request from this IP address through the trusted proxy. */
const from = (address: string, headers: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': address, ...headers },
})

/** Sends a request repeatedly and counts the responses by status. */
async function repeat(times: number, request: () => Promise<Answer>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  for (let n = 0; n < times; n += 50) {
    const answers = await Promise.all(Array.from({ length: Math.min(50, times - n) }, request))
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  }
  return statuses
}

/** Counts requests toward a quota without sending them. */
function count(times: number, policy: string, subject: string): void {
  for (let n = 0; n < times; n++) board.service.quotas![policy]!.take(subject, board.clock.time)
}

/** Asserts that every request is refused. The requests run simultaneously, because each refusal takes half a second. */
async function expectAllLimited(requests: readonly Promise<Answer>[], policy: string, seconds: number): Promise<void> {
  for (const answer of await Promise.all(requests)) expectLimited(answer, policy, seconds)
}

function expectLimited(answer: Answer, policy: string, seconds: number): void {
  expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
  expect(answer.body.detail).toBe(`The quota "${policy}" is used up. Try again in ${seconds} s.`)
  expect(answer.headers.get('retry-after')).toBe(String(seconds))
  expect(answer.headers.get('ratelimit')).toContain(`"${policy}";r=0;t=${seconds}`)
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

/** Returns the request quotas in a header, without the budgets that follow them. */
const quotasOf = (header: string | null) => header?.split(', "responses"')[0]

describe('requests with a key', () => {
  test('get the number of remaining requests, of 6,000 per minute, and the seconds until the window ends', async () => {
    board.clock.advance(17_500)
    const first = await board.get('/v1/me', candidate.key)
    expect(quotasOf(first.headers.get('ratelimit-policy'))).toBe('"key";q=6000;w=60')
    expect(quotasOf(first.headers.get('ratelimit'))).toBe('"key";r=5999;t=43')
    expect(quotasOf((await board.get('/v1/jobs', candidate.key)).headers.get('ratelimit'))).toBe('"key";r=5998;t=43')
    // Cached responses, errors and HEAD requests count as well.
    expect(quotasOf((await board.get('/v1/jobs', candidate.key)).headers.get('ratelimit'))).toBe('"key";r=5997;t=43')
    expect(quotasOf((await board.get('/v1/nothing', candidate.key)).headers.get('ratelimit'))).toBe('"key";r=5996;t=43')
    expect(quotasOf((await board.call('HEAD', '/v1/jobs', candidate)).headers.get('ratelimit'))).toBe(
      '"key";r=5995;t=43',
    )
    expect(quotasOf((await board.get('/v1/jobs', employer.key)).headers.get('ratelimit'))).toBe('"key";r=5999;t=43')
    board.clock.advance(42_500)
    expect(quotasOf((await board.get('/v1/me', candidate.key)).headers.get('ratelimit'))).toBe('"key";r=5999;t=60')
  })

  test('are counted per key, across all IP addresses', async () => {
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await board.call('GET', '/v1/me', { ...candidate, ...from(address) })
    expect((await board.get('/v1/me', candidate.key)).headers.get('ratelimit')).toMatch(/^"key";r=5997;/)
  })

  test('above the limit are refused until the window ends', async () => {
    const { id } = (await board.get('/v1/me', candidate.key)).body.data.key
    count(5_998, 'key', id)
    expect(quotasOf((await board.get('/v1/me', candidate.key)).headers.get('ratelimit'))).toBe('"key";r=0;t=60')
    const { key } = candidate
    await expectAllLimited(
      [board.get('/v1/me', key), board.get('/v1/jobs', key), board.post('/v1/nothing', key, '{')],
      'key',
      60,
    )
    expect((await board.get('/v1/me', employer.key)).status).toBe(200)
    board.clock.advance(60_000)
    expect((await board.get('/v1/me', candidate.key)).status).toBe(200)
  })
})

describe('requests without a key', () => {
  test('are limited to 600 per minute per network', async () => {
    const address = from('192.0.2.10')
    const first = await board.call('GET', '/v1', address)
    expect(quotasOf(first.headers.get('ratelimit-policy'))).toBe('"address";q=600;w=60')
    expect(quotasOf(first.headers.get('ratelimit'))).toBe('"address";r=599;t=60')
    count(588, 'address', '192.0.2.10')
    expect(await repeat(10, () => board.call('GET', '/v1/jobs', address))).toEqual({ 401: 10 })
    expect((await board.call('GET', '/nothing', address)).status).toBe(404)
    const paths = ['/v1', '/v1/jobs', '/v1/openapi.json', '/nothing', '/checkout/a', '/unsubscribe/a']
    await expectAllLimited(
      paths.map((path) => board.call('GET', path, address)),
      'address',
      60,
    )
    // This limit does not affect other IP addresses, health checks or requests with a key.
    expect((await board.call('GET', '/v1', from('192.0.2.11'))).status).toBe(200)
    expect((await board.call('GET', '/healthz', address)).status).toBe(200)
    expect((await board.call('GET', '/readyz', address)).status).toBe(200)
    expect((await board.call('GET', '/v1/me', { ...candidate, ...address })).status).toBe(200)
    board.clock.advance(60_000)
    expect((await board.call('GET', '/v1', address)).status).toBe(200)
  })

  test('include all requests whose path cannot be decoded, even with a key', async () => {
    const address = from('192.0.2.12')
    const first = await board.call('GET', '/v1/%zz', address)
    expect([first.status, quotasOf(first.headers.get('ratelimit'))]).toEqual([404, '"address";r=599;t=60'])
    await board.call('POST', '/v1/jobs/%', { ...employer, ...address, body: {} })
    expect(quotasOf((await board.call('GET', '/%ff', address)).headers.get('ratelimit'))).toBe('"address";r=597;t=60')
    count(587, 'address', '192.0.2.12')
    expect(await repeat(10, () => board.call('GET', '/v1/%zz', address))).toEqual({ 404: 10 })
    await expectAllLimited([board.call('GET', '/v1/%zz', address), board.call('GET', '/v1', address)], 'address', 60)
  })

  test('are counted per /64 in IPv6', async () => {
    const addresses = Array.from({ length: 3 }, (_, n) => from(`2001:db8:0:1::${n}`))
    for (const address of addresses) await board.call('GET', '/v1', address)
    expect((await board.call('GET', '/v1', from('2001:db8:0:1:ffff::'))).headers.get('ratelimit')).toMatch(/r=596;/)
    expect((await board.call('GET', '/v1', from('2001:db8:0:2::'))).headers.get('ratelimit')).toMatch(/r=599;/)
  })

  test('are counted for the IP address that the trusted proxy adds', async () => {
    for (const spoofed of ['9.9.9.1', '9.9.9.2, junk', '"><script>', '::1, 10.0.0.1']) {
      await board.call('GET', '/v1', from(`${spoofed}, 192.0.2.20`))
    }
    expect((await board.call('GET', '/v1', from('192.0.2.20'))).headers.get('ratelimit')).toMatch(/r=595;/)
  })
})

describe('failed authentications', () => {
  const wrong = () => `jm_cand_${Math.random().toString(36).slice(2)}`

  test('are limited to 60 per minute per network, without blocking valid keys', async () => {
    const address = '192.0.2.30'
    const fail = () => board.call('GET', '/v1/jobs', from(address, { authorization: `Bearer ${wrong()}` }))
    const first = await fail()
    expect([first.status, first.headers.get('ratelimit')]).toEqual([401, '"authentication";r=59;t=60'])
    expect(await repeat(59, fail)).toEqual({ 401: 59 })
    expectLimited(await fail(), 'authentication', 60)
    expectLimited(
      await board.call('GET', '/v1/jobs', from(address, { authorization: 'Basic x' })),
      'authentication',
      60,
    )
    expect((await board.call('GET', '/v1/me', { ...candidate, ...from(address) })).status).toBe(200)
    // A valid key that this process has never seen is accepted as well.
    const { key } = (await board.post('/v1/api-keys', candidate.key, { name: 'New' })).body.data
    expect((await board.call('GET', '/v1/me', { key, ...from(address) })).status).toBe(200)
    expectLimited(await fail(), 'authentication', 60)
    board.clock.advance(60_000)
    expect((await fail()).status).toBe(401)
  })

  test('with a valid checksum cost few queries, even if 200 arrive at once', async () => {
    const address = '192.0.2.33'
    const { key } = (await board.post('/v1/api-keys', candidate.key, { name: 'Unseen' })).body.data
    const guess = (_: unknown) =>
      board.call('GET', '/v1/me', from(address, { authorization: `Bearer ${newApiKey('candidate')}` }))
    let answers: Answer[] = []
    const reads = await readsWhileArriving(board, 201, async () => {
      const mine = board.call('GET', '/v1/me', { key, ...from(address) })
      answers = await Promise.all(Array.from({ length: 200 }, guess))
      expect((await mine).status).toBe(200)
    })
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(60)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(140)
    // Requests that arrive during one query share the next query. Reading the profile takes one more query.
    expect(reads).toBeLessThan(6)
  })

  test('include requests with a revoked key', async () => {
    const address = '192.0.2.32'
    const { key, id } = (await board.post('/v1/api-keys', candidate.key, { name: 'Old' })).body.data
    expect((await board.call('GET', '/v1/me', { key, ...from(address) })).status).toBe(200)
    await repeat(60, () => board.call('GET', '/v1/me', from(address, { authorization: `Bearer ${wrong()}` })))
    expect((await board.delete(`/v1/api-keys/${id}`, candidate.key)).status).toBe(204)
    expectLimited(await board.call('GET', '/v1/me', { key, ...from(address) }), 'authentication', 60)
  })
})

describe('the limits on expensive requests', () => {
  test('allow 600 registration requests per hour and IP address, even with a key, but do not limit integrators', async () => {
    const address = from('192.0.2.40')
    const register = (path = '/v1/candidates', key?: string) => board.call('POST', path, { key, body: {}, ...address })
    const first = await register()
    expect(first.status).toBe(422)
    expect(quotasOf(first.headers.get('ratelimit-policy'))).toBe('"address";q=600;w=60, "registration";q=600;w=3600')
    expect(quotasOf(first.headers.get('ratelimit'))).toBe('"address";r=599;t=60, "registration";r=599;t=3600')
    count(579, 'registration', '192.0.2.40')
    expect(await repeat(10, () => register('/v1/employers'))).toEqual({ 422: 10 })
    board.clock.advance(60_000)
    expect(await repeat(10, () => register('/v1/candidates', candidate.key))).toEqual({ 422: 10 })
    await expectAllLimited([register(), register('/v1/employers', employer.key)], 'registration', 3_540)
    const { key } = await board.integrator()
    expect((await register('/v1/employers', key)).status).toBe(422)
    expect((await board.call('POST', '/v1/employers', { body: {}, ...from('192.0.2.41') })).status).toBe(422)
  })

  test('allow 60 resume uploads per minute per account, and refuse further uploads before their body is read', async () => {
    const upload = () =>
      board.call('POST', '/v1/candidates/resume', {
        ...candidate,
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      })
    const statuses = await repeat(60, upload)
    expect(statuses[429]).toBeUndefined()
    const { key } = (await board.post('/v1/api-keys', candidate.key, { name: 'Another' })).body.data
    expectLimited(await upload(), 'uploads', 60)
    expectLimited(await board.call('POST', '/v1/candidates/resume', { key, body: 'x' }), 'uploads', 60)
    const request = rawRequest('POST', '/v1/candidates/resume', {
      authorization: `Bearer ${candidate.key}`,
      'content-type': 'text/plain',
      'content-length': '8000000',
    })
    expect((await sendRaw(board.address, request)).status).toBe(429)
  })

  test('allow each account 600 new keys per hour, across all of its keys and despite deletions', async () => {
    const make = (key: string) => board.post('/v1/api-keys', key, { name: 'Further' })
    const { key, id } = expectStatus(await make(candidate.key), 201).body.data
    count(597, 'keys', candidate.id)
    const second = await make(key)
    expect(quotasOf(second.headers.get('ratelimit'))).toBe('"key";r=5999;t=60, "keys";r=1;t=3600')
    expectStatus(await board.delete(`/v1/api-keys/${id}`, candidate.key), 204)
    expectStatus(await make(candidate.key), 201)
    await expectAllLimited([make(candidate.key), make(second.body.data.key)], 'keys', 3_600)
    expect((await make(employer.key)).status).toBe(201)
  })

  test('delay a 429 by half a second', async () => {
    count(600, 'keys', employer.id)
    const begun = performance.now()
    expectLimited(await board.post('/v1/api-keys', employer.key, { name: 'Further' }), 'keys', 3_600)
    // Timers may fire a millisecond early.
    expect(performance.now() - begun).toBeGreaterThan(495)
  })

  test('allow 600 application requests per hour and account', async () => {
    const { id } = expectStatus(await board.post('/v1/jobs', employer.key, jobBody()), 201).body.data
    const apply = () => board.post(`/v1/candidates/jobs/${id}/apply`, candidate.key, {})
    count(590, 'applications', candidate.id)
    expect(await repeat(10, apply)).toEqual({ 404: 10 })
    expectLimited(await apply(), 'applications', 3_600)
  })
})

test('the metrics count refused requests by policy', async () => {
  const address = from('192.0.2.50')
  count(599, 'address', '192.0.2.50')
  expect(await repeat(4, () => board.call('GET', '/v1', address))).toEqual({ 200: 1, 429: 3 })
  const key = (await board.account('admin')).key
  expect((await board.get('/metrics', key)).text).toMatch(/^rate_limited_requests_total\{policy="address"\} [1-9]/m)
})

test('RATE_LIMIT=off disables the limits and their headers', async () => {
  const other = new Board()
  await other.start({ RATE_LIMIT: 'off' })
  // With limits, only 60 of these requests would get 401.
  expect(await repeat(100, () => other.get('/v1/me', 'jm_cand_unknown'))).toEqual({ 401: 100 })
  expect((await other.get('/v1')).headers.has('ratelimit')).toBe(false)
  await other.stop()
})
