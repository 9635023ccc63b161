import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { jobBody, ORIGIN } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('createJob', ({ board, status }) => {
  status(201, () => {
    test('creates an inactive job exactly as documented', async () => {
      const employer = await board.employer({ name: 'Voltaire Vans' })
      const answer = await board.post('/v1/jobs', employer.key, jobBody())
      expect(answer.status).toBe(201)
      const { id } = answer.body.data
      expect(id).toMatch(/^job_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      expect(answer.headers.get('location')).toBe(`/v1/jobs/${id}`)
      const now = board.clock.now().toISOString()
      expect(answer.body).toEqual({
        data: {
          id,
          title: 'Battery engineer',
          company: 'Voltaire Vans',
          location: 'Gothenburg, Sweden',
          description: 'Design battery packs for electric vans.',
          requirements: [],
          benefits: [],
          salary: null,
          category: 'powertrain-battery',
          type: 'full-time',
          remote: false,
          posted_at: now,
          expires_at: null,
          is_featured: false,
          is_urgent: false,
          is_highlighted: false,
          is_active: false,
          publish_at: null,
          application_url: `${ORIGIN}/v1/candidates/jobs/${id}/apply`,
          employer_id: employer.id,
          skills: [],
          experience_level: null,
          language: 'en',
          workplace: 'on_site',
          locations: ['Gothenburg, Sweden'],
          custom_questions: [],
        },
      })
    })

    test('stores optional fields, trims text and fills in salary defaults', async () => {
      const employer = await board.employer()
      const custom_questions = [
        { id: 'license', label: 'Driving license?', type: 'boolean', required: true },
        { id: 'shift', label: 'Which shift?', type: 'single_select', required: false, options: ['early', 'late'] },
      ]
      const answer = await board.post(
        '/v1/jobs',
        employer.key,
        jobBody({
          title: '  Développeur \u{1F697}  ',
          salary: { min: 40 },
          requirements: [' C++ '],
          benefits: ['Car'],
          remote: true,
          expires_at: '2026-04-01',
          publish_at: '2026-03-20',
          skills: ['CAN'],
          experience_level: 'senior',
          language: 'fr-CH',
          locations: [' Oslo ', 'Turin, Italy', 'Oslo'],
          custom_questions,
          application_url: 'https://apply.example/1',
          contact_email: 'people@employer.example',
        }),
      )
      expect(answer.status).toBe(201)
      expect(answer.body.data).toMatchObject({
        title: 'Développeur \u{1F697}',
        salary: { min: 40, max: null, currency: 'USD', period: 'year' },
        requirements: ['C++'],
        benefits: ['Car'],
        remote: true,
        workplace: 'remote',
        expires_at: '2026-04-01T23:59:59.999Z',
        publish_at: '2026-03-20T00:00:00.000Z',
        skills: ['CAN'],
        experience_level: 'senior',
        language: 'fr-CH',
        location: 'Gothenburg, Sweden',
        locations: ['Gothenburg, Sweden', 'Oslo', 'Turin, Italy'],
        custom_questions,
        application_url: 'https://apply.example/1',
      })
    })

    test.each([
      ['de', 'Wir suchen eine Person für die Entwicklung unserer Steuergeräte.'],
      ['ja', '自動運転のソフトウェアを開発します。'],
      ['en', 'You will design battery packs.'],
    ])('detects that a text is in %s', async (language, description) => {
      const employer = await board.employer()
      for (const given of [{}, { language: null }]) {
        const answer = await board.post('/v1/jobs', employer.key, jobBody({ description, ...given }))
        expect(answer.body.data.language).toBe(language)
      }
    })

    test('writes job.created', async () => {
      const job = await board.job(await board.employer())
      const event = (await board.events('job.created')).at(-1)
      expect(event).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'job.created',
        created_at: board.clock.now().toISOString(),
        data: { job },
      })
    })

    test('accepts fields at their limits', async () => {
      const { key } = await board.employer()
      const limits = jobBody({
        // The limits count characters, not UTF-16 code units.
        title: '\u{1F697}'.repeat(200),
        description: 'x'.repeat(50_000),
        location: 'y'.repeat(200),
        requirements: Array(50).fill('r'.repeat(500)),
        benefits: Array(50).fill('b'.repeat(500)),
        salary: { min: 0, max: 1_000_000_000, currency: 'EUR', period: 'hour' },
        expires_at: new Date(board.clock.time + 365 * DAY_MS).toISOString(),
      })
      expect((await board.post('/v1/jobs', key, limits)).status).toBe(201)
    })
  })

  status(409, () => refusesWhileRunning(board, 'createJob'))

  status(422, () => {
    test('reports all missing fields at once', async () => {
      const { key } = await board.employer()
      const answer = await board.post('/v1/jobs', key, {})
      expect(answer.status).toBe(422)
      expect(faultsOf(answer).sort()).toEqual([
        '#/category required',
        '#/description required',
        '#/location required',
        '#/title required',
        '#/type required',
      ])
    })

    const refused: [string, unknown, string][] = [
      ['title', '   ', '#/title too_short'],
      ['title', '\u200b\u00ad\u3164', '#/title too_short'],
      ['title', 'x'.repeat(201), '#/title too_long'],
      ['title', 7, '#/title invalid_type'],
      ['title', null, '#/title invalid_type'],
      ['description', '', '#/description too_short'],
      ['description', 'x'.repeat(50_001), '#/description too_long'],
      ['location', 'x'.repeat(201), '#/location too_long'],
      ['category', 'Not A Slug', '#/category invalid_format'],
      ['category', 'two--hyphens', '#/category invalid_format'],
      ['type', 'full_time', '#/type invalid_format'],
      ['remote', 'true', '#/remote invalid_type'],
      ['workplace', 'home', '#/workplace not_allowed'],
      ['workplace', null, '#/workplace invalid_type'],
      ['locations', [' '], '#/locations/0 too_short'],
      ['locations', Array.from({ length: 50 }, (_, n) => `Town ${n}`), '#/locations too_many'],
      ['requirements', 'C++', '#/requirements invalid_type'],
      ['requirements', ['ok', ''], '#/requirements/1 too_short'],
      ['requirements', ['x'.repeat(501)], '#/requirements/0 too_long'],
      ['benefits', Array(51).fill('b'), '#/benefits too_many'],
      ['skills', ['x'.repeat(65)], '#/skills/0 too_long'],
      ['experience_level', 'guru', '#/experience_level not_allowed'],
      ['language', 'German', '#/language invalid_format'],
      ['language', 'de_AT', '#/language invalid_format'],
      ['language', `de${'-abcdefgh'.repeat(4)}`, '#/language too_long'],
      ['salary', 50_000, '#/salary invalid_type'],
      ['salary', {}, '#/salary required'],
      ['salary', { min: null, max: null }, '#/salary required'],
      ['salary', { min: 2, max: 1 }, '#/salary/min invalid_range'],
      ['salary', { min: 1.5 }, '#/salary/min invalid_type'],
      ['salary', { min: '1' }, '#/salary/min invalid_type'],
      ['salary', { min: -1 }, '#/salary/min too_small'],
      ['salary', { max: 2 ** 53 }, '#/salary/max too_large'],
      ['salary', { max: 1, currency: 'usd' }, '#/salary/currency invalid_format'],
      ['salary', { max: 1, currency: 'ZZZ' }, '#/salary/currency invalid_format'],
      ['salary', { max: 1, period: 'decade' }, '#/salary/period not_allowed'],
      ['salary', { max: 1, bonus: 2 }, '#/salary/bonus unknown_field'],
      ['publish_at', '2026-03-02', '#/publish_at invalid_range'],
      ['publish_at', '2027-03-04T00:00:00Z', '#/publish_at invalid_range'],
      ['expires_at', 'soon', '#/expires_at invalid_format'],
      ['expires_at', '2027-02-30', '#/expires_at invalid_format'],
      ['expires_at', '2026-03-02T08:59:59Z', '#/expires_at invalid_range'],
      ['expires_at', '2027-03-04T00:00:00Z', '#/expires_at invalid_range'],
      ['application_url', 'javascript:alert(1)', '#/application_url invalid_format'],
      ['application_url', '/relative', '#/application_url invalid_format'],
      ['application_url', 'https://user:pass@apply.example', '#/application_url invalid_format'],
      ['application_url', `https://apply.example/${'x'.repeat(2048)}`, '#/application_url too_long'],
      ['contact_email', 'nobody', '#/contact_email invalid_format'],
      ['company', 'Somebody Else', '#/company unknown_field'],
      ['is_featured', true, '#/is_featured unknown_field'],
      ['custom_questions', [{ id: 'a' }], '#/custom_questions/0/label required'],
      [
        'custom_questions',
        [
          { id: 'a', label: 'A?', type: 'text', required: true },
          { id: 'a', label: 'B?', type: 'text', required: true },
        ],
        '#/custom_questions duplicate',
      ],
      [
        'custom_questions',
        [{ id: 'a', label: 'A?', type: 'single_select', required: true }],
        '#/custom_questions/0/options invalid_options',
      ],
      [
        'custom_questions',
        [{ id: 'a', label: 'A?', type: 'text', required: true, options: ['x'] }],
        '#/custom_questions/0/options invalid_options',
      ],
    ]
    test.each(refused.map(([member, value, fault], i) => [`${fault} (${i})`, member, value, fault] as const))(
      'refuses %s',
      async (_title, member, value, fault) => {
        const { key } = await board.employer()
        const answer = await board.post('/v1/jobs', key, jobBody({ [member]: value }))
        expect(answer.status).toBe(422)
        expect(answer.body.code).toBe('validation_failed')
        expect(faultsOf(answer)).toContain(fault)
      },
    )

    test('reports schema and rule errors in one response', async () => {
      const { key } = await board.employer()
      const body = jobBody({ title: '', expires_at: '2020-01-01', salary: { min: 5, max: 4 } })
      const answer = await board.post('/v1/jobs', key, body)
      expect(faultsOf(answer).sort()).toEqual([
        '#/expires_at invalid_range',
        '#/salary/min invalid_range',
        '#/title too_short',
      ])
    })

    test('refuses contradictory values of remote and workplace, and derives remote from workplace', async () => {
      const employer = await board.employer()
      for (const members of [
        { remote: true, workplace: 'hybrid' },
        { remote: false, workplace: 'remote' },
      ]) {
        const answer = await board.post('/v1/jobs', employer.key, jobBody(members))
        expect(faultsOf(answer)).toEqual(['#/remote not_allowed'])
      }
      for (const workplace of ['on_site', 'hybrid', 'remote']) {
        const answer = await board.post('/v1/jobs', employer.key, jobBody({ workplace }))
        expect(answer.body.data).toMatchObject({ workplace, remote: workplace === 'remote' })
      }
    })

    test('stores nothing when it refuses a job', async () => {
      const employer = await board.employer()
      const before = (await board.events()).length
      await board.post('/v1/jobs', employer.key, jobBody({ title: '' }))
      expect((await board.events()).length).toBe(before)
      expect((await board.get('/v1/employers/jobs', employer.key)).body.data).toEqual([])
    })
  })
})
