/** The list of candidates is read in two parts, but its pages form one list, in every order and direction. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { insertApplication } from '../support/applications.ts'
import { type Account, useBoard } from '../support/board.ts'
import { candidateWith } from '../support/candidates.ts'
import { idsOf } from '../support/collection.ts'

const board = useBoard()
let employer: Account
/** The visible candidates, in order of registration. */
const visible: { id: string; last_name: string; time: number }[] = []

beforeAll(async () => {
  employer = await board.employer()
  const names = ['Zu', 'ä', 'B', 'a']
  for (let i = 0; i < 24; i++) {
    // Some candidates share a time, and some share a name.
    if (i % 3 === 0) board.clock.advance(1_000)
    const last_name = names[i % 4]!
    const is_searchable = i % 2 === 0
    const candidate = await candidateWith(board, { last_name, is_searchable })
    const isOwn = i % 5 < 2
    if (isOwn) await insertApplication(board, candidate, employer)
    if (isOwn || is_searchable) visible.push({ id: candidate.id, last_name, time: board.clock.time })
  }
})

const folded: Record<string, number> = { a: 0, ä: 0, B: 1, Zu: 2 }
const orders = {
  last_active: (one: (typeof visible)[number]) => one.time,
  last_name: (one: (typeof visible)[number]) => folded[one.last_name]!,
}

test('the pages form the complete list, with each candidate once', async () => {
  const sorts = fc.constantFrom<(keyof typeof orders)[]>(['last_active'], ['last_name'], ['last_name', 'last_active'])
  const directions = fc.tuple(fc.constantFrom(1, -1), fc.constantFrom(1, -1))
  await fc.assert(
    fc.asyncProperty(sorts, directions, fc.integer({ min: 1, max: 30 }), async (sort, signs, limit) => {
      const expected = visible
        .toSorted((a, b) => {
          for (const [index, field] of sort.entries()) {
            const difference = orders[field](a) - orders[field](b)
            if (difference !== 0) return difference * signs[index]!
          }
          return (a.id < b.id ? -1 : 1) * signs[sort.length - 1]!
        })
        .map(({ id }) => id)
      const terms = sort.map((field, index) => `${field}:${signs[index] === 1 ? 'asc' : 'desc'}`)
      const get = (more: string) =>
        board.get(`/v1/candidates?sort=${terms.join(',')}&limit=${limit}&${more}`, employer.key)
      const byPage: string[] = []
      for (let page = 1; page <= Math.ceil(expected.length / limit); page++) {
        const answer = await get(`page=${page}`)
        byPage.push(...idsOf(answer))
        expect(answer.body.meta.pagination.total).toBe(expected.length)
      }
      expect(byPage).toEqual(expected)
      const forward: string[] = []
      let last = await get('cursor=')
      for (;;) {
        forward.push(...idsOf(last))
        const { next_cursor } = last.body.meta.pagination
        if (next_cursor === null) break
        last = await get(`cursor=${next_cursor}`)
      }
      expect(forward).toEqual(expected)
      const backward = idsOf(last)
      for (let { prev_cursor } = last.body.meta.pagination; prev_cursor !== null; ) {
        const answer = await get(`cursor=${prev_cursor}`)
        backward.unshift(...idsOf(answer))
        prev_cursor = answer.body.meta.pagination.prev_cursor
      }
      expect(backward).toEqual(expected)
    }),
    { numRuns: 20 },
  )
})
