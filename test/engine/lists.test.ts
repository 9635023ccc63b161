/**
 * The search engine and the memory of a process return the same lists, after any changes since the engine's position.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { SearchReads } from '../../src/db/search-reads.ts'
import { BoardLists } from '../../src/features/board/index.ts'
import { jobList } from '../../src/features/jobs/index.ts'
import { Exchange } from '../../src/lib/exchange.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { type EngineBase, engineBase } from '../../src/search/engine/base.ts'
import { Engine } from '../../src/search/engine/engine.ts'
import { EngineJobs } from '../../src/search/engine/engine-jobs.ts'
import { Follower } from '../../src/search/engine/follower.ts'
import { Board } from '../../src/search/memory/board.ts'
import { MemoryJobs } from '../../src/search/memory/memory-jobs.ts'
import { ENOUGH } from '../../src/search/memory/search.ts'
import { useBoard } from '../support/board.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { jobSeed, listFilter, listQuery, rateTable, searchWords } from '../support/list-queries.ts'
import { awaitEarlierTransactions } from '../support/search-index.ts'

const searchUrl = inject('searchUrl')
const board = useBoard()
const cursorSecret = new Uint8Array(32)
let engine: Engine
let follower: Follower
let memory: BoardLists
let overlay: Board<EngineBase>
let engineLists: BoardLists
/** Lists from the engine with a low limit on the rows that it sorts. */
let boundedLists: BoardLists
const SORTED_MAX = 12
const MINUTE_MS = 60_000

/** Brings the index up to date. */
async function follow(): Promise<void> {
  while ((await follower.once()) === 'more');
}

beforeAll(async () => {
  if (!searchUrl) return
  const { database, clock, service } = board
  engine = new Engine({ urls: [new URL(searchUrl)], index: `lists-${process.pid}` })
  follower = new Follower({ database, clock, engine, log: { info() {}, warn() {} } })
  const searches = new SearchReads(database, undefined, service.budgets)
  const deps = { database, searches }
  const exchange = new Exchange(rateTable, 'USD')
  const plain = new Board(database, clock)
  overlay = new Board<EngineBase>(database, clock, { base: engineBase(engine, { keptMs: 0 }) })
  for (const followed of [plain, overlay]) followed.use(exchange)
  const origin = 'https://board.example'
  const listsOf = (followed: Board, jobs: MemoryJobs | EngineJobs) =>
    new BoardLists({ database, searches, board: followed, jobs, clock, origin })
  memory = listsOf(plain, new MemoryJobs({ ...deps, board: plain }))
  const jobsWith = (limits: { sortedMax?: number; bestFirstMin?: number }) =>
    new EngineJobs({ ...deps, board: overlay, engine, clock, ...limits })
  engineLists = listsOf(overlay as Board, jobsWith({ bestFirstMin: 2 }))
  boundedLists = listsOf(overlay as Board, jobsWith({ sortedMax: SORTED_MAX }))
})

afterAll(async () => {
  if (!searchUrl) return
  await engine.write({ method: 'DELETE', path: `/${engine.index}-*` })
  await engine.close()
})

const change = fc.record({
  kind: fc.constantFrom('close', 'delete', 'remove', 'expire', 'touch', 'feature', 'fold'),
  at: fc.nat(1_000),
})

async function apply({ kind, at }: { kind: string; at: number }): Promise<void> {
  await board.database.inTx(async (tx) => {
    const { rows } = await sql<{ id: string }>`select id from job where state = 'active' order by id`.execute(tx)
    const id = rows[at % rows.length]?.id
    if (id === undefined) return
    const changes = {
      close: sql`update job set state = 'closed' where id = ${id}`,
      delete: sql`update job set state = 'deleted' where id = ${id}`,
      remove: sql`delete from job where id = ${id}`,
      expire: sql`update job set expires_at = ${board.clock.now()} where id = ${id}`,
      touch: sql`update job set application_count = application_count + 1, remote = not remote where id = ${id}`,
      feature: sql`update job set is_featured = not is_featured where id = ${id}`,
      fold: sql`update job set duplicate_of = (select min(id) from job where id <> ${id}) where id = ${id}`,
    }
    await changes[kind as 'close'].execute(tx)
  })
}

/** Makes a third of the jobs expire within the next three minutes. */
const expireSoon = () =>
  board.database.inTx((tx) =>
    sql`update job set expires_at = ${board.clock.now()}::timestamptz + number % 5 * interval '40 seconds' + interval '1 second'
      where number % 3 = 0`.execute(tx),
  )

interface Answer {
  data: { id: string; distance_miles?: number }[]
  meta: { pagination: { next_cursor: string | null; prev_cursor: string | null } }
}

