import { beforeAll, describe, expect, test } from 'vitest'
import { refreshCandidateSearch } from '../../src/features/candidates/index.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { insertApplication } from '../support/applications.ts'
import { type Account, ADMIN_KEY, expectStatus } from '../support/board.ts'
import { candidateWith } from '../support/candidates.ts'
import { type Collection, idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { insertResume } from '../support/resumes.ts'

describeOperation('listCandidates', ({ board, status }) => {
  const path = '/v1/candidates'
  const find = async (key: string, query: string) => idsOf(await board.get(`${path}?${query}`, key))

  let paged: Collection | undefined
  const collection = async () => {
    if (paged) return paged
    const employer = await board.employer()
    const ids: string[] = []
    for (let i = 0; i < 7; i++) {
      // Pairs of entries have the same time, so the ID determines their order.
      if (i % 2 === 0) board.clock.advance(1_000)
      const isOwn = i === 3
      const candidate = await candidateWith(board, { location: 'Paging', is_searchable: !isOwn })
      if (isOwn) await insertApplication(board, candidate, employer)
      ids.unshift(candidate.id)
    }
    paged = { path: `${path}?location=paging`, key: employer.key, ids, otherSort: 'created_at' }
    return paged
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('returns exactly the documented resources, the most recently active candidate first', async () => {
      const { key } = await board.employer()
      const registered = board.clock.now().toISOString()
      const profile = {
        headline: 'Chemist',
        location: 'Exactville',
        skills: ['LFP'],
        phone: '112',
        is_searchable: true,
      }
      const first = await candidateWith(board, { ...profile, first_name: 'Ada', last_name: 'King' })
      board.clock.advance(60_000)
      const second = await candidateWith(board, { location: 'Exactville', is_searchable: true })
      const answer = expectStatus(await board.get(`${path}?location=exactville`, key), 200)
      expect(answer.body.data[1]).toEqual({
        id: first.id,
        first_name: 'Ada',
        last_name: 'King',
        headline: 'Chemist',
        location: 'Exactville',
        skills: ['LFP'],
        last_active: registered,
        created_at: registered,
        email: null,
        phone: null,
      })
      expect(answer.body.data[0].id).toBe(second.id)
      expect(answer.body.meta).toMatchObject({
        pagination: { total: 2 },
        sort: { fields: ['last_active'], directions: ['desc'] },
        filters_applied: { location: 'exactville' },
      })
    })

    describe('a radius search', () => {
      let employer: Account
      beforeAll(async () => {
        employer = await board.employer()
        const person = { headline: 'Radius', is_searchable: true }
        await candidateWith(board, { ...person, last_name: 'Uppsala', location: 'Uppsala, Sweden' })
        await candidateWith(board, { ...person, last_name: 'Stockholm', location: 'Stockholm or Malmö' })
        await candidateWith(board, { ...person, last_name: 'Oslo', location: 'Oslo' })
        await candidateWith(board, { ...person, last_name: 'Nowhere', location: 'Remote' })
        await candidateWith(board, { ...person, last_name: 'Silent' })
      })
      const found = async (query: string) => {
        const { data, meta } = expectStatus(await board.get(`${path}?search=radius&${query}`, employer.key), 200).body
        expect(meta.pagination.total).toBe(data.length)
        return data.map((one: { last_name: string; distance_miles?: number }) => [one.last_name, one.distance_miles])
      }

      test('finds candidates within the radius, sorts by distance on request, and shows the distances', async () => {
        expect(await found('location=Stockholm&distance=50&sort=distance')).toEqual([
          ['Stockholm', 0],
          ['Uppsala', 39.5],
        ])
        expect(await found('location=Stockholm&distance=50&sort=distance:desc')).toEqual([
          ['Uppsala', 39.5],
          ['Stockholm', 0],
        ])
        expect(await found('location=Copenhagen&distance=30')).toEqual([['Stockholm', 17.6]])
        expect(await found('location=Oslo')).toEqual([['Oslo', undefined]])
      })

      test('no longer finds a candidate who removed the location', async () => {
        const { key } = await candidateWith(board, {
          headline: 'Radius',
          is_searchable: true,
          last_name: 'Moving',
          location: 'Bergen, Norway',
        })
        expect(await found('location=Bergen,%20Norway&distance=5')).toEqual([['Moving', 0]])
        await board.put('/v1/candidates/profile', key, { location: null })
        expect(await found('location=Bergen,%20Norway&distance=5')).toEqual([])
        await board.put('/v1/candidates/profile', key, { is_searchable: false })
      })
    })

    describe('candidate privacy', () => {
      const accounts = {} as Record<'hidden' | 'open' | 'hiddenApplicant' | 'openApplicant', Account>
      let employer: Account
      let other: Account
      beforeAll(async () => {
        employer = await board.employer()
        other = await board.employer()
        const person = { phone: '+49 30 1234', location: 'Privacy' }
        accounts.hidden = await candidateWith(board, { ...person, last_name: 'Hidden' })
        accounts.open = await candidateWith(board, { ...person, last_name: 'Open', is_searchable: true })
        accounts.hiddenApplicant = await candidateWith(board, { ...person, last_name: 'Hidden applicant' })
        accounts.openApplicant = await candidateWith(board, {
          ...person,
          last_name: 'Open applicant',
          is_searchable: true,
        })
        for (const one of [accounts.hiddenApplicant, accounts.openApplicant]) {
          await insertApplication(board, one, employer)
          // A candidate with two applications must be listed only once.
          await insertApplication(board, one, employer)
        }
      })
      const seen = async (key: string, query = '') => {
        const { data } = expectStatus(
          await board.get(`${path}?location=privacy&sort=last_name&${query}`, key),
          200,
        ).body
        return data.map((one: Record<string, string | null>) => [one.last_name, one.email !== null, one.phone])
      }

      test('shows an employer all searchable candidates, plus its own applicants with their contact data', async () => {
        expect(await seen(employer.key)).toEqual([
          ['Hidden applicant', true, '+49 30 1234'],
          ['Open', false, null],
          ['Open applicant', true, '+49 30 1234'],
        ])
      })

      test('hides unsearchable candidates, email addresses and phone numbers from other employers', async () => {
        const expected = [
          ['Open', false, null],
          ['Open applicant', false, null],
        ]
        expect(await seen(other.key)).toEqual(expected)
        for (const query of [
          'search=hidden',
          'search=-open',
          'created_at_gt=2020-01-01&skills_not=x',
          'last_active_gt=2020-01-01',
        ]) {
          const answer = await board.get(`${path}?location=privacy&${query}`, other.key)
          expect(answer.text).not.toContain('Hidden')
          expect(answer.text).not.toContain('@candidate.example')
          expect(answer.text).not.toContain('1234')
        }
        expect((await board.get(`${path}?search=hidden&location=privacy`, other.key)).body).toMatchObject({
          data: [],
          meta: { pagination: { total: 0 } },
        })
      })

      test('prevents searches by email address or phone number', async () => {
        for (const one of Object.values(accounts)) {
          const { email } = (await board.get('/v1/me', one.key)).body.data
          expect(await find(employer.key, `search=${encodeURIComponent(`"${email}"`)}`)).toEqual([])
        }
        expect(await find(employer.key, 'search=1234&location=privacy')).toEqual([])
      })

      test('shows every candidate to admins', async () => {
        expect((await seen(ADMIN_KEY)).map(([name]: string[]) => name)).toEqual([
          'Hidden',
          'Hidden applicant',
          'Open',
          'Open applicant',
        ])
      })

      test('hides candidates once they are no longer searchable', async () => {
        const candidate = await candidateWith(board, { location: 'Backtown', is_searchable: true })
        expect(await find(other.key, 'location=backtown')).toEqual([candidate.id])
        await board.put('/v1/candidates/profile', candidate.key, { is_searchable: false })
        expect(await find(other.key, 'location=backtown')).toEqual([])
      })
    })

    describe('the query', () => {
      const ids = {} as Record<'zoe' | 'Emile' | 'emma', string>
      let key: string
      beforeAll(async () => {
        key = (await board.employer()).key
        const profiles = {
          zoe: {
            last_name: 'Zoë',
            skills: ['CAN', 'C++'],
            location: 'Filter City, Malmö',
            headline: 'Harness designer',
          },
          Emile: {
            last_name: 'Émile',
            skills: ['c++', 'Rust'],
            location: 'Filter City, Lund',
            summary: 'Harness tests',
          },
          emma: { last_name: 'emma', skills: [], location: 'Filter City' },
        }
        for (const name of ['zoe', 'Emile', 'emma'] as const) {
          board.clock.advance(DAY_MS)
          ids[name] = (await candidateWith(board, { ...profiles[name], is_searchable: true })).id
        }
      })
      const names = async (query: string) =>
        (await find(key, `location=filter&${query}`)).map(
          (id) => Object.entries(ids).find(([, one]) => one === id)?.[0],
        )

      test.each([
        ['', ['emma', 'Emile', 'zoe']],
        ['sort=last_active', ['zoe', 'Emile', 'emma']],
        ['sort=created_at:desc', ['emma', 'Emile', 'zoe']],
        ['sort=last_name', ['Emile', 'emma', 'zoe']],
        ['sort=last_name:desc', ['zoe', 'emma', 'Emile']],
        ['skills=c%2B%2B', ['Emile', 'zoe']],
        ['skills=C%2B%2B,can', ['zoe']],
        ['skills_in=rust,CAN', ['Emile', 'zoe']],
        ['skills_not=rust', ['emma', 'zoe']],
        ['search=harness', ['Emile', 'zoe']],
        ['search=harness&sort=relevance', ['zoe', 'Emile']],
        ['search=harness&sort=last_name:desc,relevance:desc', ['zoe', 'Emile']],
        ['search=zoe', ['zoe']],
        ['search=harness%20-lund', ['zoe']],
      ])('%s', async (query, expected) => {
        expect(await names(query)).toEqual(expected)
      })

      test('filters by words in the location', async () => {
        expect(await find(key, 'location=malmo%20filter')).toEqual([ids.zoe])
        expect(await find(key, 'location=malm')).toEqual([])
        expect(await find(key, 'location_in=filter%20city')).toEqual([ids.emma])
      })

      test('filters by times', async () => {
        const at = new Date(board.clock.time - DAY_MS).toISOString()
        expect(await names(`created_at_gt=${at}`)).toEqual(['emma'])
        expect(await names(`last_active_lt=${at}`)).toEqual(['zoe'])
      })
    })

    test('finds a searchable candidate by the words of the newest remaining resume', async () => {
      const { key } = await board.employer()
      const candidate = await candidateWith(board, { is_searchable: true })
      const refresh = () => board.database.inTx((tx) => refreshCandidateSearch(tx, candidate.id))
      const old = await insertResume(board, candidate.id, { extracted_text: 'Worked on Oldtimerology.' })
      await refresh()
      expect(await find(key, 'search=oldtimerology')).toEqual([candidate.id])
      board.clock.advance(1_000)
      const newest = await insertResume(board, candidate.id, { extracted_text: 'Worked on Newtimerology.' })
      await refresh()
      expect(await find(key, 'search=oldtimerology')).toEqual([])
      expect(await find(key, 'search=newtimerology')).toEqual([candidate.id])
      // After a profile change, the search still finds the words of the resume.
      await board.put('/v1/candidates/profile', candidate.key, { headline: 'Nitrocellulose' })
      expect(await find(key, 'search=newtimerology%20nitrocellulose')).toEqual([candidate.id])
      const at = board.clock.now()
      await board.database.inTx((tx) =>
        tx.updateTable('resume').set({ deleted_at: at }).where('id', '=', newest).execute(),
      )
      await refresh()
      expect(await find(key, 'search=newtimerology')).toEqual([])
      expect(await find(key, 'search=oldtimerology')).toEqual([candidate.id])
      await board.database.inTx((tx) => tx.deleteFrom('resume').where('id', '=', old).execute())
      await refresh()
      expect(await find(key, 'search=oldtimerology')).toEqual([])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['sort=relevance', ['sort invalid_parameter']],
      ['search=x&sort=relevance:asc', ['sort invalid_parameter']],
      ['distance=10', ['distance invalid_parameter']],
      ['location=Nowhereville&distance=10', ['location location_not_resolved']],
      ['location=Oslo&sort=distance', ['sort invalid_parameter']],
      ['sort=first_name', ['sort invalid_parameter']],
      ['email=a@b.example', ['email unknown_parameter']],
      ['is_searchable=false', ['is_searchable unknown_parameter']],
      ['search_not=x', ['search_not invalid_parameter']],
      ['last_active=yesterday', ['last_active invalid_parameter']],
    ])('refuses %s', async (query, faults) => {
      const answer = await board.get(`${path}?${query}`, (await board.employer()).key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, faults])
    })
  })
})
