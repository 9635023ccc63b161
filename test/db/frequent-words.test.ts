/** What is learnt about the words of the board before somebody searches for them. */
import { beforeAll, expect, test } from 'vitest'
import { Board } from '../../src/board/board.ts'
import { findMatching } from '../../src/board/queries.ts'
import { conditionsOf, searchOf } from '../../src/board/search.ts'
import { BoardLists } from '../../src/features/jobs/index.ts'
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

test('frequent words are known without a search, and as well as by one; others are not', async () => {
  const followed = new Board(board.database, board.clock)
  const lists = new BoardLists({
    database: board.database,
    board: followed,
    cursorSecret: new Uint8Array(32),
    origin: 'https://board.example',
  })
  await lists.learnFrequentWords()
  const index = await followed.current()
  // The company has a word in each of them too.
  for (const text of ['motors', 'Motors ', 'imported']) {
    for (const { condition } of conditionsOf(searchOf(text), true)) {
      const learnt = index.texts.find(condition, true)!
      const numbers = (await board.database.read((db) => findMatching(db, condition.operand)))!
      expect(learnt.fits!.length, text).toBe(numbers.length / 4)
      // Whether is known with how closely.
      expect(index.texts.find(condition, false)).toBe(learnt)
    }
  }
  const [rare] = conditionsOf(searchOf('rare'), true)
  expect(index.texts.find(rare!.condition, true)).toBeUndefined()
})
