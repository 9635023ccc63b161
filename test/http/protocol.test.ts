import { METHODS } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { eventDescriptions, eventTypes } from '../../src/events/catalogue.ts'
import { mediaTypes } from '../../src/files/kinds.ts'
import { operationsOf, responseIn } from '../../src/http/openapi-document.ts'
import { errorCatalogue } from '../../src/lib/errors.ts'
import { escapeHtml } from '../../src/lib/html.ts'
import { makeAlert } from '../support/alerts.ts'
import { apply } from '../support/applications.ts'
import { type Account, ADMIN_KEY, type Answer, Board, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { claim as makeClaim } from '../support/claims.ts'
import { openTestDatabase } from '../support/database.ts'
import { makeFeed, ndjsonOf, posting, push } from '../support/feeds.ts'
import { rawRequest, sendRaw } from '../support/raw.ts'
import { upload } from '../support/resumes.ts'
import { deliveriesOf, makeWebhook } from '../support/webhooks.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const board = useBoard()
let candidate: Account
let employer: Account
beforeAll(async () => {
  candidate = await board.candidate()
  employer = await board.employer()
})

/** Asserts that a response is a problem document with this code and reveals no internals. */
function expectProblem(answer: Pick<Answer, 'status' | 'headers' | 'text'>, code: keyof typeof errorCatalogue) {
  const { status, title } = errorCatalogue[code]
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`"code":"${code}"`)])
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  const problem = JSON.parse(answer.text)
  expect(problem).toEqual({
    type: `/docs/errors/${code}`,
    title,
    status,
    detail: expect.any(String),
    instance: expect.stringMatching(/^\//),
    code,
    request_id: answer.headers.get('x-request-id'),
    ...(problem.errors && { errors: expect.any(Array) }),
  })
  return problem
}

/** Returns every path in the OpenAPI document, with its methods and with well-formed values in place of parameters. */
function paths(): { path: string; methods: string[] }[] {
  const prefixes: Record<string, string> = {
    jobs: 'job',
    employers: 'emp',
    candidates: 'cand',
    payments: 'pay',
    'api-keys': 'key',
    resume: 'res',
    applications: 'app',
    'job-alerts': 'alert',
    events: 'evt',
    feeds: 'feed',
    webhooks: 'wh',
    reports: 'rep',
    accounts: 'emp',
  }
  return Object.entries(board.contract.document.paths).map(([template, item]) => ({
    path: `/v1${template
      .replace(/([\w-]+)\/\{id\}/, (_, parent: string) => `${parent}/${prefixes[parent]}_00000000000000000000000000`)
      .replace('{delivery_id}', 'whd_00000000000000000000000000')
      .replace('{recovery_id}', 'whr_00000000000000000000000000')
      .replace('{claim_id}', 'claim_00000000000000000000000000')
      .replace('{run_id}', 'run_00000000000000000000000000')
      .replace('{status}', 'hired')
      .replace('{slug}', 'job-post')}`,
    methods: Object.keys(item).map((method) => method.toUpperCase()),
  }))
}

/** This response ends only when the client disconnects, so it has no tag and no HEAD. See streamEvents.test.ts. */
const STREAM = '/v1/events/stream'

/** Returns every GET path except `STREAM`, with IDs of existing resources and an API key that may read it. */
async function everyGet(): Promise<{ path: string; key: string }[]> {
  const job = await board.activeJob(employer)
  const payments = await board.get(`/v1/employers/payments?job_id=${job.id}`, employer.key)
  const [payment] = expectStatus(payments, 200).body.data
  expectStatus(await board.put('/v1/candidates/profile', candidate.key, { is_searchable: true }), 200)
  const resume = await upload(board, candidate)
  const application = await apply(board, candidate, job.id)
  const alert = await makeAlert(board, candidate)
  const [event] = expectStatus(await board.get('/v1/events', employer.key), 200).body.data
  const webhook = await makeWebhook(board, employer)
  await board.job(employer)
  const [delivery] = await deliveriesOf(board, employer, webhook.id)
  const recovered = await board.post(`/v1/webhooks/${webhook.id}/recover`, employer.key, { since: '2026-03-01' })
  const recovery = expectStatus(recovered, 202).body.data
  const { id: feedId } = await makeFeed(board, {}, employer.key)
  const run = expectStatus(await push(board, feedId, ndjsonOf([posting('1')]), employer.key), 202).body.data
  expectStatus(await board.put('/v1/employers/profile', employer.key, { website: 'https://halden.example' }), 200)
  const claim = await makeClaim(board, employer)
  const legal = { title: 'Imprint', text: 'Gearwright Ltd' }
  expectStatus(await board.put('/v1/admin/board/pages/job-post', ADMIN_KEY, legal), 200)
  const reported = await board.post(`/v1/jobs/${job.id}/reports`, candidate.key, { reason: 'spam' })
  const report = expectStatus(reported, 201).body.data
  const gets = paths()
    .filter(({ path, methods }) => methods.includes('GET') && path !== STREAM)
    .map(({ path }) =>
      path
        .replace(/job_0+/, job.id)
        .replace(/emp_0+/, employer.id)
        .replace(/cand_0+/, candidate.id)
        .replace(/pay_0+/, payment.id)
        .replace(/res_0+/, resume.id)
        .replace(/app_0+/, application.id)
        .replace(/alert_0+/, alert.id)
        .replace(/evt_0+/, event.id)
        .replace(/wh_0+/, webhook.id)
        .replace(/whd_0+/, delivery.id)
        .replace(/whr_0+/, recovery.id)
        .replace(/rep_0+/, report.id)
        .replace(/feed_0+/, feedId)
        .replace(/run_0+/, run.id)
        .replace(/claim_0+/, claim.id),
    )
  return [...gets, '/v1', '/v1/openapi.json', '/v1/docs', '/healthz', '/readyz'].map((path) => ({
    path,
    // Employers read the candidate collection; candidates read their own resources.
    key: path.startsWith('/v1/admin')
      ? ADMIN_KEY
      : /^\/v1\/candidates\/(?!cand_)/.test(path)
        ? candidate.key
        : employer.key,
  }))
}

