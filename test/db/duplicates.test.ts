/** Folding of copies: which job of a group the lists show, and where else the hidden copies are omitted. */
import { beforeEach, describe, expect, test } from 'vitest'
import { jobPath } from '../../src/features/jobs/index.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { equate, LONG_TEXT, tellApart } from '../support/duplicates.ts'
import { feed, makeFeed, posting } from '../support/feeds.ts'
import { visitor } from '../support/pages.ts'
import { runTask, runTogether, taskOf } from '../support/tasks.ts'

const board = useBoard({ PAYMENTS: 'free' })

/** A separate company for each test, so that tests share no copies. */
let company: string
let number = 0
beforeEach(() => {
  company = `Voltaire ${['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'][number++]}`
})

const fed = (id: string, overrides: object = {}) =>
  posting(id, { title: 'Cell Engineer', company, description: LONG_TEXT, ...overrides })

/** Creates a feed with these postings. Returns its ID, and the IDs of its jobs by posting. */
async function feedOf(...postings: { id: string }[]) {
  const { id } = await makeFeed(board)
  expect(await feed(board, id, postings)).toMatchObject({ state: 'succeeded' })
  const { data } = expectStatus(
    await board.get('/v1/employers/jobs?limit=100&sort=posted_at:desc', ADMIN_KEY),
    200,
  ).body
  type Job = { id: string; source: { feed_id: string; external_id: string } | null }
  const own = (data as Job[]).filter(({ source }) => source?.feed_id === id)
  return { feedId: id, jobs: Object.fromEntries(own.map((job) => [job.source!.external_id, job.id])) }
}

const parameters = () => new URLSearchParams({ company })

/** Returns the IDs in the public list, after the changes so far have been compared. */
async function listed(more = ''): Promise<string[]> {
  await runTask(board, 'duplicates')
  const { data, meta } = expectStatus(await board.get(`/v1/jobs?${parameters()}${more}`, ADMIN_KEY), 200).body
  const ids = data.map(({ id }: { id: string }) => id)
  expect(meta.pagination.total).toBe(ids.length)
  return ids.sort()
}

/** Returns the original of each folded job, from the table behind the page of copies. */
async function foldedOnPage(jobs: Record<string, string>) {
  const { rows } = await board.database.withClient((client) =>
    client.query('select job_id, other_id from suspected_copy where is_folded and job_id = any($1)', [
      Object.values(jobs),
    ]),
  )
  return Object.fromEntries(rows.map(({ job_id, other_id }) => [job_id, other_id]))
}

const detailOf = async (id: string) => expectStatus(await board.get(`/v1/jobs/${id}`, ADMIN_KEY), 200).body.data

test('a copy leaves lists, counts and mirrors, but keeps its URL', async () => {
  const since = board.clock.now().toISOString()
  board.clock.advance(1_000)
  const { jobs } = await feedOf(fed('1'), fed('2', { title: 'Cell engineer (m/w/d)' }), fed('3', { title: 'Welder' }))
  const [first, copy, other] = [jobs[1]!, jobs[2]!, jobs[3]!]
  expect(await listed()).toEqual([first, other].sort())
  expect(await listed('&include_duplicates=true')).toEqual([first, copy, other].sort())
  const { employer_id, ...detail } = await detailOf(copy)
  expect([detail.is_active, detail.duplicate_of]).toEqual([true, first])
  expect((await detailOf(first)).duplicate_of).toBeNull()
  const employer = expectStatus(await board.get(`/v1/employers/${employer_id}`, ADMIN_KEY), 200).body.data
  expect(employer.open_positions).toBe(2)
  const facets = await board.get(`/v1/jobs?${parameters()}&facets=remote`, ADMIN_KEY)
  expect(facets.body.meta.facets.remote).toEqual([{ value: false, count: 2 }])

  const changes = async (more: string) => {
    const { data } = (await board.get(`/v1/jobs?${parameters()}&updated_since=${since}${more}`, ADMIN_KEY)).body
    return Object.fromEntries(
      data.map(({ id, deleted_at }: { id: string; deleted_at?: string }) => [id, deleted_at === undefined]),
    )
  }
  expect(await changes('')).toEqual({ [first]: true, [other]: true })
  expect(await changes('&include_duplicates=true')).toEqual({ [first]: true, [copy]: true, [other]: true })
  expect(await changes('&include_deleted=true')).toMatchObject({ [first]: true, [copy]: false, [other]: true })

  const guest = await visitor(board)
  const page = await guest.get(jobPath(detail))
  expect(page.status).toBe(200)
  expect(page.text).toContain(`<link rel="canonical" href="https://board.example${jobPath(await detailOf(first))}"`)
})

