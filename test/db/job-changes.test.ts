/** The list of board changes, which mirrors read. */
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChangeHorizon } from '../../src/features/jobs/jobs.changes.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { removeJobs } from '../support/jobs.ts'

const board = useBoard()
let employer: Account
beforeAll(async () => {
  // Changes contain the database's time.
  board.clock.time = Date.now()
  employer = await board.employer({ name: 'Mirror Motors' })
})

interface Entry {
  id: string
  title?: string
  deleted_at?: string
}

async function changes(since: string, more = '&include_deleted=true') {
  const { body } = expectStatus(await board.get(`/v1/jobs?updated_since=${since}${more}`, ADMIN_KEY), 200)
  return { entries: body.data as Entry[], meta: body.meta }
}

/**
 * Returns the time from which an up-to-date mirror continues, once that time has passed. Later changes have this
 * time or a later one.
 */
async function upToDate(): Promise<string> {
  const databaseTime = async () => {
    const { rows } = await board.database.read((db) => sql<{ at: Date }>`select clock_timestamp() as at`.execute(db))
    return rows[0]!.at.getTime()
  }
  // Rounds up, because the result must be later than the last change.
  const since = (await databaseTime()) + 1
  while ((await databaseTime()) < since);
  return new Date(since).toISOString()
}
const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id)
const act = async (id: string, action: string) =>
  expectStatus(await board.post(`/v1/jobs/${id}/${action}`, employer.key), 200)
const change = async (id: string, body: object) =>
  expectStatus(await board.put(`/v1/jobs/${id}`, employer.key, body), 200)
const remove = async (id: string) => expectStatus(await board.delete(`/v1/jobs/${id}`, employer.key), 204)
const sweep = () => board.service.tasks.find(({ name }) => name === 'job-expiry')!.once()

beforeEach(() => removeJobs(board))

describe('board changes', () => {
  test('include jobs that enter the board, and edits of every visible field', async () => {
    let since = await upToDate()
    const { id } = await board.job(employer)
    expect((await changes(since)).entries).toEqual([])
    await board.pay(employer, id)
    await act(id, 'activate')
    const { entries } = await changes(since)
    expect(entries).toEqual((await board.get('/v1/jobs', ADMIN_KEY)).body.data)
    for (const body of [
      { title: 'Other' },
      { description: 'Other.' },
      { location: 'Oslo' },
      { locations: ['Oslo', 'Bergen'] },
      { salary: { min: 1 } },
      { skills: ['CAN'] },
      { remote: true },
      { workplace: 'hybrid' },
      { category: 'other' },
      { type: 'contract' },
      { experience_level: 'lead' },
      { language: 'de-AT' },
      { application_url: 'https://apply.example' },
      { expires_at: new Date(board.clock.time + 5 * DAY_MS).toISOString() },
    ]) {
      since = await upToDate()
      await change(id, body)
      expect(ids((await changes(since)).entries), JSON.stringify(body)).toEqual([id])
    }
    since = await upToDate()
    await board.pay(employer, id, ['featured'])
    expect((await changes(since)).entries).toMatchObject([{ id, is_featured: true }])
  })

  test("include edits of the company's name or logo", async () => {
    const other = await board.employer({ name: 'Before' })
    const { id } = await board.activeJob(other)
    for (const [body, shown] of [
      [{ name: 'After' }, { company: 'After' }],
      [{ logo_url: 'https://logo.example/1.png' }, { company_logo_url: 'https://logo.example/1.png' }],
      [{ logo_url: null }, { company_logo_url: null }],
    ]) {
      const since = await upToDate()
      expectStatus(await board.put('/v1/employers/profile', other.key, body), 200)
      expect((await changes(since)).entries).toMatchObject([{ id, ...shown }])
    }
  })

  test('omit edits of fields that the list does not show', async () => {
    const { id } = await board.activeJob(employer)
    const candidate = await board.candidate()
    const since = await upToDate()
    await change(id, {})
    await change(id, { title: 'Battery engineer', requirements: ['A license'], benefits: ['Bread'] })
    expectStatus(await board.put('/v1/employers/profile', employer.key, { website: 'https://mirror.example' }), 200)
    const resume = { filename: 'r.txt', content_base64: Buffer.from('Ada, fitter').toString('base64') }
    expectStatus(await board.post('/v1/candidates/resume', candidate.key, resume), 201)
    expectStatus(await board.post(`/v1/candidates/jobs/${id}/apply`, candidate.key, { cover_letter: 'Dear all' }), 201)
    expect((await changes(since)).entries).toEqual([])
  })
})