describe('unknown routes', () => {
  const unknown = ['/v1/nothing', '/v1/', '/v1//jobs', '/v1/JOBS', '/v1/me/', '/v1/me/more']

  test('return 401 under /v1 without a key', async () => {
    for (const path of unknown) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await board.call(method, path)
        expectProblem(answer, 'unauthorized')
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      }
    }
  })

  test('return 404 under /v1 with a key, whatever the method and the body', async () => {
    for (const path of unknown) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const answer = await board.call(method, path, { key: candidate.key })
        if (method === 'HEAD') expect([answer.status, answer.text]).toEqual([404, ''])
        else expectProblem(answer, 'not_found')
      }
      expectProblem(await board.post(path, candidate.key, { a: 1 }), 'not_found')
      expectProblem(await board.post(path, candidate.key, '{'), 'not_found')
    }
  })

  test('return 404 outside /v1 without a key', async () => {
    for (const path of ['/v1x', '/v2', '/v10/jobs', '/favicon.ico', '/checkout', '/checkout/a/b']) {
      expectProblem(await board.get(path), 'not_found')
    }
  })

  test('omit the query from instance, because it may contain anything', async () => {
    const problem = expectProblem(await board.get('/nothing?key=secret'), 'not_found')
    expect(problem.instance).toBe('/nothing')
  })
})

describe('methods', () => {
  test('get 405 with the exact Allow list on every path that does not support them', async () => {
    const all = paths()
    expect(all.length).toBeGreaterThan(20)
    const meta = ['/v1', '/v1/openapi.json', '/v1/docs', '/v1/docs/scalar.js'].map((path) => ({
      path,
      methods: ['GET'],
    }))
    for (const { path, methods } of [...all, ...meta]) {
      const known = methods.includes('GET') && path !== STREAM ? [...methods, 'HEAD'] : methods
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (known.includes(method)) continue
        const answer = await board.call(method, path, { key: candidate.key })
        expectProblem(answer, 'method_not_allowed')
        expect(answer.headers.get('allow')?.split(', ').sort(), `${method} ${path}`).toEqual(known.toSorted())
      }
    }
  })

  test('get 405 only with a key, but even if the body is unreadable', async () => {
    expectProblem(await board.call('PATCH', '/v1/jobs'), 'unauthorized')
    for (const body of ['{', 'x'.repeat(2_000_000)]) {
      const answer = await board.call('PATCH', '/v1/jobs', { key: candidate.key, body })
      expectProblem(answer, 'method_not_allowed')
    }
  })

  test('get 405 even if they are rarely used, or 404 on unknown paths', async () => {
    const headers = { authorization: `Bearer ${candidate.key}` }
    for (const method of METHODS.filter((one) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(one))) {
      const answer = await sendRaw(board.address, rawRequest(method, '/v1/jobs', headers))
      expectProblem(answer, 'method_not_allowed')
      expect(answer.text).toContain(`${method} is not allowed. Use GET, HEAD, POST.`)
      expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
      expect(board.log).toContain(`"method":"${method}"`)
      const nowhere = await sendRaw(board.address, rawRequest(method, '/v1/nothing', headers))
      expect(nowhere.text, method).toContain('not_found')
    }
  })

  test('get 405 on paths outside /v1 that do not support them', async () => {
    for (const [path, allow] of [
      ['/healthz', 'GET, HEAD'],
      ['/readyz', 'GET, HEAD'],
      ['/metrics', 'GET, HEAD'],
      [`/checkout/${'A'.repeat(32)}`, 'GET, HEAD, POST'],
      ['/unsubscribe/x', 'GET, HEAD, POST'],
    ] as const) {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const answer = await sendRaw(board.address, rawRequest(method, path))
        expectProblem(answer, 'method_not_allowed')
        expect(answer.headers.get('allow'), path).toBe(allow)
      }
    }
  })

  test('get a problem document even if they are CONNECT or do not exist', async () => {
    const connect = await sendRaw(board.address, 'CONNECT board:443 HTTP/1.1\r\nhost: board\r\n\r\n')
    expectProblem(connect, 'method_not_allowed')
    expect(connect.headers.get('allow')).toBe('')
    const answer = await sendRaw(board.address, rawRequest('BREW', '/v1/jobs'))
    expectProblem(answer, 'bad_request')
  })

  test('include HEAD on every path with GET except the event stream, with the same status and headers but no body', async () => {
    for (const { path, key } of await everyGet()) {
      for (const coding of ['identity', 'br']) {
        const asked = { key, headers: { 'accept-encoding': coding } }
        // A cached response is compressed only after repeated requests, so its length changes.
        if (coding !== 'identity') await board.call('GET', path, asked)
        const [head, get] = [await board.call('HEAD', path, asked), await board.call('GET', path, asked)]
        expect([head.status, get.status, head.text], path).toEqual([200, 200, ''])
        for (const name of [
          'content-type',
          'content-length',
          'content-encoding',
          'cache-control',
          'link',
          'etag',
          'vary',
        ]) {
          expect(head.headers.get(name), `${name} of ${path}`).toBe(get.headers.get(name))
        }
      }
    }
    expect((await board.call('HEAD', '/v1/jobs')).status).toBe(401)
  })
})

