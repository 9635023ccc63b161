import { describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'

const preflight = (origin: string) => ({
  headers: {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,content-type',
  },
})
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

describe('CORS_ORIGINS with a list of origins', () => {
  const board = useBoard({ CORS_ORIGINS: 'https://jobs.example.com, http://localhost:5173' })

  test('permits preflights without a key, for any path under /v1', async () => {
    for (const path of ['/v1/jobs', '/v1/candidates/profile', '/v1/nothing']) {
      const answer = await board.call('OPTIONS', path, preflight('https://jobs.example.com'))
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://jobs.example.com')
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, DELETE')
      const allowed = answer.headers.get('access-control-allow-headers')!.toLowerCase().split(', ')
      for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match']) {
        expect(allowed).toContain(name)
      }
      expect(answer.headers.get('access-control-max-age')).toBe('7200')
      expect(answer.headers.get('vary')).toBe('origin, accept-encoding')
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    }
  })

  test('permits reading responses and their headers, including errors', async () => {
    const { key } = await board.candidate()
    const origin = 'http://localhost:5173'
    for (const [path, given, status] of [
      ['/v1/jobs', key, 200],
      ['/v1/jobs', key, 200],
      ['/v1/me', key, 200],
      ['/v1/me', undefined, 401],
      ['/v1/nothing', key, 404],
      ['/v1/jobs?limit=0', key, 400],
    ] as const) {
      const answer = await board.call('GET', path, { key: given, headers: { origin } })
      expect([answer.status, answer.headers.get('access-control-allow-origin')], path).toEqual([status, origin])
      const exposed = answer.headers.get('access-control-expose-headers')!.toLowerCase().split(', ')
      for (const name of ['etag', 'link', 'location', 'ratelimit', 'retry-after', 'x-request-id']) {
        expect(exposed).toContain(name)
      }
      expect(answer.headers.get('vary')?.split(', ')[0]).toBe('origin')
    }
    expect((await board.get('/v1/jobs', key)).headers.get('vary')).toBe('origin, accept-encoding')
  })

  test.each([
    ...['https://evil.example', 'https://jobs.example.com.evil.example', 'http://jobs.example.com', 'null', ''],
    ...['https://jobs.example.com:444', 'HTTPS://JOBS.EXAMPLE.COM', 'https://jobs.example.com/', '*'],
  ])('refuses another origin: %s', async (origin) => {
    const { status, headers } = await board.call('OPTIONS', '/v1/jobs', preflight(origin))
    expect([status, corsHeaders(headers)]).toEqual([401, []])
    const answer = await board.call('GET', '/v1', { headers: { origin } })
    expect([answer.status, corsHeaders(answer.headers), answer.headers.get('vary')?.split(', ')[0]]).toEqual([
      200,
      [],
      'origin',
    ])
  })

  test('does not apply outside /v1', async () => {
    for (const path of ['/healthz', '/checkout/x', '/metrics']) {
      const { headers } = await board.call('GET', path, { headers: { origin: 'https://jobs.example.com' } })
      expect(corsHeaders(headers)).toEqual([])
    }
  })

  test('permits OPTIONS only for preflights', async () => {
    const answer = await board.call('OPTIONS', '/v1/jobs', { headers: { origin: 'https://jobs.example.com' } })
    expect(answer.status).toBe(401)
    const { key } = await board.candidate()
    expect((await board.call('OPTIONS', '/v1/jobs', { key })).status).toBe(405)
  })
})

describe('CORS_ORIGINS=*', () => {
  const board = useBoard({ CORS_ORIGINS: '*' })

  test('permits requests from any origin, but without credentials', async () => {
    const answer = await board.call('OPTIONS', '/v1/jobs', preflight('https://any.example'))
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    const get = await board.call('GET', '/v1', { headers: { origin: 'null' } })
    expect(get.headers.get('access-control-allow-origin')).toBe('*')
    expect(get.headers.has('access-control-allow-credentials')).toBe(false)
    expect(get.headers.get('vary')).toBe('accept-encoding')
  })
})

describe('without CORS_ORIGINS', () => {
  const board = useBoard()

  test('no CORS headers are sent, and preflights get no special response', async () => {
    const { status, headers } = await board.call('OPTIONS', '/v1/jobs', preflight('https://jobs.example.com'))
    expect([status, corsHeaders(headers)]).toEqual([401, []])
    expect(corsHeaders((await board.call('GET', '/v1', { headers: { origin: 'https://a.example' } })).headers)).toEqual(
      [],
    )
  })
})