describe('a tombstone', () => {
  test('reports a closed or deleted job, with the time of its closing or deletion', async () => {
    const [closed, deleted] = [await board.activeJob(employer), await board.activeJob(employer)]
    const since = await upToDate()
    board.clock.time = Date.now()
    const deletedAt = board.clock.now().toISOString()
    await act(closed.id, 'close')
    await remove(deleted.id)
    expect((await changes(since)).entries).toEqual([
      { id: closed.id, deleted_at: deletedAt },
      { id: deleted.id, deleted_at: deletedAt },
    ])
    expect((await changes(since, '')).entries).toEqual([])
    expect((await changes(await upToDate())).entries).toEqual([])
  })

  test('does not report a reopened job, which is listed as a change', async () => {
    const { id, title } = await board.activeJob(employer)
    const since = await upToDate()
    await act(id, 'close')
    await act(id, 'reopen')
    expect((await changes(since)).entries).toMatchObject([{ id, title }])
  })

  test('does not report a job that has not been on the board since the given time', async () => {
    const never = await board.job(employer)
    const closed = await board.activeJob(employer)
    await act(closed.id, 'close')
    const since = await upToDate()
    await change(never.id, { title: 'Draft' })
    await remove(never.id)
    await change(closed.id, { title: 'Closed' })
    await remove(closed.id)
    expect((await changes(since)).entries).toEqual([])
  })

  test.each(['before', 'after'])('reports an expired job, %s the sweep', async (when) => {
    const expiresAt = new Date(board.clock.time + 3_600_000).toISOString()
    const { id } = await board.activeJob(employer, { expires_at: expiresAt })
    const since = await upToDate()
    board.clock.advance(3_599_999)
    expect((await changes(since)).entries).toEqual([])
    board.clock.advance(1)
    if (when === 'after') await sweep()
    expect((await changes(since)).entries).toEqual([{ id, deleted_at: expiresAt }])
    expect((await changes(expiresAt)).entries).toEqual([{ id, deleted_at: expiresAt }])
    const after = new Date(Date.parse(expiresAt) + 1).toISOString()
    expect((await changes(after)).entries).toEqual([])
    // Later updates do not report again that the job left the board.
    await change(id, { title: 'Too late' })
    await change(id, { expires_at: new Date(board.clock.time + DAY_MS).toISOString() })
    expect((await changes(after)).entries).toEqual([])
    expect((await changes(expiresAt)).entries).toEqual([{ id, deleted_at: expiresAt }])
    await remove(id)
    expect((await changes(after)).entries).toEqual([])
    expect((await changes(expiresAt)).entries).toEqual([{ id, deleted_at: expiresAt }])
    board.clock.time = Date.now()
  })

  test('reports a job whose expiry moved into the past while the mirror was reading', async () => {
    const { id } = await board.activeJob(employer)
    const soon = board.clock.time + 1
    await change(id, { expires_at: new Date(soon).toISOString() })
    const since = await upToDate()
    // Simulates a transaction that waited for a lock and wrote only after `since`.
    await board.database.inTx((tx) =>
      sql`update job set expires_at = expires_at - interval '1 second', updated_at = expires_at - interval '2 seconds'
        where id = ${id}`.execute(tx),
    )
    board.clock.time = Date.now() + 10
    expect(ids((await changes(since)).entries)).toEqual([id])
  })

  test('reports a changed job that no longer matches the filters', async () => {
    const [a, b] = [await board.activeJob(employer), await board.activeJob(employer)]
    const since = await upToDate()
    await change(a.id, { category: 'sales' })
    await change(b.id, { remote: true })
    const filter = '&category=powertrain-battery'
    const { entries, meta } = await changes(since, `&include_deleted=true${filter}`)
    expect(entries).toMatchObject([
      { id: a.id, deleted_at: expect.any(String) },
      { id: b.id, remote: true },
    ])
    expect(meta.pagination.total).toBe(2)
    expect(ids((await changes(since, filter)).entries)).toEqual([b.id])
  })
})

