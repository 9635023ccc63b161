import { expect, test } from 'vitest'
import { noBilling } from '../../src/lib/billing.ts'
import { ADMIN_KEY, expectStatus, ORIGIN } from '../support/board.ts'
import { describeOperation } from '../support/operation.ts'
import { png } from '../support/pictures.ts'

const path = '/v1/board'
const suggested = {
  name: 'Job Marketplace',
  tagline: 'Jobs in the automotive and technology sector.',
  description: 'Jobs in the automotive and technology sector, from workshop to software house.',
  ...{ logo_url: null, accent_color: null, contact_email: null, legal: [] },
  ...noBilling,
  ...{ languages: ['en', 'de', 'fr', 'es', 'ja'], default_language: 'en', default_currency: 'USD' },
}

describeOperation(
  'getBoard',
  ({ board, status }) => {
    const publish = async (more: object = {}) => {
      const body = { name: 'Website', kind: 'publishable', ...more }
      return expectStatus(await board.post('/v1/api-keys', ADMIN_KEY, body), 201).body.data
    }

    status(200, () => {
      test('returns default texts to callers without a key until the board is set up', async () => {
        const answer = await board.get(path)
        expect([answer.status, answer.body]).toEqual([200, { data: suggested }])
      })

      test('returns the settings, the logo and the legal pages, common pages first', async () => {
        const settings = {
          ...{ name: 'Gearwright', tagline: 'Jobs in cars and code', description: null },
          ...{ accent_color: '#FFCC00', contact_email: 'hello@gear.example' },
        }
        expectStatus(await board.put('/v1/admin/board', ADMIN_KEY, settings), 200)
        for (const slug of ['zeal', 'contact', 'about', 'imprint', 'privacy', 'terms']) {
          const page = { title: `The ${slug}`, text: 'Text' }
          expectStatus(await board.put(`/v1/admin/board/pages/${slug}`, ADMIN_KEY, page), 200)
        }
        const logo = { key: ADMIN_KEY, body: png(20, 10), headers: { 'content-type': 'image/png' } }
        expectStatus(await board.call('PUT', '/v1/admin/board/logo', logo), 200)
        const { data } = expectStatus(await board.get(path), 200).body
        expect(data).toEqual({
          ...{ ...suggested, ...settings, accent_color: '#ffcc00' },
          logo_url: expect.stringMatching(/^https:\/\/board\.example\/board\/logo\/[0-9a-f]{16}\.png$/),
          legal: ['imprint', 'privacy', 'terms', 'contact', 'about', 'zeal'].map((slug) => ({
            ...{ slug, title: `The ${slug}`, url: `${ORIGIN}/pages/${slug}` },
          })),
        })
      })

      test('can be read by web pages from allowed origins, and has an entity tag', async () => {
        const origin = 'https://jobs.example.com'
        const { headers } = await board.call('GET', path, { headers: { origin } })
        expect(headers.get('access-control-allow-origin')).toBe(origin)
        const known = { headers: { 'if-none-match': headers.get('etag')! } }
        expect((await board.call('GET', path, known)).status).toBe(304)
      })
    })

    status(401, () => {
      test('refuses a revoked publishable key, but ignores a value that is not a key', async () => {
        const { id, key } = await publish()
        expectStatus(await board.delete(`/v1/api-keys/${id}`, ADMIN_KEY), 204)
        expect((await board.get(path, key)).body.code).toBe('unauthorized')
        expect((await board.get(path, 'nonsense')).status).toBe(200)
      })
    })

    status(403, () => {
      test('refuses pages from origins that the publishable key does not allow', async () => {
        const { key } = await publish({ allowed_origins: ['https://www.example.com'] })
        const answer = await board.call('GET', path, { key, headers: { origin: 'https://evil.example' } })
        expect([answer.status, answer.body.code]).toEqual([403, 'origin_not_allowed'])
      })
    })

    status(400, () => {
      test('refuses unknown parameters', async () => {
        const answer = await board.get(`${path}?color=red`)
        expect([answer.status, answer.body.code]).toEqual([400, 'unknown_parameter'])
      })
    })
  },
  { CORS_ORIGINS: 'https://jobs.example.com' },
)