async function listsOf(lists: BoardLists, raw: Record<string, string>): Promise<Answer> {
  const { query, faults } = parseListQuery(jobList, raw, cursorSecret)
  expect(faults).toEqual([])
  const { body } = await lists.answer('/v1/jobs', query, 'cand_a')
  return JSON.parse(body.toString())
}

const facets = fc.constantFrom('', 'category,remote', 'job_type,experience_level,language,workplace')
const searchOf = (words: readonly string[]) => `search=${encodeURIComponent(words.join(' '))}`
const order = fc.constantFrom('sort=relevance:desc&limit=3', 'sort=relevance:desc,title:asc&limit=3')
/** A search for one word. The engine and memory compute the same scores, bit for bit. */
const wordQuery = fc
  .tuple(searchWords, fc.array(listFilter, { maxLength: 1 }), order)
  .map(([word, filters, order]) => [searchOf([word]), ...filters, order].join('&'))
const asked = fc
  .tuple(fc.oneof(listQuery, wordQuery), facets)
  .map(([query, names]) => (names ? `${query}&facets=${names}` : query))
/**
 * A search for two to five words. The scores of the engine and memory can differ in the last bit, so one page contains
 * all jobs.
 */
const wordsQuery = fc
  .tuple(fc.array(searchWords, { minLength: 2, maxLength: 5 }), fc.array(listFilter, { maxLength: 1 }), facets)
  .map(([words, filters, names]) => [searchOf(words), ...filters, `facets=${names}`, 'limit=100'].join('&'))

/** Compares pages from the engine with pages from memory, forward and backward. */
async function compareLists(queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    for (const start of ['page=1', 'page=2', 'cursor=']) {
      const raw = Object.fromEntries(new URLSearchParams(`${query}&${start}`))
      // A relevance cursor is valid only for the index that returned it.
      let raws = [raw, raw] as const
      for (let step = 0; step < 4; step++) {
        const [mine, theirs] = await Promise.all([listsOf(engineLists, raws[0]), listsOf(memory, raws[1])])
        expect(withoutCursors(mine), JSON.stringify(raw)).toEqual(withoutCursors(theirs))
        const cursors = [mine, theirs].map(({ meta: { pagination } }) =>
          step < 2 ? pagination.next_cursor : pagination.prev_cursor,
        )
        if (cursors[0] === null) break
        const { page: _, ...others } = raw
        raws = [
          { ...others, cursor: cursors[0]! },
          { ...others, cursor: cursors[1]! },
        ]
      }
    }
  }
}

/** Compares the jobs, totals and facets of searches for several words with the results from memory. */
async function compareSearches(searches: readonly string[]): Promise<void> {
  for (const query of searches) {
    const raw = Object.fromEntries(new URLSearchParams(query))
    const [mine, theirs] = await Promise.all([listsOf(engineLists, raw), listsOf(memory, raw)])
    expect({ ...withoutCursors(mine), ids: idsOf(mine).sort() }, query).toEqual({
      ...withoutCursors(theirs),
      ids: idsOf(theirs).sort(),
    })
  }
}

test.skipIf(!searchUrl)(
  'the engine and memory return the same pages, totals, facets and ranks, forward and backward',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(jobSeed, { minLength: 1, maxLength: 30 }),
        fc.array(jobSeed, { maxLength: 12 }),
        fc.array(change, { maxLength: 8 }),
        fc.array(asked, { minLength: 3, maxLength: 8 }),
        fc.array(wordsQuery, { minLength: 2, maxLength: 4 }),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.nat(3 * MINUTE_MS),
        async (before, after, changes, queries, searches, later, elapsed) => {
          await removeJobs(board)
          await insertJobs(board, before)
          await expireSoon()
          await follow()
          await insertJobs(board, after)
          for (const one of changes) await apply(one)
          await compareLists(queries)
          await compareSearches(searches)
          // The process already has the engine's responses to these queries.
          for (const one of later) await apply(one)
          board.clock.advance(elapsed)
          await compareLists(queries)
          await compareSearches(searches)
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 15), endOnFailure: process.env.RUNS !== undefined },
    )
  },
)

test.skipIf(!searchUrl)('a word is corrected if only jobs that left the board contain it', async () => {
  await removeJobs(board)
  const vans = ['Van fitter', 'Van driver', 'Van designer'].map((title) => ({ title }))
  await insertJobs(board, [...vans, { title: 'Bus engineer', skills: ['CAN'] }])
  await follow()
  await board.database.inTx((tx) => sql`update job set state = 'closed' where title like 'Van%'`.execute(tx))
  const raw = { search: 'van', sort: 'relevance' }
  expect((await listsOf(engineLists, raw)).meta).toMatchObject({ search: { corrected: 'can', matched_all: 1 } })
  await compareLists(['search=van&sort=relevance&limit=3'])
})

