import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  groupTable,
  idf,
  lengthByte,
  nearestMatches,
  pageOf,
  pairTable,
  rankKeys,
  scores,
} from '../../src/lib/relevance.ts'
import { parseVector } from '../../src/lib/search-operand.ts'
import { type SearchDocument, searchGroups, searchVector } from '../../src/lib/search-text.ts'

const JOBS = 1_000

/** The score of one job for what was typed, were each group met by so many jobs. */
function score(typed: string, job: Partial<SearchDocument>, matching: readonly number[] = []): number {
  const doc = { title: '', skills: [], company: '', description: '', ...job }
  const lexemes = parseVector(searchVector(doc))
  const conditions = searchGroups(typed).flatMap(({ pair, ...group }, index) => [
    { fits: Uint8Array.of(group.fit(lexemes)), table: groupTable(idf(JOBS, matching[index] ?? 10)) },
    ...(pair ? [{ fits: Uint8Array.of(pair.fit(lexemes)), table: pairTable }] : []),
  ])
  const lengths = Uint8Array.of(lengthByte(doc.title.length, doc.description.length))
  return scores(Uint32Array.of(0), lengths, conditions)[0]!
}

describe('a job scores higher', () => {
  const filler = 'lorem ipsum dolor sit amet '
  test.each<[string, string, Partial<SearchDocument>, Partial<SearchDocument>]>([
    ['with the word in its title than in its company', 'gear', { title: 'Gear' }, { company: 'Gear' }],
    ['with the word among its skills than in its company', 'gear', { skills: ['Gear'] }, { company: 'Gear' }],
    ['with the word in its company than in its description', 'gear', { company: 'Gear' }, { description: 'Gear' }],
    ['with a short title', 'gear ', { title: 'Gear Lead' }, { title: 'Gear, Wheels, Axles and Brakes' }],
    ['with a short text', 'gear ', { description: 'Gear' }, { description: `Gear ${filler.repeat(20)}` }],
    ['with the word as typed', 'gears ', { title: 'Gears' }, { title: 'Gear' }],
    ['with the words as neighbours', 'gear lead ', { title: 'Gear Lead at' }, { title: 'Lead at Gear' }],
    ['with neighbours as typed', 'gear leads ', { title: 'Gear Leads to' }, { title: 'Gear Lead, Leads' }],
  ])('%s', (_name, typed, better, worse) => {
    expect(score(typed, better)).toBeGreaterThan(score(typed, worse))
  })

  test('with the rarer of two words', () => {
    expect(score('gear lead ', { title: 'Gear' }, [5, 500])).toBeGreaterThan(
      score('gear lead ', { title: 'Lead' }, [5, 500]),
    )
  })
})

test('what does not match adds nothing', () => {
  expect(score('gear ', { title: 'Wheel' })).toBe(0)
})

test('lengths fit a byte, however long', () => {
  expect(lengthByte(0, 0)).toBe(0)
  expect(lengthByte(1_000_000, 1_000_000)).toBe(255)
})

test('finds the jobs that miss no group, then as few as need be', () => {
  const group = fc.array(fc.nat(1), { minLength: 30, maxLength: 30 })
  fc.assert(
    fc.property(
      fc.array(group, { minLength: 1, maxLength: 4 }),
      fc.uniqueArray(fc.nat(29)),
      fc.nat(20),
      (groups, slots, wanted) => {
        const found = nearestMatches(
          Uint32Array.from(slots),
          groups.map((fits) => Uint8Array.from(fits)),
          wanted,
        )
        const missing = (slot: number) => groups.filter((fits) => fits[slot] === 0).length
        const missingAtMost = (most: number) => slots.filter((slot) => missing(slot) <= most)
        let most = 0
        while (missingAtMost(most).length < wanted && most < groups.length - 1) most++
        expect([...found.slots]).toEqual(missingAtMost(most))
        expect([...found.missing]).toEqual([...found.slots].map(missing))
        expect(found.matchedAll).toBe(missingAtMost(0).length)
      },
    ),
  )
})

test('ranks by what is missed, then by score, then by time', () => {
  const minute = 60_000
  const jobs = fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(jobs, (list) => {
      const keys = rankKeys(
        {
          slots: Uint32Array.from(list, (_, slot) => slot),
          missing: Uint8Array.from(list, ([missed]) => missed),
          matchedAll: 0,
        },
        Float32Array.from(list, ([, points]) => points),
        Float64Array.from(list, ([, , minutes]) => 1_700_000_000_000 + minutes * minute),
      )
      for (const [a, [missedA, scoreA, timeA]] of list.entries()) {
        for (const [b, [missedB, scoreB, timeB]] of list.entries()) {
          expect(Math.sign(keys[a]! - keys[b]!)).toBe(Math.sign(missedA - missedB || scoreB - scoreA || timeB - timeA))
        }
      }
    }),
  )
})

test('keys stay exact at the end of their ranges', () => {
  const keys = rankKeys(
    { slots: Uint32Array.of(0, 1), missing: Uint8Array.of(31, 31), matchedAll: 0 },
    Float32Array.of(0, 0),
    Float64Array.of(0, 60_000),
  )
  expect(keys[0]! - keys[1]!).toBe(1)
  expect(keys[0]).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
})

test('any page is that of the sorted keys', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), fc.nat(70), fc.nat(20), (numbers, offset, limit) => {
      const sorted = numbers.map((_, index) => index).sort((a, b) => numbers[a]! - numbers[b]! || b - a)
      expect(pageOf(Float64Array.from(numbers), offset, limit, (a, b) => b - a)).toEqual(
        sorted.slice(offset, offset + limit),
      )
    }),
    { numRuns: 2_000 },
  )
})
