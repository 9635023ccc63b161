/** Runs searches on the board: finds the matching jobs and ranks them. */
import { temporary } from '../../lib/temporaries.ts'
import type { Key, Search } from '../job-index.ts'
import {
  idf,
  type Matches,
  nearestMatches,
  pageOf,
  ranks,
  type Scored,
  scoredGroup,
  scoredPair,
  scores,
} from '../text/relevance.ts'
import type { SearchCondition } from '../text/words.ts'
import { type Bits, countOf, emptySet, narrow, passingSlots, unite } from './bits.ts'
import type { BoardIndex } from './board-index.ts'
import type { TextSet } from './texts.ts'

export const setOf = (index: BoardIndex, condition: SearchCondition, withFits = false): TextSet =>
  index.texts.find(condition, withFits)!

export function found(index: BoardIndex, set: Bits, search: Search): Bits {
  // A search without any words matches nothing.
  if (search.wanted.length + search.mixed.length + search.unwanted.length === 0) return emptySet(set.words.length)
  const within = [...search.wanted, ...search.mixed].map((condition) => setOf(index, condition).bits)
  return narrow(
    set,
    within,
    search.unwanted.map((condition) => setOf(index, condition).bits),
  )
}

/** If fewer jobs than this match, a ranking also includes jobs that miss some conditions. */
export const ENOUGH = 20

/**
 * Matching jobs with their ranks; a lower rank comes first. Within a rank, newer jobs come first, then jobs with higher
 * IDs.
 */
export interface Ranking {
  matches: Matches
  ranks: Uint32Array
}

interface RankedSlots extends Pick<Ranking, 'ranks'> {
  matches: Pick<Matches, 'slots'>
}

/** Filters a set of jobs by the conditions of a search that do not affect the ranking. */
export function scoredWithin(index: BoardIndex, set: Bits, search: Search): Bits {
  const isOnlyWanted = search.wanted.length > 0 && search.mixed.length + search.unwanted.length === 0
  return isOnlyWanted ? set : found(index, set, { ...search, wanted: [] })
}

/** Ranks the jobs of a set that match a search. Adds near matches if few jobs match. */
export function rank(index: BoardIndex, set: Bits, search: Search): Ranking {
  const { columns, live } = index
  const { wanted } = search
  const base = scoredWithin(index, set, search)
  const sets = wanted.map((group) => setOf(index, group, true))
  const all = narrow(
    base,
    sets.map(({ bits }) => bits),
  )
  const count = countOf(all)
  const fits = sets.map(({ fits }) => fits!.column(columns.size))
  const isNear = count < ENOUGH && wanted.length > 1
  const matches = isNear
    ? nearestMatches(passingSlots(narrow(base, [unite(sets.map(({ bits }) => bits))])), fits, ENOUGH)
    : { slots: passingSlots(all, count), missing: temporary(Uint8Array, count).fill(0), matchedAll: count }
  const jobs = index.size
  const scored = wanted.flatMap(({ pair }, n): Scored[] => {
    const matching = countOf(narrow(live, [sets[n]!.bits]))
    const group = scoredGroup(fits[n]!, idf(jobs, matching))
    return pair ? [group, scoredPair(setOf(index, pair, true).fits!.column(columns.size))] : [group]
  })
  return { matches, ranks: ranks(matches.missing, scores(matches.slots, columns.lengths, scored)) }
}

export function rankedSet({ live }: BoardIndex, { matches }: Ranking): Bits {
  const set = emptySet(live.words.length)
  for (const slot of matches.slots) set.set(slot, true)
  return set
}

/** Returns the jobs of a ranking that match every term and are in a set. */
export function rankedWithin({ matches: { slots, missing }, ranks }: Ranking, set: Bits): RankedSlots {
  const isKept = (n: number) => missing[n] === 0 && set.has(slots[n]!)
  return { matches: { slots: slots.filter((_, n) => isKept(n)) }, ranks: ranks.filter((_, n) => isKept(n)) }
}

/** Returns a function that measures the relevance of jobs. A higher value is more relevant. */
export function relevanceIn({ columns }: BoardIndex, { matches, ranks }: Ranking): (slot: number) => number {
  const bySlot = temporary(Uint32Array, columns.size)
  for (const [n, slot] of matches.slots.entries()) bySlot[slot] = ranks[n]!
  return (slot) => -bySlot[slot]!
}

export function rankKey({ columns }: BoardIndex, { matches, ranks }: Ranking, slot: number): Key[] {
  return [ranks[matches.slots.indexOf(slot)]!, columns.postedAt[slot]!, columns.ids.get(slot)]
}

/** Returns up to `limit` slots of a ranking, starting at an offset. */
export function cutRanking(
  { columns }: BoardIndex,
  { matches, ranks }: RankedSlots,
  offset: number,
  limit: number,
): number[] {
  const { slots } = matches
  const compare = (a: number, b: number) => {
    const [one, other] = [slots[a]!, slots[b]!]
    return columns.postedAt[other]! - columns.postedAt[one]! || columns.ids.compare(other, one)
  }
  return pageOf(ranks, offset, limit, compare).map((n) => slots[n]!)
}

/** Returns the number of jobs before a key. If `isAfter` is set, also counts the job at the key. */
export function countBefore(
  { columns }: BoardIndex,
  { matches, ranks }: Ranking,
  [rank, postedAt, id]: readonly Key[],
  isAfter: boolean,
): number {
  const { length } = ranks
  let count = 0
  for (let n = 0; n < length; n++) {
    if (ranks[n]! !== rank) count += Number(ranks[n]! < (rank as number))
    else {
      const slot = matches.slots[n]!
      const own = columns.postedAt[slot]!
      if (own !== postedAt) count += Number(own > (postedAt as number))
      else {
        const ownId = columns.ids.get(slot)
        count += Number(ownId > id! || (isAfter && ownId === id))
      }
    }
  }
  return count
}