describe('representations', () => {
  test('have a tag on every cacheable GET under /v1, and the tag gets 304 while nothing has changed', async () => {
    for (const { path, key } of await everyGet()) {
      const first = await board.get(path, key)
      if (!path.startsWith('/v1') || first.headers.get('cache-control') === 'no-store') {
        expect(first.headers.has('etag'), path).toBe(false)
        continue
      }
      const tag = first.headers.get('etag')!
      expect(tag, path).toMatch(/^"[\w-]+(?:--(?:br|gzip))?"$/)
      for (const [method, given] of [
        ['GET', tag],
        ['HEAD', tag],
        ['GET', `"other", W/${tag}`],
        ['GET', '*'],
      ] as const) {
        const again = await board.call(method, path, { key, headers: { 'if-none-match': given } })
        expect([again.status, again.text], `${path} ${given}`).toEqual([304, ''])
        if (method === 'GET') expect(again.headers.get('content-type')).toBeNull()
        expect(again.headers.get('content-length')).toBeNull()
        expect(again.headers.get('etag')?.replace(/--\w+/, ''), path).toBe(tag.replace(/--\w+/, ''))
        expect(again.headers.get('cache-control'), path).toBe('private, no-cache')
      }
      const other = await board.call('GET', path, { key, headers: { 'if-none-match': '"other"' } })
      expect([other.status, other.text], path).toEqual([200, first.text])
    }
  })

  test('have a different tag after each change and in each coding, and every current tag gets 304', async () => {
    const reader = await board.candidate()
    const tags = new Set<string>()
    for (let n = 0; n < 2; n++) {
      await board.activeJob(employer, { description: 'A long description. '.repeat(100) })
      for (const coding of ['identity', 'gzip', 'br']) {
        const asked = { key: reader.key, headers: { 'accept-encoding': coding } }
        await board.call('GET', '/v1/jobs', asked)
        const { headers } = await board.call('GET', '/v1/jobs', asked)
        expect(headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
        tags.add(headers.get('etag')!)
      }
    }
    expect(tags.size).toBe(6)
    const statuses = await Promise.all(
      [...tags].map(async (tag) => {
        const answer = await board.call('GET', '/v1/jobs', { key: reader.key, headers: { 'if-none-match': tag } })
        return answer.status
      }),
    )
    expect(statuses).toEqual([200, 200, 200, 304, 304, 304])
  })

  test.each(['GET', 'HEAD'])('keep the tag of their coding when %s gets 304', async (method) => {
    const member = await board.employer()
    for (let n = 0; n < 3; n++) await board.job(member, { description: 'A long description. '.repeat(50) })
    for (const path of ['/v1/jobs?limit=3', '/v1/employers/jobs?limit=3', '/v1/openapi.json']) {
      await board.get(path, member.key)
      for (const coding of ['br', 'gzip', 'identity']) {
        const headers = { 'accept-encoding': coding }
        const tag = (await board.call('GET', path, { key: member.key, headers })).headers.get('etag')!
        const known = { ...headers, 'if-none-match': tag }
        const again = await board.call(method, path, { key: member.key, headers: known })
        expect([path, coding, again.status, again.headers.get('etag')]).toEqual([path, coding, 304, tag])
        expect([again.headers.get('content-length'), again.headers.get('content-encoding')]).toEqual([null, null])
      }
    }
  })

  test.each([
    ['gzip', 'gzip'],
    ['br, gzip;q=0.5', 'br'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['GZIP;q=1.0', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip;q=nonsense', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; q=0.0', null],
    ['br;q=0, *;q=0', null],
    ['identity', null],
    ['xgzip', null],
    [',;q=1,', null],
    ['', null],
  ])('are compressed according to Accept-Encoding: %s', async (accepted, coding) => {
    const member = await board.employer()
    for (let n = 0; n < 3; n++) await board.job(member, { description: 'A long description. '.repeat(50) })
    for (const path of ['/v1/jobs?limit=3', '/v1/employers/jobs?limit=3', '/v1/openapi.json']) {
      await board.get(path, member.key)
      const plain = await board.call('GET', path, { key: member.key, headers: { 'accept-encoding': 'identity' } })
      const answer = await board.call('GET', path, { key: member.key, headers: { 'accept-encoding': accepted } })
      expect(answer.headers.get('content-encoding'), path).toBe(coding)
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(answer.text).toBe(plain.text)
    }
  })

  test('are not compressed if they fit into one packet, must not be stored or are errors', async () => {
    const headers = { 'accept-encoding': 'gzip, br' }
    const long = { name: 'x'.repeat(100), email: `${'x'.repeat(50)}@long.example`, description: 'x'.repeat(4_000) }
    const answers = [
      await board.call('GET', '/v1/me', { key: candidate.key, headers }),
      await board.call('POST', '/v1/employers', { body: long, headers }),
      await board.call('GET', '/v1/candidates/export', { key: candidate.key, headers }),
      await board.call('GET', `/v1/jobs?${Array.from({ length: 90 }, (_, n) => `unknown_${n}=1`).join('&')}`, {
        key: candidate.key,
        headers,
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 400])
    for (const answer of answers) expect(answer.headers.get('content-encoding')).toBeNull()
    expect(Math.min(...answers.slice(1).map(({ text }) => text.length))).toBeGreaterThan(1_400)
  })
})

describe('Accept', () => {
  const all = () => paths().flatMap(({ path, methods }) => methods.map((method) => ({ path, method })))

  test('gets 406 if it excludes JSON, after 401 and 403 but before the body is read, in every JSON operation', async () => {
    let refused = 0
    for (const { path, method } of all()) {
      const isFile = method === 'GET' && path.startsWith('/v1/candidates/resume/')
      for (const { key } of [candidate, employer, { key: ADMIN_KEY }]) {
        const answer = await board.call(method, path, { key, headers: { accept: 'text/html, image/*' }, body: '{' })
        if (answer.status !== 406)
          expect([403, 404, ...(isFile ? [200] : [])], `${method} ${path}`).toContain(answer.status)
        else {
          expectProblem(answer, 'not_acceptable')
          refused++
        }
      }
      const anonymous = await board.call(method, path, { headers: { accept: 'text/html' } })
      expect([401, 406], `${method} ${path}`).toContain(anonymous.status)
    }
    expect(refused).toBeGreaterThan(60)
  })

  test.each([
    ...['*/*', 'application/json', 'application/*', 'APPLICATION/JSON', 'application/json;charset=utf-8', '', ' , '],
    ...[
      'text/html, */*;q=0.1',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'application/json;q=x',
    ],
    'application/json;q=0.001',
  ])('is accepted if it includes JSON: %j', async (accept) => {
    expect((await board.call('GET', '/v1/me', { key: candidate.key, headers: { accept } })).status).toBe(200)
  })

  test.each([
    ...[
      'text/html',
      'application/xml',
      'application/json;q=0',
      '*/*;q=0',
      'application/json;q=0, */*',
      'application/jso',
    ],
    ...['text/*', 'application/problem+json', 'json', `${'text/html,'.repeat(100)}*/*`],
  ])('is refused if it excludes JSON: %s', async (accept) => {
    expectProblem(await board.call('GET', '/v1/me', { key: candidate.key, headers: { accept } }), 'not_acceptable')
  })

  test('is ignored for pages, health checks and errors', async () => {
    const headers = { accept: 'text/html' }
    expect((await board.call('GET', '/v1/docs', { headers })).status).toBe(200)
    expect((await board.call('GET', '/healthz', { headers })).status).toBe(200)
    expectProblem(await board.call('GET', '/v1/nothing', { key: candidate.key, headers }), 'not_found')
    expectProblem(await board.call('PATCH', '/v1/jobs', { key: candidate.key, headers }), 'method_not_allowed')
  })
})

describe('Content-Encoding', () => {
  const body = '{"name":"Compressed"}'
  const send = (method: string, path: string, coding: string, sent: string | null = body) =>
    board.call(method, path, { key: employer.key, body: sent ?? undefined, headers: { 'content-encoding': coding } })

  test.each(['gzip', 'br', 'x-gzip', 'gzip, identity', 'utf-8', 'identity, gzip'])('%s is refused', async (coding) => {
    const answer = await send('POST', '/v1/api-keys', coding)
    expectProblem(answer, 'unsupported_media_type')
    expect(answer.headers.get('accept-encoding')).toBe('identity')
    expectProblem(await send('POST', '/checkout/x', coding), 'unsupported_media_type')
  })

  test.each(['identity', 'Identity', ''])('%j is accepted', async (coding) => {
    expectStatus(await send('POST', '/v1/api-keys', coding), 201)
  })

  test('is ignored if there is no body, or none is read', async () => {
    expectStatus(await send('GET', '/v1/me', 'gzip', null), 200)
    const { id } = await board.activeJob(employer)
    expectStatus(await send('POST', `/v1/jobs/${id}/activate`, 'gzip', null), 200)
    const headers = { authorization: `Bearer ${employer.key}`, 'content-encoding': 'gzip', 'content-length': '2' }
    expect((await sendRaw(board.address, rawRequest('GET', '/v1/me', headers, '{}'))).status).toBe(200)
  })

  test('is checked after the route, the caller and the resource', async () => {
    expectProblem(
      await board.call('POST', '/v1/jobs', { body, headers: { 'content-encoding': 'gzip' } }),
      'unauthorized',
    )
    expectProblem(await send('POST', '/v1/nothing', 'gzip'), 'not_found')
    expectProblem(await send('PATCH', '/v1/jobs', 'gzip'), 'method_not_allowed')
    expectProblem(await send('POST', '/v1/candidates/job-alerts', 'gzip'), 'candidate_account_required')
    expectProblem(await send('PUT', '/v1/jobs/job_00000000000000000000000000', 'gzip'), 'not_found')
  })
})

describe('X-Request-Id', () => {
  test.each(['a', 'A.b-c_9', 'x'.repeat(128)])('is kept if it is %s, also in errors and in the log', async (id) => {
    for (const path of ['/v1/me', '/nothing', '/healthz']) {
      const answer = await board.call('GET', path, { key: candidate.key, headers: { 'x-request-id': id } })
      expect(answer.headers.get('x-request-id')).toBe(id)
      if (answer.status === 404) expect(answer.body.request_id).toBe(id)
    }
    expect(board.log).toContain(`"request_id":"${id}"`)
  })

  test.each(['', ' ', 'x'.repeat(129), 'a b', 'a"b', 'a,b', 'é', '<script>'])('is replaced if it is %j', async (id) => {
    const answer = await board.call('GET', '/v1/me', { headers: { 'x-request-id': id } })
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
  })

  test('is generated for each request without one', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await board.get('/healthz')).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(5)
    for (const id of ids) expect(id).toMatch(UUID)
  })
})

describe('an unusual request', () => {
  test('is served normally with an origin in its target, and the response does not repeat that origin', async () => {
    const headers = { authorization: `Bearer ${employer.key}` }
    const ask = (target: string) => sendRaw(board.address, rawRequest('GET', target, headers))
    const [plain, absolute] = [await ask('/v1/jobs?limit=1'), await ask('HTTP://elsewhere.example:99/v1/jobs?limit=1')]
    expect([absolute.status, absolute.text]).toEqual([200, plain.text])
    expect(absolute.headers.get('link')).toBe(plain.headers.get('link'))
    for (const [target, status] of [
      ['http://elsewhere.example', 200],
      ['http://elsewhere.example?x=/v1/jobs', 200],
      ['http://u@elsewhere.example/v2', 404],
    ] as const) {
      const answer = await ask(target)
      expect(answer.status).toBe(status)
      expect(answer.text).not.toContain('elsewhere')
    }
  })

  test.each([
    ['input that is not HTTP', 'hello\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: board\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost board\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nhost : board\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: board\r\nx: a\0b\r\n\r\n'],
    ['two lengths', 'POST /v1/jobs HTTP/1.1\r\nhost: board\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
    [
      'a length with chunks',
      'POST /v1/jobs HTTP/1.1\r\nhost: board\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a non-numeric length', 'POST /v1/jobs HTTP/1.1\r\nhost: board\r\ncontent-length: two\r\n\r\n{}'],
  ])('gets a problem document: %s', async (_what, request) => {
    expectProblem(await sendRaw(board.address, request), 'bad_request')
  })

  test('gets a problem document if Host is missing, except in HTTP/1.0', async () => {
    for (const path of ['/healthz', '/v1/jobs', '/nothing']) {
      expectProblem(await sendRaw(board.address, `GET ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`), 'bad_request')
    }
    expect((await sendRaw(board.address, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
  })

  test.each([
    ['two hosts', 'Host: board\r\nHost: board'],
    ['two hosts in different case', 'host: board\r\nHOST: elsewhere.example'],
    ['two hosts in one header', 'host: board, elsewhere.example'],
    ['a host with a path', 'host: board/elsewhere'],
    ['a host with a user name', 'host: someone@board'],
    ['a non-numeric port', 'host: board:x'],
  ])('gets a problem document in every HTTP version: %s', async (_what, lines) => {
    for (const [path, version] of [
      ['/healthz', '1.1'],
      ['/v1/jobs', '1.1'],
      ['/nothing', '1.0'],
      ['/v1/%zz', '1.1'],
    ]) {
      const request = `GET ${path} HTTP/${version}\r\n${lines}\r\nconnection: close\r\n\r\n`
      expectProblem(await sendRaw(board.address, request), 'bad_request')
    }
  })

  test.each(['board', 'board:3000', 'my_board.example.', 'xn--bcher-kva.example', '[::1]:80', '192.0.2.1:', ''])(
    'may have an unusual host: %j',
    async (host) => {
      expect((await sendRaw(board.address, rawRequest('GET', '/healthz', { host }))).status).toBe(200)
    },
  )

  test('gets 417 for an unknown expectation', async () => {
    const request = rawRequest('POST', '/v1/jobs', { expect: 'banana', 'content-length': '2' }, '{}')
    expectProblem(await sendRaw(board.address, request), 'expectation_failed')
    const usual = rawRequest('GET', '/healthz', { expect: '100-continue' })
    expect((await sendRaw(board.address, usual)).text).toContain('200 OK')
  })

  test('gets 431 for headers of 20 KB', async () => {
    const request = rawRequest('GET', '/healthz', { 'x-long': 'x'.repeat(20_000) })
    expectProblem(await sendRaw(board.address, request), 'headers_too_large')
  })

  test('does not stop the service', async () => {
    expect((await board.get('/healthz')).body).toEqual({ status: 'ok' })
  })
})

describe('every response', () => {
  test('forbids sniffing, framing and loading content, and requires HTTPS if the board uses it', async () => {
    for (const { path, key } of await everyGet()) {
      const { headers } = await board.get(path, key)
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('content-security-policy'), path).toMatch(/default-src 'none'(?:;.*frame-ancestors 'none'|$)/)
      expect(headers.get('strict-transport-security'), path).toBe('max-age=31536000')
      expect(headers.get('cache-control'), path).toMatch(/^(?:private, no-cache|no-store)$/)
      expect(headers.has('server') || headers.has('x-powered-by'), path).toBe(false)
    }
    const http = new Board()
    await http.start({ PUBLIC_BASE_URL: 'http://localhost:3000' })
    expect((await http.get('/healthz')).headers.has('strict-transport-security')).toBe(false)
    await http.stop()
  })

  test('ignores the host name that Host and proxy headers claim', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' }
    const forged = { ...headers, forwarded: 'host=evil.example', 'x-original-url': '/evil', 'x-rewrite-url': '/evil' }
    for (const { path, key } of await everyGet()) {
      const answer = await sendRaw(
        board.address,
        rawRequest('GET', path, { ...forged, authorization: `Bearer ${key}` }),
      )
      expect(answer.status, path).toBe(200)
      expect(`${[...answer.headers]} ${answer.text}`, path).not.toMatch(/evil|gopher/)
    }
  })
})

describe('request targets', () => {
  test('are accepted up to 8 KiB, and refused beyond that even without a key', async () => {
    const padded = (length: number) => `/v1/jobs?search=${'x'.repeat(length - '/v1/jobs?search='.length)}`
    const get = (target: string, key?: string) =>
      sendRaw(board.address, rawRequest('GET', target, key ? { authorization: `Bearer ${key}` } : {}))
    expectProblem(await get(padded(8_192), candidate.key), 'invalid_parameter')
    for (const key of [candidate.key, undefined]) {
      expectProblem(await get(padded(8_193), key), 'uri_too_long')
      expectProblem(await get(`/${'x'.repeat(8_192)}`, key), 'uri_too_long')
      expectProblem(await get(`/v1/jobs/${'x'.repeat(12_000)}`, key), 'uri_too_long')
    }
  })

  test.each(['/v1/jobs/%', '/v1/jobs/%zz', '/v1/jobs/%ff', '/v1/%c3%28', '/%', '/checkout/%e0%80'])(
    'get 404 with the broken percent-encoding %s',
    async (path) => {
      const answer = await board.get(path, candidate.key)
      expectProblem(answer, 'not_found')
      for (const [name, value] of Object.entries({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'strict-transport-security': 'max-age=31536000',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      }))
        expect(answer.headers.get(name), name).toBe(value)
    },
  )

  test.each(['?search=%', '?search=%zz', '?search=%ff', '?search=a&%c3%28=1', '?search=%ed%a0%80'])(
    'are refused with the broken query %s',
    async (query) => {
      const answer = await board.get(`/v1/jobs${query}`, candidate.key)
      expectProblem(answer, 'invalid_parameter')
      expectProblem(await board.post(`/v1/jobs${query}`, employer.key, {}), 'invalid_parameter')
    },
  )

  test('treat plus signs and encoded spaces in a query alike', async () => {
    for (const query of ['a+b', 'a%20b']) {
      const answer = await board.get(`/v1/jobs?search=${query}`, candidate.key)
      expect(answer.body.meta.filters_applied).toEqual({ search: 'a b' })
    }
  })
})

describe('bodies', () => {
  const confirm = '/v1/employers/payments/pay_00000000000000000000000000/confirm'

  test('may be absent or empty if they are not required, with and without a content type', async () => {
    const { id } = await board.job(employer)
    await board.pay(employer, id)
    for (const headers of [
      {},
      { 'content-type': 'application/json' },
      { 'content-type': 'application/json; charset=utf-8' },
    ]) {
      expect((await board.call('POST', `/v1/jobs/${id}/activate`, { key: employer.key, headers })).status).toBe(200)
      expect((await board.call('GET', '/v1/me', { key: employer.key, headers })).status).toBe(200)
    }
    const request = rawRequest('POST', `/v1/jobs/${id}/activate`, {
      authorization: `Bearer ${employer.key}`,
      'content-type': 'application/json',
      'content-length': '0',
    })
    expect((await sendRaw(board.address, request)).status).toBe(200)
  })

  test('are validated as an empty object if they are required but absent', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const answer = await board.call('POST', '/v1/jobs', { key: employer.key, headers })
      expectProblem(answer, 'validation_failed')
    }
  })

  test('are accepted if their media type has parameters, in any letter case', async () => {
    for (const type of ['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"']) {
      const answer = await board.call('POST', '/v1/jobs', {
        key: employer.key,
        body: '{}',
        headers: { 'content-type': type },
      })
      expectProblem(answer, 'validation_failed')
    }
  })

  test('are refused without a media type', async () => {
    const headers = { authorization: `Bearer ${employer.key}`, 'content-length': '2' }
    const answer = await sendRaw(board.address, rawRequest('POST', '/v1/jobs', headers, '{}'))
    expectProblem(answer, 'unsupported_media_type')
  })

  test('are checked after the key, the account kind and the resource', async () => {
    const body = '{'
    expectProblem(await board.call('POST', confirm, { body }), 'unauthorized')
    expect((await board.call('POST', confirm, { body, key: candidate.key })).body.code).toBe(
      'employer_account_required',
    )
    expectProblem(await board.call('POST', confirm, { body, key: employer.key }), 'not_found')
    expectProblem(await board.call('POST', '/v1/jobs', { body, key: employer.key }), 'invalid_json')
  })
})

describe('responses', () => {
  test('name their character set, and forbid sniffing and shared caching', async () => {
    const answers = [await board.get('/v1/me', candidate.key), await board.get('/v1/jobs', candidate.key)]
    for (const { headers } of answers) {
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('private, no-cache')
    }
    const refused = await board.get('/v1/me')
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(refused.headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('the service', () => {
  test('returns its name and version at /v1, without a key', async () => {
    const answer = await board.get('/v1')
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: {
          name: 'job-marketplace',
          version: '1.0',
          release: expect.stringMatching(/^\d+\.\d+\.\d+$/),
          documentation: `${ORIGIN}/v1/docs`,
        },
      },
    ])
  })

  test('reports liveness at /healthz and readiness at /readyz, without a key', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await board.get(path)
      expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }])
    }
  })

  test('loads its reference from this host only, under a separate content security policy', async () => {
    const { status, headers, text } = await board.get('/v1/docs')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
        "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    const targets = [...text.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, target]) => target!)
    expect(targets.filter((target) => !/^(?:\/|#(?:main|footer)$|mailto:)/.test(target))).toEqual([])
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/i)
    const script = await board.call('GET', '/v1/docs/scalar.js', { headers: { 'accept-encoding': 'br' } })
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(Number(script.headers.get('content-length'))).toBeLessThan(1_500_000)
    const again = { headers: { 'if-none-match': script.headers.get('etag')! } }
    expect((await board.call('GET', '/v1/docs/scalar.js', again)).status).toBe(304)
  })

  test('documents every operation on a page that needs no JavaScript', async () => {
    const { text } = await board.get('/v1/docs')
    for (const { operationId, method, path, summary, responses } of operationsOf(board.contract.document)) {
      expect(text).toContain(`<a href="/v1/docs/${operationId}"><code>${method} /v1${path}</code></a>`)
      const page = await board.get(`/v1/docs/${operationId}`)
      expect([page.status, page.text.includes(escapeHtml(summary!))]).toEqual([200, true])
      const programs = path === '/events/stream' ? ['curl -N '] : ['curl ', 'await fetch(', 'urlopen(']
      for (const shown of [...programs, ...Object.keys(responses)]) {
        expect(page.text, operationId).toContain(shown)
      }
    }
    expectProblem(await board.get('/v1/docs/nothing'), 'not_found')
  })
})

