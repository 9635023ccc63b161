/** Feed runs: their effects on jobs, and why they fail. test/unit/feed-formats.test.ts tests the formats. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Pace } from '../../src/features/feeds/feeds.fetch.ts'
import { claimRun, getFeedHealth } from '../../src/features/feeds/feeds.queries.ts'
import { runNext } from '../../src/features/feeds/feeds.runner.ts'
import { Connections } from '../../src/features/webhooks/webhooks.connections.ts'
import { createGuard } from '../../src/features/webhooks/webhooks.guard.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { FEEDS, feed, makeFeed, ndjsonOf, posting, push } from '../support/feeds.ts'
import { type Certificate, makeCertificate, Receivers } from '../support/receivers.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
const HOUR_MS = 3_600_000

const postings = (...ids: (number | string)[]) => ids.map((id) => posting(String(id)))
const counts = (changed: object) => ({
  ...{ read: 0, created: 0, updated: 0, unchanged: 0, missing: 0, closed: 0, reopened: 0, refused: 0 },
  ...changed,
})

/** Returns the jobs of a feed by external ID, as an admin sees them. */
async function jobsOf(feedId: string) {
  const { data } = expectStatus(await board.get('/v1/employers/jobs?limit=100', ADMIN_KEY), 200).body
  type Job = { id: string; title: string; is_active: boolean; source: { feed_id: string; external_id: string } | null }
  const own = (data as Job[]).filter(({ source }) => source?.feed_id === feedId)
  return Object.fromEntries(own.map((job) => [job.source!.external_id, job]))
}

/** Returns the kinds of the emails about the feed that each admin got. */
const emails = async () => {
  const mails = await board.database.read((db) =>
    db.selectFrom('mail').select(['kind', 'account_id']).where('subject_id', '=', id).orderBy('id').execute(),
  )
  const admins = new Set(mails.map(({ account_id }) => account_id)).size
  return mails.slice(0, mails.length / Math.max(1, admins)).map(({ kind }) => kind)
}

let told = 0
/** Returns the types of the events since the last call. */
async function news(): Promise<string[]> {
  const events = await board.database.read((db) =>
    db.selectFrom('event').select(['type', 'id']).orderBy('id').execute(),
  )
  const fresh = events.slice(told).map(({ type }) => type)
  told = events.length
  return fresh
}

let id: string
beforeEach(async () => {
  id = (await makeFeed(board)).id
  await news()
})

test('a first document creates active jobs with their sources, and importing it again changes nothing', async () => {
  const document = postings(1, 2, 3)
  const first = await feed(board, id, document)
  expect(first).toMatchObject({ state: 'succeeded', counts: counts({ read: 3, created: 3 }), problems: [] })
  expect(await news()).toEqual(['job.created', 'job.created', 'job.created'])
  const jobs = await jobsOf(id)
  expect(jobs[1]).toMatchObject({
    ...{ title: 'Job 1', company: 'Voltaire', is_active: true },
    ...{ source: { feed_id: id, external_id: '1', url: null } },
    expires_at: new Date(board.clock.time + 60 * DAY_MS).toISOString(),
  })
  const second = await feed(board, id, document)
  expect(second).toMatchObject({ state: 'succeeded', counts: counts({ read: 3, unchanged: 3 }) })
  expect(await news()).toEqual([])
  expect(await jobsOf(id)).toEqual(jobs)
  expect(expectStatus(await board.get(`${FEEDS}/${id}`, ADMIN_KEY), 200).body.data).toMatchObject({
    job_count: 3,
    state: 'idle',
  })
})

test('a changed posting writes one job.updated, even if several fields change', async () => {
  await feed(board, id, postings(1, 2))
  await news()
  const changed = posting('1', { title: 'New title', salary: { min: 1, max: 2, currency: 'EUR', period: 'month' } })
  const run = await feed(board, id, [changed, posting('2')])
  expect(run.counts).toEqual(counts({ read: 2, updated: 1, unchanged: 1 }))
  expect(await news()).toEqual(['job.updated'])
  expect((await jobsOf(id))[1]).toMatchObject({ title: 'New title', salary: { period: 'month' } })
  // A field that the new document omits is cleared.
  await feed(board, id, postings(1, 2))
  expect((await jobsOf(id))[1]).toMatchObject({ title: 'Job 1', salary: null })
})

