import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fold } from '../../src/search/text/fold.ts'
import { withLanguages } from '../../src/search/text/stems.ts'
import {
  limitTerms,
  replaceWords,
  type SearchDocument,
  searchGroups,
  searchQuery,
  searchVector,
  words,
} from '../../src/search/text/words.ts'
import { type Embedded, giveBack, takeEmbedded } from '../support/embedded.ts'

let embedded: Embedded

beforeAll(async () => {
  embedded = await takeEmbedded()
})

afterAll(() => giveBack(embedded))

/** Creates a document with a title and the given fields. */
function document(title: string, rest: Partial<SearchDocument> = {}): SearchDocument {
  return { title, skills: [], company: '', description: '', language: null, ...rest }
}

/** Returns, for each query, whether PostgreSQL finds the document. */
async function found(doc: SearchDocument, queries: readonly string[]): Promise<boolean[]> {
  const { rows } = await embedded.lite.query<{ matched: boolean }>(
    `select $1::tsvector @@ value::tsquery as matched
     from jsonb_array_elements_text($2::jsonb) with ordinality as query (value, place) order by place`,
    [searchVector(doc), JSON.stringify(queries.map((query) => searchQuery(query) ?? ''))],
  )
  return rows.map((row) => row.matched)
}

/** Returns whether PostgreSQL finds a text with a query. */
async function finds(query: string, text: string): Promise<boolean> {
  const [matched] = await found(document('', { description: text }), [query])
  return matched!
}

/** Returns a `tsquery` literal without the alternatives that match only marked lexemes. */
const unmarked = (query: string) => withLanguages(query, []).replaceAll(/\(('[^']*'(?::\*?[A-C]?)?)\)/g, '$1')

const samples = (
  "Senior engineers engineering or Node.js front-end end-to-end CI/CD L'Oréal R&D C++ c# C++17 München a(b x\\y it's' " +
  '東京都 都 Java開発 ガイド 백엔드개발자 วิศวกร हिन्दी'
).split(' ')

/** Texts of ordinary words, of characters of the query syntax, or of any code points. */
const anyText = fc.oneof(
  fc.array(fc.constantFrom(...samples), { maxLength: 12 }).map((chosen) => chosen.join(' ')),
  fc.string({ unit: fc.constantFrom(...'abcC1 \n\t\0\u0001-.\'/&_·|!():*<>+#,;“"\\都京がガ한กé'), maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 80 }),
)
const anyDocument = fc.record({
  title: anyText,
  skills: fc.array(anyText, { maxLength: 3 }),
  company: anyText,
  description: anyText,
  language: fc.constantFrom(null, 'en', 'de', 'fr', 'es', 'ja'),
})
const fieldsOf = (doc: SearchDocument) => [doc.title, ...doc.skills, doc.company, doc.description]
const wordsOf = (doc: SearchDocument) => fieldsOf(doc).flatMap(words)

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
  test('weights the fields and keeps them apart', () => {
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

  test.each([
    ['German', 'de-AT', 'Entwickler', "'entwickl/de':1A 'entwickler/':1A"],
    ['French', 'fr', 'développeuses', "'developp/fr':1A 'developpeuses/':1A"],
    ['Spanish', 'ES', 'Ingenieras', "'ingen/es':1A 'ingenieras/':1A"],
    ['Japanese', 'ja', '設計 engineers', "'設計':1A '計':2A 'engin':3A 'engineers':3A"],
    ['a language without its own rules', 'nl', 'engineers', "'engin':1A 'engineers':1A"],
    ['any language, without endings', 'de', 'C++ 3D', "'c++':1A '3d':2A"],
  ])('stems words in %s', (_name, language, title, expected) => {
    expect(searchVector(document(title, { language }))).toBe(expected)
  })

  test('keeps at most 255 positions of a word, and none beyond the maximum position', () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `go w${index}`).join(' ')
    const vector = searchVector(document(words))
    expect(vector.match(/'go':(\S+)/)![1]!.split(',')).toHaveLength(255)
    expect(vector).toContain("'w19999':16383A")
    expect(Math.max(...vector.matchAll(/(\d+)A/g).map((match) => Number(match[1])))).toBe(16_383)
  })

  test('stays within the size limit of PostgreSQL', async () => {
    const ideographs = Array.from({ length: 50_000 }, (_, index) => 0x4e00 + ((index * index * 7 + index) % 20_000))
    const numbers = Array.from({ length: 150_000 }, (_, index) => (index * 7_919).toString(36))
    for (const description of [String.fromCodePoint(...ideographs), numbers.join('.')]) {
      const vector = searchVector(document('Engineer', { description }))
      const { rows } = await embedded.lite.query<{ size: number }>('select pg_column_size($1::tsvector) as size', [
        vector,
      ])
      expect(rows[0]!.size).toBeGreaterThan(300_000)
      expect(vector).toContain("'engineer':1A")
    }
  })
})

