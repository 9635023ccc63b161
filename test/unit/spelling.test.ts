import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { correctSearch, Vocabulary } from '../../src/search/text/spelling.ts'
import { searchGroups } from '../../src/search/text/words.ts'

function vocabularyOf(counts: Record<string, number>): Vocabulary {
  const vocabulary = new Vocabulary()
  for (const [word, count] of Object.entries(counts)) vocabulary.add(word, count)
  return vocabulary
}

describe('the nearest word', () => {
  const vocabulary = vocabularyOf({
    engineer: 90,
    engineers: 40,
    developer: 70,
    data: 30,
    date: 10,
    java: 20,
    jobb: 7,
    joba: 7,
    go: 50,
    c3po: 1,
    '2024': 5,
    münchen: 3,
    gone: 0,
  })
  test.each([
    ['a missing letter', 'enginer', 'engineer'],
    ['an extra letter', 'javva', 'java'],
    ['a wrong letter', 'jeva', 'java'],
    ['two letters swapped', 'jaav', 'java'],
    ['two edits in a long word', 'devlopre', 'developer'],
    ['a non-ASCII letter', 'munchen', 'münchen'],
    ['the more frequent of two words', 'datx', 'data'],
    ['the first of two equally frequent words', 'jobx', 'joba'],
    ['the nearer word, even if less frequent', 'enginers', 'engineers'],
    ['digits in a word', 'c3pp', 'c3po'],
  ])('%s: %s', (_name, word, expected) => {
    expect(vocabulary.nearest(word)).toBe(expected)
  })

  test.each([
    ['two edits in a short word', 'jaaav'],
    ['three edits in a long word', 'devlprre'],
    ['too short', 'g'],
    ['a number', '2025'],
    ['a removed word', 'gonee'],
  ])('does not exist for %s: %s', (_name, word) => {
    expect(vocabulary.nearest(word)).toBeUndefined()
  })

  test('does not exist for a word of 1,000 characters', () => {
    expect(vocabularyOf({ [`${'a'.repeat(999)}b`]: 1 }).nearest('a'.repeat(1_000))).toBeUndefined()
  })

  test('depends on the counts', () => {
    const changing = vocabularyOf({ data: 2, date: 1 })
    changing.add('date', 2)
    expect(changing.nearest('datx')).toBe('date')
    changing.add('date', -3)
    expect(changing.nearest('datx')).toBe('data')
  })
})

/** Returns the edit distance of two words, by definition. */
function edits(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [restA, restB] = [a.slice(1), b.slice(1)]
  if (a[0] === b[0]) return edits(restA, restB)
  const one = Math.min(edits(restA, b), edits(a, restB), edits(restA, restB))
  const isSwap = a[0] === b[1] && a[1] === b[0] && b.length > 1
  return 1 + (isSwap ? Math.min(one, edits(a.slice(2), b.slice(2))) : one)
}

test('the nearest word is the most frequent of the words at the smallest distance', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abc'), minLength: 3, maxLength: 9 })
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 10 }), word, (known, typed) => {
      // All counts differ, so only one result is right.
      const others = known.filter((one) => one !== typed).map((one, index) => ({ one, count: index + 1 }))
      const near = others
        .map(({ one, count }) => ({ one, count, away: edits(typed, one) }))
        .filter(({ away }) => away <= (typed.length < 8 ? 1 : 2))
        .sort((a, b) => a.away - b.away || b.count - a.count)
      const counts = Object.fromEntries(others.map(({ one, count }) => [one, count]))
      expect(vocabularyOf(counts).nearest(typed)).toBe(near[0]?.one)
    }),
    { numRuns: 2_000 },
  )
}, 60_000)

describe('correctSearch', () => {
  const vocabulary = vocabularyOf({ engineer: 9, gear: 5, munich: 2 })
  const known = ['engineer', 'gear', 'munich', 'lead']
  const correct = (input: string) =>
    correctSearch(input, searchGroups(input), ({ word }) => known.includes(word!), vocabulary)

  test.each([
    ['Gear ENGINER', 'Gear engineer'],
    ['(gaer) -enginer lead enginer', '(gear) -engineer lead engineer'],
    ['gear xqzv munch', 'gear xqzv munich'],
  ])('%s', (input, expected) => {
    expect(correct(input)).toBe(expected)
  })

  test.each([
    ['known words', 'gear engineer'],
    ['words without a near match', 'xqzv'],
    ['phrases, alternatives and exclusions', '"enginer" gaer or munch -munch'],
    ['a text of unknown words', 'enginer gaer munch gaer munch'],
    ['nothing', ''],
  ])('does not change %s', (_name, input) => {
    expect(correct(input)).toBeUndefined()
  })
})