test('the job of a missing posting is closed once, after a delay, and reopened with the same ID when the posting returns', async () => {
  await feed(board, id, postings(1, 2, 3))
  const { id: jobId } = (await jobsOf(id))[3]!
  await news()
  expect((await feed(board, id, postings(1, 2))).counts).toEqual(counts({ read: 2, unchanged: 2, missing: 1 }))
  board.clock.advance(47 * HOUR_MS)
  await feed(board, id, postings(1, 2))
  expect(await news()).toEqual([])
  board.clock.advance(HOUR_MS)
  expect((await feed(board, id, postings(1, 2))).counts).toMatchObject({ closed: 1 })
  expect((await feed(board, id, postings(1, 2))).counts).toMatchObject({ closed: 0, missing: 0 })
  expect(await news()).toEqual(['job.updated'])
  expect((await jobsOf(id))[3]).toMatchObject({ is_active: false })
  const run = await feed(board, id, [posting('1'), posting('2'), posting('3', { title: 'Again' })])
  expect(run.counts).toEqual(counts({ read: 3, unchanged: 2, updated: 1, reopened: 1 }))
  expect(await news()).toEqual(['job.updated', 'job.updated'])
  expect((await jobsOf(id))[3]).toMatchObject({ id: jobId, is_active: true, title: 'Again' })
})

describe('a run that lacks many postings', () => {
  test.each([
    ['more than half of the postings are missing', postings(1), 'Missing postings: 2 of 3.'],
    ['the document has no postings', [], 'The document has no postings.'],
  ])('is held if %s, until it is approved', async (_name, document, reason) => {
    await makeClosing()
    await feed(board, id, postings(1, 2, 3))
    await news()
    const held = await feed(board, id, [...document, ...(document.length > 0 ? postings(9) : [])])
    expect(held).toMatchObject({ state: 'held', held_reason: reason, finished_at: null })
    expect(await news()).toEqual([])
    expect((await board.get(`${FEEDS}/${id}`, ADMIN_KEY)).body.data).toMatchObject({ state: 'held' })
    expect(await emails()).toEqual(['feed-held'])
    expectStatus(await board.post(`${FEEDS}/${id}/runs/${held.id}/approve`, ADMIN_KEY), 200)
    await runTask(board, 'feeds')
    const run = (await board.get(`${FEEDS}/${id}/runs/${held.id}`, ADMIN_KEY)).body.data
    expect(run).toMatchObject({ state: 'succeeded', counts: { closed: 3 - document.length } })
    expect((await jobsOf(id))[2]).toMatchObject({ is_active: false })
    expect(await documentParts()).toBe(0)
  })

  test('changes nothing if it is discarded, and fails if a newer document replaces it', async () => {
    await makeClosing()
    await feed(board, id, postings(1, 2, 3))
    const held = await feed(board, id, postings(1))
    expectStatus(await board.post(`${FEEDS}/${id}/runs/${held.id}/discard`, ADMIN_KEY), 200)
    const again = await feed(board, id, postings(1))
    expect(again.state).toBe('held')
    expect((await feed(board, id, postings(1, 2, 3))).counts).toEqual(counts({ read: 3, unchanged: 3 }))
    const replaced = (await board.get(`${FEEDS}/${id}/runs/${again.id}`, ADMIN_KEY)).body.data
    expect(replaced).toMatchObject({ state: 'failed', problems: [{ code: 'superseded' }] })
    expect(Object.values(await jobsOf(id)).every(({ is_active }) => is_active)).toBe(true)
  })

  const makeClosing = async () =>
    expectStatus(await board.put(`${FEEDS}/${id}`, ADMIN_KEY, { close_after_hours: 0 }), 200)
})

const documentParts = async () =>
  (await board.database.read((db) => db.selectFrom('feed_document_part').select('run_id').execute())).length

test('a bad document changes nothing, a bad posting is refused alone, and no job is closed while any posting is unreadable or has no ID', async () => {
  await makeFeed(board)
  expectStatus(await board.put(`${FEEDS}/${id}`, ADMIN_KEY, { close_after_hours: 0 }), 200)
  await feed(board, id, postings(1, 2, 3))
  await news()
  const document = ndjsonOf([posting('9'), ...postings(1, 2, 3)])
  for (const [broken, code] of [
    [document.slice(0, -10), 'cut_document'],
    ['<html>', 'invalid_document'],
  ] as const) {
    expect(await feed(board, id, broken)).toMatchObject({ state: 'failed', problems: [{ external_id: null, code }] })
  }
  expect(await news()).toEqual([])
  const unstorable = ['a\0', 'b\ud800'].map((one) => posting(one))
  const run = await feed(board, id, [
    ...[posting('1'), posting('1'), posting('2', { location: '' }), posting('3'), ...unstorable],
  ])
  expect(run).toMatchObject({
    ...{ state: 'succeeded', counts: counts({ read: 6, unchanged: 2, refused: 4 }) },
    problems: [
      { external_id: '1', code: 'repeated_id' },
      { external_id: '2', code: 'invalid_location' },
      { external_id: 'a', code: 'invalid_id' },
      { external_id: 'b\ufffd', code: 'invalid_id' },
    ],
  })
  // A posting that cannot be read or that has no ID may be any posting, so none counts as missing.
  for (const line of ['broken', '{"title":"Job 3"}']) {
    const unread = await feed(board, id, `${ndjsonOf(postings(1, 2))}${line}\n`)
    expect(unread, line).toMatchObject({ state: 'succeeded', counts: { missing: 0, closed: 0, refused: 1 } })
    expect(unread.problems, line).toMatchObject([{ external_id: null }])
  }
  expect(await news()).toEqual([])
})

