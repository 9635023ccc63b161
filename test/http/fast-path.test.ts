import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FastPath } from '../../src/http/fast-path/fast-path.ts'
import { type Account, ADMIN_KEY, hasFastPath, useBoard } from '../support/board.ts'
import { useSteadyTime } from '../support/monotonic.ts'
import { visitor } from '../support/pages.ts'
import { rawRequest, sendRaw } from '../support/raw.ts'
import { runTask } from '../support/tasks.ts'

const environment = { RATE_LIMIT: 'on', CORS_ORIGINS: 'https://pages.example' }
const board = useBoard(environment)
useSteadyTime()
const answering = vi.spyOn(FastPath.prototype, 'answer')
afterAll(() => answering.mockRestore())
/** Returns whether the fast path sent the last response. */
const wasFast = () => answering.mock.results.at(-1)?.value === true
/** Returns the expected fast-path results in the order of the requests, or none if the fast path is off. */
const ifOn = (answers: boolean[]) => (hasFastPath ? answers : [])

/** The prefix of cookie names over HTTPS. */
const COOKIE = '__Host-'

let employer: Account
let candidate: Account
let jobId: string
let paths: string[]
const pages = ['/', '/jobs', '/jobs?search=battery']
beforeAll(async () => {
  employer = await board.employer()
  candidate = await board.candidate()
  for (let n = 0; n < 5; n++) await board.activeJob(employer, { title: `Engineer ${n}` })
  jobId = (await board.activeJob(employer)).id
  paths = ['/v1/jobs', '/v1/jobs?search=battery&limit=2', `/v1/jobs/${jobId}`]
})

interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  isFast: boolean
}

/** Sends one request without the headers and decoding that fetch adds. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  answering.mockClear()
  const asked = Promise.withResolvers<Reply>()
  const sent = { authorization: `Bearer ${candidate.key}`, ...headers }
  const request = httpRequest(board.address + path, { method, headers: sent }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk) => chunks.push(chunk))
    response.on('end', () => {
      const isFast = wasFast()
      asked.resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks), isFast })
    })
  })
  request.on('error', asked.reject).end()
  return asked.promise
}

/** Sends a request three times, after which its response is cached. */
const warmUp = async (path: string, headers: Record<string, string> = {}) => {
  for (let n = 0; n < 3; n++) await ask(path, headers)
}

/** Headers that differ from one response to the next. */
const passing = new Set(['x-request-id', 'date', 'ratelimit'])
const lasting = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.has(name)))

beforeEach(async () => {
  board.clock.advance(60_000)
  for (const path of paths) await warmUp(path)
})

