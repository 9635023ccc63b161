import fc from 'fast-check'
import { expect, test } from 'vitest'
import { characterFault } from '../../src/lib/characters.ts'
import { ORIGIN } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { insertResume } from '../support/resumes.ts'

describeOperation('updateCandidateProfile', ({ board, status }) => {
  const path = '/v1/candidates/profile'
  const request = async () => ({ method: 'PUT', path, body: { location: 'Turin, Italy' } })
  const full = {
    first_name: 'Ada',
    last_name: 'King',
    phone: '+44 (0)20 7946 0000 ext. 7',
    location: 'London, UK',
    headline: 'Battery engineer',
    summary: 'Ten years of cells.',
    experience: [
      {
        title: 'Engineer',
        company: 'Voltaire Vans',
        location: 'Gothenburg',
        start_date: '2020-02',
        end_date: null,
        current: true,
        description: 'Packs.',
      },
      {
        title: 'Trainee',
        company: 'Berg Motion',
        location: null,
        start_date: '2019-01',
        end_date: '2019-01',
        current: false,
        description: null,
      },
    ],
    education: [
      {
        institution: 'Politecnico',
        degree: 'MSc',
        field: 'Electrical engineering',
        start_date: '2014-09',
        end_date: '2019-01',
        description: 'With honours.',
      },
    ],
    skills: ['CAN', 'C++'],
    website: 'https://ada.example',
    github: 'https://github.example/ada',
    linkedin: 'http://linkedin.example/ada',
    is_searchable: true,
    mail_on_status_change: false,
  }

  status(200, () => {
    test('accepts every writable field, and returns the complete profile', async () => {
      const { id, key } = await board.candidate()
      const created_at = board.clock.now().toISOString()
      board.clock.advance(1_000)
      const answer = await board.put(path, key, { ...full, email: ' Ada.King@mail.example ' })
      expect(answer.status).toBe(200)
      const data = {
        id,
        ...full,
        email: 'Ada.King@mail.example',
        resume_url: null,
        created_at,
        updated_at: board.clock.now().toISOString(),
      }
      expect(answer.body).toEqual({ data })
      expect((await board.get(path, key)).body).toEqual({ data })
      // List entries also have their fields in the documented order.
      expect(Object.keys((await board.get(path, key)).body.data.experience[0])).toEqual(
        Object.keys(full.experience[0]!),
      )
    })

    test('changes only the given fields', async () => {
      const { key } = await board.candidate()
      await board.put(path, key, full)
      const answer = await board.put(path, key, { headline: ' Cell chemist ', skills: ['LFP'] })
      expect(answer.body.data).toMatchObject({ ...full, headline: 'Cell chemist', skills: ['LFP'] })
    })

    test('clears fields with null, and returns cleared lists as empty lists', async () => {
      const { key } = await board.candidate()
      await board.put(path, key, full)
      const scalars = ['phone', 'location', 'headline', 'summary', 'website', 'github', 'linkedin']
      const lists = ['experience', 'education', 'skills']
      const body = Object.fromEntries([...scalars, ...lists].map((member) => [member, null]))
      const cleared = { ...body, ...Object.fromEntries(lists.map((member) => [member, []])) }
      expect((await board.put(path, key, body)).body.data).toMatchObject({ first_name: 'Ada', ...cleared })
      expect((await board.events('candidate.profile_updated')).at(-1)?.data).toMatchObject({
        changed_fields: [...scalars, ...lists],
      })
      const events = (await board.events()).length
      await board.put(path, key, body)
      expect((await board.events()).length).toBe(events)
    })

    test('adds missing optional fields to list entries', async () => {
      const { key } = await board.candidate()
      const experience = [
        { title: 'Engineer', company: 'A', start_date: '2020-01' },
        { title: 'Engineer', company: 'B', start_date: '2018-01', end_date: '2019-12' },
      ]
      const { data } = (await board.put(path, key, { experience, education: [{ institution: 'C' }] })).body
      const rest = { location: null, description: null }
      expect(data.experience).toEqual([
        { ...experience[0], ...rest, end_date: null, current: true },
        { ...experience[1], ...rest, current: false },
      ])
      expect(data.education).toEqual([
        { institution: 'C', degree: null, field: null, start_date: null, end_date: null, description: null },
      ])
      const events = (await board.events()).length
      await board.put(path, key, { experience, education: [{ institution: 'C' }] })
      expect((await board.events()).length).toBe(events)
    })

    test('updates only updated_at for {}, without an event', async () => {
      const { key } = await board.candidate()
      await board.put(path, key, full)
      const before = (await board.get(path, key)).body.data
      const events = (await board.events()).length
      board.clock.advance(1_000)
      const answer = await board.put(path, key, {})
      expect(answer.body.data).toEqual({ ...before, updated_at: board.clock.now().toISOString() })
      expect((await board.events()).length).toBe(events)
    })

    test('accepts an edited GET response, including the resume URL', async () => {
      const candidate = await board.candidate()
      await board.put(path, candidate.key, full)
      await insertResume(board, candidate.id, { extracted_text: 'Old' })
      board.clock.advance(1_000)
      const newest = await insertResume(board, candidate.id, { extracted_text: 'New' })
      const { data } = (await board.get(path, candidate.key)).body
      expect(data.resume_url).toBe(`${ORIGIN}/v1/candidates/resume/${newest}`)
      const answer = await board.put(path, candidate.key, { ...data, summary: 'Edited.' })
      expect([answer.status, answer.body.data.summary]).toEqual([200, 'Edited.'])
      expect((await board.events('candidate.profile_updated')).at(-1)?.data).toMatchObject({
        changed_fields: ['summary'],
      })
    })

    test('stores any valid profile unchanged', async () => {
      const { key } = await board.candidate()
      // Each text starts and ends with a letter, because the service trims white space.
      const text = (max: number) =>
        fc.string({ unit: 'grapheme', maxLength: 20 }).map((rest) => `x${rest}x`.slice(0, max))
      const storable = (value: string) => characterFault(value, 'name') === undefined
      const line = text(60).filter(storable)
      const month = fc.tuple(fc.integer({ min: 1900, max: 2100 }), fc.integer({ min: 1, max: 12 }))
      const written = ([year, number]: [number, number]) => `${year}-${String(number).padStart(2, '0')}`
      const period = fc.tuple(month.map(written), month.map(written)).map((months) => months.sort())
      const experience = fc.record({
        title: line,
        company: line,
        location: fc.option(line),
        description: fc.option(line),
        period,
        current: fc.boolean(),
      })
      const education = fc.record({ institution: line, degree: fc.option(line), field: fc.option(line), period })
      const profile = fc.record(
        {
          first_name: line,
          last_name: line,
          location: fc.option(line),
          headline: fc.option(line),
          summary: fc.option(line),
          skills: fc.array(line, { maxLength: 5 }),
          website: fc.option(fc.webUrl({ validSchemes: ['http', 'https'] })),
          is_searchable: fc.boolean(),
          experience: fc.array(
            experience.map(({ period: [start_date, end], current, ...rest }) => ({
              ...rest,
              start_date,
              end_date: current ? null : end,
              current,
            })),
            { maxLength: 4 },
          ),
          education: fc.array(
            education.map(({ period: [start_date, end_date], ...rest }) => ({ ...rest, start_date, end_date })),
            { maxLength: 4 },
          ),
        },
        { requiredKeys: [] },
      )
      await fc.assert(
        fc.asyncProperty(profile, async (body) => {
          const before = (await board.get(path, key)).body.data
          const changed = await board.put(path, key, body)
          expect([changed.status, changed.text]).toEqual([200, expect.any(String)])
          // Sent fields have their new values; all others are unchanged.
          expect(changed.body.data).toMatchObject({
            ...before,
            ...body,
            updated_at: expect.any(String),
            education: expect.any(Array),
          })
          const events = (await board.events()).length
          const again = await board.put(path, key, (await board.get(path, key)).body.data)
          expect(again.body).toEqual(changed.body)
          expect((await board.events()).length).toBe(events)
        }),
        { numRuns: 25 },
      )
    })

    test('writes candidate.profile_updated with exactly the changed fields', async () => {
      const { id, key } = await board.candidate({ first_name: 'Ada', last_name: 'King', email: 'told@mail.example' })
      await board.put(path, key, { first_name: 'Ada', last_name: 'Lovelace', is_searchable: true })
      const at = board.clock.now().toISOString()
      expect((await board.events('candidate.profile_updated')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'candidate.profile_updated',
        created_at: at,
        data: {
          candidate: { id, name: 'Ada Lovelace', email: 'told@mail.example', updated_at: at },
          changed_fields: ['last_name', 'is_searchable'],
        },
      })
    })

    test('turns emails off without writing an event', async () => {
      const { key } = await board.candidate()
      const events = (await board.events()).length
      expect((await board.put(path, key, { mail_on_status_change: false })).body.data.mail_on_status_change).toBe(false)
      expect((await board.events()).length).toBe(events)
      await board.put(path, key, { mail_on_status_change: true, phone: '112' })
      expect((await board.events('candidate.profile_updated')).at(-1)?.data).toMatchObject({
        changed_fields: ['phone'],
      })
    })

    test('copies the name and email address to the account, and frees the old email address', async () => {
      const { key } = await board.candidate({ email: 'before@mail.example' })
      await board.put(path, key, { first_name: 'Grace', last_name: 'Hopper', email: 'After@mail.example' })
      expect((await board.get('/v1/me', key)).body.data).toMatchObject({
        name: 'Grace Hopper',
        email: 'After@mail.example',
      })
      // The candidate's own email address in another letter case is not a conflict.
      expect((await board.put(path, key, { email: 'AFTER@mail.example' })).status).toBe(200)
      await board.candidate({ email: 'before@mail.example' })
      // An employer may have the same email address.
      await board.employer({ email: 'shared@mail.example' })
      expect((await board.put(path, key, { email: 'shared@mail.example' })).status).toBe(200)
    })

    test.each([
      ['names of 100 characters', { first_name: '\u{1F697}'.repeat(100), last_name: 'x'.repeat(100) }],
      ['a headline and a location of 200 characters', { headline: 'x'.repeat(200), location: 'x'.repeat(200) }],
      ['a summary of 5,000 characters', { summary: 'x'.repeat(5_000) }],
      ['50 entries of experience', { experience: Array(50).fill(full.experience[0]) }],
      ['30 entries of education', { education: Array(30).fill(full.education[0]) }],
      ['100 skills of 64 characters', { skills: Array.from({ length: 100 }, (_, i) => String(i).padEnd(64, 'x')) }],
      ['a URL of 2,048 characters', { website: `https://a.example/${'x'.repeat(2_030)}` }],
      ['a phone number of 50 digits', { phone: '1'.repeat(50) }],
      [
        'an end in the same month as the start',
        { education: [{ institution: 'x', start_date: '2020-01', end_date: '2020-01' }] },
      ],
      ['an end without a start', { education: [{ institution: 'x', end_date: '2020-01' }] }],
    ])('accepts %s', async (_what, body) => {
      const { key } = await board.candidate()
      const answer = await board.put(path, key, body)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body.data).toMatchObject(body)
    })

    test('applies all simultaneous changes to different fields', async () => {
      const { key } = await board.candidate()
      const changes = [{ location: 'Turin' }, { headline: 'Chemist' }, { skills: ['CAN'] }, { is_searchable: true }]
      await Promise.all(changes.map((change) => board.put(path, key, change)))
      expect((await board.get(path, key)).body.data).toMatchObject(Object.assign({}, ...changes))
    })
  })

  status(409, () => {
    test("refuses another candidate's email address in any letter case, and changes nothing", async () => {
      await board.candidate({ email: 'Taken@mail.example' })
      const { key } = await board.candidate()
      const before = (await board.get(path, key)).body
      const events = (await board.events()).length
      for (const email of ['Taken@mail.example', 'tAKEN@MAIL.example']) {
        const answer = await board.put(path, key, { email, headline: 'Other' })
        expect([answer.status, answer.body.code, faultsOf(answer)]).toEqual([
          409,
          'email_taken',
          ['#/email email_taken'],
        ])
      }
      expect((await board.get(path, key)).body).toEqual(before)
      expect((await board.events()).length).toBe(events)
    })

    test('lets only one of five simultaneous requests take the same email address', async () => {
      const candidates = await Promise.all(Array.from({ length: 5 }, () => board.candidate()))
      const answers = await Promise.all(
        candidates.map(({ key }) => board.put(path, key, { email: 'rush@mail.example' })),
      )
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409])
    })

    test('reports errors in the body instead of a taken email address', async () => {
      await board.candidate({ email: 'taken-too@mail.example' })
      const { key } = await board.candidate()
      const answer = await board.put(path, key, { email: 'taken-too@mail.example', headline: '' })
      expect([answer.status, faultsOf(answer)]).toEqual([422, ['#/headline too_short']])
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'candidate', request))

  status(422, () => {
    const job = { title: 'Engineer', company: 'A', start_date: '2020-01' }
    test.each<[Record<string, unknown>, string]>([
      [{ first_name: null }, '#/first_name invalid_type'],
      [{ first_name: ' ' }, '#/first_name too_short'],
      [{ last_name: null }, '#/last_name invalid_type'],
      [{ last_name: 'x'.repeat(101) }, '#/last_name too_long'],
      [{ email: null }, '#/email invalid_type'],
      [{ email: 'somebody' }, '#/email invalid_format'],
      [{ phone: 'call me' }, '#/phone invalid_format'],
      [{ phone: '020\r\n7946' }, '#/phone invalid_format'],
      [{ phone: '1'.repeat(51) }, '#/phone too_long'],
      [{ location: 'x'.repeat(201) }, '#/location too_long'],
      [{ headline: 'x'.repeat(201) }, '#/headline too_long'],
      [{ summary: 'x'.repeat(5_001) }, '#/summary too_long'],
      [{ experience: {} }, '#/experience invalid_type'],
      [{ experience: Array(51).fill(job) }, '#/experience too_many'],
      [{ experience: [{ ...job, title: '' }] }, '#/experience/0/title too_short'],
      [{ experience: [{ ...job, company: '\u200b\u00ad\u3164' }] }, '#/experience/0/company too_short'],
      [{ experience: [{ title: 'x', company: 'y' }] }, '#/experience/0/start_date required'],
      [{ experience: [{ ...job, start_date: null }] }, '#/experience/0/start_date invalid_type'],
      [{ experience: [{ ...job, start_date: '2020-13' }] }, '#/experience/0/start_date invalid_format'],
      [{ experience: [{ ...job, start_date: '2020-1' }] }, '#/experience/0/start_date invalid_format'],
      [{ experience: [{ ...job, end_date: '2020-01-01' }] }, '#/experience/0/end_date invalid_format'],
      [{ experience: [job, { ...job, end_date: '2019-12' }] }, '#/experience/1/end_date invalid_range'],
      [{ experience: [{ ...job, current: false }] }, '#/experience/0/end_date required'],
      [{ experience: [{ ...job, end_date: null, current: false }] }, '#/experience/0/end_date required'],
      [{ experience: [{ ...job, end_date: '2021-01', current: true }] }, '#/experience/0/current not_allowed'],
      [{ experience: [{ ...job, salary: 1 }] }, '#/experience/0/salary unknown_field'],
      [{ education: Array(31).fill({ institution: 'x' }) }, '#/education too_many'],
      [{ education: [{}] }, '#/education/0/institution required'],
      [
        { education: [{ institution: 'x', start_date: '2020-02', end_date: '2020-01' }] },
        '#/education/0/end_date invalid_range',
      ],
      [{ skills: ['x'.repeat(65)] }, '#/skills/0 too_long'],
      [{ skills: [''] }, '#/skills/0 too_short'],
      [{ skills: Array(101).fill('x') }, '#/skills too_many'],
      [{ website: 'ada.example' }, '#/website invalid_format'],
      [{ github: 'ftp://a.example' }, '#/github invalid_format'],
      [{ linkedin: `https://a.example/${'x'.repeat(2_031)}` }, '#/linkedin too_long'],
      [{ is_searchable: null }, '#/is_searchable invalid_type'],
      [{ is_searchable: 'true' }, '#/is_searchable invalid_type'],
      [{ mail_on_status_change: null }, '#/mail_on_status_change invalid_type'],
      [{ id: 'cand_00000000000000000000000000' }, '#/id read_only_field'],
      [{ created_at: '2020-01-01T00:00:00.000Z' }, '#/created_at read_only_field'],
      [{ updated_at: null }, '#/updated_at read_only_field'],
      [{ resume_url: 'https://a.example/cv' }, '#/resume_url read_only_field'],
      [{ last_active: '2020-01-01T00:00:00.000Z' }, '#/last_active unknown_field'],
    ])('refuses %o', async (body, fault) => {
      const { key } = await board.candidate()
      const answer = await board.put(path, key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })

    test('reports all errors at once and changes nothing', async () => {
      const { key } = await board.candidate()
      const before = (await board.get(path, key)).body
      const events = (await board.events()).length
      board.clock.advance(1_000)
      const answer = await board.put(path, key, {
        location: 'Turin',
        website: 'x',
        id: 'other',
        color: 'red',
        experience: [{ ...job, end_date: '2019-01', current: true }],
        education: [{ institution: 'x', start_date: '2020-02', end_date: '2020-01' }],
      })
      expect(faultsOf(answer).sort()).toEqual([
        '#/color unknown_field',
        '#/education/0/end_date invalid_range',
        '#/experience/0/current not_allowed',
        '#/experience/0/end_date invalid_range',
        '#/id read_only_field',
        '#/website invalid_format',
      ])
      expect((await board.get(path, key)).body).toEqual(before)
      expect((await board.events()).length).toBe(events)
    })
  })
})
