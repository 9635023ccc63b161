import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseVector } from '../../src/search/text/operands.ts'
import {
  idf,
  lengthByte,
  nearestMatches,
  pageOf,
  ranks,
  scoredGroup,
  scoredPair,
  scores,
} from '../../src/search/text/relevance.ts'
import { type SearchDocument, searchGroups, searchVector } from '../../src/search/text/words.ts'

const JOBS = 1_000

/** Returns a job's score for the typed text. `matching` contains how many jobs each group matches, by default 10. */
function score(typed: string, job: Partial<SearchDocument>, matching: readonly number[] = []): number {
  const doc = { title: '', skills: [], company: '', description: '', language: null, ...job }
  const lexemes = parseVector(searchVector(doc))
  const conditions = searchGroups(typed).flatMap(({ pair, ...group }, index) => [
    scoredGroup(Uint8Array.of(group.fit(lexemes)), idf(JOBS, matching[index] ?? 10)),
    ...(pair ? [scoredPair(Uint8Array.of(pair.fit(lexemes)))] : []),
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
    ['with adjacent words', 'gear lead ', { title: 'Gear Lead at' }, { title: 'Lead at Gear' }],
    ['with adjacent words as typed', 'gear leads ', { title: 'Gear Leads to' }, { title: 'Gear Lead, Leads' }],
  ])('%s', (_name, typed, better, worse) => {
    expect(score(typed, better)).toBeGreaterThan(score(typed, worse))
  })

  test('with the rarer of two words', () => {
    expect(score('gear lead ', { title: 'Gear' }, [5, 500])).toBeGreaterThan(
      score('gear lead ', { title: 'Lead' }, [5, 500]),
    )
  })
})

test('a missing word adds nothing', () => {
  expect(score('gear ', { title: 'Wheel' })).toBe(0)
})

test('any length fits into a byte', () => {
  expect(lengthByte(0, 0)).toBe(0)
  expect(lengthByte(1_000_000, 1_000_000)).toBe(255)
})

test('a search allows as few missing groups as it needs for the wanted number of jobs', () => {
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

test('a search that only excludes finds all remaining jobs', () => {
  const slots = Uint32Array.of(3, 1)
  expect(nearestMatches(slots, [], 20)).toEqual({ slots, missing: new Uint8Array(2), matchedAll: 2 })
})

test('jobs rank by missing groups, then by score', () => {
  const jobs = fc.array(fc.tuple(fc.nat(31), fc.nat({ max: 10_000 })), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(jobs, (list) => {
      const found = ranks(
        Uint8Array.from(list, ([missed]) => missed),
        Float32Array.from(list, ([, points]) => points),
      )
      for (const [a, [missedA, scoreA]] of list.entries()) {
        for (const [b, [missedB, scoreB]] of list.entries()) {
          expect(Math.sign(found[a]! - found[b]!)).toBe(Math.sign(missedA - missedB || scoreB - scoreA))
        }
      }
    }),
  )
})

test('any page equals the same part of all sorted ranks, in a stable order', () => {
  const rank = fc.oneof(fc.nat(20), fc.nat(200_000), fc.nat(2 ** 32 - 1))
  fc.assert(
    fc.property(fc.array(rank, { maxLength: 60 }), fc.nat(70), fc.nat(20), (numbers, offset, limit) => {
      const sorted = numbers.map((_, index) => index).sort((a, b) => numbers[a]! - numbers[b]!)
      expect(pageOf(Uint32Array.from(numbers), offset, limit)).toEqual(sorted.slice(offset, offset + limit))
    }),
    { numRuns: 2_000 },
  )
})