describe('searchQuery', () => {
  test.each([
    ['senior engineer', "'senior' & ('engin' | 'engineer':*)"],
    ['engineeri', "'engineeri':*"],
    ['java ', "'java'"],
    ['java, go; rust ', "'java' & 'go' & 'rust'"],
    ['"new york"', "('new' <1> 'york')"],
    ['“New York”', "('new' <1> 'york')"],
    ['"new york', "('new' <1> 'york')"],
    ['"engineer"', "'engin'"],
    ['go"new york"', "'go' & ('new' <1> 'york')"],
    ['java -remote', "'java' & !'remot'"],
    ['-remote', "!'remot'"],
    ['java -"on site"', "'java' & !('on' <1> 'site')"],
    ['--remote', "!'remot'"],
    ['a or b ', "('a' | 'b')"],
    ['a b or c d ', "'a' & ('b' | 'c') & 'd'"],
    ['a OR b Or "c d" or -e', "('a' | 'b' | ('c' <1> 'd') | !'e')"],
    ['or ', "'or'"],
    ['a or ', "'a' & 'or'"],
    ['or a ', "'or' & 'a'"],
    ['a or or b ', "('a' | 'or') & 'b'"],
    ['a "or" b ', "'a' & 'or' & 'b'"],
    ['a or ++ ', "'a'"],
    ['++ or a ', "'a'"],
    ['node.js ', "(('node' <1> 'js') | 'nodej')"],
    ['node.js', "(('node' <1> 'js':*) | ('nodej' | 'nodejs':*))"],
    ['"node.js"', "('node' <1> 'js')"],
    ['-front-end', "!(('front' <1> 'end') | 'frontend')"],
    ['c++', "'c++':*"],
    ['c++17 ', "(('c++' <1> '17') | 'c++17')"],
    ['東京都', "('東京' <1> '京都')"],
    ['東京', "'東京'"],
    ['都 ', "'都':*"],
    ['"東京 java 都"', "('東京' <2> 'java' <1> '都':*)"],
    ['java ++', "'java'"],
    ['java -', "'java'"],
    ["a & b | !c (d:*) <-> \\ ' e ", "'a' & 'b' & 'c' & 'd' & 'e'"],
    ['++', null],
    ['-++ "" && ', null],
    ['', null],
  ])('%s', (input, expected) => {
    const query = searchQuery(input)
    expect(query && unmarked(query)).toBe(expected)
  })

  test('compares the stems of the languages that a board has', () => {
    const query = searchQuery('"Entwicklungen" go')!
    expect(withLanguages(query, [undefined, 'de', 'ja'])).toBe("('entwicklungen' | 'entwickl/de') & 'go':*")
    expect(withLanguages(query, ['en'])).toBe("('entwicklungen') & 'go':*")
  })

  test('reads all 1,000 characters, whatever they fold to, and at most 32 terms', () => {
    expect(unmarked(searchQuery(`${' '.repeat(996)}java `)!)).toBe("'java'")
    expect(searchQuery(`${'ﬃ'.repeat(900)} java `)).toContain("'java'")
    expect(searchQuery(`${'𝟙'.repeat(900)} java `)).toContain("'java'")
    expect(searchQuery('go '.repeat(100))!.split(' & ')).toHaveLength(32)
    expect(unmarked(searchQuery('go or '.repeat(100))!).split(' | ')).toHaveLength(32)
    expect(unmarked(searchQuery(`${'- '.repeat(100)}java `)!)).toBe("'java'")
  })
})

