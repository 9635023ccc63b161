/** For any jobs, changes and searches, the postings find the same jobs as the database. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { searchOf } from '../../src/search/job-index.ts'
import { slotsOf } from '../../src/search/memory/bits.ts'
import { Postings } from '../../src/search/memory/postings.ts'
import { type SearchCondition, searchVector } from '../../src/search/text/words.ts'
import { openTestDatabase } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
}, 60_000)
afterAll(async () => {
  await database.close()
})

const SLOTS = 100

// Stems shorter than their words, astral characters, scripts without spaces, joiners, short words and shared prefixes.
const word = fc.oneof(
  fc.constantFrom(
    ...'flies dying ties C++ c# go Go/Rust 𝟙𝟚𝟛𝟜 𐐷𐐷 東京都 京 Ünï front-end frontend engineer engineering'.split(' '),
    ...'Entwicklungen travaillons cochés senior x ÿ þ'.split(' '),
  ),
  fc.string({ unit: fc.constantFrom(...'abcdexyz12京𐐷'), minLength: 1, maxLength: 5 }),
)
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '))
const document = fc.record({
  title: text,
  skills: fc.array(text, { maxLength: 2 }),
  company: text,
  description: text,
  language: fc.constantFrom(null, 'en', 'de', 'fr', 'es-MX', 'ja'),
})
/** The words of a job in a slot. A slot can occur again, with other words. */
const change = fc.record({ slot: fc.nat({ max: SLOTS - 1 }), document })
const term = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`),
  word.map((excluded) => `-${excluded}`),
  fc.constant('or'),
)
const query = fc
  .tuple(fc.array(term, { minLength: 1, maxLength: 5 }), fc.constantFrom('', ' '))
  .map(([terms, end]) => terms.join(' ') + end)

/** Returns the conditions of a search, without groups that join an exclusion with `or`. */
function conditionsOf(typed: string): SearchCondition[] {
  const { wanted, unwanted } = searchOf(typed)
  return [...wanted, ...wanted.flatMap(({ pair }) => pair ?? []), ...unwanted]
}

/** Returns the slots in which each operand matches, according to the database. */
async function match(vectors: ReadonlyMap<number, string>, operands: readonly string[]): Promise<number[][]> {
  const { rows } = await database.read((db) =>
    sql<{ slots: number[] }>`
      select coalesce((select array_agg(slot order by slot)
        from unnest(${[...vectors.keys()]}::int[], ${[...vectors.values()]}::text[]) as job (slot, vector)
        where vector::tsvector @@ operand::tsquery), '{}') as slots
      from unnest(${operands}::text[]) with ordinality as asked (operand, place) order by place`.execute(db),
  )
  return rows.map(({ slots }) => slots)
}

test('the postings find the same jobs as the database, after any changes', async () => {
  let [found, ruledOut, unanswered] = [0, 0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.array(query, { minLength: 1, maxLength: 8 }),
      async (changes, queries) => {
        const conditions = queries.flatMap(conditionsOf)
        if (conditions.length === 0) return
        const written = changes.map(({ document }) => searchVector(document))
        const { rows } = await database.read((db) =>
          sql<{ vector: string }>`
            select vector::tsvector::text as vector
            from unnest(${written}::text[]) with ordinality as given (vector, place) order by place`.execute(db),
        )
        const postings = new Postings(SLOTS / 2)
        const vectors = new Map<number, string>()
        let next = 0
        for (const [n, { vector }] of rows.entries()) {
          const { slot } = changes[n]!
          // The first jobs are added in the order of their slots, as when a process starts.
          if (n < changes.length / 2 && slot >= next && slot < SLOTS / 2) {
            postings.add(slot, vector)
            next = slot + 1
          } else {
            next = SLOTS
            postings.put(slot, vector)
          }
          vectors.set(slot, vector)
        }
        const asked = conditions.flatMap(({ operand, closer, questions }) =>
          questions!.map((question, n) => ({ question, operand: n === 0 ? operand : closer[n - 1]! })),
        )
        const expected = await match(
          vectors,
          asked.map(({ operand }) => operand),
        )
        for (const [n, { question, operand }] of asked.entries()) {
          if (!postings.mayMatch(question.alternatives)) {
            ruledOut++
            expect(expected[n], operand).toEqual([])
          }
          if (!postings.canAnswer(question)) unanswered++
          else {
            const slots = [...slotsOf(postings.answer(question, 128))]
            found += slots.length
            expect(slots, operand).toEqual(expected[n])
          }
        }
      },
    ),
    { numRuns: 300 },
  )
  expect(Math.min(found, ruledOut, unanswered)).toBeGreaterThan(300)
}, 240_000)

test('a posting list can contain many documents, with and without positions, and unchanged words add no documents', () => {
  const jobs = 20_000
  const postings = new Postings(jobs / 2)
  const vectorOf = (n: number) =>
    `${n % 3 === 0 ? "'rare':7 " : ''}'word':${1 + (n % 40)}A,${3 + (n % 40)}A 'work':${2 + (n % 40)}A`
  for (let n = 0; n < jobs; n++) {
    if (n < jobs / 2) postings.add(n, vectorOf(n))
    else postings.put(n, vectorOf(n))
  }
  const { documents } = postings
  for (let n = 0; n < jobs; n += 2) postings.put(n, vectorOf(n))
  expect(postings.documents).toBe(documents)
  for (let n = 1; n < jobs; n += 2) postings.put(n, `'other':${n % 9}`)
  expect(postings.documents).toBe(documents + jobs / 2)
  const slotsWith = (steps: readonly (readonly [text: string, distance: number])[], weight?: 'A' | 'B') => {
    const alternative = steps.map(([text, distance]) => ({ distance, terms: [{ text, isPrefix: false }] }))
    return [...slotsOf(postings.answer({ alternatives: [alternative], ...(weight && { weight }) }, jobs))]
  }
  const even = Array.from({ length: jobs / 2 }, (_, n) => 2 * n)
  expect(slotsWith([['word', 0]])).toEqual(even)
  expect(slotsWith([['word', 0]], 'A')).toEqual(even)
  expect(slotsWith([['word', 0]], 'B')).toEqual([])
  expect(slotsWith([['rare', 0]])).toEqual(even.filter((n) => n % 3 === 0))
  const pair = [
    ['word', 0],
    ['work', 1],
    ['word', 1],
  ] as const
  expect(slotsWith(pair, 'A')).toEqual(even)
  expect(slotsWith([pair[1], pair[0], ['work', 1]], 'A')).toEqual([])
})
