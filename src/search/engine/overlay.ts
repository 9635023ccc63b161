/**
 * The overlay: the current state of the jobs that have changed since the search engine's position. A process excludes
 * these jobs from the engine's results, and adds them from the overlay.
 */
import { withTemporaries } from '../../lib/temporaries.ts'
import type { ListQuery, SortTerm } from '../../lists/query.ts'
import type { Asked, FacetName, Key, SortField } from '../job-index.ts'
import { countOf, narrow, passingSlots, unite } from '../memory/bits.ts'
import type { BoardIndex } from '../memory/board-index.ts'
import { found, scoredWithin, setOf } from '../memory/search.ts'
import { idf, missedGroups, type Scored, scoredGroup, scoredPair, scores } from '../text/relevance.ts'

/** A changed job that matches a query, with everything that its page needs. */
export interface OverlaidJob {
  id: string
  /** The sort values. `rankOverlay` sets the one for relevance. */
  keys: Key[]
  miles: number | undefined
  isFeatured: boolean
  facets: Partial<Record<FacetName, string | boolean | undefined>>
  /** The number of groups of a ranked search that the job misses. */
  missing: number
}

/** The changed jobs that match a query. */
export interface Overlay {
  jobs: OverlaidJob[]
  /** For a ranked search: how well each job fits each group and each pair, and the text lengths of each job. */
  groups: Uint8Array[]
  pairs: (Uint8Array | undefined)[]
  lengths: Uint8Array
}

/** Returns the number of changed jobs that meet each group of a search. */
export const overlaidCounts = (index: BoardIndex, { search, isRanked }: Asked): number[] =>
  withTemporaries(() =>
    search!.wanted.map((group) => countOf(narrow(index.live, [setOf(index, group, isRanked).bits]))),
  )

const NO_GROUPS = { groups: [], pairs: [] }

/** Returns the changed jobs that pass these filters and match the search, including near matches of a ranked search. */
export const overlaid = (index: BoardIndex, asked: Asked, filters: ListQuery['filters']): Overlay =>
  withTemporaries(() => {
    const { query, search, isRanked } = asked
    const set = index.matching(filters)
    if (!search) return read(index, query, passingSlots(set), NO_GROUPS)
    if (!isRanked) return read(index, query, passingSlots(found(index, set, search)), NO_GROUPS)
    const { wanted } = search
    const allowed = scoredWithin(index, set, search)
    const sets = wanted.map((group) => setOf(index, group, true))
    const slots = passingSlots(wanted.length === 0 ? allowed : narrow(allowed, [unite(sets.map(({ bits }) => bits))]))
    const { size } = index.columns
    const groups = sets.map(({ fits }) => fits!.column(size))
    const pairs = wanted.map(({ pair }) => pair && setOf(index, pair, true).fits!.column(size))
    return read(index, query, slots, { groups, pairs })
  })

function read(
  index: BoardIndex,
  query: Asked['query'],
  slots: Uint32Array,
  { groups, pairs }: { groups: readonly Uint8Array[]; pairs: readonly (Uint8Array | undefined)[] },
): Overlay {
  const { columns } = index
  const { milesOf, measures } = index.measuring(query)
  const allMeasures = { ...measures, relevance: () => 0 }
  const missed = missedGroups(slots, groups)
  const sort = orderOf(query).terms
  const at = (column: Uint8Array) => Uint8Array.from(slots, (slot) => column[slot]!)
  return {
    jobs: Array.from(slots, (slot, n) => ({
      id: columns.ids.get(slot),
      keys: index.keysOf(slot, { sort }, allMeasures),
      miles: milesOf?.(slot),
      isFeatured: columns.featured[slot] === 1,
      facets: Object.fromEntries(query.facets.map((facet) => [facet, index.facetValue(slot, facet as FacetName)])),
      missing: missed[n]!,
    })),
    groups: groups.map(at),
    pairs: pairs.map((column) => column && at(column)),
    lengths: at(columns.lengths),
  }
}

/** The order of a list. The ID orders the rows with equal sort values. */
export interface Order {
  terms: readonly SortTerm<SortField>[]
  isIdAscending: boolean
}

/** Returns the order of a list. If relevance is the only sort field, the posting time breaks ties. */
export function orderOf({ sort }: Asked['query']): Order {
  const [first] = sort
  const terms =
    sort.length === 1 && first!.field === 'relevance'
      ? [...sort, { field: 'posted_at', direction: first!.direction } as const]
      : sort
  return { terms, isIdAscending: terms.at(-1)?.direction === 'asc' }
}

/** Values of a ranked search that depend on the whole board. */
export interface Frequencies {
  /** The number of jobs on the board. */
  jobs: number
  /** The number of jobs that meet each group. */
  matching: readonly number[]
}

/** Returns the inverse document frequency of each group. */
export const idfs = ({ jobs, matching }: Frequencies): number[] =>
  matching.map((count) => idf(Math.max(jobs, count), count))

/** Number of steps per point of a score, and the maximum number of steps. */
export const SCORE = { steps: 64, highest: 65_535 }

/**
 * Returns the sort value for relevance, computed from a job's score and the number of groups that the job meets. Must
 * match the engine's `rankScript`.
 */
export const rankOf = (met: number, score: number): number =>
  met * (SCORE.highest + 1) + Math.min(SCORE.highest, Math.round(score * SCORE.steps))

/** Sets the sort value for relevance, which ranks jobs by the number of groups that they meet, then by score. */
export function rankOverlay({ jobs, groups, pairs, lengths }: Overlay, idfOf: readonly number[], at: number): void {
  const scored = groups.flatMap((fits, n): Scored[] => {
    const group = scoredGroup(fits, idfOf[n]!)
    return pairs[n] ? [group, scoredPair(pairs[n])] : [group]
  })
  const sums = scores(
    Uint32Array.from(jobs, (_, n) => n),
    lengths,
    scored,
  )
  for (const [n, job] of jobs.entries()) {
    job.keys[at] = rankOf(groups.length - job.missing, sums[n]!)
  }
}