describe('GET /v1/openapi.json', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document may have any shape
  type Json = any
  const document = () => board.contract.document as Json
  const operations = (): { path: string; method: string; operation: Json }[] =>
    Object.entries<Json>(document().paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
    )

  test('is public, and has the structure of OpenAPI 3.1', async () => {
    const answer = await board.get('/v1/openapi.json')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const { openapi, info, servers, paths: _, components, ...rest } = answer.body
    expect(openapi).toBe('3.1.0')
    expect(info).toMatchObject({ title: expect.any(String), version: expect.any(String), license: { name: 'MIT' } })
    expect(servers).toEqual([{ url: `${ORIGIN}/v1` }])
    expect(components.securitySchemes.api_key).toMatchObject({ type: 'http', scheme: 'bearer' })
    const known = ['jsonSchemaDialect', 'webhooks', 'security', 'tags', 'externalDocs']
    expect(Object.keys(rest).filter((name) => !known.includes(name) && !name.startsWith('x-'))).toEqual([])
  })

  test('gives every operation a unique ID, a summary, tags, security and described responses', () => {
    expect(operations().length).toBeGreaterThan(25)
    for (const { path, method, operation } of operations()) {
      const name = `${method} ${path}`
      for (const kind of Object.keys(operation['x-callers'] ?? {})) {
        expect(operation.description, name).toMatch(new RegExp(`Keys: .*\\b${kind}\\b`))
      }
      expect(['get', 'post', 'put', 'delete'], name).toContain(method)
      expect(operation.operationId, name).toMatch(/^[a-z][A-Za-z]+$/)
      expect(operation.summary?.length, name).toBeGreaterThan(5)
      expect(operation.tags, name).toEqual([expect.any(String)])
      expect(Array.isArray(operation.security), name).toBe(true)
      const statuses = Object.keys(operation.responses)
      const isFile = operation.operationId === 'downloadResume'
      const isPdf = operation.operationId === 'getInvoice'
      expect(
        statuses.filter((status) => status.startsWith('2')),
        name,
        // Files may also be returned in part. Saving and inviting return a different status the second time.
      ).toHaveLength(isFile || ['saveJob', 'inviteMember', 'inviteStaff'].includes(operation.operationId) ? 2 : 1)
      for (const [status, declared] of Object.entries<Json>(operation.responses)) {
        const response = responseIn(document(), declared)
        expect(response.description?.length, `${name} ${status}`).toBeGreaterThan(0)
        const types = Object.keys(response.content ?? {})
        if (isFile && status < '300') {
          expect(types, name).toEqual(Object.values(mediaTypes))
          continue
        }
        const others: Record<string, string[]> = {
          listEmployerApplications: ['application/json', 'text/csv'],
          streamEvents: ['text/event-stream'],
        }
        if (status === '200' && others[operation.operationId]) {
          expect(types, name).toEqual(others[operation.operationId])
          continue
        }
        if (isPdf && status < '300') {
          expect(types, name).toEqual(['application/pdf'])
          continue
        }
        const isEmpty = status === '204' || status === '304'
        const expected = isEmpty ? [] : [status < '300' ? 'application/json' : 'application/problem+json']
        expect(types, `${name} ${status}`).toEqual(expected)
      }
      // Only operations that require an API key have a 401.
      expect(statuses.includes('401'), name).toBe(operation.security.length > 0)
    }
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('declares every path parameter, and no parameter twice', () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const parameters: { name: string; in: string; required?: boolean; schema: Json }[] = operation.parameters ?? []
      const declared = parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name).sort(), path).toEqual(inPath.sort())
      for (const parameter of declared) expect(parameter.required, path).toBe(true)
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(new Set(keys).size, path).toBe(keys.length)
      for (const parameter of parameters) {
        expect(['path', 'query', 'header'], path).toContain(parameter.in)
        expect(parameter.schema, `${path} ${parameter.name}`).toBeTypeOf('object')
      }
    }
  })

  test('declares bodies only for POST and PUT, as JSON unless they are files', () => {
    for (const { path, method, operation } of operations()) {
      const hasBody = operation.requestBody !== undefined
      expect(hasBody && method !== 'post' && method !== 'put', `${method} ${path}`).toBe(false)
      if (!hasBody) continue
      const types = Object.keys(operation.requestBody.content)
      if (
        ['uploadResume', 'updateBoardLogo', 'updateEmployerLogo', 'updateEmployerCover'].includes(operation.operationId)
      )
        expect(types).toContain('multipart/form-data')
      else if (operation.operationId === 'createFeedDocument') expect(types).toContain('application/xml')
      else expect(types).toEqual(['application/json'])
    }
  })

  test('has no dangling references and no unused schemas', () => {
    const text = JSON.stringify(document())
    const references = new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference!))
    expect(references.size).toBeGreaterThan(5)
    for (const reference of references) {
      expect(reference).toMatch(/^#\//)
      const target = reference
        .slice(2)
        .split('/')
        .reduce((value: Json, token) => value?.[token.replaceAll('~1', '/').replaceAll('~0', '~')], document())
      expect(target, reference).toBeTypeOf('object')
    }
    const names = Object.keys(document().components.schemas)
    expect(names.filter((name) => !references.has(`#/components/schemas/${name}`))).toEqual([])
  })

  test('describes every event type in its webhooks section, with headers, a body and a valid example', () => {
    const { webhooks, components } = document()
    expect(Object.keys(webhooks)).toEqual(eventTypes)
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    ajv.addSchema({ $id: 'openapi', components })
    for (const type of eventTypes) {
      expect(Object.keys(webhooks[type])).toEqual(['post'])
      const { operationId, summary, parameters, requestBody, responses } = webhooks[type].post
      expect(operationId).toMatch(/^on[A-Z][A-Za-z]+Event$/)
      expect(summary).toBe(eventDescriptions[type])
      const required = parameters.filter((parameter: Json) => parameter.in === 'header' && parameter.required)
      expect(required.map(({ name }: Json) => name)).toEqual([
        'X-Service-Signature',
        'X-Service-Event-Id',
        'X-Service-Event-Type',
        'X-Service-Delivery-Id',
        'X-Service-Attempt',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ])
      for (const { name, example, schema } of parameters) {
        expect(example, name).toMatch(new RegExp(schema.pattern, 'u'))
      }
      expect(components.schemas.Event.discriminator.mapping[type]).toBe(
        requestBody.content['application/json'].schema.$ref,
      )
      const { schema, example } = requestBody.content['application/json']
      const validate = ajv.compile({ $ref: `openapi${schema.$ref}` })
      expect(validate(example), `${type}: ${ajv.errorsText(validate.errors)}`).toBe(true)
      expect(example.type).toBe(type)
      expect(Object.keys(responses).sort()).toEqual(['2XX', '410', 'default'])
      for (const response of Object.values<Json>(responses)) expect(response.description.length).toBeGreaterThan(5)
    }
  })

  test('uses JSON Schema 2020-12 types in its schemas', () => {
    const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
    const wrong: string[] = []
    const visit = (value: Json, at: string): void => {
      if (value === null || typeof value !== 'object' || /\/examples?$/.test(at)) return
      if (Array.isArray(value)) {
        for (const [i, item] of value.entries()) visit(item, `${at}/${i}`)
        return
      }
      const isSchema = typeof value.type === 'string' || Array.isArray(value.type)
      if (isSchema && !at.endsWith('/properties') && !/securitySchemes/.test(at)) {
        for (const type of [value.type].flat()) if (!types.has(type)) wrong.push(`${at}: type ${type}`)
        if (value.required && !Array.isArray(value.required)) wrong.push(`${at}: required`)
        for (const name of Array.isArray(value.required) ? value.required : []) {
          if (!Object.hasOwn(value.properties ?? {}, name)) wrong.push(`${at}: ${name} is required but not declared`)
        }
        if ('nullable' in value) wrong.push(`${at}: nullable belongs to OpenAPI 3.0`)
        if ('pattern' in value) new RegExp(value.pattern, 'u')
      }
      for (const [name, inner] of Object.entries(value)) visit(inner, `${at}/${name}`)
    }
    visit(document(), '#')
    expect(wrong).toEqual([])
  })
})