test('only the first of two postings with the same reference number in an XML document is imported', async () => {
  const own = (await makeFeed(board, { format: 'indeed_xml' })).id
  const job = (title: string) =>
    `<job><referencenumber>A1</referencenumber><title>${title}</title><city>Leeds</city><description>Text</description></job>`
  const run = await feed(board, own, `<source>${job('Fitter')}${job('Welder')}</source>`)
  expect(run).toMatchObject({
    ...{ state: 'succeeded', counts: counts({ read: 2, created: 1, refused: 1 }) },
    problems: [{ external_id: 'A1', code: 'repeated_id' }],
  })
  expect(Object.values(await jobsOf(own)).map(({ title }) => title)).toEqual(['Fitter'])
})

test('a dry run reports what it would do, and changes nothing', async () => {
  await feed(board, id, postings(1, 2))
  await news()
  const { database, clock } = board
  const runId = expectStatus(await push(board, id, ndjsonOf([posting('1', { title: 'New' }), posting('3')])), 202).body
    .data.id
  await database.inTx((tx) => tx.updateTable('feed_run').set({ dry_run: true }).where('id', '=', runId).execute())
  await runTask(board, 'feeds')
  const run = (await board.get(`${FEEDS}/${id}/runs/${runId}`, ADMIN_KEY)).body.data
  expect(run).toMatchObject({
    state: 'succeeded',
    dry_run: true,
    counts: counts({ read: 2, created: 1, updated: 1, missing: 1 }),
  })
  expect(await news()).toEqual([])
  expect((await feed(board, id, postings(1, 2))).counts).toEqual(counts({ read: 2, unchanged: 2 }))
  expect(clock.now()).toBeInstanceOf(Date)
})

test('two feeds may have postings with the same ID', async () => {
  const other = (await makeFeed(board)).id
  await feed(board, id, postings(1))
  await feed(board, other, [posting('1', { title: 'Other' })])
  expect((await jobsOf(id))[1]!.title).toBe('Job 1')
  expect((await jobsOf(other))[1]!.title).toBe('Other')
})

test('a job that the operator removed stays off the board, even when its posting is back', async () => {
  expectStatus(await board.put(`${FEEDS}/${id}`, ADMIN_KEY, { close_after_hours: 0 }), 200)
  await feed(board, id, postings(1, 2, 3))
  const job = (await jobsOf(id))[1]!
  const candidate = await board.candidate()
  const reported = await board.post(`/v1/jobs/${job.id}/reports`, candidate.key, { reason: 'spam', message: 'Spam' })
  const report = expectStatus(reported, 201).body.data
  expectStatus(await board.post(`/v1/admin/reports/${report.id}/uphold`, ADMIN_KEY, { reason: 'Spam' }), 200)
  await feed(board, id, [posting('1', { title: 'Changed' }), ...postings(2, 3)])
  await feed(board, id, postings(2, 3))
  const run = await feed(board, id, postings(1, 2, 3))
  expect(run.counts).toMatchObject({ reopened: 0 })
  expect((await jobsOf(id))[1]!.is_active).toBe(false)
  // Once restored, the job is on the board again.
  expectStatus(await board.post(`/v1/admin/jobs/${job.id}/restore`, ADMIN_KEY, {}), 200)
  expect((await jobsOf(id))[1]!.is_active).toBe(true)
})

test('a job of a feed can be closed, and then stays closed, but it cannot be edited or deleted', async () => {
  await feed(board, id, postings(1))
  const job = (await jobsOf(id))[1]!
  const path = `/v1/jobs/${job.id}`
  const change = await board.put(path, ADMIN_KEY, { title: 'By hand' })
  expect([change.status, change.body.code, change.body.feed_id]).toEqual([409, 'fed_job', id])
  expectStatus(await board.put(path, ADMIN_KEY, { title: job.title }), 200)
  expect((await board.delete(path, ADMIN_KEY)).body.code).toBe('fed_job')
  expectStatus(await board.post(`${path}/close`, ADMIN_KEY, {}), 200)
  expect((await board.post(`${path}/reopen`, ADMIN_KEY, {})).body.code).toBe('fed_job')
  await feed(board, id, [posting('1', { title: 'New' })])
  expect((await jobsOf(id))[1]).toMatchObject({ title: 'New', is_active: false })
})

