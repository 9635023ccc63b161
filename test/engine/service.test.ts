/** A board whose lists come from a search engine. */
import { describe, expect, inject, test } from 'vitest'
import { ADMIN_KEY, Board, expectStatus, useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { awaitEarlierTransactions } from '../support/search-index.ts'
import { runTask } from '../support/tasks.ts'

const searchUrl = inject('searchUrl')

test.skipIf(!searchUrl)('a board without jobs has empty lists', async () => {
  const board = new Board()
  await board.start({ SEARCH_URL: searchUrl!, SEARCH_INDEX: `empty-${process.pid}` })
  await runTask(board, 'search-index')
  const { body } = expectStatus(await board.get('/v1/jobs?facets=remote', ADMIN_KEY), 200)
  expect([body.data, body.meta.pagination.total]).toEqual([[], 0])
  expectStatus(await board.get('/', ADMIN_KEY), 200)
  await board.stop()
})

describe.skipIf(!searchUrl)('a board with a search engine', () => {
  const board = useBoard({ SEARCH_URL: searchUrl ?? '', SEARCH_INDEX: `service-${process.pid}` })
  const follow = async () => {
    await awaitEarlierTransactions(board.database)
    const { once } = board.service.tasks.find(({ name }) => name === 'search-index')!
    while ((await once()) === 'more');
  }
  const listed = async (query = '') => {
    const { body } = expectStatus(await board.get(`/v1/jobs?${query}`, ADMIN_KEY), 200)
    return body.data.map(({ title }: { title: string }) => title)
  }

  test('refuses lists until there is an index', async () => {
    const [id] = await insertJobs(board, [{ title: 'Welder' }])
    const refused = expectStatus(await board.get('/v1/jobs', ADMIN_KEY), 503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expectStatus(await board.get('/readyz', ADMIN_KEY), 503)
    await follow()
    expectStatus(await board.get('/readyz', ADMIN_KEY), 200)
    expect(await listed()).toEqual(['Welder'])
    expectStatus(await board.get(`/v1/jobs/${id}`, ADMIN_KEY), 200)
  })

  test('omits a job as soon as it is closed, even if the process knows the job only from the index', async () => {
    const [id] = await insertJobs(board, [{ title: 'Moulder' }])
    await follow()
    await board.restart({ SEARCH_URL: searchUrl ?? '', SEARCH_INDEX: `service-${process.pid}` })
    expect(await listed('search=moulder')).toEqual(['Moulder'])
    expectStatus(await board.post(`/v1/jobs/${id}/close`, ADMIN_KEY), 200)
    expect(await listed('search=moulder')).toEqual([])
  })

  test('lists every write immediately, and omits jobs when they expire', async () => {
    const employer = await board.employer()
    const job = await board.activeJob(employer, { title: 'Gear grinder' })
    expect(await listed('search=grinder')).toEqual(['Gear grinder'])
    expectStatus(await board.put(`/v1/jobs/${job.id}`, employer.key, { title: 'Gear cutter' }), 200)
    expect(await listed('search=grinder')).toEqual([])
    expect(await listed('search=cutter&sort=relevance')).toEqual(['Gear cutter'])
    await follow()
    expect(await listed('search=cutter&sort=relevance')).toEqual(['Gear cutter'])
    expectStatus(await board.get(`/v1/jobs/${job.id}`, ADMIN_KEY), 200)
    board.clock.advance(100 * 24 * 3_600_000)
    expect(await listed('search=cutter')).toEqual([])
  })

  test('ends the page of a job that expired before the process opened the index again', async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer, { title: 'Mold maker' })
    const page = async () => (await board.get(`/jobs/mold-maker-${id}`)).status
    expect([await page(), await page()]).toEqual([200, 200])
    await follow()
    board.clock.advance(100 * 24 * 3_600_000)
    // The write makes the process open the index again, before it has noticed that the job has expired.
    const later = await board.activeJob(employer, { title: 'Mold fitter' })
    expect(await page()).toBe(410)
    expectStatus(await board.post(`/v1/jobs/${later.id}/close`, employer.key), 200)
  })

  test('corrects typos, counts facets and categories, and fills the sitemap and the home page', async () => {
    await insertJobs(board, [
      { title: 'Battery chemist', company: 'Voltaire', remote: true },
      { title: 'Battery tester', company: 'Voltaire' },
    ])
    const search = async () => {
      const { body } = expectStatus(
        await board.get('/v1/jobs?search=batery+&sort=relevance&facets=remote', ADMIN_KEY),
        200,
      )
      return [body.meta.search.corrected, body.meta.facets]
    }
    const expected = [
      'battery ',
      {
        remote: [
          { value: false, count: 1 },
          { value: true, count: 1 },
        ],
      },
    ]
    expect(await search()).toEqual(expected)
    await follow()
    expect(await search()).toEqual(expected)
    expect(expectStatus(await board.get('/sitemaps/jobs-1.xml', ADMIN_KEY), 200).text).toContain('battery-chemist')
    expect(expectStatus(await board.get('/', ADMIN_KEY), 200).text).toContain('Voltaire')
    const { body } = expectStatus(await board.get('/v1/jobs/categories', ADMIN_KEY), 200)
    expect(body.data.find(({ slug }: { slug: string }) => slug === 'motorsport').job_count).toBe(2)
  })

  test('continues to read after the engine has lost a point in time', async () => {
    const [title] = await listed('limit=1')
    const response = await fetch(`${searchUrl}/_search/point_in_time/_all`, { method: 'DELETE' })
    expect(response.status).toBe(200)
    expect(await listed('limit=1&sort=posted_at:desc&page=1')).toEqual([title])
    expect(await listed('limit=1&remote=true')).toEqual(['Battery chemist'])
  })

  test('refuses lists from an index that lags behind its recorded position, until it has caught up', async () => {
    const index = `${searchUrl}/service-${process.pid}-*`
    const removal = await fetch(`${index}/_delete_by_query?refresh=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: { range: { number: { lt: 0 } } } }),
    })
    const { deleted } = (await removal.json()) as { deleted: number }
    expect(deleted).toBeGreaterThan(0)
    expect(await listed('limit=1&remote=false')).not.toEqual([])
    expect((await fetch(`${searchUrl}/_search/point_in_time/_all`, { method: 'DELETE' })).status).toBe(200)
    const refused = expectStatus(await board.get('/v1/jobs?limit=2', ADMIN_KEY), 503)
    expect(refused.headers.get('retry-after')).toBe('2')
    await insertJobs(board, [{ title: 'Later' }])
    await follow()
    expect(await listed('limit=1')).toEqual(['Later'])
  })

  test('lists nothing on a page after the last job', async () => {
    const { body } = expectStatus(await board.get('/v1/jobs?page=2000&limit=100', ADMIN_KEY), 200)
    expect(body.data).toEqual([])
  })
})
