/** The stemmers agree with the dictionaries of PostgreSQL on words that job postings use. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoBoard } from '../../src/demo/board.ts'
import { detectLanguage } from '../../src/search/text/language.ts'
import { lexemesIn } from '../../src/search/text/stems.ts'
import { words } from '../../src/search/text/words.ts'
import { type Embedded, giveBack, takeEmbedded } from '../support/embedded.ts'

let embedded: Embedded
beforeAll(async () => {
  embedded = await takeEmbedded()
})
afterAll(() => giveBack(embedded))

/** Returns the words of the demo board's jobs in a language. */
function wordsIn(language: string): string[] {
  const jobs = demoBoard.flatMap((employer) => employer.jobs).filter((job) => detectLanguage(job) === language)
  const texts = jobs.flatMap((job) => [job.title, job.description, ...job.requirements, ...job.benefits, ...job.skills])
  return [...new Set(texts.flatMap(words))].filter((word) => /^[a-z]+$/.test(word))
}

async function stemsByDictionary(dictionary: string, list: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await embedded.lite.query<{ word: string; stem: string | null }>(
    'select word, (ts_lexize($1, word))[1] as stem from unnest($2::text[]) as word',
    [dictionary, list],
  )
  // A dictionary returns no stem for stop words.
  return new Map(rows.flatMap(({ word, stem }) => (stem === null ? [] : [[word, stem]])))
}

/**
 * Words with different stems in PostgreSQL 18, whose German dictionary follows a later revision of the algorithm. That
 * revision reads ae, oe and ue as umlauts, removes -erin, -erinnen and the n of -eln, and keeps "system".
 */
const revised: Record<string, RegExp> = { de: /[aou]e|system|erin(?:nen)?$|eln$/, es: /^$/, fr: /^$/ }

test.each([
  ['de', 'german_stem'],
  ['es', 'spanish_stem'],
  ['fr', 'french_stem'],
])('words in %s have the same stems as in the dictionary %s', async (language, dictionary) => {
  const list = wordsIn(language)
  const expected = await stemsByDictionary(dictionary, list)
  const lexemesOf = lexemesIn(language)
  let compared = 0
  for (const [word, stem] of expected) {
    if (revised[language]!.test(word)) continue
    compared++
    expect(lexemesOf(word), word).toEqual({ stemmed: `${stem}/${language}`, written: `${word}/` })
  }
  expect(compared).toBeGreaterThan(350)
})
