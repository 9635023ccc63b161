import { expect, test } from 'vitest'
import { idsOf } from '../support/collection.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('updateEmployerProfile', ({ board, status }) => {
  const path = '/v1/employers/profile'
  const request = async () => ({ method: 'PUT', path, body: { location: 'Turin, Italy' } })
  const full = {
    name: 'Voltaire Vans',
    location: 'Gothenburg, Sweden',
    website: 'https://voltaire.example',
    logo_url: 'https://voltaire.example/logo.svg',
    description: 'Electric vans.',
    industry: 'Vehicle makers',
    employee_count: 250,
  }

  status(200, () => {
    test('changes only the given fields', async () => {
      const email = 'fleet@voltaire.example'
      const { id, key } = await board.employer({ ...full, email })
      const created_at = board.clock.now().toISOString()
      board.clock.advance(1_000)
      const answer = await board.put(path, key, { location: ' Turin, Italy ', employee_count: 300 })
      expect(answer.status).toBe(200)
      const updated = {
        id,
        ...full,
        location: 'Turin, Italy',
        employee_count: 300,
        email,
        mail_on_application: true,
        cover_url: null,
        ...{ is_verified: false, verified_domain: null },
        description_html: '<p>Electric vans.</p>',
        ...{ billing_name: null, billing_address: null, vat_id: null },
        open_positions: 0,
        created_at,
        updated_at: board.clock.now().toISOString(),
      }
      expect(answer.body).toEqual({ data: updated })
      expect((await board.get(path, key)).body).toEqual({ data: updated })
    })

    test('clears fields with null', async () => {
      const { key } = await board.employer(full)
      const { name: _, ...optional } = full
      const nulls = Object.fromEntries(Object.keys(optional).map((member) => [member, null]))
      expect((await board.put(path, key, nulls)).body.data).toMatchObject({ name: 'Voltaire Vans', ...nulls })
      const search = await board.get('/v1/employers?location=Gothenburg&name=Voltaire%20Vans&industry=x', key)
      expect(search.body.data).toEqual([])
    })

    test('updates only updated_at for {}, without an event', async () => {
      const { key } = await board.employer(full)
      const before = (await board.get(path, key)).body.data
      const events = (await board.events()).length
      board.clock.advance(1_000)
      const answer = await board.put(path, key, {})
      expect(answer.body.data).toEqual({ ...before, updated_at: board.clock.now().toISOString() })
      expect((await board.events()).length).toBe(events)
    })

    test('accepts an edited GET response', async () => {
      const { key } = await board.employer(full)
      board.clock.advance(1_000)
      const { data } = (await board.get(path, key)).body
      const answer = await board.put(path, key, { ...data, description: 'Edited.' })
      expect([answer.status, answer.body.data.description]).toEqual([200, 'Edited.'])
      expect((await board.events('employer.profile_updated')).at(-1)?.data).toMatchObject({
        changed_fields: ['description'],
      })
    })

    test('writes employer.profile_updated with the profile and exactly the changed fields', async () => {
      const { id, key } = await board.employer(full)
      const answer = await board.put(path, key, { industry: 'Software', name: full.name, employee_count: 251 })
      const event = (await board.events('employer.profile_updated')).at(-1)
      const {
        email: _e,
        mail_on_application: _,
        description_html: _h,
        billing_name: _n,
        billing_address: _a,
        vat_id: _v,
        ...employer
      } = answer.body.data
      expect(event).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'employer.profile_updated',
        created_at: board.clock.now().toISOString(),
        data: { employer: { ...employer, id }, changed_fields: ['industry', 'employee_count'] },
      })
    })

    test('turns emails off and on, and does not mention the setting in events', async () => {
      const { id, key } = await board.employer(full)
      const events = (await board.events()).length
      expect((await board.put(path, key, { mail_on_application: false })).body.data.mail_on_application).toBe(false)
      expect((await board.get(path, key)).body.data.mail_on_application).toBe(false)
      expect((await board.events()).length).toBe(events)
      await board.put(path, key, { mail_on_application: true, industry: 'Other' })
      expect((await board.get(path, key)).body.data.mail_on_application).toBe(true)
      const told = (await board.events('employer.profile_updated')).at(-1)
      expect(told?.data).toMatchObject({ changed_fields: ['industry'] })
      expect(JSON.stringify(told)).not.toContain('mail_on_application')
      expect((await board.get(`/v1/employers/${id}`, key)).text).not.toContain('mail_on_application')
    })

    test('copies a new email address to the account but not to events, and frees the old email address', async () => {
      const { id, key } = await board.employer({ ...full, email: 'before@voltaire.example' })
      const events = (await board.events()).length
      const answer = await board.put(path, key, { email: ' After@voltaire.example ' })
      expect([answer.status, answer.body.data.email]).toEqual([200, 'After@voltaire.example'])
      expect((await board.get('/v1/me', key)).body.data).toMatchObject({
        name: full.name,
        email: answer.body.data.email,
      })
      expect((await board.events()).length).toBe(events)
      expect((await board.get(`/v1/employers/${id}`, key)).text).not.toContain('After@')
      await board.put(path, key, { email: 'third@voltaire.example', industry: 'Other' })
      const told = (await board.events('employer.profile_updated')).at(-1)
      expect(told?.data).toMatchObject({ changed_fields: ['industry'] })
      expect(JSON.stringify(told)).not.toContain('third@')
      // A candidate may have the same email address.
      await board.candidate({ email: 'shared@voltaire.example' })
      expect((await board.put(path, key, { email: 'shared@voltaire.example' })).status).toBe(200)
      await board.employer({ email: 'before@voltaire.example' })
    })

    test('applies a new name to the company, search words and sort order of the jobs', async () => {
      const employer = await board.employer({ name: 'Zyzzyva Motors' })
      const other = await board.employer({ name: 'Middle Motors' })
      const active = await board.activeJob(employer, { category: 'rename' })
      const inactive = await board.job(employer, { category: 'rename' })
      const theirs = await board.activeJob(other, { category: 'rename' })
      const list = async (query: string) => idsOf(await board.get(`/v1/jobs?category=rename&${query}`, employer.key))
      expect(await list('sort=company_name')).toEqual([theirs.id, active.id])
      expect(await list('search=zyzzyva')).toEqual([active.id])

      await board.put(path, employer.key, { name: 'Äardvark Autos' })

      for (const id of [active.id, inactive.id]) {
        expect((await board.get(`/v1/jobs/${id}`, employer.key)).body.data.company).toBe('Äardvark Autos')
      }
      expect(await list('sort=company_name')).toEqual([active.id, theirs.id])
      expect(await list('search=aardvark')).toEqual([active.id])
      expect(await list('search=zyzzyva')).toEqual([])
      expect(await list('company=aardvark%20autos')).toEqual([active.id])
      // All other search words still match.
      expect(await list('search=battery%20aardvark')).toEqual([active.id])
      expect((await board.get(`/v1/jobs/${theirs.id}`, employer.key)).body.data.company).toBe('Middle Motors')
    })

    test('copies a new name to more jobs than fit into one batch', async () => {
      const employer = await board.employer({ name: 'Many Before' })
      const { id } = await board.job(employer)
      await board.database.inTx(async (tx) => {
        const { number: _, ...row } = await tx
          .selectFrom('job')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        const copies = Array.from({ length: 501 }, (_, i) => ({
          ...row,
          custom_questions: '[]',
          id: `job_0000000000000000000000${String(i).padStart(4, '0')}`,
        }))
        await tx.insertInto('job').values(copies).execute()
      })
      expect((await board.put(path, employer.key, { name: 'Many After' })).status).toBe(200)
      const rows = await board.database.read((db) =>
        db.selectFrom('job').select('company').distinct().where('employer_id', '=', employer.id).execute(),
      )
      expect(rows).toEqual([{ company: 'Many After' }])
    })

    test("shows a new website and logo in the employer's jobs", async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      const read = async () => (await board.get(`/v1/jobs/${id}`, employer.key)).body.data
      expect(await read()).toMatchObject({ company_website: null, company_logo_url: null })
      await board.put(path, employer.key, { website: full.website })
      expect(await read()).toMatchObject({ company_website: full.website, company_logo_url: null })
      await board.put(path, employer.key, { logo_url: full.logo_url })
      expect(await read()).toMatchObject({ company_website: full.website, company_logo_url: full.logo_url })
    })

    test('makes the employer findable by its new location but not by its old location', async () => {
      const { id, key } = await board.employer({ location: 'Gothenburg', industry: 'movers' })
      await board.put(path, key, { location: 'Málaga, Spain' })
      const at = async (place: string) => idsOf(await board.get(`/v1/employers?industry=movers&location=${place}`, key))
      expect([await at('malaga'), await at('gothenburg')]).toEqual([[id], []])
    })

    test('applies all simultaneous changes to different fields', async () => {
      const { key } = await board.employer()
      const changes = [{ location: 'Turin' }, { industry: 'Software' }, { employee_count: 9 }, { description: 'New.' }]
      await Promise.all(changes.map((change) => board.put(path, key, change)))
      expect((await board.get(path, key)).body.data).toMatchObject(Object.assign({}, ...changes))
    })
  })

  status(409, () => {
    test("refuses another employer's email address in any letter case, and changes nothing", async () => {
      await board.employer({ email: 'taken@voltaire.example' })
      const { key } = await board.employer(full)
      const before = (await board.get(path, key)).body
      const answer = await board.put(path, key, { email: 'Taken@VOLTAIRE.example', location: 'Turin' })
      expect([answer.status, answer.body.code, faultsOf(answer)]).toEqual([409, 'email_taken', ['#/email email_taken']])
      expect((await board.get(path, key)).body).toEqual(before)
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'employer', request))

  status(422, () => {
    test.each<[Record<string, unknown>, string]>([
      [{ name: '' }, '#/name too_short'],
      [{ name: null }, '#/name invalid_type'],
      [{ name: 'x'.repeat(201) }, '#/name too_long'],
      [{ location: 'x'.repeat(201) }, '#/location too_long'],
      [{ website: '/about' }, '#/website invalid_format'],
      [{ website: 'https://a:b@voltaire.example' }, '#/website invalid_format'],
      [{ logo_url: 'javascript:alert(1)' }, '#/logo_url invalid_format'],
      [{ description: 7 }, '#/description invalid_type'],
      [{ industry: '' }, '#/industry too_short'],
      [{ employee_count: -1 }, '#/employee_count too_small'],
      [{ employee_count: 2 ** 31 }, '#/employee_count too_large'],
      [{ mail_on_application: null }, '#/mail_on_application invalid_type'],
      [{ email: null }, '#/email invalid_type'],
      [{ email: 'somebody' }, '#/email invalid_format'],
      [{ id: 'emp_00000000000000000000000000' }, '#/id read_only_field'],
      [{ open_positions: 99 }, '#/open_positions read_only_field'],
      [{ cover_url: 'https://voltaire.example/cover.png' }, '#/cover_url read_only_field'],
      [{ description_html: '<p>Mine</p>' }, '#/description_html read_only_field'],
      [{ created_at: '2020-01-01T00:00:00.000Z' }, '#/created_at read_only_field'],
      [{ updated_at: null }, '#/updated_at read_only_field'],
    ])('refuses %o', async (body, fault) => {
      const { key } = await board.employer()
      const answer = await board.put(path, key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })

    test('reports all errors at once and changes nothing', async () => {
      const { key } = await board.employer(full)
      const before = (await board.get(path, key)).body
      const events = (await board.events()).length
      board.clock.advance(1_000)
      const answer = await board.put(path, key, { location: 'Turin', website: 'x', id: 'other', color: 'red' })
      expect(faultsOf(answer).sort()).toEqual([
        '#/color unknown_field',
        '#/id read_only_field',
        '#/website invalid_format',
      ])
      expect((await board.get(path, key)).body).toEqual(before)
      expect((await board.events()).length).toBe(events)
    })
  })
})