describe('limitTerms', () => {
  test.each([
    ['a b', 2, 'a b', []],
    ['Café b c -D "E f" g', 2, 'cafe b ', ['c', '-d', '"e f"', 'g']],
    ['a,b;c', 1, 'a ', ['b', 'c']],
    ['a or b or c d', 2, 'a or b ', ['c', 'd']],
    ['-- a "" b ++ c', 2, '-- a "" b ', ['c']],
    ['a or', 1, 'a ', ['or']],
  ])('%s, limited to %i', (input, most, text, ignored) => {
    expect(limitTerms(input, most)).toEqual({ text, ignored })
  })

  test('keeps the meaning of the remaining terms', () => {
    expect(searchQuery(limitTerms('front-end "a b" jav x', 3).text)).toBe(searchQuery('front-end "a b" jav '))
  })
})

describe('searchGroups', () => {
  test.each([
    ['Gear lead', [['gear'], ['lead']]],
    ['gear -lead', [['gear'], []]],
    ['gear or lead', [[]]],
    ['"gear" front-end 東京 c++', [[], [], [], ['c++']]],
  ])('returns the single words of %s', (input, expected) => {
    expect(searchGroups(input).map(({ word }) => (word === undefined ? [] : [word]))).toEqual(expected)
  })

  test.each([
    ['gear leads', ["('gear':A <1> ('lead':A | 'leads':*A))", "('gear':A <1> 'leads':A)"]],
    ['gear "leads" ', ["('gear':A <1> 'lead':A)", "('gear':A <1> 'leads':A)"]],
    ['full-stack lead ', ["('full':A <1> 'stack':A <1> 'lead':A)", "('full':A <1> 'stack':A <1> 'lead':A)"]],
    ['gear or lead', undefined],
    ['gear -lead', undefined],
    ['-gear lead', undefined],
    ['gear', undefined],
  ])('returns the word pair in %s', (input, expected) => {
    const pair = searchGroups(input).at(-1)!.pair
    expect(pair && [pair.operand, ...pair.closer].map(unmarked)).toEqual(expected)
  })

  test('marks exclusions, which do not affect the ranking', () => {
    expect(searchGroups('gear -lead a or -b').map(({ excluded, closer }) => [excluded, closer.length])).toEqual([
      [false, 3],
      [true, 0],
      [true, 0],
    ])
  })
})

test('replaceWords leaves the rest of the search as typed', () => {
  const replacements = new Map([
    ['enginer', 'engineer'],
    ['muncen', 'münchen'],
  ])
  expect(replaceWords('  "Sr. ENGINER" -enginers or (Munçen)', replacements)).toBe(
    '  "Sr. engineer" -enginers or (münchen)',
  )
})

