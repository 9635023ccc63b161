/** Publishable keys: the jobs they read, the origins they allow, and their limits. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { faultOf, visitor } from '../support/pages.ts'

const board = useBoard({ RATE_LIMIT: 'on', TRUST_PROXY: '127.0.0.1' })
const SITE = 'https://www.example.com'
const READS = ['/v1/jobs', '/v1/jobs/categories', '/v1/jobs/types', '/v1/employers', '/v1/board']

let employer: Account
let other: Account
/** Publishable keys of the employer and of an integrator. */
let own: string
let whole: string
let job: { id: string }
let foreign: { id: string }
let draft: { id: string }

const publish = async ({ key }: Account, body: object = {}): Promise<string> =>
  expectStatus(await board.post('/v1/api-keys', key, { name: 'Website', kind: 'publishable', ...body }), 201).body.data
    .key

beforeAll(async () => {
  employer = await board.employer()
  other = await board.employer()
  job = await board.activeJob(employer, { title: 'Welder of frames', category: 'motorsport' })
  foreign = await board.activeJob(other, { title: 'Welder of batteries', type: 'contract' })
  draft = await board.job(employer, { title: 'Welder of nothing yet' })
  own = await publish(employer)
  whole = await publish(await board.integrator())
})
beforeEach(() => board.clock.advance(60_000))

const idsOf = async (path: string, key: string) =>
  expectStatus(await board.get(path, key), 200).body.data.map(({ id }: { id: string }) => id)

describe("an employer's publishable key", () => {
  test.each([
    ...['/v1/jobs', '/v1/jobs?search=welder', '/v1/jobs?search=welder&sort=relevance', '/v1/jobs?page=1&limit=5'],
    ...['/v1/jobs?updated_since=2020-01-01', '/v1/jobs?updated_since=2020-01-01&include_deleted=true'],
  ])('lists only the jobs of the employer: %s', async (path) => {
    // Cached lists must not leak between this key and other readers.
    for (let n = 0; n < 3; n++) {
      expect((await idsOf(path, whole)).sort()).toEqual([job.id, foreign.id].sort())
      expect(await idsOf(path, own)).toEqual([job.id])
      expect((await board.get(path, own)).body.meta.pagination.total).toBe(1)
    }
    expect((await idsOf(path, employer.key)).length).toBe(2)
  })

  test('cannot widen the list with filters', async () => {
    for (const id of [other.id, `${employer.id},${other.id}`]) {
      expect(await idsOf(`/v1/jobs?employer_id=${id}`, own)).toEqual([])
    }
    expect(await idsOf(`/v1/jobs?employer_id_in=${employer.id},${other.id}`, own)).toEqual([job.id])
    expect(await idsOf(`/v1/jobs?employer_id_not=${employer.id}`, own)).toEqual([])
    expect(await idsOf(`/v1/jobs?employer_id=${other.id}`, whole)).toEqual([foreign.id])
    const sinceOther = `/v1/jobs?updated_since=2020-01-01&include_deleted=true&employer_id=${other.id}`
    expect((await board.get(sinceOther, own)).body.data).toEqual([{ id: job.id, deleted_at: expect.any(String) }])
  })

  test('counts only the jobs of the employer, in facets, categories and types', async () => {
    const { facets } = (await board.get('/v1/jobs?facets=category,job_type', own)).body.meta
    expect(facets).toEqual({
      category: [{ value: 'motorsport', count: 1 }],
      job_type: [{ value: 'full-time', count: 1 }],
    })
    const counted = async (path: string, key: string) =>
      (await board.get(path, key)).body.data
        .filter((one: { job_count: number }) => one.job_count > 0)
        .map(({ slug }: { slug: string }) => slug)
        .sort()
    expect(await counted('/v1/jobs/categories', own)).toEqual(['motorsport'])
    expect(await counted('/v1/jobs/types', own)).toEqual(['full-time'])
    expect(await counted('/v1/jobs/types', whole)).toEqual(['contract', 'full-time'])
  })

  test('reads single jobs of the employer, once they are public', async () => {
    for (let n = 0; n < 3; n++) {
      // Warms the cache that readers share.
      expect((await board.get(`/v1/jobs/${foreign.id}`, whole)).status).toBe(200)
      expect((await board.get(`/v1/jobs/${foreign.id}`, own)).status).toBe(404)
      expect((await board.get(`/v1/jobs/${job.id}`, own)).status).toBe(200)
      expect((await board.get(`/v1/jobs/${draft.id}`, own)).status).toBe(404)
      expect((await board.get(`/v1/jobs/${draft.id}`, employer.key)).status).toBe(200)
    }
  })
})