describe('/readyz', () => {
  test('returns 503 while a migration is missing, and 200 once it has run', async () => {
    const { name, applied_at } = await board.database.read((db) =>
      db.selectFrom('schema_migration').selectAll().orderBy('name', 'desc').limit(1).executeTakeFirstOrThrow(),
    )
    await board.database.inTx((tx) => tx.deleteFrom('schema_migration').where('name', '=', name).execute())
    const answer = await board.get('/readyz')
    await board.database.inTx((tx) => tx.insertInto('schema_migration').values({ name, applied_at }).execute())
    expectProblem(answer, 'unavailable')
    expect(answer.headers.get('retry-after')).toBe('2')
    expect((await board.get('/readyz')).status).toBe(200)
  })

  test('returns 503 immediately while all connections are in use, without affecting /healthz', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Array.from({ length: board.database.connections.most }, () => Promise.withResolvers<void>())
    const holders = begun.map(({ resolve }) =>
      board.database.inTx(async (tx) => {
        await sql`select 1`.execute(tx)
        resolve()
        await held.promise
      }),
    )
    await Promise.all(begun.map(({ promise }) => promise))
    expectProblem(await board.get('/readyz'), 'unavailable')
    expect((await board.get('/healthz')).status).toBe(200)
    held.resolve()
    await Promise.all(holders)
    expect((await board.get('/readyz')).status).toBe(200)
  })

  test('returns 503 on a database without migrations', async () => {
    await board.database.inTx((tx) => sql`alter table schema_migration rename to elsewhere`.execute(tx))
    const answer = await board.get('/readyz')
    await board.database.inTx((tx) => sql`alter table elsewhere rename to schema_migration`.execute(tx))
    expectProblem(answer, 'unavailable')
    expect((await board.get('/healthz')).status).toBe(200)
  })
})

