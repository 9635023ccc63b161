import { beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, ADMIN_KEY, ORIGIN } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getJob', ({ board, status }) => {
  let owner: Account
  let other: Account
  let candidate: Account
  let integrator: Account
  beforeAll(async () => {
    owner = await board.employer({
      name: 'Voltaire Vans',
      website: 'https://voltaire.example',
      logo_url: 'https://voltaire.example/logo.svg',
    })
    other = await board.employer()
    candidate = await board.candidate()
    integrator = await board.integrator()
  })
  const everyone = () => [owner.key, other.key, candidate.key, integrator.key, ADMIN_KEY]
  const statusesOf = async (id: string) => {
    const answers = await Promise.all(everyone().map((key) => board.get(`/v1/jobs/${id}`, key)))
    return answers.map((answer) => answer.status)
  }
  const request = async () => ({ method: 'GET', path: `/v1/jobs/${(await board.activeJob(owner)).id}` })

  status(200, () => {
    test('returns exactly the documented resource', async () => {
      const created = await board.activeJob(owner, {
        requirements: ['C++'],
        benefits: ['Car'],
        salary: { min: 50_000, max: 60_000, currency: 'EUR', period: 'year' },
        skills: ['CAN'],
        experience_level: 'mid',
        language: 'de-AT',
        contact_email: 'people@voltaire.example',
        custom_questions: [{ id: 'q', label: 'Why?', type: 'text', required: false }],
      })
      const now = board.clock.now()
      const answer = await board.get(`/v1/jobs/${created.id}`, candidate.key)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('private, no-cache')
      expect(answer.body).toEqual({
        data: {
          id: created.id,
          title: 'Battery engineer',
          company: 'Voltaire Vans',
          location: 'Gothenburg, Sweden',
          description: 'Design battery packs for electric vans.',
          requirements: ['C++'],
          benefits: ['Car'],
          salary: { min: 50_000, max: 60_000, currency: 'EUR', period: 'year' },
          category: 'powertrain-battery',
          type: 'full-time',
          remote: false,
          posted_at: now.toISOString(),
          publish_at: null,
          expires_at: new Date(now.getTime() + 30 * DAY_MS).toISOString(),
          is_featured: false,
          is_urgent: false,
          is_highlighted: false,
          is_active: true,
          application_url: `${ORIGIN}/v1/candidates/jobs/${created.id}/apply`,
          description_html: '<p>Design battery packs for electric vans.</p>',
          duplicate_of: null,
          company_logo_url: 'https://voltaire.example/logo.svg',
          company_website: 'https://voltaire.example',
          contact_email: 'people@voltaire.example',
          employer_id: owner.id,
          skills: ['CAN'],
          experience_level: 'mid',
          language: 'de-AT',
          workplace: 'on_site',
          locations: ['Gothenburg, Sweden'],
          custom_questions: [{ id: 'q', label: 'Why?', type: 'text', required: false }],
        },
      })
    })

    test('renders the description as sanitized HTML beside the text', async () => {
      const description = '## Duties\n\n- Cells <script>alert(1)</script>\n- [Packs](javascript:alert(1))'
      const { id } = await board.activeJob(owner, { description })
      const { data } = (await board.get(`/v1/jobs/${id}`, candidate.key)).body
      expect(data.description).toBe(description)
      expect(data.description_html).toContain('<h2>Duties</h2>')
      expect(data.description_html).toContain('&lt;script&gt;')
      expect(data.description_html).not.toMatch(/<script|javascript:/)
      await board.put(`/v1/jobs/${id}`, owner.key, { description: '*New*' })
      const changed = (await board.get(`/v1/jobs/${id}`, candidate.key)).body.data
      expect(changed.description_html).toBe('<p><em>New</em></p>\n')
    })

    test('returns empty fields as null or an empty list', async () => {
      const { id } = await board.job(other)
      const { data } = (await board.get(`/v1/jobs/${id}`, other.key)).body
      expect(data).toMatchObject({
        requirements: [],
        benefits: [],
        skills: [],
        custom_questions: [],
        salary: null,
        expires_at: null,
        company_logo_url: null,
        company_website: null,
        contact_email: null,
        experience_level: null,
        language: 'en',
        is_active: false,
      })
    })

    test('shows a job that was never activated only to its owner and admins', async () => {
      const { id } = await board.job(owner)
      expect(await statusesOf(id)).toEqual([200, 404, 404, 404, 200])
    })

    test('shows a job to everyone after its activation', async () => {
      const { id } = await board.activeJob(owner)
      expect(await statusesOf(id)).toEqual([200, 200, 200, 200, 200])
    })

    test('still shows a closed job to everyone, as inactive', async () => {
      const { id } = await board.activeJob(owner)
      await board.post(`/v1/jobs/${id}/close`, owner.key)
      expect(await statusesOf(id)).toEqual([200, 200, 200, 200, 200])
      expect((await board.get(`/v1/jobs/${id}`, candidate.key)).body.data.is_active).toBe(false)
    })

    test('shows a job as inactive from expires_at, to the millisecond, but keeps it readable', async () => {
      const expires_at = new Date(board.clock.time + 60_000).toISOString()
      const { id } = await board.activeJob(owner, { expires_at })
      board.clock.advance(59_999)
      expect((await board.get(`/v1/jobs/${id}`, candidate.key)).body.data).toMatchObject({
        is_active: true,
        expires_at,
      })
      board.clock.advance(1)
      expect((await board.get(`/v1/jobs/${id}`, candidate.key)).body.data).toMatchObject({
        is_active: false,
        expires_at,
      })
      expect(await statusesOf(id)).toEqual([200, 200, 200, 200, 200])
    })

    test('shows the current name, logo and website of the employer', async () => {
      const employer = await board.employer({ name: 'Before' })
      const { id } = await board.activeJob(employer)
      const renamed = { name: 'After', logo_url: 'https://after.example/l.png', website: 'https://after.example/' }
      expect((await board.put('/v1/employers/profile', employer.key, renamed)).status).toBe(200)
      expect((await board.get(`/v1/jobs/${id}`, candidate.key)).body.data).toMatchObject({
        company: 'After',
        company_logo_url: 'https://after.example/l.png',
        company_website: 'https://after.example/',
      })
    })

    test('returns special characters exactly as sent', async () => {
      const title = `"<script>'; drop table job; -- \\ \u{1F697} é   %00`
      const { id } = await board.activeJob(owner, { title, description: 'a\r\n\tb\u0001c\u2067d' })
      const { data } = (await board.get(`/v1/jobs/${id}`, candidate.key)).body
      expect([data.title, data.description]).toEqual([title, 'a\r\n\tb\u0001c\u2067d'])
    })
  })

  status(304, () => answersNotModified(board, 'candidate', request))

  status(401, () => {
    test('returns 401 without a key, even if the job or path does not exist or the query is invalid', async () => {
      for (const path of [
        '/v1/jobs/job_00000000000000000000000000',
        '/v1/jobs/nonsense',
        '/v1/nothing',
        '/v1/jobs?x=%zz',
      ]) {
        expect([(await board.get(path)).status, path]).toEqual([401, path])
      }
    })
  })

  status(404, () => {
    test('does not find a deleted job, not even for its owner and admins', async () => {
      const { id } = await board.activeJob(owner)
      expect((await board.delete(`/v1/jobs/${id}`, owner.key)).status).toBe(204)
      expect(await statusesOf(id)).toEqual([404, 404, 404, 404, 404])
    })

    test('treats a nonexistent job, a hidden job and a malformed ID alike', async () => {
      const hidden = await board.job(owner)
      const ids = [
        'job_00000000000000000000000000',
        hidden.id,
        hidden.id.toUpperCase(),
        `${hidden.id}0`,
        hidden.id.slice(0, -1),
        'job_z0000000000000000000000000',
        'job_',
        '1',
        owner.id,
        'a%00b',
        '%F0%9F%9A%97',
        "'%20or%201=1--",
        '%2e%2e',
        'x'.repeat(300),
      ]
      for (const id of ids) {
        const answer = await board.get(`/v1/jobs/${id}`, other.key)
        expect([answer.status, answer.body.code, answer.body.detail, id]).toEqual([404, 'not_found', 'Not found.', id])
        expect(answer.body.errors).toBeUndefined()
      }
    })

    test('returns 404 for a hidden job even if the query is invalid', async () => {
      const hidden = await board.job(owner)
      for (const query of ['color=red', 'x=%zz', 'x=%00']) {
        expect((await board.get(`/v1/jobs/${hidden.id}?${query}`, other.key)).status).toBe(404)
        expect((await board.get(`/v1/jobs/${hidden.id}?${query}`, owner.key)).status).toBe(400)
      }
    })

    test('returns 404 for a path that cannot be decoded', async () => {
      expect((await board.get('/v1/jobs/%ff', candidate.key)).status).toBe(404)
    })
  })

  describe('HEAD', () => {
    test('returns the Content-Length of GET, without the body', async () => {
      const { path } = await request()
      const [head, get] = [await board.call('HEAD', path, { key: candidate.key }), await board.get(path, candidate.key)]
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
    })
  })
})
