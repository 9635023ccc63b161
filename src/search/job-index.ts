/**
 * The interface of the two indexes that can serve lists of jobs: in the memory of this process (`memory/`), and in
 * OpenSearch (`engine/`).
 */
import { LRUCache } from 'lru-cache'
import type { PageOf } from '../lists/meta.ts'
import type { FacetCount, ListQuery } from '../lists/query.ts'
import { type SearchCondition, type SearchGroup, searchGroups } from './text/words.ts'

export type FacetName = 'category' | 'job_type' | 'experience_level' | 'remote' | 'workplace' | 'language'

/** A job's sort value; never null. */
export type Key = string | number

export interface BoardPage {
  ids: string[]
  /** Present in a radius search. */
  miles: number[] | undefined
  total: number
  hasMore: boolean
  nextCursor: string | null
  prevCursor: string | null
  facets?: Record<string, FacetCount[]>
  /** Set for a search by relevance. */
  search?: PageOf['search']
}

/** A parsed search text. */
export interface Search {
  /** Conditions that determine the ranking. Without a ranking, all of them must be met. */
  wanted: readonly SearchGroup[]
  /** Conditions that must be met but contain an excluded alternative. */
  mixed: readonly SearchCondition[]
  /** Conditions that must not be met. */
  unwanted: readonly SearchCondition[]
}

/** Sort fields whose values can depend on the query. */
export type Measured = 'relevance' | 'distance' | 'salary'
export type SortField = 'title' | 'posted_at' | 'location' | 'company_name' | 'application_count' | Measured
export type BoardQuery = ListQuery<string, SortField>

/** A query with its parsed search. */
export interface Asked {
  query: BoardQuery
  search: Search | undefined
  isRanked: boolean
  /** The corrected search text, or null. */
  corrected: string | null
  /** Maximum number of featured jobs that precede the page. */
  featuredMax: number
}

/** The time at which the index last matched the database, which has been unavailable since then. */
export interface Stale {
  since: Date
  /** The same time in milliseconds of `performance.now()`. */
  sinceMs: number
}

/** The board at one moment. `revision` differs after every change that can affect a list. */
export interface BoardState {
  revision: number
}

/** The board at one moment, for one query. The board in memory returns results without promises. */
export interface BoardView extends BoardState {
  stale: Stale | undefined
  page(): BoardPage | Promise<BoardPage>
  /** Returns the number of jobs that match the query. */
  count(): number | Promise<number>
  /**
   * For each set of filters in `each`, returns the number of jobs that match the query's search, `others` and the set.
   * The query's own filters do not apply.
   */
  counts(others: ListQuery['filters'], each: readonly ListQuery['filters'][]): number[] | Promise<number[]>
}

export interface JobIndex {
  /** The state if it is current enough, otherwise undefined. `current` refreshes the state. */
  readonly now: BoardState | undefined
  /** The revision of the last known state. */
  readonly revision: number | undefined
  /**
   * The time since which the board may be stale, or undefined if the board is current. Read this property immediately
   * after `current`.
   */
  readonly stale: Stale | undefined
  /**
   * Returns the state with all acknowledged writes of this process or, while the database is unavailable, the last
   * known state.
   */
  current(): Promise<BoardState>
  /**
   * Calls `compute` after correcting the typos of a ranked search. The index in memory first loads everything that the
   * search needs and waits for the account's turn. With the search engine, each method of the view waits for a turn.
   * Throws `unavailable` if the index cannot answer. Throws `rate_limited` if the search needs a query and the account
   * has spent its budget; the search engine skips this check if `hasBegun` is set.
   */
  ask<T>(asked: Asked, account: string, compute: (view: BoardView) => T, options?: { hasBegun?: boolean }): Promise<T>
  /** Counts the values of a facet, highest count first. */
  countBy(facet: FacetName, filters: ListQuery['filters']): Promise<FacetCount[]>
  /** Returns the companies with the most jobs: for each, the number of its jobs and the ID of one of these jobs. */
  busiestCompanies(max: number): Promise<{ id: string; count: number }[]>
  /** Returns the number of jobs that lists show by default. */
  size(): Promise<number>
  /** Returns a part of the IDs of the jobs that lists show by default, in ascending order. */
  ids(skip: number, limit: number): Promise<readonly string[]>
  /**
   * Returns whether a job is on the board. If so, the board's listeners are notified when the job changes or leaves the
   * board.
   */
  has(job: { number: number; is_active: boolean }): boolean
  /** Prepares searches in the background, if that makes them faster. */
  prepare?(ending?: AbortSignal): Promise<void>
}

export function understand(query: ListQuery, featuredMax = 0): Asked {
  const text = searchIn(query)
  return {
    query: query as BoardQuery,
    search: text === undefined ? undefined : searchOf(text),
    isRanked: query.sort.some(({ field }) => field === 'relevance'),
    corrected: null,
    featuredMax,
  }
}

/** Returns the search text of a query, if any. */
export const searchIn = (query: ListQuery): string | undefined =>
  query.filters.find(({ filter }) => filter === 'search')?.value as string | undefined

/** Maximum total length of the texts of cached searches, in characters. A character takes about 400 bytes of memory. */
const SEARCHES_LENGTH_MAX = 40_000
/** Recent searches by text. Parsing a search takes 20 µs, a tenth of the time of a list whose words are loaded. */
const searches = new LRUCache<string, Search>({
  maxSize: SEARCHES_LENGTH_MAX,
  sizeCalculation: (_, text) => text.length + 1,
  memoMethod: parse,
})

export const searchOf = (text: string): Search => searches.memo(text)

function parse(text: string): Search {
  const groups = searchGroups(text)
  const absent = groups.filter(({ excluded }) => excluded)
  // For a single exclusion, looks up the excluded term itself. An index has no entries for absent words.
  return {
    wanted: groups.filter(({ excluded }) => !excluded),
    mixed: absent.filter(({ unwanted }) => unwanted === undefined),
    unwanted: absent.flatMap(({ unwanted }) => unwanted ?? []),
  }
}
