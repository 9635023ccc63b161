/** FAST_PATH=on and off: two processes on one database give the same responses, log lines, metrics and limits. */
import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { FastPath } from '../../src/http/fast-path/fast-path.ts'
import { type Account, ADMIN_KEY, Board, START } from '../support/board.ts'

const environment = { RATE_LIMIT: 'on', TRUST_PROXY: '1', LOG_CLIENT_ADDRESS: 'truncated' }
const [fast, usual] = [new Board(), new Board()]
const answering = vi.spyOn(FastPath.prototype, 'answer')

let employer: Account
let candidate: Account
let narrowKey: string
let jobId: string

beforeAll(async () => {
  await fast.start({ ...environment, FAST_PATH: 'on' })
  usual.database = fast.database
  employer = await fast.employer()
  candidate = await fast.candidate()
  narrowKey = await fast.keyWith(candidate, ['profile:read'])
  for (let n = 0; n < 30; n++) await fast.activeJob(employer, { title: `Engineer ${n}` })
  jobId = (await fast.activeJob(employer)).id
  await usual.start({ ...environment, FAST_PATH: 'off' })
  // Each process counts requests separately. In a new rate-limit window, both counts start at zero.
  for (const { clock } of [fast, usual]) clock.time = START.getTime() + 3_600_000
})
afterAll(async () => {
  answering.mockRestore()
  await usual.service.app.close()
  await fast.stop()
})

interface Sent {
  path: string
  key?: string
  method?: string
  headers?: Record<string, string>
  /** Parts of the body, which are sent in separate packets. */
  body?: string[]
}

/** Sends a request without the headers and decoding that fetch adds. */
async function ask(
  board: Board,
  { path, key = candidate.key, method = 'GET', headers, body: parts = [] }: Sent,
  id: string,
) {
  const sent = { authorization: `Bearer ${key}`, 'x-request-id': id, ...headers }
  const request = sendRequest(board.address + path, { method, headers: sent })
  for (const part of parts) await new Promise((sent) => request.write(part, sent))
  request.end()
  const [response] = await once(request, 'response')
  const { date: _date, ...rest } = response.headers
  // The measured search time varies.
  const ratelimit = response.headers.ratelimit?.replace(/("search-time";r=)\d+/, '$1…')
  const body = await buffer(response)
  return { status: response.statusCode, headers: { ...rest, ratelimit }, body: body.toString('latin1') }
}

/** Returns a request's log lines, without their times. */
async function linesOf(board: Board, id: string, count = 1) {
  const lines = () => board.log.split('\n').filter((text) => text.includes(`"request_id":"${id}"`))
  await expect.poll(() => lines()).toHaveLength(count)
  return lines().map((line) => {
    expect(line).toMatch(/"ms":\d+(?:\.\d)?,/)
    return line.replace(/"time":"[^"]*"|"ms":[\d.]+/g, '')
  })
}

