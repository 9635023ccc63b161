/** A search on the board: the jobs that it finds, and their ranks. */
import {
  groupTable,
  idf,
  type Matches,
  nearestMatches,
  pageOf,
  pairTable,
  ranks,
  type Scored,
  scores,
} from '../lib/relevance.ts'
import { type SearchCondition, type SearchGroup, searchGroups } from '../lib/search-text.ts'
import { correctSearch } from '../lib/spelling.ts'
import { type Bits, countOf, emptySet, isEmpty, narrow, slotsOf, unite } from './bits.ts'
import type { BoardIndex } from './board-index.ts'
import type { Key } from './orders.ts'
import type { TextSet } from './texts.ts'

/** What was typed, as conditions. */
export interface Search {
  /** All are to be met; those that ask for something can be ranked by. */
  wanted: readonly SearchGroup[]
  /** To be met where something may be absent. */
  mixed: readonly SearchCondition[]
  /** Not to be met. */
  unwanted: readonly SearchCondition[]
}

export function searchOf(text: string): Search {
  const groups = searchGroups(text)
  const absent = groups.filter(({ excluded }) => excluded)
  // What is asked for by its absence alone is found by its presence: an index knows nothing of what is not there.
  return {
    wanted: groups.filter(({ excluded }) => !excluded),
    mixed: absent.filter(({ unwanted }) => unwanted === undefined),
    unwanted: absent.flatMap(({ unwanted }) => unwanted ?? []),
  }
}

/** Every condition whose set a search needs, and whether with how closely it is met. */
export function conditionsOf({ wanted, mixed, unwanted }: Search, isRanked: boolean) {
  const pairs = isRanked ? wanted.flatMap(({ pair }) => pair ?? []) : []
  return [
    ...[...wanted, ...pairs].map((condition) => ({ condition, withFits: isRanked })),
    ...[...mixed, ...unwanted].map((condition) => ({ condition, withFits: false })),
  ]
}

/** What was typed with the words corrected that no job has, whatever the filters; undefined where there is nothing to correct. */
export function correct(index: BoardIndex, text: string, { wanted }: Search): string | undefined {
  const isMet = (group: SearchGroup) => !isEmpty(narrow(index.live, [setOf(index, group, true).bits]))
  return correctSearch(text, wanted, isMet, index.vocabulary)
}

const setOf = (index: BoardIndex, condition: SearchCondition, withFits = false): TextSet =>
  index.texts.find(condition, withFits)!

/** Of a set, the jobs that a search finds: all of its conditions are met. */
export function found(index: BoardIndex, set: Bits, search: Search): Bits {
  // What holds no word at all finds nothing.
  if (search.wanted.length + search.mixed.length + search.unwanted.length === 0) return emptySet(set.words.length)
  const within = [...search.wanted, ...search.mixed].map((condition) => setOf(index, condition).bits)
  return narrow(
    set,
    within,
    search.unwanted.map((condition) => setOf(index, condition).bits),
  )
}

/** Where fewer meet all that is wanted, those that miss some of it follow. */
const ENOUGH = 20

/** Jobs with their ranks, the lowest first; equal ones follow each other newest first, then by id. */
export interface Ranking {
  matches: Matches
  ranks: Uint32Array
}

/** Of a set, the jobs that meet a search or, where these are few, come near it, ranked. */
export function rank(index: BoardIndex, set: Bits, search: Search): Ranking {
  const { columns, live } = index
  const { wanted } = search
  const allowed = found(index, set, { ...search, wanted: [] })
  const base = wanted.length > 0 && search.mixed.length + search.unwanted.length === 0 ? set : allowed
  const sets = wanted.map((group) => setOf(index, group, true))
  const all = narrow(
    base,
    sets.map(({ bits }) => bits),
  )
  const count = countOf(all)
  const spread = ({ fits }: TextSet) => {
    const bytes = new Uint8Array(columns.size)
    fits!.spread(bytes)
    return bytes
  }
  const fits = sets.map(spread)
  const isNear = count < ENOUGH && wanted.length > 1
  const matches = isNear
    ? nearestMatches(slotsOf(narrow(base, [unite(sets.map(({ bits }) => bits))])), fits, ENOUGH)
    : { slots: slotsOf(all, count), missing: new Uint8Array(count), matchedAll: count }
  const jobs = index.size
  const scored = wanted.flatMap(({ pair }, n): Scored[] => {
    const matching = countOf(narrow(live, [sets[n]!.bits]))
    const group = { fits: fits[n]!, table: groupTable(idf(jobs, matching)) }
    return pair ? [group, { fits: spread(setOf(index, pair, true)), table: pairTable }] : [group]
  })
  return { matches, ranks: ranks(matches.missing, scores(matches.slots, columns.lengths, scored)) }
}

/** The jobs of a ranking as a set. */
export function rankedSet({ live }: BoardIndex, { matches }: Ranking): Bits {
  const set = emptySet(live.words.length)
  for (const slot of matches.slots) set.set(slot, true)
  return set
}

/** How relevant each job of a ranking is: the higher, the more. */
export function relevanceIn({ columns }: BoardIndex, { matches, ranks }: Ranking): (slot: number) => number {
  const bySlot = new Uint32Array(columns.size)
  for (const [n, slot] of matches.slots.entries()) bySlot[slot] = ranks[n]!
  return (slot) => -bySlot[slot]!
}

/** The key of a job in a ranking, for cursors. */
export function rankKey({ columns }: BoardIndex, { matches, ranks }: Ranking, slot: number): Key[] {
  return [ranks[matches.slots.indexOf(slot)]!, columns.postedAt[slot]!, columns.id[slot]!]
}

/** So many slots of a ranking from an offset on. */
export function cutRanking(
  { columns }: BoardIndex,
  { matches, ranks }: Ranking,
  offset: number,
  limit: number,
): number[] {
  const { slots } = matches
  const compare = (a: number, b: number) => {
    const [one, other] = [slots[a]!, slots[b]!]
    return columns.postedAt[other]! - columns.postedAt[one]! || (columns.id[one]! > columns.id[other]! ? -1 : 1)
  }
  return pageOf(ranks, offset, limit, compare).map((n) => slots[n]!)
}

/** How many of a ranking come before a key; with `isAfter`, also what stands there. */
export function countBefore(
  { columns }: BoardIndex,
  { matches, ranks }: Ranking,
  [rank, postedAt, id]: readonly Key[],
  isAfter: boolean,
): number {
  let count = 0
  for (let n = 0; n < ranks.length; n++) {
    if (ranks[n]! !== rank) count += Number(ranks[n]! < (rank as number))
    else {
      const slot = matches.slots[n]!
      const own = columns.postedAt[slot]!
      if (own !== postedAt) count += Number(own > (postedAt as number))
      else count += Number(columns.id[slot]! > id! || (isAfter && columns.id[slot] === id))
    }
  }
  return count
}
