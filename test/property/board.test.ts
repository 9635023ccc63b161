/** The in-memory board and the database return the same lists over HTTP. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { jobSeed, listQuery, rateTable } from '../support/list-queries.ts'

const board = useBoard()
beforeAll(async () => {
  expectStatus(await board.put('/v1/admin/currency-rates', ADMIN_KEY, rateTable), 200)
  // Searches then use the words in memory, except for phrases outside titles.
  await board.service.tasks.find(({ name }) => name === 'board-words')!.once()
})

/** GET /v1/employers/jobs reads an admin's list from the database. */
const inDatabase = (query: string) => board.get(`/v1/employers/jobs?state=active&${query}`, ADMIN_KEY)
const inMemory = (query: string) => board.get(`/v1/jobs?${query}`, ADMIN_KEY)

test('the board and the database return the same pages, totals and cursors, forward and backward', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(jobSeed, { minLength: 1, maxLength: 25 }),
      fc.array(listQuery, { minLength: 1, maxLength: 6 }),
      async (seeds, queries) => {
        await removeJobs(board)
        await insertJobs(board, seeds)
        for (const asked of queries) {
          let [here, there] = ['', '']
          for (const [style, way] of [
            ['page=1', 'next_cursor'],
            ['page=2', 'next_cursor'],
            ['cursor=', 'prev_cursor'],
          ] as const) {
            ;[here, there] = [style, style]
            for (let step = 0; step < 4 && here !== ''; step++) {
              const [mine, theirs] = [
                expectStatus(await inMemory(`${asked}&${here}`), 200).body,
                expectStatus(await inDatabase(`${asked}&${there}`), 200).body,
              ]
              const shown = ({ data }: { data: { id: string; distance_miles?: number }[] }) =>
                data.map(({ id, distance_miles }) => [id, distance_miles])
              expect(shown(mine), `${asked}&${here}`).toEqual(shown(theirs))
              const { next_cursor, prev_cursor, ...plain } = mine.meta.pagination
              const { next_cursor: next, prev_cursor: previous, ...expected } = theirs.meta.pagination
              expect(plain).toEqual(expected)
              expect([next_cursor === null, prev_cursor === null]).toEqual([next === null, previous === null])
              // The last walk goes to the second page, if there is one, and then back.
              const isBack = way === 'prev_cursor' && step > 0
              here = isBack ? cursorOf(prev_cursor) : cursorOf(next_cursor)
              there = isBack ? cursorOf(previous) : cursorOf(next)
            }
          }
        }
      },
    ),
    { numRuns: 25 },
  )
})

const cursorOf = (cursor: string | null) => (cursor === null ? '' : `cursor=${cursor}`)