test('jobs without a deadline are extended while their postings are present, and reactivated if they have expired', async () => {
  await feed(board, id, postings(1))
  await news()
  board.clock.advance(31 * DAY_MS)
  await feed(board, id, postings(1))
  expect(await news()).toEqual(['job.updated'])
  const expires_at = new Date(board.clock.time + 60 * DAY_MS).toISOString()
  expect((await jobsOf(id))[1]).toMatchObject({ expires_at })
  board.clock.advance(61 * DAY_MS)
  expect((await jobsOf(id))[1]!.is_active).toBe(false)
  await feed(board, id, postings(1))
  expect(await news()).toEqual(['job.expired', 'job.updated'])
  expect((await jobsOf(id))[1]!.is_active).toBe(true)
})

test("an employer's jobs need a payment unless the feed is prepaid, and do not change while the account is suspended", async () => {
  const employer = await board.employer({ name: 'Gearwright' })
  const own = (await makeFeed(board, {}, employer.key)).id
  await feed(board, own, postings(1), employer.key)
  expect((await jobsOf(own))[1]).toMatchObject({ company: 'Gearwright', employer_id: employer.id, is_active: false })
  const refused = await board.put(`${FEEDS}/${own}`, employer.key, { is_prepaid: true })
  expect(refused.status).toBe(422)
  expectStatus(await board.put(`${FEEDS}/${own}`, ADMIN_KEY, { is_prepaid: true }), 200)
  await feed(board, own, postings(1, 2), employer.key)
  expect((await jobsOf(own))[2]).toMatchObject({ is_active: true })
  expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/suspend`, ADMIN_KEY, { reason: 'Fraud' }), 200)
  expectStatus(await push(board, own, ndjsonOf(postings(1, 2, 3))), 202)
  await runTask(board, 'feeds')
  expect(Object.keys(await jobsOf(own)).sort()).toEqual(['1', '2'])
  expectStatus(await board.post(`/v1/admin/accounts/${employer.id}/resume`, ADMIN_KEY, {}), 200)
  await runTask(board, 'feeds')
  expect((await jobsOf(own))[3]).toMatchObject({ is_active: true })
})

test('a feed of a closed account does not run', async () => {
  const employer = await board.employer()
  const own = (await makeFeed(board, {}, employer.key)).id
  expectStatus(await push(board, own, ndjsonOf(postings(1)), employer.key), 202)
  expectStatus(await board.delete('/v1/employers/profile', employer.key), 204)
  await runTask(board, 'feeds')
  expect(await jobsOf(own)).toEqual({})
  expectStatus(await board.delete(`${FEEDS}/${own}`, ADMIN_KEY), 204)
})

test('a run that is stopped at any point has the same result as an uninterrupted run, and two processes never share a run', async () => {
  const many = Array.from({ length: 600 }, (_, n) => posting(String(n).padStart(3, '0')))
  const changed = [...many.slice(0, 590).map((one) => ({ ...one, location: 'Halle' })), posting('new')]
  const deps = {
    ...board,
    settings: { origin: 'https://board.example', defaultCurrency: 'USD' },
    isFree: false,
  } as never
  expectStatus(await board.put(`${FEEDS}/${id}`, ADMIN_KEY, { close_after_hours: 0 }), 200)
  await feed(board, id, many)
  await news()
  const runId = expectStatus(await push(board, id, ndjsonOf(changed)), 202).body.data.id
  let attempts = 0
  for (let ended: unknown; !ended; attempts++) {
    // Each attempt stops the process at a later check of the signal.
    let left = attempts
    const ending = {
      get aborted() {
        return left-- <= 0
      },
    } as AbortSignal
    ended = await runNext(deps, { ending })
    if (ended) break
    const rival = { now: board.clock.now(), until: board.clock.now(), lease: 'rival' }
    // The stopped process ended its lease at the current time, so a claim at an earlier time fails.
    if (attempts === 1)
      expect(await board.database.inTx((tx) => claimRun(tx, { ...rival, now: new Date(0) }))).toBeUndefined()
  }
  expect(attempts).toBeGreaterThan(5)
  const run = (await board.get(`${FEEDS}/${id}/runs/${runId}`, ADMIN_KEY)).body.data
  expect(run).toMatchObject({
    state: 'succeeded',
    counts: counts({ read: 591, created: 1, updated: 590, missing: 10, closed: 10 }),
  })
  const events = await news()
  expect([events.filter((type) => type === 'job.created').length, events.length]).toEqual([1, 601])
  expect(await documentParts()).toBe(0)
})

/** A model of the board's expected state, which receives one document at a time. */
class Model {
  readonly postings = new Map<string, { title: string; missingSince: number | null; isClosed: boolean }>()
  held: ReadonlyMap<string, string> | undefined

  /** Applies a document and returns its events, or undefined if its run is held. */
  apply(document: ReadonlyMap<string, string>, now: number, isApproved = false): string[] | undefined {
    this.held = undefined
    const present = [...this.postings].filter(([, { missingSince }]) => missingSince === null)
    const lost = present.filter(([external]) => !document.has(external))
    if (lost.length * 2 > present.length && !isApproved) {
      this.held = document
      return undefined
    }
    const events: string[] = []
    for (const [external, title] of document) {
      const known = this.postings.get(external)
      if (!known) events.push('job.created')
      else if (known.title !== title) events.push('job.updated')
      if (known?.isClosed) events.push('job.updated')
      this.postings.set(external, { title, missingSince: null, isClosed: false })
    }
    for (const [external, posting] of this.postings) {
      if (document.has(external)) continue
      posting.missingSince ??= now
      if (posting.isClosed || posting.missingSince > now - DAY_MS) continue
      posting.isClosed = true
      events.push('job.updated')
    }
    return events
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      titles: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('X', 'Y')),
      killedAt: fc.nat(4),
    }),
  },
  { weight: 2, arbitrary: fc.constant('cut' as const) },
  { weight: 2, arbitrary: fc.constantFrom('approve' as const, 'discard' as const) },
  { weight: 2, arbitrary: fc.constant('wait' as const) },
)

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

test('after any documents, failures, stops and decisions, the board matches a simple model, with one event per change', async () => {
  const settings = { origin: 'https://board.example', defaultCurrency: 'USD' }
  const deps = { ...board, settings, isFree: false } as never
  const check = async (steps: readonly Step[]) => {
    const feedId = (await makeFeed(board, { close_after_hours: 24 })).id
    const model = new Model()
    let heldId = ''
    await news()
    for (const one of steps) {
      let expected: string[] | undefined = []
      if (one === 'wait') board.clock.advance(DAY_MS)
      else if (one === 'cut') {
        await feed(board, feedId, '{"id":')
        model.held = undefined
      } else if (typeof one === 'string') {
        const { held } = model
        if (!held) continue
        expectStatus(await board.post(`${FEEDS}/${feedId}/runs/${heldId}/${one}`, ADMIN_KEY), 200)
        await runTask(board, 'feeds')
        model.held = undefined
        if (one === 'approve') expected = model.apply(held, board.clock.time, true)
      } else {
        const document = Object.entries(one.titles).map(([external, title]) => posting(external, { title }))
        heldId = expectStatus(await push(board, feedId, ndjsonOf(document)), 202).body.data.id
        // The process stops after `killedAt` checks of the signal, and the next process continues.
        let left = one.killedAt
        const ending = {
          get aborted() {
            return left-- === 0
          },
        } as AbortSignal
        await runNext(deps, { ending })
        await runTask(board, 'feeds')
        expected = model.apply(new Map(Object.entries(one.titles)), board.clock.time)
      }
      expect((await news()).sort()).toEqual((expected ?? []).sort())
      const jobs = Object.entries(await jobsOf(feedId)).map(([external, { title, is_active }]) => [
        external,
        title,
        is_active,
      ])
      const wanted = [...model.postings].map(([external, { title, isClosed }]) => [external, title, !isClosed])
      expect(jobs.sort()).toEqual(wanted.sort())
    }
    // Only a held run still needs its document.
    if (model.held) expectStatus(await board.post(`${FEEDS}/${feedId}/runs/${heldId}/discard`, ADMIN_KEY), 200)
    expect(await documentParts()).toBe(0)
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), check), { numRuns: 5 })
})

test('deleting a feed closes or keeps its jobs', async () => {
  await feed(board, id, postings(1))
  const kept = (await makeFeed(board)).id
  await feed(board, kept, postings(1))
  const [closed, free] = [(await jobsOf(id))[1]!, (await jobsOf(kept))[1]!]
  expectStatus(await board.delete(`${FEEDS}/${id}`, ADMIN_KEY), 204)
  expectStatus(await board.delete(`${FEEDS}/${kept}?jobs=keep`, ADMIN_KEY), 204)
  expect((await board.get(`/v1/jobs/${closed.id}`, ADMIN_KEY)).body.data.is_active).toBe(false)
  expect((await board.get(`/v1/jobs/${free.id}`, ADMIN_KEY)).body.data.is_active).toBe(true)
  expectStatus(await board.put(`/v1/jobs/${free.id}`, ADMIN_KEY, { title: 'By hand' }), 200)
})

test('unlisted postings count toward the maximum number of postings', async () => {
  const { id } = await makeFeed(board, { format: 'ashby', board: 'voltaire' })
  const run = await feed(board, id, `{"jobs":[${'{"isListed":false},'.repeat(250_000)}{}]}`)
  expect([run.state, run.problems[0].code]).toEqual(['failed', 'too_many_postings'])
})

describe('fetching', () => {
  const receivers = new Receivers()
  let authority: Certificate
  beforeAll(async () => {
    authority = await makeCertificate(['Authority of the tests'], { isAuthority: true })
    receivers.certificate = await makeCertificate(['jobs.example'], { authority })
  })
  afterEach(() => receivers.close())

  /** Serves documents, and returns functions that run the feed and show its state. */
  async function serve(answer: Parameters<typeof receivers.https>[0], robots = '') {
    const host = await receivers.https((response, request) => {
      if (request.path !== '/robots.txt') return answer?.(response, request)
      response.writeHead(robots === '' ? 404 : 200).end(robots)
    })
    const waits: number[] = []
    const pace = new Pace(async (ms) => waits.push(ms))
    const asked = () => host.received.filter(({ path }) => path !== '/robots.txt')
    const lookup = async (name: string) => [{ address: name === 'jobs.example' ? '127.0.0.1' : '10.0.0.1', family: 4 }]
    const guard = createGuard({ allowCidrs: ['127.0.0.0/8'], lookup })
    const connections = new Connections({ guard, ca: authority.cert, connectMs: 5_000 })
    const settings = { origin: 'https://board.example', defaultCurrency: 'USD' }
    const deps = {
      database: board.database,
      clock: board.clock,
      settings,
      fetching: { guard, connections, pace },
      isFree: false,
    }
    const url = `https://jobs.example:${host.port}/jobs`
    await board.database.inTx((tx) => tx.updateTable('feed').set({ url }).where('id', '=', id).execute())
    const run = async () => {
      const created = expectStatus(await board.post(`${FEEDS}/${id}/runs`, ADMIN_KEY, {}), 202).body.data
      return runNext(deps, { onlyId: created.id })
    }
    const show = async () => (await board.get(`${FEEDS}/${id}`, ADMIN_KEY)).body.data
    return { host, asked, waits, run, show }
  }

  /** Advances the clock, and runs the task while this feed is not due. */
  const outlast = async (ms: number) => {
    board.clock.advance(ms)
    await board.database.inTx((tx) => tx.updateTable('feed').set({ next_run_at: null }).where('id', '=', id).execute())
    await runTask(board, 'feeds')
    await board.database.inTx((tx) =>
      tx
        .updateTable('feed')
        .set({ next_run_at: new Date(8e12) })
        .where('id', '=', id)
        .execute(),
    )
  }
  const health = () => board.database.read(getFeedHealth)

  test('requests only newer documents, and decompresses them', async () => {
    const document = gzipSync(ndjsonOf(postings(1, 2)))
    const { asked, run, show } = await serve((response, request) => {
      if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304).end()
      response.writeHead(200, { 'content-encoding': 'gzip', etag: '"v1"' }).end(document)
    })
    expect(await run()).toMatchObject({ state: 'succeeded', counts: { created: 2 } })
    expect(await run()).toMatchObject({ state: 'succeeded', counts: { read: 0, unchanged: 2 } })
    expect(asked().map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"'])
    expect(await show()).toMatchObject({ state: 'idle', job_count: 2 })
  })

  test('fetches the pages of a sitemap one at a time, and closes the jobs of missing pages', async () => {
    const page = (title: string) =>
      `<script type="application/ld+json">${JSON.stringify({
        ...{ '@type': 'JobPosting', title, hiringOrganization: 'Voltaire', description: 'Text' },
        jobLocation: { address: 'Turin' },
      })}</script>`
    const pages: Record<string, string> = {
      '/jobs': '<urlset><loc>/a</loc><loc>/b</loc><loc>/c</loc><loc>https://10.0.0.1/</loc></urlset>',
      ...{ '/a': page('A'), '/b': page('B'), '/c': page('C') },
    }
    let [open, most] = [0, 0]
    const robots = 'User-agent: *\nCrawl-delay: 9\n\nUser-agent: JobMarketplace-Feeds\nCrawl-delay: 20'
    const { host, waits, run } = await serve((response, { path }) => {
      most = Math.max(most, ++open)
      response.on('close', () => (open -= 1))
      if (path === '/c' && pages['/c'] === '') return response.writeHead(302, { location: 'https://10.0.0.1/' }).end()
      const body = pages[path]
      return response.writeHead(body === undefined ? 410 : body === '' ? 500 : 200).end(body)
    }, robots)
    const closing = { format: 'job_posting', close_after_hours: 0 }
    await board.database.inTx((tx) => tx.updateTable('feed').set(closing).where('id', '=', id).execute())
    expect(await run()).toMatchObject({ state: 'succeeded', counts: { read: 3, created: 3 } })
    expect([host.received.map(({ path }) => path), most]).toEqual([['/robots.txt', '/jobs', '/a', '/b', '/c'], 1])
    // The host asks for a pause between requests.
    expect(waits.map((ms) => ms > 9_000)).toEqual([true, true, true, true])
    // A page that cannot be fetched fails the whole run. A page that redirects to another host counts as missing, and
    // ends only its own posting.
    pages['/b'] = ''
    expect(await run()).toMatchObject({ state: 'failed', problems: [{ code: 'http_status' }], counts: { closed: 0 } })
    pages['/b'] = page('B')
    pages['/c'] = ''
    expect(await run()).toMatchObject({ state: 'succeeded', counts: { read: 2, unchanged: 2, closed: 1 } })
    delete pages['/jobs']
    expect(await run()).toMatchObject({ state: 'failed', problems: [{ detail: 'The host responded with 410.' }] })
    expect(Object.values(await jobsOf(id)).filter(({ is_active }) => is_active)).toHaveLength(2)
  })

  test('paces requests to the host to which it redirects as if it fetched that host directly', async () => {
    const target = await receivers.https((response, { path }) => {
      if (path === '/robots.txt') response.end('User-agent: *\nCrawl-delay: 20')
      else if (path === '/jobs') response.writeHead(307, { location: '/all' }).end()
      else response.end(ndjsonOf(postings(1)))
    })
    const url = `https://jobs.example:${target.port}/jobs`
    const { waits, run } = await serve((response) => response.writeHead(302, { location: url }).end())
    const limits = vi.spyOn(AbortSignal, 'timeout')
    expect(await run()).toMatchObject({ state: 'succeeded', counts: { created: 1 } })
    // Each of the three responses has its own time limit.
    expect(limits.mock.calls.filter(([ms]) => ms === 60_000)).toHaveLength(3)
    limits.mockRestore()
    expect(await run()).toMatchObject({ state: 'succeeded' })
    await board.database.inTx((tx) => tx.updateTable('feed').set({ url }).where('id', '=', id).execute())
    expect(await run()).toMatchObject({ state: 'succeeded' })
    expect(target.received.filter(({ path }) => path === '/robots.txt')).toHaveLength(1)
    // The test does not really wait, so each wait includes those before it.
    expect(waits.map((ms) => Math.ceil(ms / 20_000))).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('does not run at the same time as a feed of the host to which it redirects', async () => {
    const target = await receivers.https((response, request) => {
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end()
      else response.writeHead(200, { etag: '"v1"' }).end(ndjsonOf(postings(1, 2)))
    })
    const url = `https://jobs.example:${target.port}/jobs`
    const { run } = await serve((response) => response.writeHead(302, { location: url }).end())
    expect(await run()).toMatchObject({ state: 'succeeded', counts: { created: 2 } })
    // An unchanged document is enough, for example after an upgrade from a release that did not store the host.
    const unknown = { redirect_host: null }
    await board.database.inTx((tx) => tx.updateTable('feed').set(unknown).where('id', '=', id).execute())
    expect(await run()).toMatchObject({ state: 'succeeded', counts: { read: 0 } })

    const begin = async (feedId: string) =>
      expectStatus(await board.post(`${FEEDS}/${feedId}/runs`, ADMIN_KEY, {}), 202).body.data.id as string
    const claim = (onlyId: string) =>
      board.database.inTx((tx) => {
        const now = board.clock.now()
        return claimRun(tx, { now, until: new Date(now.getTime() + HOUR_MS), lease: onlyId, onlyId })
      })
    const other = await makeFeed(board, { url })
    const [first, second] = [await begin(id), await begin(other.id)]
    expect(await claim(first)).toMatchObject({ state: 'running' })
    expect(await claim(second)).toBeUndefined()
  })

  test('fails if the host sends single bytes until the time limit', async () => {
    const limit = new AbortController()
    const limited = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    let sent = 0
    const { run } = await serve((response) => {
      response.writeHead(200)
      const drip = setInterval(() => {
        response.write(' ')
        if (++sent === 3) limit.abort()
      }, 1)
      response.on('close', () => clearInterval(drip))
    })
    try {
      expect(await run()).toMatchObject({ state: 'failed', problems: [{ code: 'timeout' }], counts: { closed: 0 } })
      expect(limited).toHaveBeenCalledWith(60_000)
    } finally {
      limited.mockRestore()
    }
  })

  test('fails and then pauses longer if the host fails, redirects to a private address or sends a decompression bomb', async () => {
    let answer = (response: ServerResponse): unknown => response.writeHead(503, { 'retry-after': '7200' }).end()
    const { run, show } = await serve((response) => void answer(response))
    const codeOf = async () => (await run())!.problems.map(({ code }) => code)
    const pause = async () => Date.parse((await show()).next_run_at) - board.clock.time
    expect(await codeOf()).toEqual(['http_status'])
    expect(await pause()).toBe(2 * HOUR_MS)
    answer = (response) => response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end()
    expect(await codeOf()).toEqual(['blocked_address'])
    expect(await pause()).toBe(2 * HOUR_MS)
    answer = (response) => response.writeHead(302, { location: 'https://inside.example/' }).end()
    expect(await codeOf()).toEqual(['blocked_address'])
    expect(await pause()).toBe(4 * HOUR_MS)
    const bomb = gzipSync(Buffer.alloc(67_108_865, ' '))
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    expect(await codeOf()).toEqual(['too_large'])
    answer = (response) => response.writeHead(200, { 'content-length': '100' }).write('{}', () => response.destroy())
    expect(await codeOf()).toEqual(['reset'])
    expect(await show()).toMatchObject({ state: 'failing', job_count: 0 })
    // Failing for a day is reported once, and again only after a success.
    expect(await emails()).toEqual([])
    await outlast(DAY_MS)
    expect(await emails()).toEqual(['feed-failing'])
    await codeOf()
    await outlast(DAY_MS)
    expect(await emails()).toEqual(['feed-failing'])
    const { failing } = await health()
    answer = (response) => response.end(ndjsonOf(postings(1)))
    expect(await run()).toMatchObject({ state: 'succeeded' })
    expect((await health()).failing).toBe(failing - 1)
    expect(await documentParts()).toBe(0)
  })
})

test('feeds run when they are due, and again after their interval', async () => {
  // The host name does not resolve, so the runs fail immediately.
  const due = await makeFeed(board, { url: 'https://nowhere.example/jobs', every_minutes: 15 })
  await runTask(board, 'feeds')
  await runTask(board, 'feeds')
  const runs = async () => expectStatus(await board.get(`${FEEDS}/${due.id}/runs`, ADMIN_KEY), 200).body.data
  expect(await runs()).toMatchObject([{ state: 'failed', problems: [{ code: 'dns' }] }])
  board.clock.advance(15 * 60_000)
  await runTask(board, 'feeds')
  expect(await runs()).toHaveLength(2)
})

test('a failing feed does not run more often than its interval', async () => {
  const week = 7 * 24 * 60
  const { id } = await makeFeed(board, { url: 'https://nowhere.example/jobs', every_minutes: week })
  await runTask(board, 'feeds')
  const { data } = expectStatus(await board.get(`${FEEDS}/${id}`, ADMIN_KEY), 200).body
  expect([data.state, Date.parse(data.next_run_at) - board.clock.time]).toEqual(['failing', week * 60_000])
})

test.runIf(isOnPostgres)('claims at the same time do not lease runs of two feeds with the same host', async () => {
  for (const path of ['/one', '/two']) {
    const { id } = await makeFeed(board, { url: `https://both.example${path}` })
    expectStatus(await board.post(`${FEEDS}/${id}/runs`, ADMIN_KEY, {}), 202)
  }
  const { database, clock } = board
  const until = new Date(clock.time + HOUR_MS)
  const claimed = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const first = database.inTx(async (tx) => {
    const run = await claimRun(tx, { now: clock.now(), until, lease: 'first' })
    claimed.resolve()
    await end.promise
    return run
  })
  await claimed.promise
  const second = database.inTx((tx) => claimRun(tx, { now: clock.now(), until, lease: 'second' }))
  const waiting = async () => {
    const { rows } = await database.read((db) =>
      sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(db),
    )
    return rows.length
  }
  await expect.poll(waiting).toBe(1)
  end.resolve()
  expect([await first, await second]).toEqual([expect.objectContaining({ lease: 'first' }), undefined])
})
