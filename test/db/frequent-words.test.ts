/** Precomputed matches of frequent words on the board. */
import { beforeAll, expect, test, vi } from 'vitest'
import { SearchReads } from '../../src/db/search-reads.ts'
import { BoardLists } from '../../src/features/board/index.ts'
import { plainJobList } from '../../src/features/jobs/index.ts'
import { systemClock } from '../../src/lib/time.ts'
import { parseListQuery } from '../../src/lists/query.ts'
import { Board } from '../../src/search/memory/board.ts'
import { findMatching } from '../../src/search/memory/queries.ts'
import { conditionsOf, searchOf } from '../../src/search/memory/search.ts'
import { useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'

const board = useBoard()
const JOBS = 2_100

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
  const lists = new BoardLists({
    database,
    searches,
    board: followed,
    clock: systemClock,
    cursorSecret: new Uint8Array(32),
    origin,
  })
  return { followed, lists }
}

test('frequent words have exactly the precomputed matches that a search would find, and rare words have none', async () => {
  const { followed, lists } = follow()
  await lists.learnWords()
  const index = await followed.current()
  // The company name also matches every job.
  for (const text of ['motors', 'Motors ', 'imported']) {
    for (const { condition } of conditionsOf(searchOf(text), true)) {
      const learnt = index.texts.find(condition, true)!
      const [numbers] = await board.database.read((db) => findMatching(db, [condition.operand]))
      expect(learnt.fits!.length, text).toBe(numbers!.length / 4)
      // Searches with and without scores use the same entry.
      expect(index.texts.find(condition, false)).toBe(learnt)
    }
  }
  const [rare] = conditionsOf(searchOf('rare'), true)
  expect(index.texts.find(rare!.condition, true)).toBeUndefined()
})

test('unknown short words need no query until a job contains them', async () => {
  const { followed, lists } = follow()
  await lists.learnWords()
  const asked = vi.spyOn(board.database, 'readInSession')
  const total = async (search: string) => {
    const { query } = parseListQuery(plainJobList, { search, sort: 'relevance' }, new Uint8Array(32))
    const answer = await lists.answer('/v1/jobs', query, 'cand_a')
    return JSON.parse(answer.body.toString()).meta.pagination.total
  }
  expect(await total('qzx qzy -qzz "qxz qxy" qyy')).toBe(0)
  expect(asked).not.toHaveBeenCalled()
  await insertJobs(board, [{ title: 'Qzx fitter' }])
  await followed.refresh()
  expect(await total('qzx')).toBe(1)
  expect(asked).toHaveBeenCalled()
  asked.mockRestore()
})
