/**
 * Serves lists of jobs from a search engine. Supplements every result with the changes that the engine's index lacks.
 * The engine returns sorted job IDs, totals and counts. The jobs themselves come from the database.
 */
import type { Database } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import { badQuery, unavailable } from '../../lib/errors.ts'
import { IdParts } from '../../lib/id-parts.ts'
import type { Clock } from '../../lib/time.ts'
import { type FacetCount, type ListQuery, radiusOf } from '../../lists/query.ts'
import {
  type Asked,
  type BoardPage,
  type BoardState,
  type BoardView,
  type FacetName,
  type JobIndex,
  type Search,
  type Stale,
  searchIn,
  searchOf,
} from '../job-index.ts'
import { slotsOf } from '../memory/bits.ts'
import type { Board } from '../memory/board.ts'
import { fromCursor, sortedCounts, toCursor } from '../memory/board-index.ts'
import { fromSortable } from '../memory/columns.ts'
import { listBoardIds } from '../memory/queries.ts'
import { unknownConditions } from '../memory/query.ts'
import { ENOUGH } from '../memory/search.ts'
import { missedMax } from '../text/relevance.ts'
import { correctSearch, Vocabulary } from '../text/spelling.ts'
import { type EngineBase, unfolded } from './base.ts'
import { type Clause, term } from './clauses.ts'
import { CHANGED_MAX, PAGE_ROWS_MAX } from './documents.ts'
import { type Engine, type Found, PointLost } from './engine.ts'
import { type Aggregations, aggregationsOf, type Count, CURRENT_FIELDS, type Hit, Moment, totalOf } from './moment.ts'
import {
  type Frequencies,
  idfs,
  type Order,
  type OverlaidJob,
  type Overlay,
  orderOf,
  overlaid,
  overlaidCounts,
  rankOverlay,
} from './overlay.ts'
import { comparison, fromEngine, milesScript, type Sorted, sortOf, toEngine } from './sorts.ts'
import {
  bestDocuments,
  conditionClause,
  groupsClause,
  rankedClause,
  requirementClauses,
  type Tier,
  tiersOf,
} from './words.ts'

export interface EngineJobsDeps {
  database: Database
  searches: SearchReads
  board: Board<EngineBase>
  engine: Engine
  clock: Clock
  /** Maximum number of rows that the engine sorts for a page. Tests can set another number. */
  sortedMax?: number
  /**
   * Number of matches above which a ranked search first scores only the most promising documents. Tests can set another
   * number.
   */
  bestFirstMin?: number
}

/** A job of a page, from the engine or from the overlay. */
type Row = Pick<OverlaidJob, 'id' | 'keys' | 'miles'>

/** The jobs that match a query: documents of the base, and changed jobs. */
interface MatchingSet {
  filter: readonly Clause[]
  /** The number of groups of the search that a job may miss. */
  missed: number
  overlay: Overlay
}

interface Matched extends MatchingSet {
  total: number
  matchedAll: number
}

/** The jobs of a list. The total is known if the list is sorted by relevance or skips rows. */
type ListedSet = MatchingSet & { total?: number }

/** Additional rows of a remembered list, which replace outdated ones. */
const SPARE_ROWS = 10
/** Maximum number of attempts at a read, because the engine can lose its point in time. */
const ROUNDS_MAX = 3
const SUGGESTIONS = 20
const FACET_VALUES_MAX = 1_000
/**
 * Number of tiers whose documents one request reads. The first tiers of a frequent word contain enough jobs for a page.
 */
const TIERS_AT_ONCE = 3
/** Up to this number of matches, scoring all of them takes only a millisecond. */
const BEST_FIRST_MIN = 5_000

const fieldOf = (facet: FacetName) => (facet === 'job_type' ? 'type' : facet)

const NONE: Frequencies = { jobs: 0, matching: [] }