const plain = (): Sent[] => [
  { path: '/v1/jobs' },
  { path: '/v1/jobs?search=engineer&limit=2&sort=title' },
  { path: `/v1/jobs/${jobId}` },
]
const variants: Record<string, () => Sent[]> = {
  'lists and jobs': plain,
  gzip: () => plain().map((sent) => ({ ...sent, headers: { 'accept-encoding': 'gzip' } })),
  Brotli: () => plain().map((sent) => ({ ...sent, headers: { 'accept-encoding': 'br, gzip;q=0.5' } })),
  'a client and a trace': () =>
    plain().map((sent) => ({
      ...sent,
      headers: {
        'x-forwarded-for': '203.0.113.77',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    })),
  pages: () => [
    ...['/', '/jobs', '/jobs?search=engineer'].map((path) => ({ path })),
    { path: '/jobs', headers: { 'accept-language': 'de', 'accept-encoding': 'gzip' } },
    { path: '/jobs', headers: { cookie: '__Host-session=unknown' } },
    { path: '/jobs', headers: { 'if-none-match': '*' } },
    { path: '/de/jobs' },
  ],
  tags: () => plain().map((sent) => ({ ...sent, headers: { 'if-none-match': '*' } })),
  'HEAD requests': () => plain().map((sent) => ({ ...sent, method: 'HEAD' })),
  'keys of all kinds': () => [employer.key, ADMIN_KEY, narrowKey, 'nonsense'].map((key) => ({ path: '/v1/jobs', key })),
  'unsupported media types': () => plain().map((sent) => ({ ...sent, headers: { accept: 'text/html' } })),
  'unknown jobs and paths': () => [
    { path: `/v1/jobs/${jobId.slice(0, -4)}0000` },
    { path: '/v1/jobs/nonsense' },
    { path: '/v1/jobs?limit=none' },
    { path: '/v1/nowhere' },
  ],
}

test.each(Object.keys(variants))('both processes respond, log and limit alike: %s', async (name) => {
  for (const [n, sent] of variants[name]!().entries()) {
    // The first responses fill the caches, so the fast path sends later responses.
    for (let turn = 0; turn < 4; turn++) {
      const id = `${name.replaceAll(' ', '-')}.${n}.${turn}`
      const [one, other] = [await ask(fast, sent, id), await ask(usual, sent, id)]
      expect(one).toEqual(other)
      expect(await linesOf(fast, id)).toEqual(await linesOf(usual, id))
    }
  }
})

test('both processes count requests alike', async () => {
  const counts = async (board: Board) => {
    const { text } = await board.get('/metrics', ADMIN_KEY)
    const lines = text.matchAll(/^http_requests_total\{operation="(listJobs|getJob)",status="200"\} (\d+)$/gm)
    return Object.fromEntries([...lines].map(([, operation, count]) => [operation!, Number(count)]))
  }
  const added = async (board: Board) => {
    // On a slow machine, the cached responses and the lookup of the key may have expired since the last test.
    for (let n = 0; n < 3; n++) for (const sent of plain()) await ask(board, sent, `fill-${n}`)
    const before = await counts(board)
    for (const sent of plain()) for (let n = 0; n < 5; n++) await ask(board, sent, `count-${n}`)
    const after = await counts(board)
    return Object.keys(after).map((operation) => [operation, after[operation]! - before[operation]!])
  }
  const counted = Object.fromEntries(await added(fast))
  // After a background task commits, the regular path first compares the board with the database.
  const fastAnswers = answering.mock.results.slice(-16, -1).filter(({ value }) => value === true)
  expect(fastAnswers.length).toBeGreaterThanOrEqual(10)
  expect(counted).toEqual({ listJobs: 10, getJob: 5 })
  expect(Object.fromEntries(await added(usual))).toEqual(counted)
})

/** Returns a tool call. With `halves`, its body arrives in two packets. */
function call(name: string, args: object, { key = employer.key, text = '', halves = false } = {}): Sent {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args, _meta } }
  const body = text || JSON.stringify(message)
  const headers = {
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    'content-length': String(Buffer.byteLength(body)),
  }
  return { path: '/v1/mcp', method: 'POST', key, headers, body: halves ? [body.slice(0, 9), body.slice(9)] : [body] }
}

test('both processes respond to tool calls alike', async () => {
  const cases: [sent: Sent, lines: number][] = [
    [call('get_job', { id: jobId }), 2],
    [call('search_jobs', { search: 'engineer', limit: 3 }), 2],
    [call('list_my_jobs', { limit: 2 }), 2],
    [call('list_categories', {}, { key: candidate.key }), 2],
    [call('update_profile', { headline: 7 }, { key: candidate.key }), 2],
    [call('search_jobs', { town: '“Ä' }), 2],
    [call('list_my_jobs', {}, { key: narrowKey }), 2],
    [call('get_job', { id: jobId }, { halves: true }), 2],
    [call('get_job', { id: { toString: 1 } }), 2],
    [call('search_jobs', { search: { toString: 1 }, skills_in: [{ toString: 1 }] }), 2],
    [call('create_job', { idempotency_key: { toString: 1 } }), 2],
    [call('get_job', {}), 1],
    [call('drop_table', {}), 1],
    [call('get_job', {}, { key: 'nonsense' }), 1],
    [call('get_job', {}, { text: '{"jsonrpc"' }), 1],
    [call('get_job', {}, { text: `${'['.repeat(40)}${']'.repeat(40)}` }), 1],
  ]
  const calling = vi.spyOn(FastPath.prototype, 'answerCall')
  for (const [n, [sent, count]] of cases.entries()) {
    for (let turn = 0; turn < 3; turn++) {
      const id = `tool.${n}.${turn}`
      const [one, other] = [await ask(fast, sent, id), await ask(usual, sent, id)]
      expect(one).toEqual(other)
      expect(await linesOf(fast, id, count)).toEqual(await linesOf(usual, id, count))
    }
  }
  expect(calling.mock.results.map(({ value }) => value)).toEqual(Array(3 * cases.length).fill(true))
  calling.mockRestore()
})
