/** Compares any walk through any list, during insertions and deletions, with a sorted array. */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, useBoard } from '../support/board.ts'
import { insertJobs, type JobSeed, removeJobs } from '../support/jobs.ts'

const board = useBoard()
let reader: Account
beforeAll(async () => {
  reader = await board.candidate()
})

/**
 * Few distinct values, to make ties frequent. The groups are in order, except that digits sort first. Texts in one
 * group sort as equal.
 */
const texts = [['Adler', 'ÁDLER', 'adler'], ['b'], ['Öl', 'ol'], ['Zug'], ['щука', 'Щука'], ['\u{1D7D9}', '1']]
const text = fc.constantFrom(...texts.flat())
/** Returns the rank of a text: digits first, then the order of `texts`. */
const rankOf = (value: string) => {
  const group = texts.findIndex((equals) => equals.includes(value))
  return group === texts.length - 1 ? -1 : group
}
const salaries = [null, { min: 0 }, { max: 12 }, { min: 1, max: 1, period: 'month' }, { min: 5, max: 90 }] as const
const annualTops = [null, 0, 12, 12, 90]

interface Row {
  id: string
  title: number
  location: number
  company_name: number
  posted_at: number
  application_count: number
  salary: number | null
}
type Field = Exclude<keyof Row, 'id'>
const fields: Field[] = ['title', 'location', 'company_name', 'posted_at', 'application_count', 'salary']

const seed = fc.record({
  title: text,
  location: text,
  company: text,
  minute: fc.nat(3),
  applications: fc.nat(2),
  salary: fc.nat(salaries.length - 1),
})
type Seed = typeof seed extends fc.Arbitrary<infer T> ? T : never

async function insert(seeds: readonly Seed[]): Promise<Row[]> {
  const jobs = seeds.map(({ title, location, company, minute, applications, salary }): JobSeed => {
    const posted_at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
    return { title, location, company, posted_at, application_count: applications, salary: salaries[salary]! }
  })
  const ids = await insertJobs(board, jobs)
  return seeds.map(({ title, location, company, minute, applications, salary }, index) => ({
    id: ids[index]!,
    title: rankOf(title),
    location: rankOf(location),
    company_name: rankOf(company),
    posted_at: minute,
    application_count: applications,
    salary: annualTops[salary]!,
  }))
}

type Term = { field: Field; direction: 'asc' | 'desc' }
const sort: fc.Arbitrary<Term[]> = fc
  .uniqueArray(fc.constantFrom(...fields), { minLength: 1, maxLength: 3 })
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((field) => fc.record({ field: fc.constant(field), direction: fc.constantFrom('asc', 'desc') })),
    ),
  ) as fc.Arbitrary<Term[]>

/**
 * Returns a function that compares by the documented order: nulls last in both directions, ties by ID in the direction
 * of the last field.
 */
function comparator(terms: readonly Term[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const { field, direction } of terms) {
      const [x, y] = [a[field], b[field]]
      if (x === y) continue
      if (x === null) return 1
      if (y === null) return -1
      return direction === 'asc' ? x - y : y - x
    }
    const byId = a.id < b.id ? -1 : a.id > b.id ? 1 : 0
    return terms.at(-1)!.direction === 'asc' ? byId : -byId
  }
}

interface Shown {
  ids: string[]
  total: number
  has_more: boolean
  next_cursor: string | null
  prev_cursor: string | null
}

async function show(terms: readonly Term[], more: string): Promise<Shown> {
  const query = terms.map(({ field, direction }) => `${field}:${direction}`).join(',')
  const { status, body, text: answered } = await board.get(`/v1/jobs?sort=${query}&${more}`, reader.key)
  expect(status, answered).toBe(200)
  const { total, has_more, next_cursor, prev_cursor } = body.meta.pagination
  return { ids: body.data.map(({ id }: { id: string }) => id), total, has_more, next_cursor, prev_cursor }
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)
const limit = fc.integer({ min: 1, max: 6 })

