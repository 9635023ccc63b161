/** The words of the board in memory. Once a process has loaded them, searches for words need no query. */
import { sql } from 'kysely'
import { beforeAll, expect, test, vi } from 'vitest'
import { SearchReads } from '../../src/db/search-reads.ts'
import { BoardLists } from '../../src/features/board/index.ts'
import { plainJobList } from '../../src/features/jobs/index.ts'
import { systemClock } from '../../src/lib/time.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { Board } from '../../src/search/memory/board.ts'
import { MemoryJobs } from '../../src/search/memory/memory-jobs.ts'
import { searchQuery } from '../../src/search/text/words.ts'
import { useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'

const board = useBoard()
const JOBS = 1_200

beforeAll(async () => {
  const seeds = Array.from({ length: JOBS }, (_, n) => ({
    title: n < 100 ? 'Rare Batteries' : n % 2 ? 'Batteries' : 'Battery Mechanic',
  }))
  for (let from = 0; from < JOBS; from += 300) await insertJobs(board, seeds.slice(from, from + 300))
})

function follow() {
  const { database, clock, service } = board
  const followed = new Board(database, clock)
  const searches = new SearchReads(database, undefined, service.budgets)
  const origin = 'https://board.example'
  const cursorSecret = new Uint8Array(32)
  const jobs = new MemoryJobs({ database, searches, board: followed })
  const lists = new BoardLists({ database, searches, board: followed, jobs, clock: systemClock, origin })
  const total = async (search: string, order: Record<string, string> = { sort: 'relevance' }): Promise<number> => {
    const { query } = parseListQuery(plainJobList, { search, ...order }, cursorSecret)
    const { body } = await lists.answer('/v1/jobs', query, 'cand_a')
    return JSON.parse(body.toString()).meta.pagination.total
  }
  return { followed, lists, total }
}

async function count(search: string): Promise<number> {
  const { rows } = await board.database.read((db) =>
    sql<{ jobs: number }>`
      select count(*)::int as jobs from job_search where search @@ ${searchQuery(search)}::tsquery`.execute(db),
  )
  return rows[0]!.jobs
}

const isWords = (rows: unknown) => Array.isArray(rows) && rows.length > 0 && 'vector' in rows[0]

const SEARCHES = ['battery', 'Batteries ', 'mech', 'rare batteries ', 'mechanic -rare', 'imported or turin', 'qzx qzy']

test('searches for words match without a query, and find as many jobs as the database does', async () => {
  const { lists, total } = follow()
  await lists.prepare()
  const asked = vi.spyOn(board.database, 'readInSession')
  const found = []
  for (const search of SEARCHES) found.push([await total(search), await total(search, { sort: 'posted_at' })])
  // The searches above query only the jobs on their pages. The next search has no results, so it sends no query.
  const counted = await Promise.all(SEARCHES.map(count))
  expect(found.map(([, newest]) => newest)).toEqual(counted)
  expect(found[0]).toEqual([JOBS, JOBS])
  asked.mockClear()
  expect(await total('qzx qzy -qzz qyy')).toBe(0)
  expect(asked).not.toHaveBeenCalled()
  await insertJobs(board, [{ title: 'Qzx fitter' }])
  expect(await total('qzx')).toBe(1)
  // Only titles and skills have positions in memory, so a phrase in other fields needs a query.
  expect(await total('"imported motors"')).toBe(JOBS + 1)
  expect(asked).toHaveBeenCalled()
  asked.mockRestore()
})

test('searches see jobs that change while the words are loading', async () => {
  const { followed, lists, total } = follow()
  const before = await total('battery')
  const read = board.database.read.bind(board.database)
  let isFirst = true
  const reading = vi.spyOn(board.database, 'read').mockImplementation(async (question) => {
    const rows = await read(question)
    // Ignores other reads: a refresh of the board also reads, and would wait for itself here.
    if (isFirst && isWords(rows)) {
      isFirst = false
      await insertJobs(board, [{ title: 'Zyzzyva keeper' }])
      await board.database.inTx((tx) =>
        sql`update job set search = '''yttrium'':1A' where id = (select min(id) from job)`.execute(tx),
      )
      await followed.refresh()
    }
    return rows
  })
  await lists.prepare()
  reading.mockRestore()
  expect(isFirst).toBe(false)
  expect(await total('zyzzyva ')).toBe(1)
  expect(await total('yttrium ')).toBe(1)
  expect([await total('battery'), await count('battery')]).toEqual([before - 1, before - 1])
})
