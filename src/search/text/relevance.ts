/**
 * Ranks jobs for a search, similarly to BM25 with fields. Rare words count more than common words, and words in short
 * texts more than words in long texts. Title and skills count more than the company, and the company more than the
 * description. Repeated words do not count, because counting them hardly improved results (decision 0029). A job has
 * one byte for its lengths, and one byte per condition for its fit (`SearchCondition.fit`). A score is a sum of table
 * lookups, because a broad search scores half of the jobs. The typed arrays that these functions return are temporary.
 */
import { sortedPart } from '../../lib/sorted-part.ts'
import { temporary } from '../../lib/temporaries.ts'
import { FIT } from './words.ts'

/** The values of matches, which the search engine's scripts use, too. */
export const VALUES = {
  title: 3,
  company: 2,
  text: 1,
  /** Factor for a word that occurs as typed rather than only in another inflection. */
  typed: 1.5,
  /**
   * Scores of two search words that are adjacent in a title or a skill, in any inflection or as typed. A rare word has
   * a similar score.
   */
  pair: 6,
  typedPair: 20,
  /**
   * Reductions of a word's value: per eight characters of a title, or per factor of √2 in the length of a description.
   */
  titleLength: 0.05,
  textLength: 0.05,
}

const FITS = 16
const LENGTHS = 256

/** Packs the length of a title in characters, and of a description in characters or bytes, into one byte. */
export function lengthByte(title: number, description: number): number {
  const titleStep = Math.min(15, title >> 3)
  const textStep = Math.min(15, Math.max(0, Math.round(2 * (Math.log2(description + 1) - 6))))
  return (titleStep << 4) | textStep
}

/** Returns the inverse document frequency, which measures the significance of a condition. */
export function idf(jobs: number, matching: number): number {
  return Math.log(1 + (jobs - matching + 0.5) / (matching + 0.5))
}

const titleShare = (lengths: number) => 1 / (1 + VALUES.titleLength * (lengths >> 4))
const textShare = (lengths: number) => 1 / (1 + VALUES.textLength * (lengths & 15))

/** Returns the contribution of a group with an idf of 1 to a job's score. */
export function groupValue(fit: number, lengths: number): number {
  if (fit === 0) return 0
  const title = fit & FIT.title ? VALUES.title * titleShare(lengths) : 0
  const company = fit & FIT.company ? VALUES.company : 0
  return (title + company + VALUES.text * textShare(lengths)) * (fit & FIT.written ? VALUES.typed : 1)
}

/** Indexed by fit * 256 + lengths. */
const groupTable = table(groupValue)

const pairTable = table((fit, lengths) => {
  if (fit === 0) return 0
  return (fit === 1 ? VALUES.pair : VALUES.typedPair) * titleShare(lengths)
})

function table(worth: (fit: number, lengths: number) => number): Float32Array {
  return Float32Array.from({ length: FITS * LENGTHS }, (_, index) => worth(index >> 8, index & 255))
}

export interface Scored {
  /** The fit of this condition, by slot. */
  fits: Uint8Array
  table: Float32Array
  /** Factor for the values of the table. */
  weight: number
}

/** Returns the condition of a group, weighted by its inverse document frequency. */
export const scoredGroup = (fits: Uint8Array, idf: number): Scored => ({ fits, table: groupTable, weight: idf })

export const scoredPair = (fits: Uint8Array): Scored => ({ fits, table: pairTable, weight: 1 })

/** Returns the score of each job. `lengths` is indexed by slot. */
export function scores(slots: Uint32Array, lengths: Uint8Array, conditions: readonly Scored[]): Float32Array {
  const { length } = slots
  const sums = temporary(Float32Array, length).fill(0)
  for (const { fits, table, weight } of conditions) {
    for (let index = 0; index < length; index++) {
      const slot = slots[index]!
      sums[index]! += weight * table[(fits[slot]! << 8) | lengths[slot]!]!
    }
  }
  return sums
}

/** The jobs that match a search fully or partly. */
export interface Matches {
  /** In input order. */
  slots: Uint32Array
  /** The number of groups that each job misses. */
  missing: Uint8Array
  /** The number of jobs that miss no group. */
  matchedAll: number
}

/**
 * Returns how many groups a ranked job may miss: the lowest number that yields at least `wanted` jobs, or all groups
 * but one if no lower number does. Jobs that meet no group are never included. `byMissed` counts the jobs by the number
 * of missed groups.
 */
