/** A search with many words used all database connections, and never ended if its words' matches exceeded the cache. */
import { afterEach, expect, test, vi } from 'vitest'
import { Texts } from '../../src/search/memory/texts.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'

const board = useBoard()
afterEach(() => vi.restoreAllMocks())

test('a search is refused if the matches of its words do not fit into the cache', async () => {
  await insertJobs(board, [{ title: 'Welder' }])
  vi.spyOn(Texts.prototype, 'find').mockReturnValue(undefined)
  const answer = await board.get('/v1/jobs?search=welder', ADMIN_KEY)
  expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '2'])
})

test('a search uses at most four connections while it looks up many words', async () => {
  await insertJobs(board, [{ title: 'Fitter' }])
  const read = board.database.read.bind(board.database)
  let [asking, most] = [0, 0]
  vi.spyOn(board.database, 'read').mockImplementation(async (question) => {
    most = Math.max(most, ++asking)
    return read(question).finally(() => asking--)
  })
  const words = Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ')
  const answer = await board.get(`/v1/jobs?sort=relevance&search=${encodeURIComponent(`fitter ${words}`)}`, ADMIN_KEY)
  expect(answer.body.meta.pagination.total).toBe(1)
  // The search may use up to four connections, and the service's other work may use one.
  expect(most).toBeLessThanOrEqual(5)
})