/** Returns a query for all jobs that pass these filters. */
const allJobs = (filters: ListQuery['filters'], facets: readonly FacetName[]): Asked => ({
  query: { filters, facets, sort: [] } as unknown as Asked['query'],
  search: undefined,
  isRanked: false,
  corrected: null,
  featuredMax: 0,
})

export class EngineJobs implements JobIndex {
  readonly #deps: EngineJobsDeps
  readonly #parts = new IdParts()
  /** Increases when jobs of the base expire. */
  #expiries = 0

  constructor(deps: EngineJobsDeps) {
    this.#deps = deps
  }

  get now(): BoardState | undefined {
    const { board, clock } = this.#deps
    if (board.now === undefined || board.base!.isLost || board.base!.nextExpiry <= clock.now().getTime()) {
      return undefined
    }
    return { revision: this.revision! }
  }

  get revision(): number | undefined {
    const { revision } = this.#deps.board
    return revision === undefined ? undefined : revision + this.#expiries
  }

  get stale(): Stale | undefined {
    return this.#deps.board.stale
  }

  async current(): Promise<BoardState> {
    const { board, clock } = this.#deps
    await board.current()
    await this.#again(() =>
      board.base!.expire(clock.now().getTime(), (ids) => {
        this.#expiries++
        board.notifyOfJobs(ids)
      }),
    )
    return { revision: this.revision! }
  }

  async ask<T>(asked: Asked, account: string, compute: (view: BoardView) => T, { hasBegun = false } = {}): Promise<T> {
    const { searches, board } = this.#deps
    await this.current()
    if (!hasBegun) searches.check(account)
    const run = <R>(work: () => Promise<R>) => searches.asking(account, () => this.#again(work))
    const isRanked = asked.search !== undefined && asked.isRanked
    const { meant, frequencies } = isRanked
      ? await run(() => this.#understand(asked))
      : { meant: asked, frequencies: NONE }
    const { stale } = board
    const countEach = (lists: readonly ListQuery['filters'][]) =>
      run(() => this.#count(this.#moment(meant), meant, lists))
    return compute({
      revision: this.revision!,
      stale,
      page: () => run(() => this.#page(this.#moment(meant), meant, frequencies)),
      count: async () => (await countEach([meant.query.filters]))[0]!,
      counts: (others, each) => countEach(each.map((filters) => [...others, ...filters])),
    })
  }

  /** Corrects the typos of a ranked search, and counts the jobs that meet each of its groups. */
  async #understand(asked: Asked): Promise<{ meant: Asked; frequencies: Frequencies }> {
    const moment = this.#moment(asked)
    const frequencies = await this.#frequencies(moment, asked.search!)
    const corrected = await this.#correct(moment, asked, frequencies.matching)
    if (corrected === undefined) return { meant: asked, frequencies }
    const meant = { ...asked, search: searchOf(corrected), corrected }
    return { meant, frequencies: await this.#frequencies(this.#moment(meant), meant.search) }
  }

  async countBy(facet: FacetName, filters: ListQuery['filters']): Promise<FacetCount[]> {
    await this.current()
    const asked = allJobs(filters, [facet])
    return this.#again(async () => {
      const moment = this.#moment(asked)
      const set = this.#set(moment, asked, filters)
      const [counted] = await moment.count(facetCounts([[facet, set]]))
      return countsOf(facet, counted!.map(aggregationsOf), set)
    })
  }

  async busiestCompanies(max: number): Promise<{ id: string; count: number }[]> {
    await this.current()
    return this.#again(async () => {
      const moment = this.#moment()
      const { index } = moment
      const { columns } = index
      const counts = new Map<string, { id: string; count: number }>()
      const note = (company: string, id: string, count: number) => {
        const known = counts.get(company)
        counts.set(company, { id, count: count + (known?.count ?? 0) })
      }
      for (const slot of slotsOf(index.live)) {
        note(fromSortable(columns.companies.values[columns.company[slot]!]!.sort), columns.ids.get(slot), 1)
      }
      const bool = { filter: moment.filter([]), must_not: moment.outdated }
      const one = { top_hits: { size: 1, _source: false, docvalue_fields: ['id'] } }
      const companies = (more: object) => ({ terms: { field: 'company_sort', ...more }, aggs: { one } })
      const [found] = await moment.search([
        {
          size: 0,
          track_total_hits: false,
          query: { bool },
          aggs: {
            most: companies({ size: max + counts.size }),
            ...(counts.size > 0 && { changed: companies({ size: counts.size, include: [...counts.keys()] }) }),
          },
        },
      ])
      const { most, changed = { buckets: [] } } = found!.aggregations!
      const isChanged = new Set(counts.keys())
      for (const bucket of [
        ...changed.buckets,
        ...most.buckets.filter(({ key }: { key: string }) => !isChanged.has(key)),
      ]) {
        note(bucket.key, bucket.one.hits.hits[0].fields.id[0], bucket.doc_count)
      }
      return [...counts.values()].sort((a, b) => b.count - a.count).slice(0, max)
    })
  }

  async size(): Promise<number> {
    await this.current()
    const [count] = await this.#again(() => this.#count(this.#moment(), allJobs([], []), [[]]))
    return count!
  }

  /** Reads the IDs from the database, because the engine supports offsets only up to `PAGE_ROWS_MAX`. */
  ids(skip: number, limit: number): Promise<readonly string[]> {
    const { database, clock } = this.#deps
    return this.#parts.read(skip, limit, (part) => database.read((db) => listBoardIds(db, part, clock.now())))
  }

  has({ number, is_active }: { number: number; is_active: boolean }): boolean {
    const { board } = this.#deps
    return board.known?.changed.has(number) ? board.has(number) : is_active
  }

  /** Runs work, and repeats it on a new point in time if the engine has lost the current one. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    const { board } = this.#deps
    for (let round = 1; ; round++) {
      const { base } = board
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof PointLost)) throw error
        if (round === ROUNDS_MAX) throw unavailable(error)
        base!.isLost = true
        await board.refresh()
      }
    }
  }

  /** Returns the board at this moment, after preparing its overlay for the words of `asked`. */
  #moment(asked?: Asked): Moment {
    const { board, engine, clock } = this.#deps
    const index = board.known!
    if (index.changed.size > CHANGED_MAX) throw unavailable(undefined, 5)
    if (asked) for (const wanted of unknownConditions(index, asked)) index.texts.compute(wanted)
    return new Moment(engine, board.base!, index, clock.now().getTime())
  }

  /** Returns the number of jobs, and the number of jobs that meet each group of a search. */
  async #frequencies(moment: Moment, search: Search): Promise<Frequencies> {
    const { index, onBoard } = moment
    const counted = await moment.count([
      { filter: [onBoard] },
      ...search.wanted.map((group) => ({ filter: [onBoard, unfolded, conditionClause(group)] })),
    ])
    const [jobs, ...matching] = counted.map(totalOf)
    const own = overlaidCounts(index, { search, isRanked: true } as Asked)
    return { jobs: jobs! + index.size, matching: matching.map((count, n) => count + own[n]!) }
  }

  /**
   * Corrects typos in words that no job contains. Returns the corrected search text, or undefined if no word was
   * corrected.
   */
  async #correct(moment: Moment, { query, search }: Asked, counts: readonly number[]): Promise<string | undefined> {
    const { wanted } = search!
    const unknown = wanted.filter(({ word }, n) => word !== undefined && counts[n] === 0)
    if (unknown.length === 0) return undefined
    const { index, onBoard } = moment
    const suggest = Object.fromEntries(unknown.map(({ word }, n) => [`word${n}`, suggestion(word!)]))
    const [found] = await moment.search([{ size: 0, suggest }])
    const suggested = Object.values<Suggested[]>(found!.suggest ?? {}).flatMap(([entry]) => entry?.options ?? [])
    const added = unknown.flatMap(({ word }) => index.vocabulary.nearest(word!) ?? [])
    const known = [...new Set([...suggested.map(({ text }) => text), ...added])]
    // The engine also suggests words of jobs that have left the board.
    const counted = await moment.count(known.map((word) => ({ filter: [onBoard, term('known_words', word)] })))
    const vocabulary = new Vocabulary()
    for (const [n, word] of known.entries()) {
      vocabulary.add(word, totalOf(counted[n]!) + index.vocabulary.countOf(word))
    }
    const isMet = (group: (typeof wanted)[number]) => counts[wanted.indexOf(group)]! > 0
    return correctSearch(searchIn(query)!, wanted, isMet, vocabulary)
  }

  /** Counts the jobs of several lists, each with its own filters. */
  async #count(moment: Moment, asked: Asked, lists: readonly ListQuery['filters'][]): Promise<number[]> {
    const sets = lists.map((filters) => this.#set(moment, asked, filters))
    return (await this.#matched(moment, asked, sets)).map(({ total }) => total)
  }

  /** Returns the jobs that pass these filters and match the search. */
  #set(moment: Moment, asked: Asked, filters: ListQuery['filters']): MatchingSet {
    const { search, isRanked } = asked
    const filter = [...moment.filter(filters), ...(search ? requirementClauses(search, isRanked) : [])]
    return { filter, missed: 0, overlay: overlaid(moment.index, asked, filters) }
  }

  /** Counts the jobs of each set, and determines how many groups these jobs may miss. */
  async #matched(moment: Moment, asked: Asked, sets: readonly MatchingSet[]): Promise<Matched[]> {
    const groups = scoredGroups(asked)
    const count = async (sets: readonly MatchingSet[]) => {
      const counted = await moment.count(sets.map((set) => ({ filter: filterOf(set, groups) })))
      return counted.map((each, n) => {
        const { overlay, missed } = sets[n]!
        return totalOf(each) + overlay.jobs.filter(({ missing }) => missing <= missed).length
      })
    }
    const counts = await count(sets)
    return Promise.all(
      sets.map(async (set, n): Promise<Matched> => {
        const matchedAll = counts[n]!
        if (matchedAll >= ENOUGH || groups.length < 2) return { ...set, total: matchedAll, matchedAll }
        const some = await count(groups.slice(1).map((_, n) => ({ ...set, missed: n + 1 })))
        const byMissed = [matchedAll, ...some].map((count, n, counts) => count - (n === 0 ? 0 : counts[n - 1]!))
        const missed = missedMax(byMissed, groups.length, ENOUGH)
        return { ...set, missed, total: missed === 0 ? matchedAll : some[missed - 1]!, matchedAll }
      }),
    )
  }

  async #page(moment: Moment, asked: Asked, frequencies: Frequencies): Promise<BoardPage> {
    const { query, search, featuredMax, isRanked, corrected } = asked
    const { cursor, limit } = query
    const order = orderOf(query)
    const ranks = idfs(frequencies)
    const set = this.#set(moment, asked, query.filters)
    const matching = this.#matched(moment, asked, [set])
    const skip = query.page === undefined ? 0 : (query.page - 1) * limit
    // The first page of an unranked list does not depend on the total, so the same request reads the page and the
    // total.
    const listed: ListedSet = isRanked || skip > 0 ? (await matching)[0]! : set
    const rows = (set: ListedSet, overlay: readonly OverlaidJob[], part: Part) =>
      this.#rows(moment, asked, set, { ranks, order, overlay, ...part })
    const jobs = this.#rankedOverlay(listed, ranks, order)
    const isBackward = cursor.direction === 'prev'
    const anchor = cursor.key && {
      keys: cursor.key.slice(0, -1).map((value, n) => fromCursor(order.terms[n]!.field, value)),
      id: String(cursor.key.at(-1)),
    }
    const [[matched], found, featured, facets] = await Promise.all([
      matching,
      skip > 0 && skip >= listed.total! ? [] : rows(listed, jobs, { skip, take: limit + 1, isBackward, anchor }),
      featuredMax === 0
        ? []
        : rows(
            { ...listed, missed: 0, filter: [...listed.filter, term('is_featured', 't')] },
            jobs.filter(({ isFeatured, missing }) => isFeatured && missing === 0),
            { skip: 0, take: featuredMax, isBackward: false, anchor: null },
          ),
      query.facets.length === 0 ? undefined : this.#facets(moment, asked, listed),
    ])
    const isCut = found.length > limit
    if (isCut) found.pop()
    if (isBackward) found.reverse()
    const { total, matchedAll } = matched!
    const isFirst = query.page === undefined ? cursor.key === null : query.page === 1 || total === 0
    const hasMore = isBackward ? cursor.key !== null : isCut
    const hasPrevious = isBackward ? isCut : !isFirst
    const shown = [...featured, ...found.filter(({ id }) => !featured.some((other) => other.id === id))]
    const cursorAt = (direction: 'next' | 'prev', row: Row | undefined) => {
      const key = row && [...row.keys.map((value, n) => toCursor(order.terms[n]!.field, value)), row.id]
      return query.cursors.encode({ direction, key: key ?? null })
    }
    return {
      ids: shown.map(({ id }) => id),
      miles: radiusOf(query) && shown.map(({ miles }) => miles!),
      total,
      hasMore,
      nextCursor: hasMore ? cursorAt('next', found.at(-1)) : null,
      prevCursor: hasPrevious ? cursorAt('prev', found[0]) : null,
      ...(facets && { facets }),
      ...(search && isRanked && { search: { matched_all: matchedAll, matched_some: total - matchedAll, corrected } }),
    }
  }

  /** Returns the changed jobs of a page's list, with all sort values. */
  #rankedOverlay({ overlay, missed }: MatchingSet, ranks: readonly number[], { terms }: Order): OverlaidJob[] {
    const at = terms.findIndex(({ field }) => field === 'relevance')
    if (at >= 0) rankOverlay(overlay, ranks, at)
    return overlay.jobs.filter(({ missing }) => missing <= missed)
  }

  /** Returns a part of a list: the engine's jobs and the changed ones, in order. */
  async #rows(
    moment: Moment,
    { query, search }: Asked,
    { filter, missed, total }: ListedSet,
    part: Part & { ranks: readonly number[]; order: Order; overlay: readonly OverlaidJob[] },
  ): Promise<Row[]> {
    const { ranks, order, overlay, skip, take, isBackward, anchor } = part
    const compare = comparison(order, isBackward)
    const changed = overlay.filter((row) => !anchor || compare(row, anchor) > 0).sort(compare)
    // Changed jobs may precede the part.
    const from = Math.max(0, skip - changed.length)
    const size = skip - from + take
    const { sortedMax = PAGE_ROWS_MAX, bestFirstMin = BEST_FIRST_MIN } = this.#deps
    const { outdated } = moment
    const before = await moment.rowsBefore({ filter, must_not: outdated }, order, { from, most: sortedMax - size })
    if (from - before.rows > sortedMax - size) {
      const detail = `With this sort, page × limit must be less than ${sortedMax}. Use cursor to read further.`
      throw badQuery([{ parameter: 'page', code: 'invalid_parameter', detail }])
    }
    const radius = radiusOf(query)
    const isRanked = order.terms.some(({ field }) => field === 'relevance')
    const groups = isRanked ? search!.wanted : []
    const sort = sortOf(query, order, isBackward, moment.index.conversionFor(query) ?? moment.index.exchange.byDefault)
    const after = anchor && [...anchor.keys.map(toEngine), anchor.id]
    const shared = {
      track_total_hits: false,
      ...(radius && { script_fields: { miles: { script: milesScript(radius) } } }),
    }
    const bodyOf = (part: { filter: readonly Clause[]; must_not: readonly Clause[] }, size: number) => ({
      ...shared,
      from: from - before.rows,
      size,
      query: isRanked ? rankedClause(groups, ranks, missed, part) : { bool: part },
      sort,
      ...(after && { search_after: after }),
    })
    const searchFor = async (only: readonly Clause[]) => {
      const part = { filter: [...filter, ...only], must_not: [...outdated, ...before.clauses] }
      const [found] = await moment.search([bodyOf(part, size)])
      return found!.hits?.hits ?? []
    }
    /** Returns the current rows of a remembered list, or undefined if the list has too few of them. */
    const recallRows = async () => {
      const asked = size + SPARE_ROWS
      const body = { ...bodyOf({ filter, must_not: [] }, asked), docvalue_fields: CURRENT_FIELDS }
      const [[found]] = await moment.recall([body])
      const hits = found!.hits?.hits ?? []
      const valid = hits.filter((hit) => moment.isCurrent(hit))
      return valid.length >= size || hits.length < asked ? valid.slice(0, size) : undefined
    }
    /**
     * Reads the first rows of a list that starts with the highest ranks. Scoring all matches of a frequent word takes a
     * hundred times as long as scoring those of the first pages. Returns undefined if all matches must be scored.
     */
    const bestRows = async (): Promise<Hit[] | undefined> => {
      let found: Hit[] = []
      for (const { clause, restRankMax } of bestDocuments(groups, ranks, missed)) {
        found = await searchFor([clause])
        if (found.length === size && rankOfHit(found.at(-1)!) > restRankMax) return found
      }
      if (groups.length !== 1 || from > 0) return undefined
      const tiers = tiersOf(groups[0]!, ranks[0]!, await moment.lengths()).filter(
        ({ rank }) => !after || rank <= Number(after[0]),
      )
      const bodyOfTier = ({ rank, clause }: Tier) => ({
        ...shared,
        size,
        query: { bool: { filter: [...filter, clause], must_not: outdated } },
        sort: sort.slice(1),
        ...(after && Number(after[0]) === rank && { search_after: after.slice(1) }),
      })
      return withTiers(found, size, tiers, (next) => moment.search(next.map(bodyOfTier)))
    }
    const isBestFirst = order.terms[0]!.field === 'relevance' && (order.terms[0]!.direction === 'desc') !== isBackward
    // Any change can shift the rows of later pages and change the ranks.
    const isStable = !isRanked && from === 0 && moment.isStable
    let hits: Hit[] | undefined = isStable ? await recallRows() : undefined
    if (isBestFirst && total! > bestFirstMin) hits = await bestRows()
    hits ??= await searchFor([])
    const rows = hits.map(
      ({ sort, fields }): Row => ({
        id: String(sort!.at(-1)),
        keys: order.terms.map(({ field }, n) => fromEngine(field, sort![n]!)),
        miles: fields?.miles ? Number(fields.miles[0]) : undefined,
      }),
    )
    const merged = [...rows, ...changed].sort(compare)
    return merged.slice(skip - from, skip - from + take)
  }

  /** Counts the values of each facet, ignoring the filter on the facet itself. */
  async #facets(moment: Moment, asked: Asked, listed: MatchingSet): Promise<Record<string, FacetCount[]>> {
    const { facets, filters } = asked.query
    const groups = scoredGroups(asked)
    const filtered = facets.filter((facet) => filters.some(({ filter }) => filter === facet))
    const others = filtered.map((facet) =>
      this.#set(
        moment,
        asked,
        filters.filter(({ filter }) => filter !== facet),
      ),
    )
    // Only a search for several words includes jobs that miss some of them.
    const matched = groups.length > 1 ? await this.#matched(moment, asked, others) : others
    const sets = facets.map((facet): FacetSet => [facet as FacetName, matched[filtered.indexOf(facet)] ?? listed])
    const counted = await moment.count(facetCounts(sets, groups))
    const [all, outdated] = [0, 1].map((side) =>
      Object.assign({}, ...counted.map((pair) => aggregationsOf(pair[side]))),
    )
    return Object.fromEntries(sets.map(([facet, set]) => [facet, countsOf(facet, [all, outdated], set)]))
  }
}