describe('in PostgreSQL', () => {
  test.each([
    ['MUNCHEN', 'in München'],
    ['münchen', 'in Munchen'],
    ['Munchen', 'in MU\u0308NCHEN'],
    ['engineeri', 'Engineering'],
    ['engineers', 'Engineering'],
    ['c++', 'C++17'],
    ['c', 'C++'],
    ['"new york"', 'in New York City'],
    ['java', 'JavaScript'],
    ['java script ', 'script in java'],
    ['frontend', 'Front-End'],
    ['front-end', 'frontend'],
    ['front end', 'Front-End'],
    ['nodejs ', 'Node.js/React'],
    ['node.j', 'Node.js'],
    ['node.js', 'nodejs'],
    ["l'oreal", 'L’Oréal'],
    ['loreal', 'L’Oréal'],
    ['東京', '東京都庁'],
    ['京都', '東京都'],
    ['都 ', '東京都'],
    ['東 ', '東京都'],
    ['개발자 ', '백엔드개발자를'],
    ['"東京 java"', '東京 java'],
    ['go -java', 'go and javascript'],
    ['go rust or java ', 'go and java'],
    ['-remote', 'office'],
  ])('%s finds %s', async (query, text) => {
    expect(await finds(query, text)).toBe(true)
  })

  test.each([
    ['c++', 'only C'],
    ['c++ ', 'C#'],
    ['c ', 'C++'],
    ['"new york"', 'York is new'],
    ['"new york"', 'new in York'],
    ['java ', 'JavaScript'],
    ['java script', 'JavaScript'],
    ['東都', '東京都'],
    ['go -java', 'go and java'],
    ['-"new york" new', 'new york'],
    ['go rust or java ', 'rust and java'],
    ['-front-end', 'frontend'],
  ])('%s does not find %s', async (query, text) => {
    expect(await finds(query, text)).toBe(false)
  })

  test.each([
    ['de', 'Entwicklungen', 'Entwicklung von Steuergeräten'],
    ['de', 'prüfingenieure ', 'Prüfingenieur'],
    ['de-CH', '"leitende ingenieure"', 'leitenden Ingenieuren'],
    ['de', 'Entwickl', 'Entwicklerin'],
    ['fr', 'soudeur ', 'Soudeuses et soudeurs'],
    ['fr', 'véhicules électriques ', 'un véhicule électrique'],
    ['es', 'ingeniera ', 'ingenieras e ingenieros'],
    ['es', 'motocicleta electrica ', 'Motocicletas eléctricas'],
    ['ja', '設計 ', '機械設計エンジニア'],
    ['ja', 'エンジニア python ', 'Pythonエンジニア'],
    ['en', 'engineers ', 'Engineering'],
  ])('a search for inflections in %s: %s finds %s', async (language, query, text) => {
    expect(await found(document('', { description: text, language }), [query])).toEqual([true])
  })

  test.each([
    // The Spanish stem of "cares" is "car", but the English stem is "care".
    ['en', 'cares ', 'a car'],
    ['fr', 'testing ', 'test'],
    ['es', 'engineers ', 'engineering'],
    ['ja', '計設 ', '機械設計'],
  ])('a search compares only the stems of the language: in %s, %s does not find %s', async (language, query, text) => {
    expect(await found(document('', { description: text, language }), [query])).toEqual([false])
  })

  test('a phrase does not span fields or skills', async () => {
    const doc = document('new', { skills: ['york', 'big'], company: 'apple', description: 'pie' })
    expect(await found(doc, ['"new york"', '"york big"', '"big apple"', '"apple pie"'])).not.toContain(true)
  })

  test('the longest and most deeply nested queries are valid', async () => {
    const repeated = ['a(', '都', '都(a ', 'a.b/c-', 'a or ', '-a ', '"', '-"a b', 'ﷺ', '㌖']
    await found(
      document('a'),
      repeated.map((text) => text.repeat(1_000)),
    )
  })

  test('any text is escaped into valid literals', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, anyText, async (doc, query) => {
        await found(doc, [query])
      }),
      { numRuns: 300 },
    )
  })

  test('a document matches each of its words, and the original terms', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, async (doc) => {
        const written = fieldsOf(doc).flatMap((field) => fold(field).split(/[ ",;、]+/))
        const terms = written.filter((term) => !term.startsWith('-') && words(term).length > 0)
        const queries = [...wordsOf(doc), ...terms]
        expect(await found(doc, [...queries, ...queries.map((query) => `${query} `)])).not.toContain(false)
      }),
    )
  })

  test('a document matches any phrase of a field', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, fc.nat(), fc.integer({ min: 1, max: 6 }), async (doc, start, length) => {
        const fields = fieldsOf(doc)
          .map(words)
          .filter((field) => field.length > 0)
        const phrases = fields.map((field) => field.slice(start % field.length).slice(0, length))
        expect(
          await found(
            doc,
            phrases.map((phrase) => `"${phrase.join(' ')}"`),
          ),
        ).not.toContain(false)
      }),
    )
  })

  test('a document matches any prefix of its words, with or without the preceding word', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, fc.integer({ min: 1, max: 8 }), async (doc, length) => {
        const all = wordsOf(doc)
        const beginnings = all.map((word) => [...word].slice(0, length).join(''))
        const queries = beginnings.map((beginning, index) => `"${all[Math.max(index - 1, 0)]}" ${beginning}`)
        expect(await found(doc, [...beginnings, ...queries])).not.toContain(false)
      }),
    )
  })

  test('a document does not match if one of its words is excluded', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, async (doc) => {
        expect(
          await found(
            doc,
            wordsOf(doc).map((word) => `-${word}`),
          ),
        ).not.toContain(true)
      }),
    )
  })
})
