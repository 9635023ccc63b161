/** Excess search terms were silently ignored. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, ADMIN_KEY, useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { visitor } from '../support/pages.ts'

const board = useBoard()
const twelve = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'
let candidate: Account
let employer: Account
beforeAll(async () => {
  candidate = await board.candidate()
  employer = await board.employer()
  await insertJobs(board, [{ title: 'Ranked', description: twelve }])
})

const searchIn = (path: string, search: string, key: string) =>
  board.get(`${path}${path.includes('?') ? '&' : '?'}search=${encodeURIComponent(search)}`, key)

describe('terms beyond the twelfth', () => {
  test.each(['/v1/jobs?sort=relevance', '/v1/jobs', '/v1/jobs?sort=title'])(
    'are listed in responses of %s',
    async (path) => {
      const { body } = await searchIn(path, `${twelve} Nü "xi omicron" -pi`, candidate.key)
      expect(body.meta.pagination.total).toBe(1)
      expect(body.meta.search).toEqual({
        matched_all: 1,
        matched_some: 0,
        corrected: null,
        ignored_terms: ['nu', '"xi omicron"', '-pi'],
      })
      expect(body.meta.filters_applied.search).toBe(`${twelve} Nü "xi omicron" -pi`)
    },
  )

  test('are listed in responses from the database, too', async () => {
    for (const [path, key] of [
      ['/v1/candidates', employer.key],
      ['/v1/employers/jobs', ADMIN_KEY],
      ['/v1/jobs?updated_since=2026-01-01', candidate.key],
    ] as const) {
      const { status, body } = await searchIn(path, `${twelve} nu`, key)
      expect([status, body.meta.search?.ignored_terms], path).toEqual([200, ['nu']])
    }
    // This search does not use terms.
    expect((await searchIn('/v1/admin/accounts', `${twelve} nu`, ADMIN_KEY)).body.meta.search).toBeUndefined()
  })

  test('are reported as an empty list if there are none, but only in searches by relevance', async () => {
    expect((await searchIn('/v1/jobs', twelve, candidate.key)).body.meta.search).toBeUndefined()
    const ranked = await searchIn('/v1/jobs?sort=relevance', twelve, candidate.key)
    expect(ranked.body.meta.search.ignored_terms).toEqual([])
  })

  test('change neither the results nor the paging by cursor', async () => {
    await insertJobs(board, [{ title: 'Second', description: twelve }])
    const search = `search=${encodeURIComponent(`${twelve} nu`)}&sort=title&limit=1`
    const first = await board.get(`/v1/jobs?${search}&cursor=`, candidate.key)
    const { next_cursor } = first.body.meta.pagination
    const second = await board.get(`/v1/jobs?${search}&cursor=${next_cursor}`, candidate.key)
    expect([first.body.data[0].title, second.body.data[0].title]).toEqual(['Ranked', 'Second'])
  })

  test('are listed on pages, and refused in feeds', async () => {
    const page = await (await visitor(board)).get(`/jobs?search=${encodeURIComponent(`${twelve} nu <xi>`)}`)
    expect(page.seen).toContain('We searched for the first 12 terms and ignored the rest: nu, <xi>.')
    for (const path of ['/jobs.atom', '/jobs.rss', '/jobs.json', '/jobs.jsonl', '/jobs.xml']) {
      expect((await board.get(`${path}?search=${encodeURIComponent(`${twelve} nu`)}`)).status, path).toBe(400)
    }
  })

  test('are an error in a new alert, and are listed in the matches of an existing alert', async () => {
    const alert = (search: string) => ({ name: 'Mine', criteria: { search }, frequency: 'daily' })
    const refused = await board.post('/v1/candidates/job-alerts', candidate.key, alert(`${twelve} nu`))
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ pointer: '#/criteria/search', code: 'too_many', detail: 'search must have at most 12 terms.' }],
    ])
    const { id } = (await board.post('/v1/candidates/job-alerts', candidate.key, alert(twelve))).body.data
    // Simulates an alert from an earlier release.
    const criteria = JSON.stringify({ search: `${twelve} nu` })
    await board.database.inTx((tx) => tx.updateTable('job_alert').set({ criteria }).where('id', '=', id).execute())
    const matches = await board.get(`/v1/candidates/job-alerts/${id}/matches`, candidate.key)
    expect([matches.status, matches.body.meta.search.ignored_terms]).toEqual([200, ['nu']])
  })
})
