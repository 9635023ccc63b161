/**
 * If the service rules out a word without a query, the database finds no job with that word either, whatever the texts.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { listBeginnings } from '../../src/search/memory/queries.ts'
import { searchOf } from '../../src/search/memory/search.ts'
import { Beginnings } from '../../src/search/text/beginnings.ts'
import { type SearchCondition, searchVector } from '../../src/search/text/words.ts'
import { openTestDatabase } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
}, 60_000)
afterAll(async () => {
  await database.close()
})

// Stems shorter than their words, astral characters, scripts without spaces, joiners, short words.
const word = fc.oneof(
  fc.constantFrom(
    'flies',
    'dying',
    'ties',
    'C++',
    'c#',
    'go',
    'Go/Rust',
    '𝟙𝟚𝟛𝟜',
    '𐐷𐐷',
    '東京都',
    '京',
    'Ünï',
    'front-end',
    'Entwicklungen',
    'travaillons',
    'cochés',
    'x',
  ),
  fc.string({ unit: fc.constantFrom(...'abcdexyz12京𐐷'), minLength: 1, maxLength: 5 }),
)
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '))
const document = fc.record({
  title: text,
  skills: fc.array(text, { maxLength: 1 }),
  company: text,
  description: text,
  language: fc.constantFrom(null, 'en', 'de', 'fr', 'es-MX', 'ja'),
})
const term = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`),
  word.map((excluded) => `-${excluded}`),
  fc.constant('or'),
)
const query = fc
  .tuple(fc.array(term, { minLength: 1, maxLength: 4 }), fc.constantFrom('', ' '))
  .map(([terms, end]) => terms.join(' ') + end)

/** Returns the word beginnings of all jobs, as a process loads them at startup. */
async function readBeginnings(): Promise<Beginnings> {
  const beginnings = new Beginnings()
  for (let after = 0; ; ) {
    const next = await database.read((db) => listBeginnings(db, after))
    if (next === undefined) return beginnings
    for (const beginning of next.beginnings) beginnings.add(beginning)
    after = next.lastNumber
  }
}

test('the service rules out no word that a job contains, whether beginnings come from the database or from changes', async () => {
  let ruledOut = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(document, { minLength: 1, maxLength: 3 }),
      fc.array(query, { minLength: 1, maxLength: 8 }),
      async (documents, queries) => {
        const vectors = documents.map(searchVector)
        const stored = await database.inTx(async (tx) => {
          await sql`delete from job_search`.execute(tx)
          const { rows } = await sql<{ search: string }>`
            insert into job_search (number, search)
            select place, vector::tsvector from unnest(${vectors}::text[]) with ordinality as given (vector, place)
            returning search::text as search`.execute(tx)
          return rows.map(({ search }) => search)
        })
        const [read, noted] = [await readBeginnings(), new Beginnings()]
        for (const vector of stored) noted.addVector(vector)
        const conditions = queries.flatMap((typed): SearchCondition[] => {
          const { wanted, mixed, unwanted } = searchOf(typed)
          return [...wanted, ...wanted.flatMap(({ pair }) => pair ?? []), ...mixed, ...unwanted]
        })
        if (conditions.length === 0) return
        const met = conditions.map(
          ({ operand }) => sql`exists (select from job_search where search @@ ${operand}::tsquery)`,
        )
        const { rows } = await database.read((db) =>
          sql<{ met: boolean[] }>`select array[${sql.join(met)}] as met`.execute(db),
        )
        for (const [n, condition] of conditions.entries()) {
          const mayMatch = condition.mayMatch(read)
          expect(condition.mayMatch(noted), condition.operand).toBe(mayMatch)
          if (!mayMatch) {
            ruledOut++
            expect(rows[0]!.met[n], condition.operand).toBe(false)
          }
        }
      },
    ),
    { numRuns: 300 },
  )
  expect(ruledOut).toBeGreaterThan(300)
}, 240_000)