describe('a board without changes', () => {
  test('returns every job exactly once and in order, by page and by cursor, and in reverse order when read backward', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(seed, { maxLength: 14 }), sort, limit, async (seeds, terms, size) => {
        await removeJobs(board)
        const rows = (await insert(seeds)).sort(comparator(terms))
        const chunks: string[][] = []
        for (let start = 0; start < rows.length; start += size) chunks.push(idsOf(rows.slice(start, start + size)))
        if (chunks.length === 0) chunks.push([])

        let cursor = ''
        for (const [index, expected] of chunks.entries()) {
          const isLast = index === chunks.length - 1
          const byCursor = await show(terms, `limit=${size}&cursor=${cursor}`)
          expect(byCursor).toEqual({
            ids: expected,
            total: rows.length,
            has_more: !isLast,
            next_cursor: isLast ? null : expect.any(String),
            prev_cursor: index === 0 ? null : expect.any(String),
          })
          // Paging by number returns the same page with the same cursors.
          expect(await show(terms, `limit=${size}&page=${index + 1}`)).toEqual(byCursor)
          cursor = byCursor.next_cursor ?? ''
        }

        // Walks backward from a page past the end.
        let before = (await show(terms, `limit=${size}&page=${chunks.length + 1}`)).prev_cursor
        const backward: string[] = []
        let isFirst = true
        while (before !== null) {
          const page = await show(terms, `limit=${size}&cursor=${before}`)
          expect([page.total, page.has_more]).toEqual([rows.length, !isFirst])
          backward.push(...page.ids.toReversed())
          before = page.prev_cursor
          isFirst = false
        }
        expect(backward).toEqual(idsOf(rows).reverse())
      }),
      { numRuns: 60 },
    )
  })
})

describe('a board that changes during the walk', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('next' as const), limit }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('prev' as const), limit }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('page' as const), limit, page: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('insert' as const), seeds: fc.array(seed, { maxLength: 3 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), at: fc.nat(30) }) },
    { weight: 2, arbitrary: fc.constant({ do: 'delete anchors' as const }) },
  )

  test('returns exactly the current jobs after or before each cursor', async () => {
    const steps = fc.array(step, { minLength: 4, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(fc.array(seed, { maxLength: 12 }), sort, steps, async (seeds, terms, walk) => {
        await removeJobs(board)
        const compare = comparator(terms)
        let rows = (await insert(seeds)).sort(compare)
        // The previous page's first and last job, even if deleted since. Both are null after an empty page: `prev` then
        // starts at the end of the list, and `next` at the beginning.
        let first: Row | null = null
        let last: Row | null = null
        let shown: Shown | undefined
        const remove = async (gone: readonly Row[]) => {
          await removeJobs(board, idsOf(gone))
          rows = rows.filter((row) => !gone.includes(row))
        }
        const expectPage = (page: Shown, expected: Row[], known: Partial<Shown>) => {
          expect(page).toMatchObject({ ids: idsOf(expected), total: rows.length, ...known })
          expect(page.next_cursor !== null).toBe(page.has_more)
          shown = page
          first = expected[0] ?? null
          last = expected.at(-1) ?? null
        }

        for (const action of walk) {
          if (action.do === 'insert') {
            rows = [...rows, ...(await insert(action.seeds))].sort(compare)
          } else if (action.do === 'delete') {
            if (rows.length > 0) await remove([rows[action.at % rows.length]!])
          } else if (action.do === 'delete anchors') {
            await remove(rows.filter((row) => row === first || row === last))
          } else if (action.do === 'page') {
            const start = (action.page - 1) * action.limit
            const page = await show(terms, `limit=${action.limit}&page=${action.page}`)
            const expected = rows.slice(start, start + action.limit)
            expectPage(page, expected, { has_more: rows.length > start + action.limit })
            expect(page.prev_cursor === null).toBe(action.page === 1 || rows.length === 0)
          } else if (action.do === 'prev' && shown?.prev_cursor) {
            const page = await show(terms, `limit=${action.limit}&cursor=${shown.prev_cursor}`)
            const anchor: Row | null = first
            const before = rows.filter((row) => anchor === null || compare(row, anchor) < 0)
            expectPage(page, before.slice(-action.limit), { has_more: anchor !== null })
            expect(page.prev_cursor !== null).toBe(before.length > action.limit)
          } else {
            const cursor: string = shown?.next_cursor ?? ''
            const anchor: Row | null = cursor === '' ? null : last
            const page = await show(terms, `limit=${action.limit}&cursor=${cursor}`)
            const after = rows.filter((row) => anchor === null || compare(row, anchor) > 0)
            expectPage(page, after.slice(0, action.limit), { has_more: after.length > action.limit })
            // An empty cursor starts at the beginning, as does an empty first page's next cursor.
            if (cursor === '') expect(page.prev_cursor).toBeNull()
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})
