/** For any search and text, matching in JavaScript agrees with the database. */
import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { parseVector } from '../../src/search/text/operands.ts'
import { type SearchCondition, searchGroups, searchVector } from '../../src/search/text/words.ts'
import { openTestDatabase } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
}, 60_000)
afterAll(async () => {
  await database.close()
})

// A few words with inflections, joiners, shared prefixes and other scripts. With so few words, many searches match.
const samples = 'go gopher Go/Rust front-end frontend end ends node.js nodejs node js c c++ engineer engineering'
  .split(' ')
  .concat(
    'Entwickler',
    'entwicklerin',
    'entwicklung',
    'travaille',
    'travaillons',
    'coche',
    'coches',
    'care',
    'car',
    'cars',
  )
  .concat('senior', 'Java', 'javascript', '東京', '東京都', '都', '京', '개발자', 'Ünï', 'new', 'york')
const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...samples), { maxLength: 8 }).map((chosen) => chosen.join(' ')) },
  fc.array(fc.constantFrom(...samples, '-', '/', '.', ' '), { maxLength: 8 }).map((chosen) => chosen.join('')),
  fc.string({ unit: fc.constantFrom(...'abcC1 -.\'/&_+#,"都京がé'), maxLength: 30 }),
)
const term = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...samples) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...samples), { minLength: 1, maxLength: 3 }).map((p) => `"${p.join(' ')}"`),
  },
  fc.constantFrom('or', 'en', 'j', 'fro', 'ne'),
  text,
)
const query = fc
  .tuple(fc.array(fc.tuple(fc.constantFrom('', '', '', '-'), term), { maxLength: 5 }), fc.constantFrom('', ' '))
  .map(([terms, end]) => terms.map((parts) => parts.join('')).join(' ') + end)
const document = fc.record({
  title: text,
  skills: fc.array(text, { maxLength: 2 }),
  company: text,
  description: text,
  language: fc.constantFrom(null, 'en', 'de', 'fr', 'es', 'ja', 'nl'),
})

/** Returns SQL for the score that a condition's `fit` gives a matching vector. */
function fitOf({ closer }: SearchCondition): RawBuilder<number> {
  const bits = closer.map((tsquery, index) => sql`+ (doc.search @@ ${tsquery}::tsquery)::int * ${sql.lit(2 << index)}`)
  return sql`(1 ${sql.join(bits, sql` `)})`
}

test('a search matches and scores the same in JavaScript as in the database', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 4 }), query, async (documents, typed) => {
      const conditions: SearchCondition[] = searchGroups(typed).flatMap((group) =>
        group.pair ? [group, group.pair] : [group],
      )
      if (conditions.length === 0) return
      const vectors = documents.map(searchVector)
      const matched = conditions.map(({ operand }) => sql`doc.search @@ ${operand}::tsquery`)
      const fits = conditions.map((one, index) => sql`case when ${matched[index]} then ${fitOf(one)} else 0 end`)
      const { rows } = await database.read((db) =>
        sql<{ search: string; matched: boolean[]; fits: number[] }>`
          select doc.search::text as search, array[${sql.join(matched)}] as matched, array[${sql.join(fits)}] as fits
          from (select vector::tsvector as search, place
            from unnest(${vectors}::text[]) with ordinality as given (vector, place)) as doc
          order by place`.execute(db),
      )
      for (const [index, row] of rows.entries()) {
        for (const vector of [vectors[index]!, row.search]) {
          const lexemes = parseVector(vector)
          expect(conditions.map((condition) => condition.matches(lexemes))).toEqual(row.matched)
          expect(conditions.map((condition) => condition.fit(lexemes))).toEqual(row.fits)
        }
      }
    }),
    { numRuns: 1_000 },
  )
}, 240_000)