test.skipIf(!searchUrl)(
  'page numbers have no limit in lists sorted by time or applications, but have one in lists sorted by text',
  async () => {
    await removeJobs(board)
    await insertJobs(
      board,
      Array.from({ length: 60 }, (_, n) => ({
        title: `Job ${n % 7}`,
        posted_at: new Date(board.clock.now().getTime() - (n % 41) * 3_600_000 - (n % 3)).toISOString(),
      })),
    )
    await board.database.inTx((tx) => sql`update job set application_count = number % 23`.execute(tx))
    // The limit applies only to jobs in the index, so the follower adds the jobs first.
    await awaitEarlierTransactions(board.database)
    await follow()
    for (const at of [3, 30]) await apply({ kind: 'touch', at })
    await apply({ kind: 'close', at: 11 })
    for (const sort of [
      'posted_at:desc',
      'posted_at:asc',
      'application_count:desc,title:asc',
      'application_count:asc',
    ]) {
      for (let page = 1; page <= 15; page++) {
        const raw = { sort, limit: '4', page: String(page) }
        const [mine, theirs] = await Promise.all([listsOf(boundedLists, raw), listsOf(memory, raw)])
        expect(withoutCursors(mine), JSON.stringify(raw)).toEqual(withoutCursors(theirs))
        expect(idsOf(mine).length).toBeGreaterThan(page === 15 ? 2 : 3)
      }
    }
    await expect(listsOf(boundedLists, { sort: 'title', limit: '4', page: '5' })).rejects.toMatchObject({ status: 400 })
  },
)

test.skipIf(!searchUrl)(
  'a job with a rare word comes first, although others have the frequent word in the title',
  async () => {
    await removeJobs(board)
    const builders = (length: number, description: string) =>
      Array.from({ length }, () => ({ title: 'Engine builder', description }))
    await insertJobs(board, [
      ...builders(150, 'Any work.'),
      // With this many full matches, a ranking includes no partial matches.
      ...builders(ENOUGH, `Zebra. ${'Any work. '.repeat(300)}`),
      { title: 'Keeper', description: 'Zebra engine.' },
    ])
    await awaitEarlierTransactions(board.database)
    await follow()
    // After this insertion, the process opens the index again, as it does within seconds on PostgreSQL.
    await insertJobs(board, [{ title: 'Later' }])
    for (const limit of ['1', '2']) {
      const raw = { search: 'zebra engine', sort: 'relevance', limit, page: '1' }
      const [mine, theirs] = await Promise.all([listsOf(engineLists, raw), listsOf(memory, raw)])
      expect(mine.data[0]).toMatchObject({ title: 'Keeper' })
      expect(idsOf(mine)).toEqual(idsOf(theirs))
    }
  },
)

test.skipIf(!searchUrl)('the first page of a list, its total and its facets take one request', async () => {
  await removeJobs(board)
  await insertJobs(board, [{ title: 'Engine builder' }, { title: 'Gearbox builder', remote: true }])
  await awaitEarlierTransactions(board.database)
  await follow()
  // Reopens the index. While the board in memory is current enough, a list request reopens it only after its response.
  await overlay.refresh()
  const requests = vi.spyOn(engine, 'search')
  try {
    const { data, meta } = await listsOf(engineLists, { search: 'builder', remote: 'true', facets: 'remote,category' })
    expect([data.length, meta.pagination]).toEqual([1, expect.objectContaining({ total: 1 })])
    expect(requests).toHaveBeenCalledOnce()
  } finally {
    requests.mockRestore()
  }
})

test.skipIf(!searchUrl)('changes to jobs that the index cannot contain do not invalidate cached lists', async () => {
  const change = (id: string, to: string) =>
    board.database.inTx((tx) => sql`update job set ${sql.raw(to)} where id = ${id}`.execute(tx))
  await removeJobs(board)
  const [listed] = await insertJobs(board, [{ title: 'Listed' }])
  await awaitEarlierTransactions(board.database)
  await follow()
  await overlay.refresh()
  const [later] = await insertJobs(board, [{ title: 'Later' }])
  await change(later!, "state = 'closed'")
  await overlay.refresh()
  const { revision } = overlay
  await change(later!, "title = 'Closed later'")
  await overlay.refresh()
  expect(overlay.revision).toBe(revision)
  await change(listed!, "state = 'closed'")
  await overlay.refresh()
  expect(overlay.revision).not.toBe(revision)
})

const idsOf = ({ data }: Answer) => data.map(({ id }) => id)

function withoutCursors({ data, meta }: Answer): object {
  const { next_cursor, prev_cursor, ...pagination } = meta.pagination
  const ids = data.map(({ id, distance_miles }) => [id, distance_miles])
  return { ...meta, ids, pagination, isMore: next_cursor !== null, isLater: prev_cursor !== null }
}