test('the next copy replaces a job that left the board or changed', async () => {
  const first = await feedOf(fed('1'))
  const second = await feedOf(fed('1'), fed('2', { description: `${LONG_TEXT} and more` }))
  const [a, b, c] = [first.jobs[1]!, second.jobs[1]!, second.jobs[2]!]
  expect(await listed()).toEqual([a])
  await board.post(`/v1/jobs/${a}/close`, ADMIN_KEY)
  expect(await listed()).toEqual([b])
  expect((await detailOf(c)).duplicate_of).toBe(b)
  await feed(board, second.feedId, [fed('1', { title: 'Welder' }), fed('2')])
  expect(await listed()).toEqual([b, c].sort())
  await feed(board, second.feedId, [fed('1'), fed('2')])
  expect(await listed()).toEqual([b])
  board.clock.advance(60 * 86_400_000)
  await runTask(board, 'job-expiry')
  expect(await listed()).toEqual([])
  expect((await detailOf(c)).duplicate_of).toBeNull()
})

test('a job that people maintain is shown instead of a job of a feed', async () => {
  const { jobs, feedId } = await feedOf(fed('1'))
  const employer = await board.employer({ name: `${company} GmbH` })
  const members = { title: 'Cell Engineer', location: 'Leipzig', description: LONG_TEXT }
  const own = [await board.activeJob(employer, members), await board.activeJob(employer, members)]
  await runTask(board, 'duplicates')
  expect((await detailOf(jobs[1]!)).duplicate_of).toBe(own[0]!.id)
  for (const { id } of own) expect((await detailOf(id)).duplicate_of).toBeNull()
  expectStatus(await board.delete(`/v1/feeds/${feedId}?jobs=keep`, ADMIN_KEY), 204)
  expect(await listed()).toEqual([jobs[1]])
})

test('a copy in another location stays in lists, because searches for that location would not find the other job', async () => {
  const { jobs } = await feedOf(fed('1'), fed('2', { location: 'Leipzig, Germany' }), fed('3', { location: 'Munich' }))
  expect(await listed()).toEqual([jobs[1], jobs[3]].sort())
})

test('a copy with additional locations replaces earlier copies, so searches for any of these locations find the job', async () => {
  const additional = { location: 'Leipzig', locations: ['Munich'] }
  const { jobs, feedId } = await feedOf(fed('1'), fed('2', { location: 'Leipzig, Germany' }), fed('3', additional))
  expect(await listed()).toEqual([jobs[3]])
  expect(await listed('&location=Munich&distance=10')).toEqual([jobs[3]])
  expect(await foldedOnPage(jobs)).toEqual({ [jobs[1]!]: jobs[3], [jobs[2]!]: jobs[3] })
  await feed(board, feedId, [fed('1'), fed('2', { location: 'Leipzig, Germany' }), fed('3', { location: 'Munich' })])
  expect(await listed()).toEqual([jobs[1], jobs[3]].sort())
  expect(await foldedOnPage(jobs)).toEqual({ [jobs[2]!]: jobs[1] })
})

test("jobs of an employer's own feed are never hidden as copies of each other", async () => {
  const employer = await board.employer({ name: company })
  const { id } = await makeFeed(board, {}, employer.key)
  await feed(board, id, [fed('1'), fed('2')], employer.key)
  expect(await listed()).toHaveLength(2)
})

describe('decisions', () => {
  test('override the folding rule in both directions, even for jobs in different blocks', async () => {
    const { jobs } = await feedOf(fed('1'), fed('2'), fed('3', { title: 'Welder' }))
    const [a, b, c] = [jobs[1]!, jobs[2]!, jobs[3]!]
    await tellApart(board, [a, b])
    await equate(board, [c, a])
    expect(await listed()).toEqual([a, b].sort())
    expect((await detailOf(c)).duplicate_of).toBe(a)
    await board.post(`/v1/jobs/${a}/close`, ADMIN_KEY)
    expect(await listed()).toEqual([b, c].sort())
    await equate(board, [b, c])
    expect(await listed()).toEqual([b])
    await tellApart(board, [b, c])
    expect(await listed()).toEqual([b, c].sort())
  })
})

test('concurrent comparisons fold all copies under one job', async () => {
  const { jobs } = await feedOf(...Array.from({ length: 20 }, (_, n) => fed(String(n))))
  const task = taskOf(board, 'duplicates')
  await runTogether([task, task, task])
  const ids = Object.values(jobs).sort()
  expect(await listed()).toEqual([ids[0]])
  for (const id of ids.slice(0, 5)) await board.post(`/v1/jobs/${id}/close`, ADMIN_KEY)
  expect(await listed()).toEqual([ids[5]])
})
