import { beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, ADMIN_KEY, ORIGIN } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { fedJob } from '../support/feeds.ts'
import { insertJobs } from '../support/jobs.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

const everything = {
  title: 'Motor designer',
  description: 'Design motors.',
  location: 'Turin, Italy',
  category: 'vehicle-engineering',
  type: 'contract',
  salary: { min: 300, max: 400, currency: 'EUR', period: 'day' },
  requirements: ['CAD'],
  benefits: ['Lunch', 'Car'],
  remote: true,
  workplace: 'remote',
  locations: ['Turin, Italy', 'Oslo'],
  skills: ['CATIA'],
  experience_level: 'senior',
  language: 'es-MX',
  custom_questions: [{ id: 'why', label: 'Why?', type: 'textarea', required: true }],
  application_url: 'https://apply.example/2',
  contact_email: 'people@turin.example',
}

describeOperation('updateJob', ({ board, status }) => {
  let owner: Account
  let other: Account
  let candidate: Account
  beforeAll(async () => {
    owner = await board.employer({ name: 'Voltaire Vans', website: 'https://voltaire.example/' })
    other = await board.employer()
    candidate = await board.candidate()
  })
  const put = (id: string, body: unknown, key = owner.key) => board.put(`/v1/jobs/${id}`, key, body)
  const detail = async (id: string, key = owner.key) => (await board.get(`/v1/jobs/${id}`, key)).body.data
  const eventsOf = async (id: string) => {
    const events = (await board.events()) as unknown as { type: string; data: { job: { id: string } } }[]
    return events.filter(({ data }) => data.job?.id === id)
  }
  const updatedAt = async (id: string) => {
    const row = await board.database.read((db) =>
      db.selectFrom('job').select('updated_at').where('id', '=', id).executeTakeFirstOrThrow(),
    )
    return row.updated_at
  }
  const at = (ms: number) => new Date(board.clock.time + ms).toISOString()
  const request = async () => ({
    method: 'PUT',
    path: `/v1/jobs/${(await board.job(owner)).id}`,
    body: { title: 'Another title' },
  })

  status(200, () => {
    test('changes only the given fields and the fields that depend on them, and returns the job', async () => {
      const job = await board.job(owner, { salary: { min: 1 }, skills: ['CAN'] })
      board.clock.advance(1_000)
      const answer = await put(job.id, { title: '  New title ', remote: true })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ data: { ...job, title: 'New title', remote: true, workplace: 'remote' } })
      expect(await detail(job.id)).toMatchObject({ title: 'New title', remote: true, skills: ['CAN'] })
      expect(await updatedAt(job.id)).toEqual(board.clock.now())
    })

    test('changes every writable field except publish_at', async () => {
      const { id } = await board.job(owner)
      const expires_at = at(10 * DAY_MS)
      const answer = await put(id, { ...everything, expires_at })
      expect(answer.status).toBe(200)
      expect(await detail(id)).toMatchObject({ ...everything, expires_at })
    })

    test('returns the stored state, as closing and reopening do', async () => {
      const { id } = await board.activeJob(owner)
      const path = `/v1/jobs/${id}`
      const changes = [
        () => put(id, { ...everything, expires_at: at(10 * DAY_MS) }),
        () => put(id, { salary: null, custom_questions: [], application_url: null, skills: null }),
        () => board.post(`${path}/close`, owner.key),
        () => board.post(`${path}/reopen`, owner.key),
      ]
      for (const change of changes) {
        board.clock.advance(1_000)
        const answer = await change()
        expect(answer.status).toBe(200)
        // An update without changes returns the row that it read from the database.
        expect((await put(id, {})).body).toEqual(answer.body)
        expect((await eventsOf(id)).at(-1)!.data.job).toEqual(answer.body.data)
      }
    })

    test('makes the job findable by its new words and location, and no longer by the old ones', async () => {
      const { id } = await board.activeJob(owner, { title: 'Oldish', location: 'Erewhon', skills: ['Elderskill'] })
      expect(
        (await put(id, { title: 'Newish', location: 'Utopia', skills: ['Freshskill'], salary: { min: 7 } })).status,
      ).toBe(200)
      const found = async (query: string) => (await board.get(`/v1/jobs?${query}`, candidate.key)).body.data.length
      for (const query of [
        'search=newish',
        'location=utopia',
        'skills=freshskill',
        'search=freshskill',
        'salary_min=7',
      ]) {
        expect([query, await found(query)]).toEqual([query, 1])
      }
      for (const query of ['search=oldish', 'location=erewhon', 'skills=elderskill', 'search=elderskill']) {
        expect([query, await found(query)]).toEqual([query, 0])
      }
    })

    test('detects the language of new texts, unless the employer has set it', async () => {
      const german = { title: 'Entwickler', description: 'Wir suchen Sie für die Entwicklungen in der Werkstatt.' }
      const { id } = await board.activeJob(owner)
      expect((await put(id, german)).body.data.language).toBe('de')
      const { data } = (await eventsOf(id)).at(-1) as unknown as { data: { changed_fields: string[] } }
      expect(data.changed_fields).toContain('language')
      expect((await put(id, { language: 'nl' })).body.data.language).toBe('nl')
      expect((await put(id, { description: 'You design battery packs for us.' })).body.data.language).toBe('nl')
      expect((await put(id, { language: null })).body.data.language).toBe('en')
    })

    test('stems the words of a job in its new language', async () => {
      const { id } = await board.activeJob(owner, { title: 'Prüfungen', language: 'en' })
      const found = async () => (await board.get('/v1/jobs?search=prufung%20', candidate.key)).body.data.length
      expect(await found()).toBe(0)
      expect((await put(id, { language: 'de' })).status).toBe(200)
      expect(await found()).toBe(1)
      expect((await put(id, { language: 'en' })).status).toBe(200)
      expect(await found()).toBe(0)
    })

    test('replaces arrays and the salary as a whole', async () => {
      const { id } = await board.job(owner, everything)
      const { data } = (await put(id, { benefits: ['Bike'], salary: { max: 9 } })).body
      expect(data.benefits).toEqual(['Bike'])
      expect(data.salary).toEqual({ min: null, max: 9, currency: 'USD', period: 'year' })
    })

    test('clears fields that are sent as null, or restores their defaults', async () => {
      const { id } = await board.job(owner, { ...everything, expires_at: at(DAY_MS) })
      const nulls = {
        salary: null,
        requirements: null,
        benefits: null,
        skills: null,
        experience_level: null,
        language: null,
        custom_questions: null,
        application_url: null,
        contact_email: null,
        expires_at: null,
      }
      expect((await put(id, nulls)).status).toBe(200)
      expect(await detail(id)).toMatchObject({
        salary: null,
        requirements: [],
        benefits: [],
        skills: [],
        experience_level: null,
        language: 'en',
        custom_questions: [],
        application_url: `${ORIGIN}/v1/candidates/jobs/${id}/apply`,
        contact_email: null,
        expires_at: null,
      })
      const { data } = (await eventsOf(id)).at(-1) as unknown as { data: Record<string, string[]> }
      expect(data.changed_fields!.toSorted()).toEqual(Object.keys(nulls).sort())
    })

    test('accepts an unmodified GET response, without an event', async () => {
      for (const overrides of [{}, { ...everything, expires_at: at(DAY_MS) }]) {
        const { id } = await board.activeJob(owner, overrides)
        const before = await detail(id)
        const events = (await eventsOf(id)).length
        const answer = await put(id, before)
        expect([answer.status, await detail(id)]).toEqual([200, before])
        expect((await eventsOf(id)).length).toBe(events)
      }
    })

    test("accepts edited responses of GET, of activation and of the employer's own list", async () => {
      const created = await board.activeJob(owner, { ...everything })
      const { data } = (await board.get('/v1/employers/jobs?limit=100', owner.key)).body
      const listed = data.find((job: { id: string }) => job.id === created.id)
      for (const [index, form] of [await detail(created.id), created, listed].entries()) {
        const answer = await put(created.id, { ...form, title: `Edit ${index}` })
        expect([answer.status, answer.body.data]).toEqual([200, { ...created, title: `Edit ${index}` }])
      }
    })

    test('treats another notation of the same value as no change', async () => {
      const { id } = await board.job(owner, { salary: { max: 5 }, expires_at: '2026-04-01T00:00:00Z' })
      const before = (await eventsOf(id)).length
      const same = {
        title: ' Battery engineer ',
        salary: { period: 'year', max: 5 },
        expires_at: '2026-04-01T02:00:00.000+02:00',
        benefits: null,
        application_url: null,
      }
      expect((await put(id, same)).status).toBe(200)
      expect((await eventsOf(id)).length).toBe(before)
    })

    test.each([undefined, {}])('updates only updated_at for the body %j', async (body) => {
      const job = await board.job(owner)
      const before = (await eventsOf(job.id)).length
      board.clock.advance(1)
      const answer = await put(job.id, body)
      expect([answer.status, answer.body.data]).toEqual([200, job])
      expect(await updatedAt(job.id)).toEqual(board.clock.now())
      expect((await eventsOf(job.id)).length).toBe(before)
    })

    test('accepts an empty body with and without a Content-Type', async () => {
      const { path } = await request()
      for (const headers of [{}, { 'content-type': 'application/json' }]) {
        expect((await board.call('PUT', path, { key: owner.key, headers })).status).toBe(200)
      }
    })

    test('writes a job.updated event with the changed fields and their previous values', async () => {
      const job = await board.activeJob(owner, { contact_email: 'old@voltaire.example' })
      board.clock.advance(5)
      const body = { title: 'After', salary: { max: 5 }, contact_email: 'new@voltaire.example', remote: false }
      const { data } = (await put(job.id, body)).body
      expect((await eventsOf(job.id)).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'job.updated',
        created_at: board.clock.now().toISOString(),
        data: {
          job: data,
          changed_fields: ['title', 'salary', 'contact_email'],
          previous: { title: 'Battery engineer', salary: null, contact_email: 'old@voltaire.example' },
        },
      })
    })

    test('keeps remote and workplace consistent, and reports each change', async () => {
      const { id } = await board.job(owner, { workplace: 'hybrid' })
      const states = [
        [{}, false, 'hybrid', []],
        [{ remote: false }, false, 'hybrid', []],
        [{ remote: true }, true, 'remote', ['remote', 'workplace']],
        // A client that sends the whole resource may change only remote or only workplace.
        [{ remote: true, workplace: 'hybrid' }, false, 'hybrid', ['remote', 'workplace']],
        [{ remote: false, workplace: 'on_site' }, false, 'on_site', ['workplace']],
        [{ remote: true, workplace: 'remote' }, true, 'remote', ['remote', 'workplace']],
        [{ remote: false, workplace: 'remote' }, false, 'on_site', ['remote', 'workplace']],
      ] as const
      for (const [body, remote, workplace, changed] of states) {
        expect((await put(id, body)).body.data, JSON.stringify(body)).toMatchObject({ remote, workplace })
        const { type, data } = (await eventsOf(id)).at(-1) as unknown as { type: string; data: object }
        if (changed.length > 0) expect([type, data]).toMatchObject(['job.updated', { changed_fields: changed }])
      }
    })

    test('changes location and locations together', async () => {
      const { id } = await board.job(owner, { location: 'Oslo', locations: ['Bergen'] })
      const states = [
        [{}, 'Oslo', ['Oslo', 'Bergen']],
        [{ location: 'Turin' }, 'Turin', ['Turin', 'Bergen']],
        // A client that sends the whole resource may change only location or only locations.
        [{ location: 'Lund', locations: ['Turin', 'Bergen'] }, 'Lund', ['Lund', 'Bergen']],
        [{ locations: ['Bergen', 'Lund'] }, 'Bergen', ['Bergen', 'Lund']],
        [{ location: 'Bergen', locations: ['Oslo'] }, 'Bergen', ['Bergen', 'Oslo']],
        [{ location: 'Oslo', locations: ['Lund', 'Oslo'] }, 'Oslo', ['Oslo', 'Lund']],
        [{ locations: null }, 'Oslo', ['Oslo']],
        [{ location: 'Lund' }, 'Lund', ['Lund']],
        [{ locations: [] }, 'Lund', ['Lund']],
      ] as const
      for (const [body, location, locations] of states) {
        expect((await put(id, body)).body.data, JSON.stringify(body)).toMatchObject({ location, locations })
        expect(await detail(id)).toMatchObject({ location, locations })
      }
      expect((await eventsOf(id)).at(-1)).toMatchObject({
        data: { changed_fields: ['location', 'locations'], previous: { location: 'Oslo', locations: ['Oslo'] } },
      })
    })

    test('lets admins edit a job', async () => {
      const { id } = await board.job(owner)
      expect((await put(id, { title: 'By the operator' }, ADMIN_KEY)).body.data.title).toBe('By the operator')
    })

    test('leaves a closed job closed and an inactive one inactive', async () => {
      const closed = await board.activeJob(owner)
      await board.post(`/v1/jobs/${closed.id}/close`, owner.key)
      const inactive = await board.job(owner)
      for (const { id } of [closed, inactive]) {
        expect((await put(id, { title: 'Edited' })).body.data).toMatchObject({ title: 'Edited', is_active: false })
      }
      expect((await board.post(`/v1/jobs/${closed.id}/reopen`, owner.key)).body.data.is_active).toBe(true)
    })

    test('does not change posted_at', async () => {
      const { id, posted_at } = await board.activeJob(owner)
      board.clock.advance(1_000)
      expect((await put(id, { title: 'Later' })).body.data.posted_at).toBe(posted_at)
    })

    describe('expires_at', () => {
      test('can be moved to at most a year after activation', async () => {
        const { id } = await board.activeJob(owner)
        const latest = at(365 * DAY_MS)
        board.clock.advance(DAY_MS)
        expect((await put(id, { expires_at: latest })).body.data).toMatchObject({ expires_at: latest, is_active: true })
        expect((await put(id, { expires_at: at(1) })).body.data).toMatchObject({ expires_at: at(1), is_active: true })
        board.clock.advance(1)
        expect((await detail(id)).is_active).toBe(false)
      })

      test('can be up to a year from now if the job is not on the board', async () => {
        const { id } = await board.job(owner)
        board.clock.advance(10 * DAY_MS)
        expect((await put(id, { expires_at: at(365 * DAY_MS) })).status).toBe(200)
      })

      test('is the end of the day if it is sent without a time', async () => {
        const { id } = await board.job(owner)
        const day = at(3 * DAY_MS).slice(0, 10)
        expect((await put(id, { expires_at: day })).body.data.expires_at).toBe(`${day}T23:59:59.999Z`)
      })

      test('is returned in UTC if it is sent with an offset', async () => {
        const { id } = await board.job(owner)
        const day = at(3 * DAY_MS).slice(0, 10)
        expect((await put(id, { expires_at: `${day}T12:00:00.5-05:30` })).body.data.expires_at).toBe(
          `${day}T17:30:00.500Z`,
        )
      })

      test('is the end of the next renewal if the job has expired, but the renewal needs another payment', async () => {
        const { id } = await board.activeJob(owner, { expires_at: at(1_000) })
        board.clock.advance(1_000)
        const expires_at = at(20 * DAY_MS)
        const renewed = await put(id, { expires_at })
        expect(renewed.body.data).toMatchObject({ is_active: false, expires_at })
        // The event about the expiry is written first and contains the original expires_at.
        const types = (await eventsOf(id)).map(({ type }) => type)
        expect(types).toEqual(['job.created', 'job.updated', 'job.expired', 'job.updated'])
        const refused = await board.post(`/v1/jobs/${id}/activate`, owner.key)
        expect([refused.status, refused.body.code]).toEqual([402, 'payment_required'])
        await board.pay(owner, id)
        const activated = await board.post(`/v1/jobs/${id}/activate`, owner.key)
        expect(activated.body.data).toMatchObject({ is_active: true, expires_at })
      })

      test('can be cleared once the job has expired', async () => {
        const { id } = await board.activeJob(owner, { expires_at: at(1_000) })
        board.clock.advance(1_000)
        expect((await put(id, { expires_at: null })).body.data).toMatchObject({ is_active: false, expires_at: null })
        expect((await board.get(`/v1/jobs/${id}`, candidate.key)).status).toBe(200)
      })

      test('is accepted unchanged, even if it has passed', async () => {
        const { id } = await board.activeJob(owner, { expires_at: at(1_000) })
        board.clock.advance(5_000)
        const answer = await put(id, { ...(await detail(id)), title: 'Edited after its end' })
        expect([answer.status, answer.body.data.is_active]).toEqual([200, false])
      })
    })
  })

  status(403, () => {
    test('refuses another employer once the job has been on the board, even if the job is closed or expired', async () => {
      const active = await board.activeJob(owner)
      const closed = await board.activeJob(owner)
      await board.post(`/v1/jobs/${closed.id}/close`, owner.key)
      const expired = await board.activeJob(owner, { expires_at: at(1) })
      board.clock.advance(1)
      for (const { id } of [active, closed, expired]) {
        const answer = await put(id, { title: 'Mine now' }, other.key)
        expect([answer.status, answer.body.code]).toEqual([403, 'not_owner'])
        expect((await detail(id)).title).toBe('Battery engineer')
      }
    })

    test('checks the caller before the body', async () => {
      const { id } = await board.activeJob(owner)
      for (const body of ['{bad', '[]', '{"title":1}', '{"a":"\\u0000"}', `"${'x'.repeat(2_000_000)}"`]) {
        expect((await put(id, body, other.key)).body.code).toBe('not_owner')
        expect((await put(id, body, candidate.key)).body.code).toBe('employer_account_required')
      }
    })
  })

  status(409, () => {
    test('refuses to change a job that a feed maintains', async () => {
      const { id } = await fedJob(board)
      const answer = await board.put(`/v1/jobs/${id}`, ADMIN_KEY, { title: 'By hand' })
      expect(answer.body.code).toBe('fed_job')
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'admin', request))

  status(422, () => {
    test.each([
      ['id', 'job_00000000000000000000000000'],
      ['id', null],
      ['company', 'Somebody Else'],
      ['posted_at', '2020-01-01T00:00:00.000Z'],
      ['is_featured', true],
      ['is_urgent', true],
      ['is_highlighted', true],
      ['is_active', true],
      ['company_logo_url', 'https://evil.example/l.png'],
      ['company_website', 'https://evil.example/'],
      ['description_html', '<p>Mine</p>'],
      ['employer_id', 'emp_00000000000000000000000000'],
      ['application_count', 99],
      ['application_count', '0'],
    ])('refuses a changed %s: %j', async (member, value) => {
      const { id } = await board.job(owner)
      const answer = await put(id, { [member]: value, title: 'New' })
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        [
          {
            pointer: `#/${member}`,
            code: 'read_only_field',
            detail: `${member} is read-only. Omit it or send its current value.`,
          },
        ],
      ])
      expect((await detail(id)).title).toBe('Battery engineer')
    })

    const refused: [string, unknown, string][] = [
      ['title', null, '#/title invalid_type'],
      ['title', '  ', '#/title too_short'],
      ['description', null, '#/description invalid_type'],
      ['location', 5, '#/location invalid_type'],
      ['category', 'A B', '#/category invalid_format'],
      ['category', null, '#/category invalid_type'],
      ['type', '', '#/type too_short'],
      ['remote', null, '#/remote invalid_type'],
      ['salary', { min: 3, max: 2 }, '#/salary/min invalid_range'],
      ['salary', {}, '#/salary required'],
      ['salary', { max: 1, currency: 'XXXX' }, '#/salary/currency invalid_format'],
      ['requirements', [null], '#/requirements/0 invalid_type'],
      ['skills', 'CAN', '#/skills invalid_type'],
      ['experience_level', 'Senior', '#/experience_level not_allowed'],
      ['language', 'en-', '#/language invalid_format'],
      ['application_url', 'ftp://x.example/', '#/application_url invalid_format'],
      ['contact_email', 'a@b', '#/contact_email invalid_format'],
      ['custom_questions', [{}], '#/custom_questions/0/id required'],
      ['expires_at', 'tomorrow', '#/expires_at invalid_format'],
      ['expires_at', '2026-03-01', '#/expires_at invalid_range'],
      ['expires_at', '2099-01-01', '#/expires_at invalid_range'],
      ['color', 'red', '#/color unknown_field'],
      ['created_at', '2026-03-02T09:00:00.000Z', '#/created_at unknown_field'],
    ]
    test.each(refused.map(([member, value, fault], index) => [`${fault} (${index})`, member, value, fault] as const))(
      'refuses %s and changes nothing',
      async (_title, member, value, fault) => {
        const job = await board.job(owner)
        const events = (await eventsOf(job.id)).length
        const answer = await put(job.id, { [member]: value, benefits: ['New'] })
        expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
        expect(faultsOf(answer)).toContain(fault)
        expect((await detail(job.id)).benefits).toEqual([])
        expect((await eventsOf(job.id)).length).toBe(events)
      },
    )

    test('reports schema, rule and read-only errors in one response', async () => {
      const { id } = await board.job(owner)
      const body = { title: '', expires_at: '2020-01-01', is_active: true, color: 1, 'a/b~c': 1, company: 'X' }
      expect(faultsOf(await put(id, body)).sort()).toEqual([
        '#/a~1b~0c unknown_field',
        '#/color unknown_field',
        '#/company read_only_field',
        '#/expires_at invalid_range',
        '#/is_active read_only_field',
        '#/title too_short',
      ])
    })

    test('suggests the intended field', async () => {
      const { id } = await board.job(owner)
      expect((await put(id, { titel: 'New' })).body.errors[0].detail).toBe(
        '"titel" is not a known field. Did you mean title?',
      )
    })

    test('treats __proto__ and constructor as unknown fields', async () => {
      const { id } = await board.job(owner)
      const answer = await put(id, '{"__proto__":{"title":"x"},"constructor":1}')
      expect([answer.status, faultsOf(answer)]).toEqual([
        422,
        ['#/__proto__ unknown_field', '#/constructor unknown_field'],
      ])
    })

    describe('expires_at', () => {
      test('must be in the future, and within a year of the activation', async () => {
        const { id } = await board.activeJob(owner)
        const latest = at(365 * DAY_MS)
        board.clock.advance(DAY_MS)
        for (const expires_at of [at(0), at(-1), at(364 * DAY_MS + 1), at(365 * DAY_MS)]) {
          const answer = await put(id, { expires_at })
          expect(answer.body.errors).toEqual([
            {
              pointer: '#/expires_at',
              code: 'invalid_range',
              detail: `expires_at must be in the future and no later than ${latest}.`,
            },
          ])
        }
      })

      test('cannot be cleared while the job is active or closed', async () => {
        const open = await board.activeJob(owner)
        const closed = await board.activeJob(owner)
        await board.post(`/v1/jobs/${closed.id}/close`, owner.key)
        for (const { id } of [open, closed]) {
          expect(faultsOf(await put(id, { expires_at: null }))).toEqual(['#/expires_at required'])
        }
      })

      test('cannot be changed to a past time, even if the job has expired', async () => {
        const { id } = await board.activeJob(owner, { expires_at: at(1_000) })
        board.clock.advance(5_000)
        expect(faultsOf(await put(id, { expires_at: at(-1) }))).toEqual(['#/expires_at invalid_range'])
      })
    })

    test('refuses an outdated read-only value', async () => {
      const { id } = await board.activeJob(owner)
      const before = await detail(id)
      await board.post(`/v1/jobs/${id}/close`, owner.key)
      expect(faultsOf(await put(id, { ...before, title: 'New' }))).toEqual(['#/is_active read_only_field'])
    })
  })

  test('two simultaneous updateJob requests for different fields both take effect', async () => {
    const { id } = await board.activeJob(owner)
    const [a, b] = await Promise.all([put(id, { title: 'Both' }), put(id, { location: 'Kept' })])
    expect([a.status, b.status]).toEqual([200, 200])
    expect(await detail(id)).toMatchObject({ title: 'Both', location: 'Kept' })
  })

  test('updateJob lets admins edit an imported job whose employer has no key', async () => {
    const [id] = await insertJobs(board, [{ title: 'Imported' }])
    expect((await put(id!, { title: 'Edited' }, ADMIN_KEY)).body.data).toMatchObject({
      title: 'Edited',
      is_active: true,
    })
    expect((await put(id!, { title: 'Edited' }, owner.key)).body.code).toBe('not_owner')
  })
})
