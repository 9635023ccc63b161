/** Tests changes to values and words on a board. Values and words without jobs must not accumulate in memory. */
import { expect, test } from 'vitest'
import { Exchange } from '../../src/lib/exchange.ts'
import type { FilterValue } from '../../src/lists/query.ts'
import { searchOf } from '../../src/search/job-index.ts'
import { countOf, slotsOf } from '../../src/search/memory/bits.ts'
import { BoardIndex } from '../../src/search/memory/board-index.ts'
import type { ChangedRow } from '../../src/search/memory/queries.ts'

function row(n: number, overrides: Partial<ChangedRow> = {}): ChangedRow {
  return {
    id: `job_${n}`,
    number: n,
    title_sort: 'welder',
    company_sort: 'werkbank',
    location_sort: 'bremen',
    posted_at: n,
    expires_at: 1_000_000,
    salary_min: null,
    salary_max: null,
    salary_annual_low: null,
    salary_annual_high: null,
    salary_currency: null,
    application_count: 0,
    remote: false,
    is_hybrid: false,
    locations: null,
    is_featured: false,
    category: 'metal',
    type: 'full-time',
    experience_level: null,
    employer_id: 'emp_1',
    language: null,
    skills: [],
    places: null,
    areas: null,
    description_bytes: 0,
    is_folded: false,
    vector: '',
    ...overrides,
  }
}

test('the index keeps few values without jobs, and filters correctly when values reuse codes', () => {
  const index = new BoardIndex(Exchange.without('USD'))
  const totalOf = (filter: string, value: FilterValue, operator: 'is' | 'in' = 'is') =>
    countOf(index.matching([{ filter, operator, value }]))
  index.change([row(1), row(2)], [])
  const { columns } = index
  for (let n = 0; n < 10_000; n++) {
    const changing = row(1, {
      title_sort: `welder${n}`,
      location_sort: `town${n}`,
      category: `c${n}`,
      company_sort: `company${n}`,
      skills: [`skill${n}`],
    })
    index.change([changing], [])
    if (n % 997 === 0) {
      // Filters stay correct while codes are reused.
      expect(totalOf('category', 'c0')).toBe(n === 0 ? 1 : 0)
      expect(totalOf('category', `c${n}`)).toBe(1)
      expect(totalOf('category', ['c997', 'c5982', 'metal'], 'in')).toBe(n === 997 || n === 5982 ? 2 : 1)
      expect(totalOf('location', { text: `town${n}`, areas: [] })).toBe(1)
      expect(totalOf('skills', [`skill${n}`])).toBe(1)
      expect(totalOf('skills', ['skill1', 'skill1994'], 'in')).toBe(n === 1994 ? 1 : 0)
      expect(totalOf('company', `company${n}`)).toBe(1)
      expect(totalOf('location', { text: 'bremen', areas: [] })).toBe(1)
    }
  }
  for (const { values } of [columns.categories, columns.companies, columns.locations, columns.skillNames]) {
    expect(values.length).toBeLessThan(2_000)
  }
  expect(index.vocabulary.size).toBeLessThan(20)
})

test('the index keeps few values of deleted jobs', () => {
  const index = new BoardIndex(Exchange.without('USD'))
  for (let n = 1; n <= 5_000; n++) {
    index.change([row(n, { location_sort: `town${n}`, skills: [`skill${n}`, 'steel'] })], [])
    index.change([], [index.columns.slotOf(n)!])
  }
  expect(index.columns.locations.values.length).toBeLessThan(2_000)
  expect(index.columns.skillNames.values.length).toBeLessThan(2_000)
  expect(index.vocabulary.size).toBeLessThan(20)
  expect(index.size).toBe(0)
})

test('the word index needs a rebuild once many words are outdated, and the rebuild includes jobs that change meanwhile', async () => {
  const index = new BoardIndex(Exchange.without('USD'))
  const vectors = new Map<number, string>()
  const change = (n: number, vector: string) => {
    vectors.set(n, vector)
    index.change([row(n, { vector })], [])
  }
  const build = (meanwhile: () => void = () => {}) =>
    index.texts.build(async (numbers) => {
      const rows = numbers.map((number) => ({ number, vector: vectors.get(number)! }))
      meanwhile()
      return rows
    })
  const jobsWith = (word: string) => {
    const [condition] = searchOf(`${word} `).wanted
    const wanted = { condition: condition!, withFits: true }
    expect(index.texts.canCompute(wanted)).toBe(true)
    if (!index.texts.find(wanted.condition, true)) index.texts.compute(wanted)
    return [...slotsOf(index.texts.find(wanted.condition, true)!.bits)]
  }
  for (let n = 1; n <= 3; n++) change(n, `'weld':${n}`)
  expect(index.texts.needsPostings).toBe(true)
  await build()
  for (let n = 0; n < 10_050; n++) change(2, `'n${n}':1`)
  expect([jobsWith('weld'), jobsWith('n10049'), jobsWith('n10048')]).toEqual([[0, 2], [1], []])
  expect(index.texts.needsPostings).toBe(true)
  let reads = 0
  await build(() => {
    // The first read misses a change. The second read loads that change, but misses the next one.
    if (reads++ < 2) change(3, `'again${reads}':1`)
  })
  expect(reads).toBe(3)
  expect(index.texts.needsPostings).toBe(false)
  expect([jobsWith('weld'), jobsWith('again1'), jobsWith('again2'), jobsWith('n10049')]).toEqual([[0], [], [2], [1]])
  await index.texts.build(async () => undefined)
  expect(jobsWith('again2')).toEqual([2])
})