describe('a publishable key', () => {
  test('may not be used to sign in, and reads no metrics', async () => {
    const guest = await visitor(board)
    const page = await guest.submit(await guest.get('/sign-in'), '/sign-in/key', { api_key: own })
    expect([page.status, faultOf(page, 'api_key')]).toEqual([422, expect.stringContaining('This key is publishable')])
    const admin = await publish(await board.account('admin'))
    expect((await board.get('/metrics', admin)).body.code).toBe('publishable_key')
    expect((await board.get(`/v1/jobs/${draft.id}`, admin)).status).toBe(404)
  })

  test('gets the usual errors for unknown paths, unsupported methods and closed accounts', async () => {
    expect((await board.get('/v1/nothing', own)).status).toBe(404)
    expect((await board.call('DELETE', '/v1/jobs', { key: own })).status).toBe(405)
    const closing = await board.employer()
    const key = await publish(closing)
    expect((await board.delete('/v1/employers/profile', closing.key)).status).toBe(204)
    expect((await board.get('/v1/jobs', key)).status).toBe(401)
  })

  test('shares a limit of 300 requests per minute per network with other publishable keys', async () => {
    const from = (address: string, key = own) => ({ key, headers: { 'x-forwarded-for': address } })
    const first = await board.call('GET', '/v1/jobs', from('192.0.2.1'))
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"publishable";q=300;w=60, "responses"/)
    for (let n = 0; n < 298; n++) board.service.quotas!.publishable.take('192.0.2.1', board.clock.time)
    expect((await board.call('GET', '/v1/jobs', from('192.0.2.1', whole))).headers.get('ratelimit')).toMatch(/r=0;/)
    const refused = await board.call('GET', '/v1/jobs', from('192.0.2.1'))
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect((await board.call('GET', '/v1/jobs', from('192.0.2.2'))).status).toBe(200)
    // Visitors' requests do not count toward the account's limits.
    expect((await board.get('/v1/me', employer.key)).headers.get('ratelimit')).toMatch(/^"key";r=5999;/)
    for (let n = 0; n < 2; n++) {
      expect((await board.post('/v1/api-keys', own, { name: 'Mine' })).body.code).toBe('publishable_key')
    }
    const created = await board.post('/v1/api-keys', employer.key, { name: 'New' })
    expect(created.headers.get('ratelimit')).toMatch(/"keys";r=598;/)
  })
})

describe('the origins of a publishable key', () => {
  const call = (key: string | undefined, path: string, origin: string | undefined, headers = {}, method = 'GET') =>
    board.call(method, path, { key, headers: { ...(origin && { origin }), ...headers } })

  test('may read responses, including errors and 304; other origins are refused', async () => {
    const limited = await publish(employer, { allowed_origins: [SITE, 'http://localhost:5173'] })
    for (const path of [...READS, `/v1/jobs/${job.id}`, `/v1/employers/${employer.id}`]) {
      for (const [key, origin, pages] of [
        [limited, SITE, SITE],
        [own, 'https://any.example', '*'],
        [own, 'null', '*'],
      ] as const) {
        const { status, headers } = await call(key, path, origin)
        expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 200, pages])
        expect(headers.get('vary')).toMatch(/^origin/)
        expect(headers.has('access-control-allow-credentials')).toBe(false)
        const again = await call(key, path, origin, { 'if-none-match': headers.get('etag')! })
        expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, pages])
      }
      for (const origin of ['https://evil.example', `${SITE}.evil.example`, 'http://www.example.com', 'null']) {
        const { status, body, headers } = await call(limited, path, origin)
        expect([path, status, body.code]).toEqual([path, 403, 'origin_not_allowed'])
        expect(headers.has('access-control-allow-origin')).toBe(false)
      }
      // Programs other than browsers usually send no Origin header.
      expect((await call(limited, path, undefined)).status).toBe(200)
    }
    for (const [path, status] of [
      ['/v1/me', 403],
      ['/v1/jobs?limit=0', 400],
      ['/v1/nothing', 404],
    ] as const) {
      const answer = await call(limited, path, SITE)
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, SITE])
    }
  })

  test('pass preflights only for reading the board', async () => {
    const preflight = (path: string, method: string) =>
      call(undefined, path, SITE, { 'access-control-request-method': method }, 'OPTIONS')
    for (const path of [...READS, `/v1/jobs/${job.id}`]) {
      const { status, headers } = await preflight(path, 'GET')
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD')
      expect(headers.get('access-control-allow-headers')).toContain('Authorization')
    }
    for (const [path, method] of [
      ['/v1/jobs', 'POST'],
      ['/v1/me', 'GET'],
      ['/v1/nothing', 'GET'],
    ] as const) {
      const { status, headers } = await preflight(path, method)
      expect([status, headers.has('access-control-allow-origin')]).toEqual([401, false])
    }
    // Secret keys get no CORS headers.
    expect((await call(employer.key, '/v1/jobs', SITE)).headers.has('access-control-allow-origin')).toBe(false)
  })
})
