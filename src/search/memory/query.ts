/** Runs a list query on the index: finds the jobs of the page, the total, the facets and the corrected search. */
import { withTemporaries } from '../../lib/temporaries.ts'
import type { FacetCount, ListQuery } from '../../lists/query.ts'
import {
  type Asked,
  type BoardPage,
  type BoardQuery,
  type BoardView,
  type FacetName,
  type Key,
  type Stale,
  searchIn,
  searchOf,
} from '../job-index.ts'
import { correctSearch } from '../text/spelling.ts'
import type { SearchGroup } from '../text/words.ts'
import { type Bits, countOf, isEmpty, narrow, passingSlots } from './bits.ts'
import type { BoardIndex, IndexPage, Measures } from './board-index.ts'
import {
  countBefore,
  cutRanking,
  found,
  type Ranking,
  rank,
  rankedSet,
  rankedWithin,
  rankKey,
  relevanceIn,
  setOf,
} from './search.ts'
import type { Wanted } from './texts.ts'

/** In a search by relevance, corrects words that no job contains. Load all conditions of the search first. */
export function withoutTypos(index: BoardIndex, asked: Asked): Asked {
  const { search, isRanked, query } = asked
  if (!search || !isRanked) return asked
  const isMet = (group: SearchGroup) => !isEmpty(narrow(index.live, [setOf(index, group, true).bits]))
  const corrected = withTemporaries(() => correctSearch(searchIn(query)!, search.wanted, isMet, index.vocabulary))
  return corrected === undefined ? asked : { ...asked, search: searchOf(corrected), corrected }
}

/** Returns the search's conditions that the index has not loaded yet, and whether it also needs the fits of each. */
export function unknownConditions(index: BoardIndex, { search, isRanked }: Asked): Wanted[] {
  if (!search) return []
  const { wanted, mixed, unwanted } = search
  const pairs = isRanked ? wanted.flatMap(({ pair }) => pair ?? []) : []
  const conditions = [
    ...[...wanted, ...pairs].map((condition) => ({ condition, withFits: isRanked })),
    ...[...mixed, ...unwanted].map((condition) => ({ condition, withFits: false })),
  ]
  return conditions.filter(({ condition, withFits }) => !index.texts.find(condition, withFits))
}

/** Returns a view whose results are computed when they are requested. Load all conditions of the search first. */
export const viewOf = (index: BoardIndex, asked: Asked, stale: Stale | undefined): BoardView => ({
  revision: index.revision,
  stale,
  page: () => withTemporaries(() => makePage(index, asked)),
  count: () => withTemporaries(() => countOf(jobsOf(index, asked, asked.query.filters).set)),
  counts: (others, each) =>
    withTemporaries(() => {
      const { set } = jobsOf(index, asked, others)
      return each.map((filters) => countOf(index.matching(filters, set)))
    }),
})

function makePage(index: BoardIndex, asked: Asked): BoardPage {
  const { query } = asked
  const { set, ranking } = jobsOf(index, asked, query.filters)
  const { milesOf, measures } = index.measuring(query)
  const { total, page, keyOf } =
    ranking && query.sort.length === 1
      ? cutRanked(index, query, ranking)
      : cutSorted(index, query, set, { ...measures, ...(ranking && { relevance: relevanceIn(index, ranking) }) })
  const { slots, hasMore, hasPrevious } = page
  const featured = asked.featuredMax === 0 ? [] : leadingJobs(index, asked, set, ranking)
  const shown = [...featured, ...slots.filter((slot) => !featured.includes(slot))]
  const cursorAt = (direction: 'next' | 'prev', slot: number | undefined) =>
    query.cursors.encode({ direction, key: slot === undefined ? null : keyOf(slot) })
  return {
    ids: shown.map((slot) => index.columns.ids.get(slot)),
    miles: milesOf && shown.map(milesOf),
    total,
    hasMore,
    nextCursor: hasMore && !query.isNumbered ? cursorAt('next', slots.at(-1)) : null,
    prevCursor: hasPrevious && !query.isNumbered ? cursorAt('prev', slots[0]) : null,
    ...(query.facets.length > 0 && { facets: facetsOf(index, asked, set) }),
    ...(ranking && { search: describeRanking(ranking, asked) }),
  }
}

/** Returns the featured jobs that precede a page: the first ones in the order of the list. */
function leadingJobs(index: BoardIndex, { query, featuredMax }: Asked, set: Bits, ranking?: Ranking): number[] {
  const isFeatured = { filter: 'is_featured', operator: 'is', value: true } as const
  const featured = index.matching([isFeatured], set)
  if (ranking) return cutRanking(index, rankedWithin(ranking, featured), 0, featuredMax)
  const first = { ...query, page: 1, limit: featuredMax, cursor: { direction: 'next', key: null } } as const
  return index.page(featured, countOf(featured), first).slots
}

function describeRanking({ matches: { slots, matchedAll } }: Ranking, { corrected }: Asked) {
  return { matched_all: matchedAll, matched_some: slots.length - matchedAll, corrected }
}

/** Returns the jobs that pass these filters and match the search. A ranked search also includes near matches. */
function jobsOf(
  index: BoardIndex,
  { search, isRanked }: Asked,
  filters: ListQuery['filters'],
): { set: Bits; ranking?: Ranking } {
  const filtered = index.matching(filters)
  if (!search) return { set: filtered }
  if (!isRanked) return { set: found(index, filtered, search) }
  const ranking = rank(index, filtered, search)
  return { set: rankedSet(index, ranking), ranking }
}

/** Counts the values of each facet, ignoring the filter on the facet itself. */
function facetsOf(index: BoardIndex, asked: Asked, listed: Bits): Record<string, FacetCount[]> {
  const { facets, filters } = asked.query
  const slots = passingSlots(listed)
  const counted = facets.map((facet) => {
    const others = filters.filter(({ filter }) => filter !== facet)
    const own = others.length === filters.length ? slots : passingSlots(jobsOf(index, asked, others).set)
    return [facet, index.counts(own, facet as FacetName)]
  })
  return Object.fromEntries(counted)
}

interface Cut {
  total: number
  page: IndexPage
  keyOf: (slot: number) => Key[]
}

function cutSorted(index: BoardIndex, query: BoardQuery, set: Bits, measures: Measures): Cut {
  const total = countOf(set)
  return {
    total,
    page: index.page(set, total, query, measures),
    keyOf: (slot) => index.cursorKey(slot, query, measures),
  }
}

function cutRanked(index: BoardIndex, { cursor, limit, page }: BoardQuery, ranking: Ranking): Cut {
  const total = ranking.ranks.length
  const isBackward = cursor.direction === 'prev'
  // The start of the page or, if the cursor goes backward, its end.
  let at = isBackward ? total : ((page ?? 1) - 1) * limit
  if (cursor.key) at = countBefore(index, ranking, cursor.key, !isBackward)
  const from = isBackward ? Math.max(0, at - limit) : at
  const slots = cutRanking(index, ranking, from, isBackward ? at - from : limit)
  return {
    total,
    page: { slots, hasMore: from + slots.length < total, hasPrevious: from > 0 && total > 0 },
    keyOf: (slot) => rankKey(index, ranking, slot),
  }
}