export function missedMax(byMissed: ArrayLike<number>, groups: number, wanted: number): number {
  let most = 0
  let count = byMissed[0]!
  while (count < wanted && most + 1 < groups) count += byMissed[++most]!
  return most
}

/** Returns the number of groups that each of these jobs misses. Each group is an array of fits by slot. */
export function missedGroups(slots: Uint32Array, groups: readonly Uint8Array[]): Uint8Array {
  const { length } = slots
  const missed = temporary(Uint8Array, length).fill(0)
  for (const fits of groups) {
    // The lowest bit indicates a match. The processor would mispredict a branch half of the time.
    for (let index = 0; index < length; index++) missed[index]! += (fits[slots[index]!]! & 1) ^ 1
  }
  return missed
}

/**
 * Returns the jobs that meet all groups. If there are fewer than `wanted`, adds jobs that miss one group, then two, and
 * so on, except jobs that meet no group. Each group is an array of fits by slot.
 */
export function nearestMatches(slots: Uint32Array, groups: readonly Uint8Array[], wanted: number): Matches {
  const { length } = slots
  const missed = missedGroups(slots, groups)
  const byMissed = new Uint32Array(groups.length + 1)
  for (let index = 0; index < length; index++) byMissed[missed[index]!]!++
  const most = missedMax(byMissed, groups.length, wanted)
  const count = byMissed.subarray(0, most + 1).reduce((sum, jobs) => sum + jobs, 0)

  const kept = temporary(Uint32Array, count)
  const missing = temporary(Uint8Array, count)
  let at = 0
  for (let index = 0; index < length; index++) {
    if (missed[index]! > most) continue
    kept[at] = slots[index]!
    missing[at++] = missed[index]!
  }
  return { slots: kept, missing, matchedAll: byMissed[0]! }
}

const SCORE_STEPS = 64
/** Highest score in a rank. The score takes 27 bits, which leaves 5 bits for the number of missed groups. */
const SCORE_HIGHEST = 2 ** 27 - 1

/** Returns ranks that put jobs with fewer missed groups first, then jobs with higher scores, in steps of 1/64. */
export function ranks(missing: Uint8Array, scores: Float32Array): Uint32Array {
  const { length } = scores
  const found = temporary(Uint32Array, length)
  for (let index = 0; index < length; index++) {
    const score = Math.round(scores[index]! * SCORE_STEPS)
    found[index] = missing[index]! * (SCORE_HIGHEST + 1) + SCORE_HIGHEST - score
  }
  return found
}

const MAX_STEPS = 2 ** 16

/**
 * Returns the indexes of the ranks on a page, in order. `compare` orders equal ranks. Counts the ranks and sorts only
 * those near the page; the last page therefore costs no more than the first.
 */
export function pageOf(
  ranks: Uint32Array,
  offset: number,
  limit: number,
  compare = (a: number, b: number): number => a - b,
): number[] {
  const jobs = ranks.length
  const end = Math.min(offset + limit, jobs)
  if (offset >= end) return []
  let lowest = ranks[0]!
  let highest = lowest
  for (let index = 0; index < jobs; index++) {
    const rank = ranks[index]!
    if (rank < lowest) lowest = rank
    else if (rank > highest) highest = rank
  }
  let shift = 0
  while ((highest - lowest) >>> shift >= MAX_STEPS) shift++
  const counts = temporary(Uint32Array, ((highest - lowest) >>> shift) + 1).fill(0)
  for (let index = 0; index < jobs; index++) counts[(ranks[index]! - lowest) >>> shift]!++

  let before = 0
  let first = 0
  while (before + counts[first]! <= offset) before += counts[first++]!
  let last = first
  for (let count = before + counts[first]!; count < end; ) count += counts[++last]!

  let length = 0
  for (let step = first; step <= last; step++) length += counts[step]!
  const found = temporary(Uint32Array, length)
  let at = 0
  for (let index = 0; index < jobs; index++) {
    const step = (ranks[index]! - lowest) >>> shift
    if (step >= first && step <= last) found[at++] = index
  }
  // A hundred thousand jobs can have the same rank.
  const inOrder = (a: number, b: number) => (a === b ? 0 : ranks[a]! - ranks[b]! || compare(a, b))
  return [...sortedPart(found, inOrder, offset - before, end - before)]
}