/** Returns the rank of a row that is sorted by rank first. */
const rankOfHit = ({ sort }: Hit): number => Number(sort![0])

/**
 * Reads tiers until `size` rows rank higher than the next tier. Returns the rows of these tiers and the given rows,
 * unsorted.
 */
async function withTiers(
  found: readonly Hit[],
  size: number,
  tiers: readonly Tier[],
  read: (tiers: readonly Tier[]) => Promise<Found[]>,
): Promise<Hit[]> {
  const rows = [...found]
  for (let at = 0; at < tiers.length; at += TIERS_AT_ONCE) {
    if (rows.filter((row) => rankOfHit(row) > tiers[at]!.rank).length >= size) break
    const next = tiers.slice(at, at + TIERS_AT_ONCE)
    for (const [n, { hits }] of (await read(next)).entries()) {
      rows.push(...(hits?.hits ?? []).map((hit) => ({ ...hit, sort: [next[n]!.rank, ...hit.sort!] })))
    }
  }
  return rows
}

interface Part {
  skip: number
  take: number
  isBackward: boolean
  anchor: Sorted | null
}

type FacetSet = readonly [FacetName, MatchingSet]

/** Returns the groups of a search by relevance, or none for other searches. Matching jobs may miss some groups. */
const scoredGroups = ({ search, isRanked }: Asked): Search['wanted'] => (search && isRanked ? search.wanted : [])

