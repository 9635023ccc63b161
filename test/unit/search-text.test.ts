import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SearchDocument, searchVector, words } from '../../src/lib/search-text.ts'

let db: PGlite

beforeAll(async () => {
  db = await PGlite.create()
}, 60_000)

afterAll(async () => {
  await db.close()
})

/** A document with a title, and whatever else is given. */
function document(title: string, rest: Partial<SearchDocument> = {}): SearchDocument {
  return { title, skills: [], company: '', description: '', ...rest }
}

describe('words', () => {
  test.each([
    ['Senior Engineer (m/f/d)', ['senior', 'engineer', 'm', 'f', 'd']],
    ['C, C++, C# & F#', ['c', 'c++', 'c#', 'f#']],
    ['C++17 C/C++ abc++ A# #c', ['c++', '17', 'c', 'c++', 'abc', 'a', 'c']],
    ["Node.js front-end L'Oréal snake_case", ['node', 'js', 'front', 'end', 'l', 'oreal', 'snake', 'case']],
    ['東京都 Java開発3年', ['東京都', 'java', '開発', '3', '年']],
    ['हिन्दी', ['हिन्दी']],
    ['++ && -', []],
    ['a'.repeat(100), ['a'.repeat(64)]],
    ['𝒳'.repeat(3) + '𐐨'.repeat(100), [`xxx${'𐐨'.repeat(61)}`]],
  ])('%s', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })
})

describe('searchVector', () => {
  test('weighs the fields and keeps them apart', () => {
    const doc = document('Java', { skills: ['Go', 'Git'], company: 'Acme', description: 'Some Java' })
    expect(searchVector(doc)).toBe("'java':1A,46C 'go':12A 'git':23A 'acm':34B 'acme':34B 'some':45C")
  })

  test.each([
    ['a word and its stem', 'engineering', "'engin':1A 'engineering':1A"],
    ['a compound', 'front-end x', "'front':1A 'end':2A 'frontend':1A 'x':3A"],
    ['a longer compound', 'node.js/go', "'node':1A 'js':2A 'go':3A 'nodej':1A 'nodejs':1A 'jsgo':2A 'nodejsgo':1A"],
    ['no compound', 'a, b', "'a':1A 'b':2A"],
    ['c++', 'C/C++', "'c':1A 'c++':2A 'cc++':1A"],
    ['a run without spaces', '東京都 x', "'東京':1A '京都':2A '都':3A 'x':4A"],
    ['a single character', '都', "'都':1A"],
    ['a run next to a word', 'Java開発', "'java':1A '開発':2A '発':3A"],
    ['quotes and backslashes', "'a'' \\'b", "'a':1A 'b':2A"],
    ['nothing', '', ''],
  ])('%s', (_name, title, expected) => {
    expect(searchVector(document(title))).toBe(expected)
  })

  test('keeps at most 255 positions of a word, and none past the last there is', () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `go w${index}`).join(' ')
    const vector = searchVector(document(words))
    expect(vector.match(/'go':(\S+)/)![1]!.split(',')).toHaveLength(255)
    expect(vector).toContain("'w19999':16383A")
    expect(Math.max(...vector.matchAll(/(\d+)A/g).map((match) => Number(match[1])))).toBe(16_383)
  })

  test('stays small enough for PostgreSQL', async () => {
    const ideographs = Array.from({ length: 50_000 }, (_, index) => 0x4e00 + ((index * index * 7 + index) % 20_000))
    const numbers = Array.from({ length: 150_000 }, (_, index) => (index * 7_919).toString(36))
    for (const description of [String.fromCodePoint(...ideographs), numbers.join('.')]) {
      const vector = searchVector(document('Engineer', { description }))
      const { rows } = await db.query<{ size: number }>('select pg_column_size($1::tsvector) as size', [vector])
      expect(rows[0]!.size).toBeGreaterThan(300_000)
      expect(vector).toContain("'engineer':1A")
    }
  })
})