describe('changes', () => {
  test('are listed in order of change, page by page, with exact totals', async () => {
    const since = await upToDate()
    const jobs: string[] = []
    for (let n = 0; n < 7; n++) jobs.push((await board.activeJob(employer, { title: `Job ${n}` })).id)
    for (const n of [3, 1]) await act(jobs[n]!, 'close')
    await change(jobs[0]!, { title: 'Changed' })
    const expected = [2, 4, 5, 6, 3, 1, 0].map((n) => jobs[n]!)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { entries, meta } = await changes(since, `&include_deleted=true&limit=2&cursor=${cursor}`)
      expect(meta.pagination.total).toBe(7)
      expect(meta.sort).toEqual({ fields: ['updated_at'], directions: ['asc'] })
      expect(meta.updated_until === null).toBe(cursor !== '')
      seen.push(...ids(entries))
      cursor = meta.pagination.next_cursor
    }
    expect(seen).toEqual(expected)
    const descending = await changes(since, '&include_deleted=true&order=desc&limit=3&page=2')
    expect(ids(descending.entries)).toEqual(expected.toReversed().slice(3, 6))
    expect(descending.meta.updated_until).toBeNull()
    const byTitle = await changes(since, '&sort=title')
    expect(byTitle.entries.map(({ title }) => title)).toEqual(['Changed', 'Job 2', 'Job 4', 'Job 5', 'Job 6'])
    expect(byTitle.meta.pagination.total).toBe(5)
    expect(byTitle.meta.updated_until).not.toBeNull()
  })

  test('echo the query, and refuse invalid combinations', async () => {
    const { meta } = await changes('2026-01-01')
    expect(meta.filters_applied).toEqual({ updated_since: '2026-01-01', include_deleted: true })
    const refused = async (query: string) => {
      const { errors } = expectStatus(await board.get(`/v1/jobs?${query}`, ADMIN_KEY), 400).body
      return errors.map(({ parameter, detail }: Record<string, string>) => [parameter, detail])
    }
    expect(await refused('include_deleted=true&sort=updated_at')).toEqual([
      ['include_deleted', 'include_deleted needs updated_since.'],
      ['sort', 'updated_at needs updated_since.'],
    ])
    expect(await refused('updated_since=yesterday&include_deleted=1')).toHaveLength(2)
    expect(await refused('updated_since=2026-01-01&facets=category')).toEqual([
      ['facets', 'facets and updated_since cannot be used together.'],
    ])
    expect(await refused('include_deleted=false')).toHaveLength(1)
  })
})

describe('updated_until', () => {
  test('moves past the reported changes, so clients do not get them again and again', async () => {
    const { id } = await board.activeJob(employer)
    board.clock.time = Date.now() + 60_000
    let { entries, meta } = await changes('2026-01-01')
    expect(ids(entries)).toEqual([id])
    while (entries.length > 0) ({ entries, meta } = await changes(meta.updated_until))
    await act(id, 'close')
    expect(ids((await changes(meta.updated_until)).entries)).toEqual([id])
    board.clock.time = Date.now()
  })

  test('is never later than the clock that determines expiry', async () => {
    board.clock.time = Date.parse('2026-03-02T09:00:00.000Z')
    expect((await changes('2026-01-01')).meta.updated_until).toBe('2026-03-02T09:00:00.000Z')
    board.clock.time = Date.now()
  })

  test.skipIf(!process.env.TEST_DATABASE_URL)('is never later than the changes of an open transaction', async () => {
    const url = board.database.url
    const { id } = await board.activeJob(employer)
    const horizon = new ChangeHorizon()
    const settled = (await horizonOnceQuiet(horizon))!
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('begin')
      await client.query(`update job set title = 'Late', title_sort = 'late' where id = '${id}'`)
      const { rows } = await client.query('select board_changed_at from job where id = $1', [id])
      for (let n = 0; n < 3; n++) {
        const at = (await horizon.find(board.database))!
        expect(at >= settled).toBe(true)
        expect(at <= rows[0].board_changed_at).toBe(true)
      }
      await client.query('commit')
      expect((await horizonOnceQuiet(horizon))! > rows[0].board_changed_at).toBe(true)
    } finally {
      await client.end()
    }
  })

  /** Waits until transactions of other databases on the server no longer delay the result. */
  async function horizonOnceQuiet(horizon: ChangeHorizon): Promise<Date> {
    const { rows } = await board.database.read((db) => sql<{ at: Date }>`select now() as at`.execute(db))
    for (;;) {
      const at = await horizon.find(board.database)
      if (at && at >= rows[0]!.at) return at
    }
  }
})
