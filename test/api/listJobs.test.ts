import { beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, ORIGIN } from '../support/board.ts'
import { insertJobs, type JobSeed, removeJobs } from '../support/jobs.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

const encode = encodeURIComponent
const minutes = (n: number) => new Date(Date.UTC(2026, 1, 1, 0, n)).toISOString()

describeOperation('listJobs', ({ board, status }) => {
  let reader: Account
  beforeAll(async () => {
    reader = await board.candidate()
  })
  const list = (query = '') => board.get(`/v1/jobs${query}`, reader.key)
  /** Returns the titles in a response, or the response body if the request failed. */
  const titles = async (query = '') => {
    const answer = await list(query)
    return answer.status === 200 ? answer.body.data.map((job: { title: string }) => job.title) : answer.body
  }
  /** Replaces all jobs on the board with these. */
  const fill = async (seeds: readonly JobSeed[]) => {
    await removeJobs(board)
    return insertJobs(board, seeds)
  }
  /** Replaces all jobs with jobs that have these letters as titles, posted in this order. */
  const fillLetters = (letters: string) =>
    fill([...letters].map((title, index) => ({ title, posted_at: minutes(index) })))

  status(200, () => {
    describe('the response', () => {
      test('contains exactly the documented resources, with meta for paging by number', async () => {
        await removeJobs(board)
        const employer = await board.employer({ name: 'Voltaire Vans', logo_url: 'https://voltaire.example/l.svg' })
        const { id } = await board.activeJob(employer, {
          salary: { min: 50_000, max: 60_000, currency: 'EUR' },
          requirements: ['C++'],
          skills: ['CAN'],
          experience_level: 'mid',
          language: 'en',
          workplace: 'on_site',
          application_url: 'https://apply.example/1',
        })
        const now = board.clock.now()
        const answer = await list()
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
        expect(answer.headers.get('cache-control')).toBe('private, no-cache')
        expect(answer.headers.get('link')).toBe('</v1/jobs?page=1>; rel="first", </v1/jobs?page=1>; rel="last"')
        expect(answer.body).toEqual({
          data: [
            {
              id,
              title: 'Battery engineer',
              company: 'Voltaire Vans',
              location: 'Gothenburg, Sweden',
              description: 'Design battery packs for electric vans.',
              salary: { min: 50_000, max: 60_000, currency: 'EUR', period: 'year' },
              category: 'powertrain-battery',
              type: 'full-time',
              remote: false,
              posted_at: now.toISOString(),
              expires_at: new Date(now.getTime() + 30 * DAY_MS).toISOString(),
              is_featured: false,
              application_url: 'https://apply.example/1',
              company_logo_url: 'https://voltaire.example/l.svg',
              employer_id: employer.id,
              skills: ['CAN'],
              experience_level: 'mid',
              language: 'en',
              workplace: 'on_site',
              locations: ['Gothenburg, Sweden'],
            },
          ],
          meta: {
            pagination: {
              total: 1,
              pages: 1,
              page: 1,
              limit: 20,
              has_more: false,
              next_cursor: null,
              prev_cursor: null,
            },
            sort: { fields: ['posted_at'], directions: ['desc'] },
            filters_applied: {},
          },
        })
      })

      test("contains the board's own application URL for jobs that were created without application_url", async () => {
        const [id] = await fill([{}])
        const [job] = (await list()).body.data
        expect(job.application_url).toBe(`${ORIGIN}/v1/candidates/jobs/${id}/apply`)
      })

      test('is an empty list for an empty board', async () => {
        await removeJobs(board)
        const answer = await list()
        expect(answer.body).toEqual({
          data: [],
          meta: {
            pagination: {
              total: 0,
              pages: 0,
              page: 1,
              limit: 20,
              has_more: false,
              next_cursor: null,
              prev_cursor: null,
            },
            sort: { fields: ['posted_at'], directions: ['desc'] },
            filters_applied: {},
          },
        })
        expect(answer.headers.get('link')).toBe('</v1/jobs?page=1>; rel="first", </v1/jobs?page=1>; rel="last"')
      })

      test('is the same for every kind of account', async () => {
        await fillLetters('abc')
        for (const kind of ['candidate', 'employer', 'integrator', 'admin'] as const) {
          const { key } = await board.account(kind)
          expect((await board.get('/v1/jobs', key)).body).toEqual((await list()).body)
        }
      })

      test('has the same Link header for HEAD as for GET, but no body', async () => {
        await fillLetters('abc')
        const head = await board.call('HEAD', '/v1/jobs?limit=2', { key: reader.key })
        expect([head.status, head.text, head.headers.get('link')]).toEqual([
          200,
          '',
          (await list('?limit=2')).headers.get('link'),
        ])
      })
    })

    describe('the list', () => {
      test('contains only active jobs, not inactive, closed or deleted jobs', async () => {
        await removeJobs(board)
        const employer = await board.employer()
        await board.job(employer, { title: 'inactive' })
        await board.activeJob(employer, { title: 'active' })
        const closed = await board.activeJob(employer, { title: 'closed' })
        const deleted = await board.activeJob(employer, { title: 'deleted' })
        expect((await board.post(`/v1/jobs/${closed.id}/close`, employer.key)).status).toBe(200)
        expect((await board.delete(`/v1/jobs/${deleted.id}`, employer.key)).status).toBe(204)
        expect(await titles()).toEqual(['active'])
        expect((await board.get('/v1/jobs', employer.key)).body.meta.pagination.total).toBe(1)
        expect((await board.post(`/v1/jobs/${closed.id}/reopen`, employer.key)).status).toBe(200)
        expect((await titles()).sort()).toEqual(['active', 'closed'])
      })

      test('contains a job until the last millisecond before it expires', async () => {
        await fill([{ expires_at: new Date(board.clock.time + 1_000).toISOString() }])
        board.clock.advance(999)
        expect((await list()).body.meta.pagination.total).toBe(1)
        board.clock.advance(1)
        expect((await list()).body).toMatchObject({ data: [], meta: { pagination: { total: 0 } } })
        expect((await list('?search=mechanic&location=turin')).body.data).toEqual([])
      })
    })

    describe('paging by number', () => {
      const cursor = expect.stringMatching(/^[A-Za-z0-9_-]+$/)

      test('counts the pages, and links to the next and the previous page', async () => {
        await fillLetters('abcde')
        const answers = []
        for (const page of [1, 2, 3]) {
          const { headers, body } = await list(`?page=${page}&limit=2`)
          const letters = body.data.map((job: { title: string }) => job.title).join('')
          answers.push([letters, body.meta.pagination, headers.get('link')])
        }
        const link = (rel: string, page: number) => `</v1/jobs?limit=2&page=${page}>; rel="${rel}"`
        const meta = { total: 5, pages: 3, limit: 2 }
        expect(answers).toEqual([
          [
            'ed',
            { ...meta, page: 1, has_more: true, next_cursor: cursor, prev_cursor: null },
            [link('first', 1), link('next', 2), link('last', 3)].join(', '),
          ],
          [
            'cb',
            { ...meta, page: 2, has_more: true, next_cursor: cursor, prev_cursor: cursor },
            [link('first', 1), link('prev', 1), link('next', 3), link('last', 3)].join(', '),
          ],
          [
            'a',
            { ...meta, page: 3, has_more: false, next_cursor: null, prev_cursor: cursor },
            [link('first', 1), link('prev', 2), link('last', 3)].join(', '),
          ],
        ])
      })

      test.each([4, 1_000_000_000])(
        'returns an empty page with the correct total for page %i, which is past the end',
        async (page) => {
          await fillLetters('abcde')
          const { status: code, headers, body } = await list(`?page=${page}&limit=2`)
          expect([code, body.data]).toEqual([200, []])
          expect(body.meta.pagination).toEqual({
            total: 5,
            pages: 3,
            page,
            limit: 2,
            has_more: false,
            next_cursor: null,
            prev_cursor: cursor,
          })
          expect(headers.get('link')).toBe(
            '</v1/jobs?limit=2&page=1>; rel="first", </v1/jobs?limit=2&page=3>; rel="prev", ' +
              '</v1/jobs?limit=2&page=3>; rel="last"',
          )
          expect(await titles(`?limit=2&cursor=${body.meta.pagination.prev_cursor}`)).toEqual(['b', 'a'])
        },
      )

      test('returns page 7 of an empty list without a link to a previous page', async () => {
        await removeJobs(board)
        const { headers, body } = await list('?page=7')
        expect(body.meta.pagination).toEqual({
          total: 0,
          pages: 0,
          page: 7,
          limit: 20,
          has_more: false,
          next_cursor: null,
          prev_cursor: null,
        })
        expect(headers.get('link')).toBe('</v1/jobs?page=1>; rel="first", </v1/jobs?page=1>; rel="last"')
      })

      test('returns 20 jobs per page by default, and at most 100', async () => {
        await fill(Array.from({ length: 101 }, (_, index) => ({ title: `${index}`, posted_at: minutes(index) })))
        const plain = await list()
        expect([plain.body.data.length, plain.body.meta.pagination.pages]).toEqual([20, 6])
        const full = await list('?limit=100')
        expect(full.body.data.length).toBe(100)
        expect(full.body.meta.pagination).toMatchObject({ total: 101, pages: 2, has_more: true })
        expect(await titles('?limit=100&page=2')).toEqual(['0'])
        expect((await list('?limit=1')).body.meta.pagination).toMatchObject({ total: 101, pages: 101, limit: 1 })
      })

      test('provides cursors that continue from exactly the same position', async () => {
        await fillLetters('abcdef')
        const { pagination } = (await list('?page=2&limit=2')).body.meta
        expect(await titles(`?limit=2&cursor=${pagination.next_cursor}`)).toEqual(['b', 'a'])
        expect(await titles(`?limit=2&cursor=${pagination.prev_cursor}`)).toEqual(['f', 'e'])
      })

      test('adds no empty page after a full last page', async () => {
        await fillLetters('abcd')
        const { pagination } = (await list('?page=2&limit=2')).body.meta
        expect(pagination).toMatchObject({ total: 4, pages: 2, has_more: false, next_cursor: null })
      })
    })

    describe('paging by cursor', () => {
      const walk = async (query: string, rel: 'next_cursor' | 'prev_cursor', from = '') => {
        const pages: string[] = []
        let cursor: string | null = from
        while (cursor !== null) {
          const { body } = await list(`?${query}&cursor=${cursor}`)
          pages.push(body.data.map((job: { title: string }) => job.title).join(''))
          cursor = body.meta.pagination[rel]
        }
        return pages
      }

      test('starts with an empty cursor, and returns exactly five fields in meta.pagination', async () => {
        await fillLetters('abcde')
        const { headers, body } = await list('?limit=2&cursor=')
        const { pagination } = body.meta
        expect(pagination).toEqual({
          total: 5,
          limit: 2,
          has_more: true,
          next_cursor: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
          prev_cursor: null,
        })
        expect(headers.get('link')).toBe(
          `</v1/jobs?limit=2&cursor=>; rel="first", </v1/jobs?limit=2&cursor=${pagination.next_cursor}>; rel="next"`,
        )
      })

      test('walks forward to the end and back to the start', async () => {
        await fillLetters('abcde')
        expect(await walk('limit=2', 'next_cursor')).toEqual(['ed', 'cb', 'a'])
        const second = (await list('?limit=2&page=2')).body.meta.pagination
        const last = (await list(`?limit=2&cursor=${second.next_cursor}`)).body.meta.pagination
        expect(last).toEqual({
          total: 5,
          limit: 2,
          has_more: false,
          next_cursor: null,
          prev_cursor: expect.any(String),
        })
        expect(await walk('limit=2', 'prev_cursor', last.prev_cursor)).toEqual(['cb', 'ed'])
        const first = (await list(`?limit=2&cursor=${second.prev_cursor}`)).body.meta.pagination
        expect(first).toEqual({
          total: 5,
          limit: 2,
          has_more: true,
          next_cursor: expect.any(String),
          prev_cursor: null,
        })
      })

      test('returns previous pages in forward order, with a shorter first page if necessary', async () => {
        await fillLetters('abcde')
        const { next_cursor } = (await list('?limit=3&cursor=')).body.meta.pagination
        const { prev_cursor } = (await list(`?limit=3&cursor=${next_cursor}`)).body.meta.pagination
        expect(await walk('limit=2', 'prev_cursor', prev_cursor)).toEqual(['dc', 'e'])
      })

      test('accepts a different limit on each page', async () => {
        await fillLetters('abcdef')
        const { next_cursor } = (await list('?limit=1&cursor=')).body.meta.pagination
        expect(await titles(`?limit=3&cursor=${next_cursor}`)).toEqual(['e', 'd', 'c'])
      })

      test('ignores the order of the parameters', async () => {
        await fillLetters('abc')
        const { next_cursor } = (await list('?category=motorsport&search=a or b&limit=1&sort=title')).body.meta
          .pagination
        expect(await titles(`?cursor=${next_cursor}&sort=title&search=a or b&category=motorsport`)).toEqual(['b'])
      })

      test('continues at the same position if the last job on the page was deleted', async () => {
        const ids = await fillLetters('abcde')
        const first = (await list('?limit=2&cursor=')).body.meta.pagination
        await removeJobs(board, [ids[3]!])
        const answer = await list(`?limit=2&cursor=${first.next_cursor}`)
        expect(answer.body.data.map((job: { title: string }) => job.title)).toEqual(['c', 'b'])
        expect(answer.body.meta.pagination.total).toBe(4)
        expect(await titles(`?limit=2&cursor=${answer.body.meta.pagination.prev_cursor}`)).toEqual(['e'])
      })

      test('shows new jobs that sort after the cursor, and each job only once', async () => {
        await fillLetters('ace')
        const first = (await list('?sort=title&limit=2&cursor=')).body.meta.pagination
        await insertJobs(board, [{ title: 'b' }, { title: 'd' }])
        expect(await titles(`?sort=title&limit=9&cursor=${first.next_cursor}`)).toEqual(['d', 'e'])
      })

      test('accepts a cursor after a restart', async () => {
        await fillLetters('abc')
        const { next_cursor } = (await list('?limit=1&cursor=')).body.meta.pagination
        await board.restart()
        expect(await titles(`?limit=1&cursor=${next_cursor}`)).toEqual(['b'])
      })

      test('pages through a search by relevance with many equal ranks', async () => {
        await fill(
          Array.from({ length: 30 }, (_, index) => ({
            title: index % 3 === 0 ? 'Battery engineer' : `Mechanic ${index}`,
            description: index % 2 === 0 ? 'battery '.repeat((index % 4) + 1) : 'A battery.',
          })),
        )
        const all = (await list('?search=battery&sort=relevance&limit=100')).body.data.map(
          (job: { id: string }) => job.id,
        )
        const found: string[] = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body } = await list(`?search=battery&sort=relevance&limit=7&cursor=${cursor}`)
          found.push(...body.data.map((job: { id: string }) => job.id))
          cursor = body.meta.pagination.next_cursor
        }
        expect([all.length, new Set(all).size, found]).toEqual([30, 30, all])
      })

      test('returns working Link headers for a query with special characters', async () => {
        await fillLetters('abc')
        const query =
          'search=a+or+b%20or%20c?&category_in=motorsport,other&location_not=%3C%22%3E?%5C,;' +
          '&company_not=%C3%A9&sort=title:asc'
        let path: string | undefined = `/v1/jobs?${query}&limit=1&cursor=`
        const found: string[] = []
        while (path !== undefined) {
          const answer = await board.get(path, reader.key)
          expect(answer.status).toBe(200)
          expect(answer.body.meta.filters_applied).toEqual({
            search: 'a or b or c?',
            category_in: ['motorsport', 'other'],
            location_not: '<">?\\,;',
            company_not: 'é',
          })
          found.push(...answer.body.data.map((job: { title: string }) => job.title))
          path = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
        }
        expect(found).toEqual(['a', 'b', 'c'])
      })
    })

    describe('sorting', () => {
      const seeds: JobSeed[] = [
        { title: 'b', company: 'Zeta', location: 'Oslo', posted_at: minutes(3), application_count: 2 },
        { title: 'Ä', company: 'alpha', location: 'århus', posted_at: minutes(1), application_count: 9 },
        { title: 'c', company: 'Émile', location: 'Bonn', posted_at: minutes(2), application_count: 0 },
        { title: 'Zoë', company: 'beta', location: 'Ålesund', posted_at: minutes(4), application_count: 5 },
      ]
      const salaries: NonNullable<JobSeed['salary']>[] = [
        { min: 20, max: 30, period: 'hour' }, // 62,400 a year
        { max: 4_000, period: 'month' }, // 48,000
        { min: 50_000 }, // 50,000: the only bound
      ]
      const sorted: [string, string[], string[], string][] = [
        ['', ['posted_at'], ['desc'], 'Zoë b c Ä'],
        ['order=asc', ['posted_at'], ['asc'], 'Ä c b Zoë'],
        ['order=desc', ['posted_at'], ['desc'], 'Zoë b c Ä'],
        ['sort=', ['posted_at'], ['desc'], 'Zoë b c Ä'],
        ['sort=date_posted', ['posted_at'], ['desc'], 'Zoë b c Ä'],
        ['sort=date_posted&order=asc', ['posted_at'], ['asc'], 'Ä c b Zoë'],
        ['sort=date_posted&order=', ['posted_at'], ['desc'], 'Zoë b c Ä'],
        ['sort=date_posted:asc', ['posted_at'], ['asc'], 'Ä c b Zoë'],
        ['sort=date_posted:desc&order=asc', ['posted_at'], ['desc'], 'Zoë b c Ä'],
        ['sort=posted_at', ['posted_at'], ['asc'], 'Ä c b Zoë'],
        ['sort=posted_at:desc', ['posted_at'], ['desc'], 'Zoë b c Ä'],
        ['sort=title', ['title'], ['asc'], 'Ä b c Zoë'],
        ['sort=title:desc', ['title'], ['desc'], 'Zoë c b Ä'],
        ['sort=title&order=desc', ['title'], ['desc'], 'Zoë c b Ä'],
        ['sort=company_name', ['company_name'], ['asc'], 'Ä Zoë c b'],
        ['sort=company_name:desc', ['company_name'], ['desc'], 'b c Zoë Ä'],
        ['sort=location', ['location'], ['asc'], 'Zoë Ä c b'],
        ['sort=location:desc', ['location'], ['desc'], 'b c Ä Zoë'],
        ['sort=application_count', ['application_count'], ['asc'], 'c b Zoë Ä'],
        ['sort=application_count:desc', ['application_count'], ['desc'], 'Ä Zoë b c'],
      ]
      test.each(sorted)('%s', async (query, fields, directions, expected) => {
        await fill(seeds)
        const { body } = await list(`?${query}`)
        expect(body.data.map((job: { title: string }) => job.title).join(' ')).toBe(expected)
        expect(body.meta.sort).toEqual({ fields, directions })
        expect(body.meta.filters_applied).toEqual({})
      })

      test.each([
        ['sort=salary', 'hour open month none'],
        ['sort=salary:desc', 'hour open month none'],
        ['sort=salary&order=asc', 'month open hour none'],
        ['sort=salary:asc', 'month open hour none'],
        ['sort=salary:asc,title', 'month open hour none'],
      ])('uses the yearly maximum for %s, and puts jobs without a salary last', async (query, expected) => {
        const names = ['hour', 'month', 'open']
        await fill([{ title: 'none' }, ...names.map((title, index) => ({ title, salary: salaries[index]! }))])
        expect((await titles(`?${query}`)).join(' ')).toBe(expected)
      })

      test('sorts by several fields in the given order, each with its own direction', async () => {
        await fill([
          { title: 'a', application_count: 1, location: 'Bonn' },
          { title: 'b', application_count: 1, location: 'Oslo' },
          { title: 'c', application_count: 2, location: 'Bonn' },
          { title: 'd', application_count: 2, location: 'Oslo' },
        ])
        const { body } = await list('?sort=location:desc,application_count,title:desc')
        expect(body.data.map((job: { title: string }) => job.title).join('')).toBe('bdac')
        expect(body.meta.sort).toEqual({
          fields: ['location', 'application_count', 'title'],
          directions: ['desc', 'asc', 'desc'],
        })
        expect(await titles('?sort=application_count:desc, title')).toEqual(['c', 'd', 'a', 'b'])
        expect((await list('?sort=location,date_posted&order=desc')).body.meta.sort).toEqual({
          fields: ['location', 'posted_at'],
          directions: ['desc', 'desc'],
        })
      })

      test('breaks ties by ID, in the direction of the last field', async () => {
        await fill([...'abcd'].map((title) => ({ title })))
        expect((await titles('?sort=location:asc')).join('')).toBe('abcd')
        expect((await titles('?sort=location:desc')).join('')).toBe('dcba')
      })

      test('treats texts that differ only in case and accents as equal', async () => {
        await fill(['Zebra', 'MÜNCHEN', 'münchen', 'Munchen', 'lübeck'].map((title) => ({ title })))
        expect(await titles('?sort=title')).toEqual(['lübeck', 'MÜNCHEN', 'münchen', 'Munchen', 'Zebra'])
      })
    })

    describe('the query', () => {
      const seeds: JobSeed[] = [
        {
          title: 'A',
          company: 'Ärztewagen GmbH',
          location: 'München, Germany',
          category: 'vehicle-service',
          type: 'apprenticeship',
          posted_at: '2026-02-01T00:00:00.000Z',
          expires_at: '2026-04-01T00:00:00.000Z',
          experience_level: 'entry',
        },
        {
          title: 'B',
          company: 'Beta Motors',
          location: 'Frankfurt am Main',
          category: 'data-ai',
          type: 'full-time',
          remote: true,
          salary: { min: 20, max: 30, currency: 'USD', period: 'hour' }, // 41,600 to 62,400 a year
          posted_at: '2026-02-01T00:00:00.001Z',
          expires_at: '2026-04-02T00:00:00.000Z',
          skills: ['C++', 'CAN'],
          experience_level: 'senior',
        },
        {
          title: 'C',
          company: 'Gamma',
          location: 'Newport, Wales',
          category: 'data-ai',
          type: 'contract',
          salary: { min: 300, currency: 'EUR', period: 'day' }, // 78,000
          posted_at: '2026-02-02T12:00:00.000Z',
          expires_at: '2026-04-03T00:00:00.000Z',
          skills: ['C#', 'Node.js'],
          experience_level: 'senior',
          language: 'de',
          is_featured: true,
        },
        {
          title: 'D',
          company: 'Delta',
          location: 'New York',
          category: 'motorsport',
          type: 'full-time',
          salary: { max: 900, currency: 'USD', period: 'week' }, // 46,800
          posted_at: '2026-02-02T23:59:59.999Z',
          expires_at: '2026-04-04T00:00:00.000Z',
          skills: ['can', 'Diagnostics'],
          experience_level: 'lead',
          language: 'de-AT',
        },
        {
          title: 'E',
          company: 'Epsilon',
          location: 'Yorkshire',
          category: 'other',
          type: 'full-time',
          salary: { min: 4_000, max: 6_000, currency: 'EUR', period: 'month' }, // 48,000 to 72,000
          posted_at: '2026-02-03T00:00:00.000Z',
          expires_at: '2026-04-05T00:00:00.000Z',
          skills: ['Élan'],
          language: 'fr',
        },
        {
          title: 'F',
          company: 'Zeta',
          location: 'Saint-Étienne',
          category: 'finance',
          type: 'contract',
          remote: true,
          salary: { min: 50_000, max: 50_000, currency: 'GBP', period: 'year' },
          posted_at: '2026-02-04T00:00:00.000Z',
          expires_at: '2026-04-06T00:00:00.000Z',
          experience_level: 'executive',
        },
      ]
      beforeAll(async () => {
        await fill(seeds)
      })
      const all = 'ABCDEF'

      /** Each entry is a query, the matching jobs and the echoed filters. */
      const filtered: [string, string, Record<string, unknown>][] = [
        // salary_min is compared with the yearly maximum of a range, salary_max with the yearly minimum.
        ['salary_min=62400', 'BCE', { salary_min: 62_400 }],
        ['salary_min=62401', 'CE', { salary_min: 62_401 }],
        ['salary_min=72001', 'C', { salary_min: 72_001 }],
        ['salary_min=78001', '', { salary_min: 78_001 }],
        ['salary_min=0', 'BCDEF', { salary_min: 0 }],
        ['salary_min=1000000000000', '', { salary_min: 1_000_000_000_000 }],
        ['salary_max=46800', 'BD', { salary_max: 46_800 }],
        ['salary_max=46799', 'B', { salary_max: 46_799 }],
        ['salary_max=41599', '', { salary_max: 41_599 }],
        ['salary_min=48000&salary_max=50000', 'BEF', { salary_min: 48_000, salary_max: 50_000 }],
        ['salary_min=50000&salary_max=50000', 'BEF', { salary_min: 50_000, salary_max: 50_000 }],
        ['salary_unspecified=include', all, { salary_unspecified: 'include' }],
        ['salary_min=72000&salary_unspecified=include', 'ACE', { salary_min: 72_000, salary_unspecified: 'include' }],
        ['salary_unspecified=include&salary_max=46799', 'AB', { salary_max: 46_799, salary_unspecified: 'include' }],
        // Comparisons with the stored bounds.
        ['salary_min_gte=300', 'CEF', { salary_min_gte: 300 }],
        ['salary_min_gt=300', 'EF', { salary_min_gt: 300 }],
        ['salary_min_lte=300', 'BC', { salary_min_lte: 300 }],
        ['salary_min_lt=300', 'B', { salary_min_lt: 300 }],
        ['salary_min_not=300', 'BEF', { salary_min_not: 300 }],
        ['salary_min_in=20, 300,,7', 'BC', { salary_min_in: [20, 300, 7] }],
        ['salary_max_gte=900', 'DEF', { salary_max_gte: 900 }],
        ['salary_max_lt=900', 'B', { salary_max_lt: 900 }],
        ['salary_max_not=30', 'DEF', { salary_max_not: 30 }],
        ['salary_min_gte=20&salary_min_lt=301', 'BC', { salary_min_gte: 20, salary_min_lt: 301 }],
        [
          'salary_min_gte=300&salary_unspecified=include',
          'ACEF',
          { salary_min_gte: 300, salary_unspecified: 'include' },
        ],
        ['salary_currency=EUR', 'CE', { salary_currency: 'EUR' }],
        ['salary_currency=eur', 'CE', { salary_currency: 'eur' }],
        ['salary_currency_in=EUR,gbp', 'CEF', { salary_currency_in: ['EUR', 'gbp'] }],
        ['salary_currency_not=USD', 'CEF', { salary_currency_not: 'USD' }],
        [
          'salary_currency_not=USD&salary_unspecified=include',
          'ACEF',
          { salary_currency_not: 'USD', salary_unspecified: 'include' },
        ],
        ['salary_currency=USD&salary_min=50000', 'B', { salary_currency: 'USD', salary_min: 50_000 }],
        // salary_in converts salaries for salary_min and salary_max, but not for filters by stored bounds or currency.
        ['salary_in=EUR&salary_min=55000', 'CEF', { salary_in: 'EUR', salary_min: 55_000 }],
        ['salary_in=usd&salary_max=50000', 'BD', { salary_in: 'usd', salary_max: 50_000 }],
        ['salary_in=EUR&salary_min_gte=300', 'CEF', { salary_in: 'EUR', salary_min_gte: 300 }],
        ['salary_in=VES&salary_min=1', '', { salary_in: 'VES', salary_min: 1 }],
        ['salary_in=VES', all, { salary_in: 'VES' }],
        [
          'salary_in=JPY&salary_min=11000000&salary_currency=GBP&salary_unspecified=include',
          'A',
          { salary_in: 'JPY', salary_min: 11_000_000, salary_currency: 'GBP', salary_unspecified: 'include' },
        ],
        // location matches whole words, ignoring case, accents and order.
        ['location=munchen', 'A', { location: 'munchen' }],
        ['location=M%C3%9CNCHEN', 'A', { location: 'MÜNCHEN' }],
        ['location=Mu%CC%88nchen', 'A', { location: 'Mu\u0308nchen' }],
        ['location=york', 'D', { location: 'york' }],
        ['location=new', 'D', { location: 'new' }],
        ['location=york,%20NEW', 'D', { location: 'york, NEW' }],
        ['location=frank', '', { location: 'frank' }],
        ['location=saint%20etienne', 'F', { location: 'saint etienne' }],
        ['location=,', '', { location: ',' }],
        ['location=%25', '', { location: '%' }],
        // location also matches a city, region or country under any of its names. location_in and location_not do not.
        ['location=Munich', 'A', { location: 'Munich' }],
        ['location=Germany', 'AB', { location: 'Germany' }],
        ['location=Deutschland', 'AB', { location: 'Deutschland' }],
        ['location=Bavaria,%20Germany', 'A', { location: 'Bavaria, Germany' }],
        ['location=Hesse', 'B', { location: 'Hesse' }],
        ['location=NYC', 'D', { location: 'NYC' }],
        ['location=UK', 'CE', { location: 'UK' }],
        ['location=Frankreich', 'F', { location: 'Frankreich' }],
        ['location_in=Munich,Germany', '', { location_in: ['Munich', 'Germany'] }],
        ['location_not=Germany', all, { location_not: 'Germany' }],
        ['location_not=new%20york', 'ABCEF', { location_not: 'new york' }],
        ['location_not=york', all, { location_not: 'york' }],
        ['location_in=NEW%20YORK,yorkshire', 'DE', { location_in: ['NEW YORK', 'yorkshire'] }],
        // Choices.
        ['category=data-ai', 'BC', { category: 'data-ai' }],
        ['category=nobody-has-it', '', { category: 'nobody-has-it' }],
        ['category_not=data-ai', 'ADEF', { category_not: 'data-ai' }],
        ['category_in=data-ai,finance', 'BCF', { category_in: ['data-ai', 'finance'] }],
        ['category_in=data-ai&category_in=finance', 'BCF', { category_in: ['data-ai', 'finance'] }],
        ['job_type=contract', 'CF', { job_type: 'contract' }],
        ['type=contract', 'CF', { type: 'contract' }],
        ['type_not=contract', 'ABDE', { type_not: 'contract' }],
        ['type_in=contract,apprenticeship', 'ACF', { type_in: ['contract', 'apprenticeship'] }],
        ['job_type_in=contract', 'CF', { job_type_in: ['contract'] }],
        ['type=contract&job_type=full-time', '', { type: 'contract', job_type: 'full-time' }],
        ['company=arztewagen%20gmbh', 'A', { company: 'arztewagen gmbh' }],
        ['company=arztewagen', '', { company: 'arztewagen' }],
        ['company_not=BETA%20motors', 'ACDEF', { company_not: 'BETA motors' }],
        ['company_in=delta,ZETA', 'DF', { company_in: ['delta', 'ZETA'] }],
        ['remote=true', 'BF', { remote: true }],
        ['remote=false', 'ACDE', { remote: false }],
        ['is_featured=true', 'C', { is_featured: true }],
        ['is_featured=false', 'ABDEF', { is_featured: false }],
        ['language=de', 'CD', { language: 'de' }],
        ['language_in=de,fr', 'CDE', { language_in: ['de', 'fr'] }],
        ['language_not=de', 'ABEF', { language_not: 'de' }],
        ['experience_level=senior', 'BC', { experience_level: 'senior' }],
        ['experience_level_in=entry,lead', 'AD', { experience_level_in: ['entry', 'lead'] }],
        ['experience_level_not=senior', 'ADEF', { experience_level_not: 'senior' }],
        // Skills.
        ['skills=can', 'BD', { skills: ['can'] }],
        ['skills=CAN,c%2B%2B', 'B', { skills: ['CAN', 'c++'] }],
        ['skills=can&skills=diagnostics', 'D', { skills: ['can', 'diagnostics'] }],
        ['skills=elan', 'E', { skills: ['elan'] }],
        ['skills=node', '', { skills: ['node'] }],
        ['skills_in=c%23,diagnostics', 'CD', { skills_in: ['c#', 'diagnostics'] }],
        ['skills_not=can,c%23', 'AEF', { skills_not: ['can', 'c#'] }],
        // Times.
        ['posted_after=2026-02-01', 'BCDEF', { posted_after: '2026-02-01' }],
        ['posted_after=2026-02-01T00:00:00.001Z', 'CDEF', { posted_after: '2026-02-01T00:00:00.001Z' }],
        ['posted_before=2026-02-03', 'ABCD', { posted_before: '2026-02-03' }],
        ['posted_before=2026-02-03T00:00:00.001Z', 'ABCDE', { posted_before: '2026-02-03T00:00:00.001Z' }],
        [
          'posted_after=2026-02-02&posted_before=2026-02-03',
          'CD',
          { posted_after: '2026-02-02', posted_before: '2026-02-03' },
        ],
        ['posted_after=2026-02-02T14:00:00%2B02:00', 'DEF', { posted_after: '2026-02-02T14:00:00+02:00' }],
        ['posted_after=2026-02-02T14:00:00+02:00', 'DEF', { posted_after: '2026-02-02T14:00:00+02:00' }],
        ['posted_after=2026-02-02t06:59:59.999-05:00', 'CDEF', { posted_after: '2026-02-02t06:59:59.999-05:00' }],
        ['posted_before=1000-01-01', '', { posted_before: '1000-01-01' }],
        ['posted_at=2026-02-01', 'A', { posted_at: '2026-02-01' }],
        ['posted_at_gt=2026-02-03', 'F', { posted_at_gt: '2026-02-03' }],
        ['posted_at_gte=2026-02-03', 'EF', { posted_at_gte: '2026-02-03' }],
        ['posted_at_lt=2026-02-02T12:00:00Z', 'AB', { posted_at_lt: '2026-02-02T12:00:00Z' }],
        ['posted_at_lte=2026-02-02T12:00:00Z', 'ABC', { posted_at_lte: '2026-02-02T12:00:00Z' }],
        ['posted_at_not=2026-02-03', 'ABCDF', { posted_at_not: '2026-02-03' }],
        [
          'posted_at_in=2026-02-04T01:00:00+01:00,,2026-02-01',
          'AF',
          { posted_at_in: ['2026-02-04T01:00:00+01:00', '2026-02-01'] },
        ],
        ['expires_at_lte=2026-04-02', 'AB', { expires_at_lte: '2026-04-02' }],
        ['expires_at=2026-04-06', 'F', { expires_at: '2026-04-06' }],
        // Combinations.
        ['category=data-ai&remote=true&search=beta', 'B', { category: 'data-ai', remote: true, search: 'beta' }],
        // Empty values are ignored.
        ['category=&search=&skills=&salary_min=&remote=&posted_after=&category_in=&page=&limit=&sort=&order=', all, {}],
      ]
      test.each(filtered)('%s matches "%s"', async (query, expected, applied) => {
        const answer = await list(`?${query}${query.includes('sort=') ? '' : '&sort=title'}`)
        expect(answer.status, answer.text).toBe(200)
        const { data, meta } = answer.body
        const letters = data.map((job: { title: string }) => job.title)
        expect(letters.sort().join('')).toBe(expected)
        expect(meta.filters_applied).toEqual(applied)
        expect(meta.pagination.total).toBe(expected.length)
      })
    })

    describe('facets', () => {
      const names = ['category', 'job_type', 'remote', 'experience_level', 'language', 'workplace']
      const levels = ['entry', 'senior', undefined]
      beforeAll(async () => {
        await fill(
          Array.from({ length: 40 }, (_, n) => ({
            title: `Job ${n % 3 === 0 ? 'welder' : 'painter'}`,
            category: `category-${n % 4}`,
            type: n % 7 === 0 ? 'contract' : 'full-time',
            workplace: (['remote', 'on_site', 'hybrid', 'on_site', 'on_site'] as const)[n % 5]!,
            experience_level: levels[n % 3] as 'entry',
            language: ['en', 'de', 'de-AT', 'ja'][n % 4]!,
            salary: n % 2 === 0 ? { min: 1_000 * n } : null,
            posted_at: minutes(n),
          })),
        )
        // Expired jobs are not counted.
        await insertJobs(board, [{ category: 'gone', expires_at: '2026-03-01T00:00:00.000Z' }])
      })
      const facetsOf = async (query: string) => (await list(query)).body.meta.facets

      test('are returned only on request, for any page', async () => {
        expect(await facetsOf('')).toBeUndefined()
        expect(await facetsOf('?facets=')).toBeUndefined()
        const remote = [
          { value: false, count: 32 },
          { value: true, count: 8 },
        ]
        for (const page of ['', '&page=2', '&page=99', '&cursor=', '&limit=1', '&sort=title']) {
          const { body } = await list(`?facets=remote${page}`)
          expect(body.meta.facets).toEqual({ remote })
          expect(body.meta.pagination.total).toBe(40)
          expect(body.meta.filters_applied).toEqual({})
        }
        expect(Object.keys(await facetsOf('?facets=remote,category&facets=job_type'))).toEqual([
          'remote',
          'category',
          'job_type',
        ])
      })

      test('are sorted by frequency, then by value, and omit missing values', async () => {
        const { category, experience_level, language } = await facetsOf('?facets=category,experience_level,language')
        expect(category).toEqual([0, 1, 2, 3].map((n) => ({ value: `category-${n}`, count: 10 })))
        expect(experience_level).toEqual([
          { value: 'entry', count: 14 },
          { value: 'senior', count: 13 },
        ])
        // Regional variants count as their language.
        expect(language).toEqual([
          { value: 'de', count: 20 },
          { value: 'en', count: 10 },
          { value: 'ja', count: 10 },
        ])
      })

      test('are empty for an empty list', async () => {
        expect(await facetsOf('?facets=category,remote&company=Nobody')).toEqual({ category: [], remote: [] })
      })

      test.each([
        '',
        'category=category-1',
        'category_in=category-1,category-2&job_type=full-time',
        'category_not=category-1&category_in=category-1,category-2',
        'type=contract&remote=true',
        'remote=false&experience_level=senior',
        'language=de&remote=false',
        'workplace_in=hybrid,remote&category=category-1',
        'workplace_not=on_site',
        'language_in=de,ja&category_not=category-1',
        'search=welder',
        'search=welder&category=category-3&sort=relevance',
        'salary_min=5000&experience_level_not=senior',
        'salary_min=5000&salary_unspecified=include&posted_after=2026-02-01T00:10:00Z',
      ])('equal the totals of lists filtered by each value: %s', async (query) => {
        const given = new URLSearchParams(query)
        const facets = await facetsOf(`?facets=${names.join(',')}&${query}`)
        for (const name of names) {
          const own = name === 'job_type' ? /^(?:job_)?type(?:_|$)/ : new RegExp(`^${name}(?:_|$)`)
          const others = [...given].filter(([parameter]) => !own.test(parameter))
          let [sum, last] = [0, Number.POSITIVE_INFINITY]
          for (const { value, count } of facets[name]) {
            const alone = new URLSearchParams([...others, [name, `${value}`]])
            expect((await list(`?${alone}`)).body.meta.pagination.total, `${name} ${value}`).toBe(count)
            expect(count).toBeLessThanOrEqual(last)
            sum += count
            last = count
          }
          const { total } = (await list(`?${new URLSearchParams(others)}`)).body.meta.pagination
          if (name === 'experience_level') expect(sum).toBeLessThanOrEqual(total)
          else expect(sum).toBe(total)
        }
      })
    })

    describe('a radius search', () => {
      const seeds: JobSeed[] = [
        { title: 'Oakland', location: 'Oakland, CA', posted_at: minutes(0), category: 'data-ai' },
        { title: 'San Jose', location: 'San Jose, CA', posted_at: minutes(1) },
        { title: 'San Francisco', location: 'SF (onsite)', posted_at: minutes(2) },
        { title: 'Berlin or San Francisco', location: 'Berlin / San Francisco', posted_at: minutes(3) },
        { title: 'Berlin', location: 'BERLIN', posted_at: minutes(4) },
        { title: 'Remote', location: 'Remote', remote: true, posted_at: minutes(5) },
        { title: 'Nowhere', location: 'Nowhereville', posted_at: minutes(6) },
      ]
      beforeAll(() => fill(seeds))
      const around = (location: string, distance: number | string, more = '') =>
        `?location=${encode(location)}&distance=${distance}${more}`

      test.each([
        ['San Francisco', 5, 'San Francisco', ['Berlin or San Francisco', 'San Francisco']],
        ['San Francisco', 25, 'with its neighbors', ['Berlin or San Francisco', 'San Francisco', 'Oakland']],
        ['san francisco bay area', 50, 'the bay', ['Berlin or San Francisco', 'San Francisco', 'San Jose', 'Oakland']],
        ['94107', '5.5', 'a postal code', ['Berlin or San Francisco', 'San Francisco']],
        ['Berlin, Germany', 500, 'another country', ['Berlin', 'Berlin or San Francisco']],
        ['Munich', '0.000001', 'a place without jobs', []],
      ])('finds jobs within %s, %s miles: %s', async (location, miles, _what, found) => {
        expect(await titles(around(location, miles))).toEqual(found)
      })

      test('shows the distance to the nearest location of each job in miles, to one decimal place', async () => {
        const answer = await list(around('San Francisco', 50, '&sort=distance,title'))
        const found = answer.body.data.map((job: { title: string; distance_miles: number }) => [
          job.title,
          job.distance_miles,
        ])
        expect(found).toEqual([
          ['Berlin or San Francisco', 0],
          ['San Francisco', 0],
          ['Oakland', 8.4],
          ['San Jose', 41.6],
        ])
        expect(answer.body.meta.sort).toEqual({ fields: ['distance', 'title'], directions: ['asc', 'asc'] })
        expect(answer.body.meta.filters_applied).toEqual({ location: 'San Francisco', distance: 50 })
      })

      test('sorts in reverse order on request, and supports paging', async () => {
        const query = around('San Francisco', 50, '&sort=distance:desc&limit=2')
        expect(await titles(query)).toEqual(['San Jose', 'Oakland'])
        const first = await list(`${query}&cursor=`)
        const { next_cursor } = first.body.meta.pagination
        const second = await list(`${query}&cursor=${next_cursor}`)
        expect(second.body.data.map((job: { title: string }) => job.title)).toEqual([
          'Berlin or San Francisco',
          'San Francisco',
        ])
        expect(second.body.meta.pagination).toMatchObject({ total: 4, has_more: false })
      })

      test('can be combined with other filters', async () => {
        expect(await titles(around('San Francisco', 50, '&category=data-ai'))).toEqual(['Oakland'])
        expect(await titles(around('San Francisco', 50, '&search=berlin'))).toEqual(['Berlin or San Francisco'])
        expect(await titles(around('San Francisco', 50, '&location_not=Oakland,%20CA&sort=posted_at'))).toEqual([
          'San Jose',
          'San Francisco',
          'Berlin or San Francisco',
        ])
      })

      test('accepts the distance in kilometers, and shows distances in miles', async () => {
        const [miles, km] = [
          await list(around('San Francisco', 50, '&sort=distance,title')),
          await list(around('San Francisco', 80.4672, '&sort=distance,title&distance_unit=km')),
        ]
        expect(km.body.data).toEqual(miles.body.data)
        const applied = { location: 'San Francisco', distance: 80.4672, distance_unit: 'km' }
        expect(km.body.meta.filters_applied).toEqual(applied)
        const fewer = await list(around('San Francisco', 1, '&distance_unit=km'))
        expect(fewer.body.meta.pagination.total).toBeLessThan(miles.body.meta.pagination.total)
        const alike = await list(around('San Francisco', 50, '&sort=distance,title&distance_unit=mi'))
        expect(alike.body.data).toEqual(miles.body.data)
      })

      test('adds no distances to other lists', async () => {
        const answer = await list('?location=Oakland')
        expect(answer.body.data).toHaveLength(1)
        expect(answer.body.data[0]).not.toHaveProperty('distance_miles')
      })

      test('finds a moved job at its new location', async () => {
        const employer = await board.employer()
        const { id } = await board.activeJob(employer, { title: 'Moving', location: 'Lima, Peru' })
        expect(await titles(around('Lima', 10))).toEqual(['Moving'])
        await board.call('PUT', `/v1/jobs/${id}`, { key: employer.key, body: { location: 'Cusco, Peru' } })
        expect(await titles(around('Lima', 10))).toEqual([])
        expect(await titles(around('Cusco', 10))).toEqual(['Moving'])
        await removeJobs(board, [id])
      })
    })

    describe('a search', () => {
      const seeds: JobSeed[] = [
        {
          title: 'Senior Battery Engineer',
          company: 'Voltaire',
          description: 'Designing packs.',
          skills: ['C++', 'Node.js'],
        },
        { title: 'Vehicle Technician', company: 'Battery Works', description: 'Front-end repair of cars.' },
        {
          title: 'Développeur',
          company: 'Ärzte AG',
          description: 'We engineer chargers. Résumé welcome. 100% remote.',
        },
        { title: 'Sales (m/f/d)', company: "O'Reilly & Sons", description: 'Sells batteries. \\ a_b "quoted" <b>' },
        { title: '東京 driver', company: 'Kanto', description: 'Taxi' },
      ]
      beforeAll(async () => {
        await fill(seeds)
      })
      const letterOf = (title: string) => 'ABCDE'[seeds.findIndex((seed) => seed.title === title)]
      const find = async (search: string, more = '') => {
        const answer = await list(`?search=${encode(search)}${more}`)
        expect(answer.status, answer.text).toBe(200)
        expect(answer.body.meta.filters_applied).toEqual({ search })
        expect(answer.body.meta.pagination.total).toBe(answer.body.data.length)
        return answer.body.data.map((job: { title: string }) => letterOf(job.title)) as string[]
      }

      const searches: [string, string][] = [
        // Searches title, company, description and skills by stem, ignoring case.
        ['battery', 'ABD'],
        ['BATTERIES', 'ABD'],
        ['engineering', 'AC'],
        ['designs', 'A'],
        ['voltaire', 'A'],
        ['taxi', 'E'],
        ['node.js', 'A'],
        ['nodejs', 'A'],
        ['c++', 'A'],
        ['frontend', 'B'],
        ['front end', 'B'],
        ['東京', 'E'],
        // Accents.
        ['developpeur', 'C'],
        ['DÉVELOPPEUR', 'C'],
        ['resume', 'C'],
        ['arzte', 'C'],
        ['váttery', ''],
        // Every term must match. The last term is a prefix unless white space follows it.
        ['battery engineer', 'A'],
        ['engineer battery', 'A'],
        ['battery taxi', ''],
        ['batt', 'ABD'],
        ['batt ', ''],
        ['batt engineer', ''],
        ['engineer batt', 'A'],
        ['attery', ''],
        // Phrases, exclusions and alternatives with `or`.
        ['"battery engineer"', 'A'],
        ['"engineer battery"', ''],
        ['"battery eng"', ''],
        ['"vehicle technician', 'B'],
        ['-battery', 'CE'],
        ['battery -engineer', 'BD'],
        ['battery -"battery engineer"', 'BD'],
        ['technician or driver', 'BE'],
        ['technician OR driver or sales', 'BDE'],
        ['battery technician or sales', 'BD'],
        // Special characters are plain text.
        ["o'reilly", 'D'],
        ['a_b', 'D'],
        ['100%', 'C'],
        ['(m/f/d)', 'D'],
        ['<b>', 'ABD'], // The word b is a prefix of battery.
        ['battery & engineer', 'A'],
        ['battery | technician', 'B'],
        ['battery <-> engineer', 'A'],
        ['!battery', 'ABD'],
        ['battery:*', 'ABD'],
        ["battery'", 'ABD'],
        ["'battery", 'ABD'],
        ['battery\\', 'ABD'],
        ['(battery', 'ABD'],
        ['battery)', 'ABD'],
        ['battery"', 'ABD'],
        ['battery \u{1F697}', 'ABD'],
        ['battery\tengineer\n', 'A'],
        ['battery '.repeat(125), 'ABD'],
        ['battery\u0001engineer', 'A'],
        // A search without words finds nothing. The last three searches contain words.
        ['%', ''],
        ['*', ''],
        [':*', ''],
        ['&|!<->()', ''],
        ['"', ''],
        ['-', ''],
        ["'", ''],
        ["''''", ''],
        ['\\', ''],
        [' ', ''],
        ['\u{1F697}', ''],
        ['\u{1F697}'.repeat(600), ''],
        ["x'; drop table job; --", ''],
        ['$1', 'C'],
        ['{{7*7}}', ''],
      ]
      test.each(searches.map(([search, expected], i) => [i, JSON.stringify(search).slice(0, 60), search, expected]))(
        '%i: %s',
        async (_index, _shown, search, expected) => {
          expect((await find(search as string)).sort().join('')).toBe(expected)
        },
      )

      test('sorts by relevance: title before company before description', async () => {
        expect((await find('battery', '&sort=relevance')).join('')).toBe('ABD')
        expect((await find('battery', '&sort=relevance&order=desc')).join('')).toBe('ABD')
        const answer = await list('?search=battery&sort=relevance:desc,title:asc')
        expect(answer.body.meta.sort).toEqual({ fields: ['relevance', 'title'], directions: ['desc', 'asc'] })
        expect(answer.body.data.map((job: { title: string }) => letterOf(job.title)).join('')).toBe('ABD')
      })

      test('sorts by date by default', async () => {
        const answer = await list('?search=battery')
        expect(answer.body.meta.sort).toEqual({ fields: ['posted_at'], directions: ['desc'] })
      })

      test('accepts sorting by relevance for a search without words, or with exclusions only', async () => {
        expect(await find('!!!', '&sort=relevance')).toEqual([])
        expect((await find('-battery', '&sort=relevance')).sort()).toEqual(['C', 'E'])
      })
    })

    describe('a search by relevance with few results', () => {
      beforeAll(async () => {
        await fill([
          ...Array.from({ length: 15 }, (_, n) => ({ title: `Senior welder ${n}`, posted_at: minutes(n) })),
          ...Array.from({ length: 15 }, (_, n) => ({ title: `Junior painter ${n}`, posted_at: minutes(20 + n) })),
          { title: 'Senior painter', posted_at: minutes(50) },
          { title: 'Retired', description: 'A senior painter is missed.', posted_at: minutes(51) },
          { title: 'Robotics technician', company: 'Quillon Motors', posted_at: minutes(52) },
        ])
      })
      const asked = async (query: string) => (await list(`?sort=relevance&limit=100&${query}`)).body

      test('continues with partial matches, and counts them separately', async () => {
        const { data, meta } = await asked('search=senior%20painter')
        expect(data.slice(0, 2).map(({ title }: { title: string }) => title)).toEqual(['Senior painter', 'Retired'])
        expect(data).toHaveLength(32)
        expect(meta.pagination.total).toBe(32)
        expect(meta.search).toEqual({ matched_all: 2, matched_some: 30, corrected: null, ignored_terms: [] })
        expect(meta.filters_applied).toEqual({ search: 'senior painter' })
      })

      test('supports paging by number and by cursor, forward and backward', async () => {
        const { data } = await asked('search=senior%20painter')
        const ids = data.map(({ id }: { id: string }) => id)
        const by = async (query: string) =>
          (await list(`?sort=relevance&limit=7&search=senior%20painter&${query}`)).body
        const numbered = await Promise.all([1, 2, 3, 4, 5].map((page) => by(`page=${page}`)))
        expect(numbered.flatMap((page) => page.data.map(({ id }: { id: string }) => id))).toEqual(ids)
        const walked: string[] = []
        let page = await by('cursor=')
        for (; ; page = await by(`cursor=${page.meta.pagination.next_cursor}`)) {
          walked.push(...page.data.map(({ id }: { id: string }) => id))
          if (!page.meta.pagination.has_more) break
        }
        expect(walked).toEqual(ids)
        page = await by(`cursor=${page.meta.pagination.prev_cursor}`)
        expect(page.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(21, 28))
      })

      test('respects exclusions', async () => {
        const { data, meta } = await asked('search=senior%20painter%20-welder')
        expect(data.every(({ title }: { title: string }) => !title.includes('welder'))).toBe(true)
        expect(meta.search).toEqual({ matched_all: 2, matched_some: 15, corrected: null, ignored_terms: [] })
      })

      test('shows only full matches if the list is sorted by date', async () => {
        const { data, meta } = (await list('?search=senior%20painter&limit=100')).body
        expect(data).toHaveLength(2)
        expect(meta).not.toHaveProperty('search')
      })

      test.each([
        ['seniro%20painter', 'senior painter', 32],
        ['robtics', 'robotics', 1],
        ['Quilon%20technician', 'quillon technician', 1],
      ])('corrects the typo in %s', async (typed, meant, total) => {
        const { meta } = await asked(`search=${typed}`)
        expect(meta.search.corrected).toBe(meant)
        expect(meta.pagination.total).toBe(total)
        expect(meta.filters_applied).toEqual({ search: decodeURIComponent(typed) })
      })

      test('does not correct words that occur in jobs, words that resemble none of those, numbers or phrases', async () => {
        for (const text of ['retired', '1234567', '"seniro painter"', 'zzzzqqqq']) {
          expect((await asked(`search=${encode(text)}`)).meta.search.corrected).toBeNull()
        }
      })

      test('corrects typos to the words of new jobs, but not to the words of removed jobs', async () => {
        const [id] = await insertJobs(board, [{ title: 'Upholsterer' }])
        expect((await asked('search=upholstere')).meta.pagination.total).toBe(1)
        expect((await asked('search=upholstrer')).meta.search.corrected).toBe('upholsterer')
        await removeJobs(board, [id!])
        expect((await asked('search=upholstrer')).meta.search.corrected).toBeNull()
      })
    })
  })

  status(400, () => {
    const refused: [string, string[]][] = [
      ...['0', '101', 'abc', '1.5', '-1', '1e1', '0x10', '%201', '+1', '9007199254740992', '٣', 'null', 'Infinity'].map(
        (value): [string, string[]] => [`limit=${value}`, ['limit invalid_parameter']],
      ),
      ...['0', '-1', '1.5', 'abc', '1000000001', '9007199254740992', '99999999999999999999'].map(
        (value): [string, string[]] => [`page=${value}`, ['page invalid_parameter']],
      ),
      ['page=1&cursor=', ['cursor pagination_conflict']],
      ['cursor=&page=1', ['cursor pagination_conflict']],
      ['page=1&cursor=abc', ['cursor pagination_conflict']],
      ['cursor=abc', ['cursor invalid_cursor']],
      ['cursor=%00', ['cursor invalid_cursor']],
      ['cursor=null', ['cursor invalid_cursor']],
      [`cursor=${'A'.repeat(2_000)}`, ['cursor invalid_cursor']],
      ['cursor=a&cursor=b', ['cursor invalid_parameter']],
      ['sort=color', ['sort invalid_parameter']],
      ['sort=title:up', ['sort invalid_parameter']],
      ['sort=title:', ['sort invalid_parameter']],
      ['sort=title:asc:desc', ['sort invalid_parameter']],
      ['sort=TITLE', ['sort invalid_parameter']],
      ['sort=title:ASC', ['sort invalid_parameter']],
      ['sort=title,', ['sort invalid_parameter']],
      ['sort=,', ['sort invalid_parameter', 'sort invalid_parameter']],
      ['sort=title,title:desc', ['sort invalid_parameter']],
      ['sort=posted_at,date_posted', ['sort invalid_parameter']],
      ['sort=__proto__', ['sort invalid_parameter']],
      ['sort=constructor', ['sort invalid_parameter']],
      ['sort=id', ['sort invalid_parameter']],
      ['sort=relevance', ['sort invalid_parameter']],
      ['sort=relevance&search=', ['sort invalid_parameter']],
      ['sort=relevance:asc&search=x', ['sort invalid_parameter']],
      ['sort=relevance&order=asc&search=x', ['sort invalid_parameter']],
      ['sort=relevance,title&search=x', ['sort invalid_parameter']],
      ['order=up', ['order invalid_parameter']],
      ['order=DESC', ['order invalid_parameter']],
      ['sort=title&sort=salary', ['sort invalid_parameter']],
      ['order=asc&order=asc', ['order invalid_parameter']],
      ['limit=1&limit=1', ['limit invalid_parameter']],
      ['page=1&page=2', ['page invalid_parameter']],
      ['search=a&search=b', ['search invalid_parameter']],
      ['category=a&category=', ['category invalid_parameter']],
      ['salary_min=1&salary_min=1', ['salary_min invalid_parameter']],
      ['posted_after=2026-01-01&posted_after=2026-01-02', ['posted_after invalid_parameter']],
      ['search=%00', ['search invalid_parameter']],
      [`search=${'x'.repeat(1_001)}`, ['search invalid_parameter']],
      ['location=a%00b', ['location invalid_parameter']],
      [`location=${'x'.repeat(1_001)}`, ['location invalid_parameter']],
      ['category=Data%20AI', ['category invalid_parameter']],
      ['category_in=ok,not%20ok', ['category_in invalid_parameter']],
      ['type=full_time', ['type invalid_parameter']],
      ['experience_level=guru', ['experience_level invalid_parameter']],
      ['language=German', ['language invalid_parameter']],
      ['language_in=de,de-AT', ['language_in invalid_parameter']],
      ['experience_level_in=senior,guru', ['experience_level_in invalid_parameter']],
      ['remote=1', ['remote invalid_parameter']],
      ['remote=TRUE', ['remote invalid_parameter']],
      ['is_featured=yes', ['is_featured invalid_parameter']],
      ['salary_min=1.5', ['salary_min invalid_parameter']],
      ['salary_min=-1', ['salary_min invalid_parameter']],
      ['salary_min=abc', ['salary_min invalid_parameter']],
      ['salary_min=1e5', ['salary_min invalid_parameter']],
      ['salary_min=50,000', ['salary_min invalid_parameter']],
      ['salary_min=9007199254740992', ['salary_min invalid_parameter']],
      ['salary_max_in=1,9007199254740993', ['salary_max_in invalid_parameter']],
      ['salary_min=2&salary_max=1', ['salary_min invalid_parameter']],
      ['salary_min_gte=2&salary_min_lte=1', ['salary_min_gte invalid_parameter']],
      ['salary_max_gt=1&salary_max_lte=1', ['salary_max_gt invalid_parameter']],
      ['posted_at_gte=2026-02-02&posted_at_lt=2026-02-02', ['posted_at_gte invalid_parameter']],
      ['salary_currency=EURO', ['salary_currency invalid_parameter']],
      ['salary_currency=QQQ', ['salary_currency invalid_parameter']],
      ['salary_unspecified=exclude', ['salary_unspecified invalid_parameter']],
      ['posted_after=yesterday', ['posted_after invalid_parameter']],
      ['posted_after=2026-02-30', ['posted_after invalid_parameter']],
      ['posted_after=2026-13-01', ['posted_after invalid_parameter']],
      ['posted_after=2026-01-01T24:00:00Z', ['posted_after invalid_parameter']],
      ['posted_after=2026-01-01T10:00:00', ['posted_after invalid_parameter']],
      ['posted_after=2026-01-01T10:00:60Z', ['posted_after invalid_parameter']],
      ['posted_after=2026-01-01%2010:00', ['posted_after invalid_parameter']],
      ['posted_after=0000-01-01', ['posted_after invalid_parameter']],
      ['posted_before=1767225600', ['posted_before invalid_parameter']],
      ['posted_after=2026-02-02&posted_before=2026-02-01', ['posted_after invalid_parameter']],
      ['posted_after=2026-02-02&posted_before=2026-02-02', ['posted_after invalid_parameter']],
      [
        'posted_after=2026-02-02T01:00:00%2B02:00&posted_before=2026-02-01T23:00:00Z',
        ['posted_after invalid_parameter'],
      ],
      ['distance=10', ['distance invalid_parameter']],
      ['distance=10&location=', ['distance invalid_parameter']],
      ['distance=10&location_in=Berlin', ['distance invalid_parameter']],
      ...['0', '-1', '0.0', '500.1', '501', '1e2', 'ten', 'NaN', '0x10', '%2B5', '1.1234567'].map(
        (value): [string, string[]] => [`location=Berlin&distance=${value}`, ['distance invalid_parameter']],
      ),
      ['location=Berlin&distance=1&distance=1', ['distance invalid_parameter']],
      ['location=Berlin&location=Berlin&distance=1', ['location invalid_parameter']],
      ['location=Berlin&distance_lt=10', ['distance_lt invalid_parameter']],
      ...['Nowhereville', 'Remote', 'Germany', '%F0%9F%9A%97'].map((value): [string, string[]] => [
        `location=${value}&distance=10`,
        ['location location_not_resolved'],
      ]),
      ['location=Berlin&distance=501&distance_unit=km', ['distance invalid_parameter']],
      ['location=Berlin&distance=9&distance_unit=m', ['distance_unit invalid_parameter']],
      ['location=Berlin&distance=9&distance_unit_in=km', ['distance_unit_in invalid_parameter']],
      ['salary_in=euro', ['salary_in invalid_parameter']],
      ['salary_in=ZZZ', ['salary_in invalid_parameter']],
      ['salary_in_not=EUR', ['salary_in_not invalid_parameter']],
      ['salary_in=EUR&salary_in=USD', ['salary_in invalid_parameter']],
      ['sort=distance', ['sort invalid_parameter']],
      ['sort=distance&location=Berlin', ['sort invalid_parameter']],
      ['skills=,', ['skills invalid_parameter']],
      ['category_in=,%20,', ['category_in invalid_parameter']],
      [`skills=${'a,'.repeat(101)}`, ['skills invalid_parameter']],
      ['remote_not=true', ['remote_not invalid_parameter']],
      ['search_in=a', ['search_in invalid_parameter']],
      ['location_gt=a', ['location_gt invalid_parameter']],
      ['category_gte=a', ['category_gte invalid_parameter']],
      ['skills_lt=a', ['skills_lt invalid_parameter']],
      ['posted_after_gt=2026-01-01', ['posted_after_gt invalid_parameter']],
      ['salary_unspecified_not=include', ['salary_unspecified_not invalid_parameter']],
      ['salary_min_like=1', ['salary_min_like unknown_parameter']],
      ['salary_min_gt_gt=1', ['salary_min_gt_gt unknown_parameter']],
      ['_in=1', ['_in unknown_parameter']],
      ['limit_gt=1', ['limit_gt unknown_parameter']],
      ['search[]=a', ['search[] unknown_parameter']],
      ['search[a]=b', ['search[a] unknown_parameter']],
      ['Search=a', ['Search unknown_parameter']],
      ['state=active', ['state unknown_parameter']],
      ['constructor=1', ['constructor unknown_parameter']],
      ['%F0%9F%9A%97=1', ['\u{1F697} unknown_parameter']],
      ['a=&b', ['a unknown_parameter', 'b unknown_parameter']],
      ['facets=color', ['facets invalid_parameter']],
      ['facets=category,color,type', ['facets invalid_parameter', 'facets invalid_parameter']],
      ['facets=category,remote,category', ['facets invalid_parameter']],
      ['facets=category&facets=category', ['facets invalid_parameter']],
      ['facets=,', ['facets invalid_parameter']],
      ['facets=__proto__', ['facets invalid_parameter']],
      ['facets_in=category', ['facets_in unknown_parameter']],
      ['include_deleted=true', ['include_deleted invalid_parameter']],
      ['updated_since=soon', ['updated_since invalid_parameter']],
      ['updated_since_gt=2026-01-01', ['updated_since_gt invalid_parameter']],
      ['sort=updated_at', ['sort invalid_parameter']],
      ['updated_since=2026-01-01&facets=remote', ['facets invalid_parameter']],
    ]
    test.each(refused.map(([query, faults], index) => [index, query.slice(0, 80), query, faults] as const))(
      '%i: refuses %s',
      async (_index, _shown, query, faults) => {
        const answer = await list(`?${query}`)
        expect([answer.status, faultsOf(answer)]).toEqual([400, faults])
        const codes = new Set(faults.map((fault) => fault.split(' ').at(-1)))
        expect(answer.body.code).toBe([...codes][0])
        expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      },
    )

    test('returns a complete problem document', async () => {
      const answer = await board.call('GET', '/v1/jobs?limit=0', {
        key: reader.key,
        headers: { 'x-request-id': 'my.id-1' },
      })
      const detail = 'limit must be a whole number from 1 to 100.'
      expect(answer.body).toEqual({
        type: '/docs/errors/invalid_parameter',
        title: 'Invalid query parameter',
        status: 400,
        detail,
        instance: '/v1/jobs',
        code: 'invalid_parameter',
        request_id: 'my.id-1',
        errors: [{ parameter: 'limit', code: 'invalid_parameter', detail }],
      })
    })

    test('reports an unknown location and an invalid distance together', async () => {
      const answer = await list('?location=Nowhereville&distance=501&sort=distance')
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter'])
      expect(faultsOf(answer).sort()).toEqual(['distance invalid_parameter', 'location location_not_resolved'])
    })

    test('reports all errors in a query at once', async () => {
      const answer = await list('?limit=0&page=0&color=1&salary_min=x&sort=nope&order=up&remote_gt=1')
      expect(answer.body.code).toBe('invalid_parameter')
      expect(answer.body.detail).toBe('7 query parameters are not valid.')
      expect(faultsOf(answer).sort()).toEqual([
        'color unknown_parameter',
        'limit invalid_parameter',
        'order invalid_parameter',
        'page invalid_parameter',
        'remote_gt invalid_parameter',
        'salary_min invalid_parameter',
        'sort invalid_parameter',
      ])
    })

    test.each([
      ['serach', 'search'],
      ['catgory', 'category'],
      ['job-type', 'job_type'],
      ['salary_mn', 'salary_min'],
      ['salaryMin', 'salary_min'],
      ['per_page', undefined],
      ['offset', undefined],
    ])('refuses the parameter %s and suggests %s', async (name, near) => {
      const { detail, code } = (await list(`?${name}=x`)).body.errors[0]
      expect(code).toBe('unknown_parameter')
      const hint = near ? ` Did you mean ${near}?` : ''
      expect(detail).toBe(`"${name}" is not a parameter of this list.${hint}`)
    })

    test('truncates long parameter names in the error', async () => {
      const answer = await list(`?${'x'.repeat(5_000)}=1`)
      expect(answer.body.errors[0].detail.length).toBeLessThan(120)
    })

    test('refuses a query that is not percent-encoded UTF-8', async () => {
      for (const query of ['search=%', 'search=%zz', 'search=%ff', 'search=%ed%a0%80', '%c3=1', 'search=%e2%82']) {
        const answer = await list(`?${query}`)
        expect([answer.status, answer.body.code, query]).toEqual([400, 'invalid_parameter', query])
        expect(answer.body.detail).toBe('The query string is not percent-encoded UTF-8.')
      }
    })

    describe('cursors', () => {
      let cursor: string
      beforeAll(async () => {
        await fillLetters('abcde')
        cursor = (await list('?sort=title&category=motorsport&limit=2')).body.meta.pagination.next_cursor
      })

      test('are refused for another sort, direction, filter or list', async () => {
        expect((await list(`?sort=title&category=motorsport&cursor=${cursor}`)).status).toBe(200)
        for (const query of [
          '?category=motorsport&',
          '?sort=title:desc&category=motorsport&',
          '?sort=title,salary&category=motorsport&',
          '?sort=title&',
          '?sort=title&category=finance&',
          '?sort=title&category_in=motorsport&',
          '?sort=title&category=motorsport&remote=false&',
        ]) {
          const answer = await list(`${query}cursor=${cursor}`)
          expect([answer.status, faultsOf(answer), query]).toEqual([400, ['cursor invalid_cursor'], query])
        }
        const { key } = await board.employer()
        const own = await board.get(`/v1/employers/jobs?sort=title&category=motorsport&cursor=${cursor}`, key)
        expect([own.status, own.body.code]).toEqual([400, 'invalid_cursor'])
      })

      test('are refused if any single character was changed, added or removed', async () => {
        const query = '?sort=title&category=motorsport&cursor='
        const altered = [...cursor].flatMap((character, index) => [
          cursor.slice(0, index) + (character === 'A' ? 'B' : 'A') + cursor.slice(index + 1),
          cursor.slice(0, index) + cursor.slice(index + 1),
        ])
        altered.push(
          `${cursor}A`,
          `${cursor}=`,
          `A${cursor}`,
          cursor.slice(0, -4),
          `${cursor}${cursor}`,
          `${cursor}%20`,
        )
        const accepted: string[] = []
        for (const text of altered) {
          const answer = await list(`${query}${text}`)
          if (answer.status !== 400 || answer.body.code !== 'invalid_cursor') accepted.push(text)
        }
        expect(accepted).toEqual([])
      })
    })
  })

  status(401, () => {
    test('reports a missing key before any error in the query', async () => {
      for (const query of ['limit=0', 'color=1', 'cursor=x', 'x=%zz']) {
        expect((await board.get(`/v1/jobs?${query}`)).status).toBe(401)
      }
    })
  })

  status(403, () => {
    test('reports a missing scope before any error in the query', async () => {
      const key = await board.keyWith(reader, ['profile:read'])
      for (const query of ['limit=0', 'color=1', 'x=%zz']) {
        const answer = await board.get(`/v1/jobs?${query}`, key)
        expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope'])
      }
    })
  })

  describe('405', () => {
    test('lists the collection methods in Allow, whatever the query', async () => {
      for (const [method, query] of [
        ['PUT', ''],
        ['PATCH', '?limit=0'],
        ['DELETE', '?x=%zz'],
      ] as const) {
        const answer = await board.call(method, `/v1/jobs${query}`, { key: reader.key })
        expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed'])
        expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
      }
    })
  })
})