describe('the fast path', () => {
  test.each([{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br' }, { accept: 'application/json' }])(
    'responds like the regular path: %o',
    async (headers) => {
      for (const path of [...paths, ...pages]) {
        await warmUp(path, headers)
        const fast = await ask(path, headers)
        // A tag that does not match leaves the response unchanged, but forces the regular path.
        const usual = await ask(path, { ...headers, 'if-none-match': '"other"' })
        expect([fast.isFast, usual.isFast]).toEqual([hasFastPath, false])
        expect(fast.status).toBe(200)
        expect(lasting(fast.headers)).toEqual(lasting(usual.headers))
        expect(fast.body).toEqual(usual.body)
        expect(Object.keys(fast.headers)).toEqual(expect.arrayContaining([...passing]))
      }
    },
  )

  test('serves a page from its third request on, and again after the board has changed', async () => {
    const fresh = '/jobs?search=battery&limit=3'
    const served = async () => (await ask(fresh)).isFast
    // A page is cached from its second request on, because crawlers request thousands of pages only once.
    expect([await served(), await served(), await served()]).toEqual([false, false, hasFastPath])
    await board.activeJob(employer)
    expect([await served(), await served()]).toEqual([false, hasFastPath])
  })

  test("serves every kind of account, and counts the request against its key's quota", async () => {
    for (const kind of ['candidate', 'employer', 'admin', 'integrator'] as const) {
      const { key } = await board.account(kind)
      const sent = { authorization: `Bearer ${key}` }
      await warmUp('/v1/jobs', sent)
      const left = async () => {
        const { isFast, headers } = await ask('/v1/jobs', sent)
        expect(isFast).toBe(hasFastPath)
        return Number(/r=(\d+)/.exec(String(headers.ratelimit))![1])
      }
      expect(await left()).toBe((await left()) + 1)
    }
  })

  test('keeps the request ID, and updates the log and the metrics', async () => {
    const counted = async () => {
      const { text } = await board.get('/metrics', (await board.account('admin')).key)
      return Number(/http_requests_total\{operation="getJob",status="200"\} (\d+)/.exec(text)?.[1] ?? 0)
    }
    const before = await counted()
    const { isFast, headers } = await ask(paths[2]!, { 'x-request-id': 'fast.path-1' })
    expect([isFast, headers['x-request-id']]).toEqual([hasFastPath, 'fast.path-1'])
    await expect.poll(() => board.log).toContain('fast.path-1')
    const line = board.log.split('\n').find((text) => text.includes('fast.path-1'))!
    expect(JSON.parse(line)).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      route: '/v1/jobs/:id',
      operation: 'getJob',
      request_id: 'fast.path-1',
      method: 'GET',
      status: 200,
      ms: expect.any(Number),
      account_id: candidate.id,
      resource_id: paths[2]!.slice('/v1/jobs/'.length),
      msg: 'request',
    })
    expect(await counted()).toBe(before + 1)
    const unusable = await ask(paths[2]!, { 'x-request-id': 'a b' })
    expect(unusable.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('counts a view of a job', async () => {
    const viewer = await board.candidate()
    const sent = { authorization: `Bearer ${viewer.key}`, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }
    // The key is new, so the regular path must look it up first.
    await ask('/v1/me', sent)
    const views = async () => {
      await runTask(board, 'job-views')
      return (await board.get(`/v1/employers/jobs/${jobId}/statistics`, employer.key)).body.data.views as number
    }
    const before = await views()
    expect((await ask(paths[2]!, sent)).isFast).toBe(hasFastPath)
    expect(await views()).toBe(before + 1)
  })

  test('shows changes immediately', async () => {
    const title = `Changed at ${board.clock.time}`
    await warmUp('/jobs')
    expect((await ask('/jobs')).isFast).toBe(hasFastPath)
    const { headers, body } = await board.get(`/v1/jobs/${jobId}`, employer.key)
    expect(headers.get('etag')).not.toBeNull()
    const changed = await board.put(`/v1/jobs/${jobId}`, employer.key, { title })
    expect([changed.status, body.data.title === title]).toEqual([200, false])
    for (const path of ['/v1/jobs', `/v1/jobs/${jobId}`, '/jobs'])
      expect(String((await ask(path)).body)).toContain(title)
  })

  test("serves public pages in the reader's language and units, with the board's current name", async () => {
    const shown = async (headers: Record<string, string>) => {
      await warmUp('/jobs', headers)
      const { body, isFast } = await ask('/jobs', headers)
      expect(isFast).toBe(hasFastPath)
      return [/<html lang="(\w+)">/, /<option value="[\d.]+" selected>\d+\s(\w+)</].map(
        (part) => part.exec(String(body))?.[1],
      )
    }
    expect(await shown({})).toEqual(['en', 'miles'])
    expect(await shown({ 'accept-language': 'en-IE' })).toEqual(['en', 'km'])
    expect(await shown({ 'accept-language': 'de' })).toEqual(['de', 'km'])
    const ownZone = 'time_zone=Asia/Tokyo'
    expect(await shown({ 'accept-language': 'de', cookie: `${COOKIE}language=fr; ${ownZone}` })).toEqual(['fr', 'km'])

    const reader = await (await visitor(board)).signIn(candidate)
    const cookie = [...reader.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const own = await ask('/jobs', { cookie })
    expect([own.isFast, own.headers['cache-control']]).toEqual([false, 'no-store'])
    expect(String(own.body)).toContain('/sign-out')
    const noticed = await ask('/jobs', { cookie: `${COOKIE}notice=unsigned` })
    expect([noticed.isFast, noticed.headers['cache-control']]).toEqual([false, 'no-store'])
    expect((await ask('/jobs')).isFast).toBe(hasFastPath)

    const name = `Renamed at ${board.clock.time}`
    expect((await board.put('/v1/admin/board', ADMIN_KEY, { name })).status).toBe(200)
    for (const path of pages) expect(String((await ask(path)).body)).toContain(name)
  })

  test('omits a job from the moment it expires', async () => {
    const { id, expires_at } = await board.activeJob(employer, { title: 'Short-lived' })
    await warmUp('/v1/jobs?search=short-lived')
    expect((await ask('/v1/jobs?search=short-lived')).isFast).toBe(hasFastPath)
    const now = board.clock.time
    board.clock.time = Date.parse(expires_at)
    try {
      const { data } = JSON.parse(String((await ask('/v1/jobs?search=short-lived')).body))
      expect(data).toEqual([])
    } finally {
      board.clock.time = now
    }
    await board.post(`/v1/jobs/${id}/close`, employer.key)
  })
})

describe('responses that are written together', () => {
  const heads = (answers: string) => answers.match(/^x-request-id: .*$/gim)

  /** Returns the text of pipelined requests, the last of which closes the connection. */
  const pipelined = (requests: [id: string, path: string][]) =>
    requests
      .map(([id, path], n) => {
        const connection = n < requests.length - 1 ? 'keep-alive' : 'close'
        const headers = { authorization: `Bearer ${candidate.key}`, 'x-request-id': id, connection }
        return rawRequest('GET', path, headers)
      })
      .join('')

  test('keep the order of their requests, even among other responses', async () => {
    const { hostname, port } = new URL(board.address)
    const client = connect(Number(port), hostname)
    answering.mockClear()
    client.write(
      pipelined([
        ['first', '/v1/jobs'],
        ['second', '/v1/me'],
        ['third', paths[2]!],
        ['fourth', '/v1/jobs'],
      ]),
    )
    const answers = await text(client)
    expect(answering.mock.results.map(({ value }) => value)).toEqual(ifOn([true, false, true, true]))
    expect(heads(answers)).toEqual(['first', 'second', 'third', 'fourth'].map((id) => `x-request-id: ${id}`))
  })

  test.runIf(hasFastPath)('are dropped if the client has disconnected', async () => {
    const { app } = board.service
    const gone = once(app.server, 'request').then(([request]) => request.socket.resetAndDestroy())
    await expect(ask('/v1/jobs')).rejects.toThrow(/ECONNRESET|socket hang up/)
    await gone
    expect((await ask('/v1/jobs')).isFast).toBe(hasFastPath)
  })

  test('are sent while the service stops, and their connections close', async () => {
    const { app } = board.service
    const closing = once(app.server, 'request').then(() => app.close())
    const { hostname, port } = new URL(board.address)
    const client = connect(Number(port), hostname)
    answering.mockClear()
    client.write(rawRequest('GET', '/v1/jobs', { authorization: `Bearer ${candidate.key}`, connection: 'keep-alive' }))
    const answer = await text(client)
    expect(answering.mock.results.map(({ value }) => value)).toEqual(ifOn([true]))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).data.length).toBeGreaterThan(5)
    await closing
    await board.start(environment)
  })
})

describe('the regular path', () => {
  test.each<[string, Record<string, string>, number, string?]>([
    ['an invalid key', { authorization: 'Bearer nonsense' }, 401],
    ['another authentication scheme', { authorization: 'Basic YTpi' }, 401],
    ['an unsupported media type', { accept: 'text/html' }, 406],
    ['another origin', { origin: 'https://pages.example' }, 200],
    ['a body', { 'content-length': '0' }, 200],
    ['a HEAD request', {}, 200, 'HEAD'],
    ['another method', {}, 405, 'DELETE'],
  ])('handles %s', async (_what, headers, status, method) => {
    const answer = await ask('/v1/jobs', headers, method)
    expect([answer.isFast, answer.status]).toEqual([false, status])
    expect(answer.headers['access-control-allow-origin']).toBe(headers.origin)
  })

  test('responds to a matching tag with 304', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      await warmUp('/v1/jobs', { 'accept-encoding': coding })
      const { headers } = await ask('/v1/jobs', { 'accept-encoding': coding })
      const again = await ask('/v1/jobs', { 'accept-encoding': coding, 'if-none-match': headers.etag! })
      expect([again.isFast, again.status, again.body.length]).toEqual([false, 304, 0])
    }
  })

  test('refuses requests without a key, or with a key that lacks the scope', async () => {
    const key = await board.keyWith(candidate, ['profile:read'])
    await board.get('/v1/me', key)
    for (const path of paths) {
      const refused = await ask(path, { authorization: `Bearer ${key}` })
      expect([refused.isFast, refused.status]).toEqual([false, 403])
      const { status } = await board.get(path)
      expect([wasFast(), status]).toEqual([false, 401])
    }
  })

  test('refuses requests as soon as their key is revoked', async () => {
    const leaver = await board.candidate()
    const sent = { authorization: `Bearer ${leaver.key}` }
    await warmUp('/v1/jobs', sent)
    expect((await ask('/v1/jobs', sent)).isFast).toBe(hasFastPath)
    const { id } = (await board.get('/v1/api-keys', leaver.key)).body.data[0]
    expect((await board.delete(`/v1/api-keys/${id}`, leaver.key)).status).toBe(204)
    const refused = await ask('/v1/jobs', sent)
    expect([refused.isFast, refused.status]).toEqual([false, 401])
  })

  test('refuses requests as soon as their key expires', async () => {
    const expires_at = new Date(board.clock.time + 30_000).toISOString()
    const { key } = (await board.post('/v1/api-keys', candidate.key, { name: 'Brief', expires_at })).body.data
    const sent = { authorization: `Bearer ${key}` }
    await warmUp('/v1/jobs', sent)
    expect((await ask('/v1/jobs', sent)).isFast).toBe(hasFastPath)
    board.clock.advance(30_000)
    expect((await ask('/v1/jobs', sent)).status).toBe(401)
  })

  test('refuses requests beyond the quota', async () => {
    const { key } = await board.candidate()
    const sent = { authorization: `Bearer ${key}` }
    await warmUp('/v1/jobs', sent)
    const { status, headers } = await ask('/v1/jobs', sent)
    const left = Number(/r=(\d+)/.exec(String(headers.ratelimit))![1])
    expect([status, left]).toEqual([200, 5_996])
    const statuses = new Set<number>()
    for (let n = 0; n < left; n += 50) {
      const answers = await Promise.all(
        Array.from({ length: Math.min(50, left - n) }, () =>
          fetch(`${board.address}/v1/jobs?limit=1`, { headers: sent }),
        ),
      )
      for (const answer of answers) {
        statuses.add(answer.status)
        await answer.arrayBuffer()
      }
    }
    expect([...statuses]).toEqual([200])
    for (let n = 0; n < 2; n++) {
      const refused = await ask('/v1/jobs', sent)
      expect([refused.isFast, refused.status, refused.headers['retry-after']]).toEqual([false, 429, expect.any(String)])
    }
  })

  test('refuses requests with two Host headers', async () => {
    const authorization = `Bearer ${candidate.key}`
    const twice = rawRequest('GET', '/v1/jobs', { authorization }).replace(/\r\n/, '\r\nhost: other.example\r\n')
    expect((await sendRaw(board.address, twice)).status).toBe(400)
    expect(wasFast()).toBe(false)
  })

  test('refuses requests during overload', async () => {
    board.pressure.isHigh = true
    try {
      const refused = await ask('/v1/jobs')
      expect([refused.isFast, refused.status, refused.headers['retry-after']]).toEqual([false, 503, '2'])
    } finally {
      board.pressure.isHigh = false
    }
  })

  test('serves requests while the service stops, and closes their connection', async () => {
    const { app } = board.service
    const { hostname, port } = new URL(board.address)
    const client = connect(Number(port), hostname)
    const [socket] = (await once(app.server, 'connection')) as [Socket]
    // The connection is not idle, because a request has begun.
    const [begin, ...rest] = rawRequest('GET', '/v1/jobs', {
      authorization: `Bearer ${candidate.key}`,
      connection: 'keep-alive',
    })
    client.write(begin!)
    await expect.poll(() => socket.bytesRead).toBe(1)
    answering.mockClear()
    const closing = app.close()
    await expect.poll(() => app.server.listening).toBe(false)
    client.write(rest.join(''))
    const answer = await text(client)
    expect(answering.mock.results.map(({ value }) => value)).toEqual(ifOn([false]))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/^connection: close\r$/im)
    await closing
    await board.start(environment)
  })
})