const filterOf = ({ filter, missed }: MatchingSet, groups: Search['wanted']): readonly Clause[] =>
  groups.length > 0 ? [...filter, groupsClause(groups, missed)] : filter

/** Returns the searches that count the values of facets, one search per set. */
const facetCounts = (sets: readonly FacetSet[], groups: Search['wanted'] = []): Count[] =>
  [...Map.groupBy(sets, ([, set]) => set)].map(([set, same]) => ({
    filter: filterOf(set, groups),
    aggs: Object.fromEntries(same.map(([name]) => [name, { terms: { field: fieldOf(name), size: FACET_VALUES_MAX } }])),
  }))

/** Returns the counts of a facet: the base without its outdated documents, plus the changed jobs. */
function countsOf(
  name: FacetName,
  [all, outdated]: readonly Aggregations[],
  { overlay, missed }: MatchingSet,
): FacetCount[] {
  const counts = new Map<string | boolean, number>()
  const note = (value: string | boolean, count: number) => counts.set(value, (counts.get(value) ?? 0) + count)
  for (const [aggregations, sign] of [
    [all, 1],
    [outdated, -1],
  ] as const) {
    for (const { key, doc_count } of aggregations?.[name]?.buckets ?? []) {
      note(name === 'remote' ? key === 't' : key, sign * doc_count)
    }
  }
  for (const { facets, missing } of overlay.jobs) {
    const value = facets[name]
    if (value !== undefined && missing <= missed) note(value, 1)
  }
  return sortedCounts([...counts].filter(([, count]) => count > 0).map(([value, count]) => ({ value, count })))
}

interface Suggested {
  options: { text: string }[]
}

/** Returns the request for known words that differ from a word by one or two edits. */
const suggestion = (word: string) => ({
  text: word,
  term: {
    field: 'known_words',
    suggest_mode: 'always',
    sort: 'score',
    size: SUGGESTIONS,
    max_edits: word.length < 8 ? 1 : 2,
    prefix_length: 0,
    min_word_length: 3,
    // The word may be in many documents of jobs that have left the board. The default limit is 1% of the documents.
    max_term_freq: 2 ** 30,
    analyzer: 'whitespace',
  },
})