describe('a broken database', () => {
  test('causes a problem document with a request ID and no internals, for reads, writes and pages', async () => {
    const broken = new Board()
    broken.database = await openTestDatabase()
    await broken.start()
    const [someone, company] = [await broken.candidate(), await broken.employer()]
    const { id } = await broken.job(company)
    await broken.database.close()
    try {
      for (const [method, path, key] of [
        ['GET', '/v1/jobs', someone.key],
        ['GET', '/v1/employers', someone.key],
        ['GET', `/v1/jobs/${id}`, company.key],
        ['PUT', `/v1/jobs/${id}`, company.key],
        ['POST', '/v1/candidates', undefined],
        ['GET', '/v1/me', company.key],
        ['GET', '/checkout/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', undefined],
      ] as const) {
        const body = path === '/v1/candidates' ? { first_name: 'A', last_name: 'B', email: 'a@b.example' } : undefined
        const { status, headers, text } = await fetch(`${broken.address}${path}`, {
          method,
          headers: {
            ...(key && { authorization: `Bearer ${key}` }),
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
        }).then(async (response) => ({
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        }))
        expect([500, 503], `${method} ${path}`).toContain(status)
        const code = status === 500 ? 'internal_error' : 'unavailable'
        const problem = expectProblem({ status, headers, text }, code)
        // The detail only repeats the title, so it reveals nothing.
        expect(problem.detail).toBe(`${errorCatalogue[code].title}.`)
        expect(text).not.toMatch(/stack|at \/|\.ts|pool|pglite|postgres|select /i)
        expect(broken.log).toContain(problem.request_id)
      }
      const ready = await broken.get('/readyz')
      expectProblem(ready, 'unavailable')
      expect((await broken.get('/healthz')).status).toBe(200)
    } finally {
      await broken.service.app.close()
    }
  })

  test('causes 503 with Retry-After if no server listens at its address', async () => {
    const away = await openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing' })
    const failure = await away.read((db) => db.selectFrom('job').select('id').execute()).catch((error) => error)
    await away.close()
    expect(failure).toMatchObject({ code: 'unavailable', options: { headers: { 'retry-after': '2' } } })
  })
})

describe('the log', () => {
  test('contains the ID and account of a request, but no key, query or body', async () => {
    const body = { first_name: 'Unmistakable', last_name: 'Name', email: 'unmistakable@mail.example' }
    const registered = expectStatus(await board.post('/v1/candidates', undefined, body), 201).body.data
    const further = (await board.post('/v1/api-keys', registered.api_key, { name: 'Further' })).body.data
    await board.get('/v1/jobs?search=unmistakable-query', further.key)
    await board.call('GET', '/v1/me', { headers: { authorization: 'Bearer mistyped-unmistakable-key' } })
    await board.get(`/v1/me?api_key=${further.key}`, further.key)
    await board.get(`/v1/jobs/${further.key}`, further.key)
    await board.call('POST', '/v1/jobs', { key: employer.key, body: '{"title": "unmistakable' })
    await sendRaw(board.address, 'GET /unmistakable HTTP/9.9\r\n\r\n')
    await board.get('/%unmistakable')
    const marked = await board.call('GET', '/v1/me', {
      key: further.key,
      headers: { 'x-request-id': 'marked-in-the-log' },
    })
    const lines = board.log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.find(({ request_id }) => request_id === 'marked-in-the-log')).toMatchObject({
      msg: 'request',
      method: 'GET',
      route: '/v1/me',
      operation: 'getMe',
      status: marked.status,
      ms: expect.any(Number),
      account_id: registered.id,
    })
    for (const secret of [registered.api_key, further.key, candidate.key, employer.key, ADMIN_KEY]) {
      expect(board.log).not.toContain(secret)
      expect(board.log).not.toContain(secret.slice(8, -6))
    }
    expect(board.log).not.toMatch(/unmistakable/i)
  })
})
