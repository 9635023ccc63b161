/** Searches the engine's index as of one moment, and determines which of its documents are outdated by then. */
import type { ListQuery } from '../../lists/query.ts'
import { includesDuplicates, type JobFilterName, jobFilter, salaryTermsOf } from '../filters.ts'
import type { BoardIndex } from '../memory/board-index.ts'
import { type EngineBase, unfolded } from './base.ts'
import { anyOf, type Clause, range, terms } from './clauses.ts'
import type { Engine, Found, SearchBody } from './engine.ts'
import type { Order } from './overlay.ts'

/** Precision of the time in filters, in milliseconds. Rounded times let the engine cache the filters. */
const EXPIRY_STEP_MS = 60_000
/** With more changes than this, each search excludes the outdated jobs, and no rows or counts are remembered. */
const OUTDATED_MAX = 256
/** Number of counts per request while finding the rows before a page. */
const COUNTS_AT_ONCE = 7

/** The number of values that `lengthByte` can return. */
const LENGTHS_MAX = 256

/** A search that only counts documents. */
export interface Count {
  filter: readonly Clause[]
  aggs?: Readonly<Record<string, object>>
}

/** Counts of all documents of the base and of the outdated ones among them, or only of the current documents. */
export type Counted = readonly [all: Found, outdated: Found | undefined]

export type Aggregations = NonNullable<Found['aggregations']>

export type Hit = NonNullable<NonNullable<Found['hits']>['hits']>[number]

/** The fields that show whether a row is current. */
export const CURRENT_FIELDS = ['number', 'expires_at']

/** The board at one moment: the base, the changes since, and the time. */
export class Moment {
  readonly index: BoardIndex
  readonly now: number
  /** The numbers of the base's jobs that have changed. Contains no later jobs, which the base cannot return. */
  readonly changed: ReadonlySet<number>
  /** Matches the documents of the base that had not expired at the start of this minute. */
  readonly onBoard: Clause
  /** Match the documents of the base whose jobs have changed, or expired during this minute. */
  readonly outdated: readonly Clause[]
  readonly #engine: Engine
  readonly #base: EngineBase
  /** The searches that the next request sends, and their answers. */
  #next: { bodies: SearchBody[]; answers: Promise<Found[]> } | undefined

  constructor(engine: Engine, base: EngineBase, index: BoardIndex, now: number) {
    const past = Math.floor(now / EXPIRY_STEP_MS) * EXPIRY_STEP_MS
    const isExpiring = base.expiredAt > past || base.nextExpiry <= now
    this.index = index
    this.now = now
    this.changed = new Set([...index.changed].filter((number) => number <= base.lastNumber))
    this.onBoard = range('expires_at', { gt: past })
    this.outdated = [
      ...(isExpiring ? [range('expires_at', { gt: past, lte: now })] : []),
      ...(this.changed.size > 0 ? [terms('number', [...this.changed])] : []),
    ]
    this.#engine = engine
    this.#base = base
  }

  /** Returns whether a row of the base is still current. The search must return `CURRENT_FIELDS`. */
  isCurrent({ fields }: Hit): boolean {
    return !this.changed.has(Number(fields?.number?.[0])) && Number(fields?.expires_at?.[0]) > this.now
  }

  /** Whether so few jobs have changed that results of the base may be remembered. */
  get isStable(): boolean {
    return this.changed.size <= OUTDATED_MAX
  }

  /** Runs searches of the base. Combines searches that do not wait for each other into a single request. */
  async search(bodies: readonly SearchBody[]): Promise<Found[]> {
    if (bodies.length === 0) return []
    this.#next ??= this.#request()
    const from = this.#next.bodies.push(...bodies) - bodies.length
    return (await this.#next.answers).slice(from, from + bodies.length)
  }

  #request() {
    const bodies: SearchBody[] = []
    const send = () => {
      this.#next = undefined
      return this.#engine.search(this.#base.pit, bodies)
    }
    return { bodies, answers: microtasksDone().then(send) }
  }

  /**
   * Runs searches of the base, and remembers their answers while the base is open. Runs `others` in the same request,
   * without remembering their answers.
   */
  async recall(
    bodies: readonly SearchBody[],
    others: readonly SearchBody[] = [],
  ): Promise<[remembered: Found[], others: Found[]]> {
    const { answers } = this.#base
    const keys = bodies.map((body) => JSON.stringify(body))
    const known = keys.map((key) => answers.get(key))
    const found = await this.search([...bodies.filter((_, n) => known[n] === undefined), ...others])
    const remembered = keys.map((key, n) => {
      const answer = known[n] ?? found.shift()!
      answers.set(key, answer)
      return answer
    })
    return [remembered, found]
  }

  /** Counts documents. The counts of the base are remembered, and counting the few outdated documents is cheap. */
  async count(counts: readonly Count[]): Promise<Counted[]> {
    const { outdated } = this
    const bodies = (only: readonly Clause[], must_not: readonly Clause[]) =>
      counts.map(({ filter, aggs }) => ({
        size: 0,
        track_total_hits: aggs === undefined,
        query: { bool: { filter: [...filter, ...only], must_not } },
        aggs,
      }))
    if (!this.isStable) {
      const found = await this.search(bodies([], outdated))
      return found.map((all): Counted => [all, undefined])
    }
    const others = outdated.length === 0 ? [] : bodies([anyOf(outdated)], [])
    const [all, some] = await this.recall(bodies([], []), others)
    return all.map((each, n): Counted => [each, some[n]])
  }

  /** Returns the values of `lengths` that occur in the base. */
  async lengths(): Promise<number[]> {
    const aggs = { lengths: { terms: { field: 'lengths', size: LENGTHS_MAX } } }
    const [[found]] = await this.recall([{ size: 0, track_total_hits: false, aggs }])
    return aggregationsOf(found).lengths.buckets.map(({ key }: { key: number }) => key)
  }

  /** Returns the clauses that restrict a search to the jobs of the base that pass these filters, except `search`. */
  filter(filters: ListQuery['filters']): readonly Clause[] {
    const salaryTerms = salaryTermsOf(filters, this.index.exchange)
    return [
      this.onBoard,
      ...(includesDuplicates(filters) ? [] : [unfolded]),
      ...filters.flatMap(({ filter, operator, value }): Clause[] => {
        const clause = jobFilter[filter as JobFilterName].clause?.(operator, value, salaryTerms)
        return clause ? [clause] : []
      }),
    ]
  }

  /**
   * In a list sorted by posting time or number of applications, finds rows at the start that a search can skip. If
   * possible, leaves at most `most` rows before the row `from`. Returns the number of skipped rows, and the clauses
   * that match them.
   */
  async rowsBefore(
    bool: { filter: readonly Clause[]; must_not: readonly Clause[] },
    { terms: [first] }: Order,
    { from, most }: { from: number; most: number },
  ): Promise<{ rows: number; clauses: Clause[] }> {
    const { field, direction } = first!
    let rows = 0
    if (from <= most || (field !== 'posted_at' && field !== 'application_count')) return { rows, clauses: [] }
    const ends = { low: { min: { field } }, high: { max: { field } } }
    const [found] = await this.search([{ size: 0, track_total_hits: false, query: { bool }, aggs: ends }])
    const { low, high } = found!.aggregations!
    // `start`, `end` and `values` are offsets from the first value of the list.
    let [start, end] = [0, high.value - low.value + 1]
    const earlier = (value: number) =>
      direction === 'asc' ? range(field, { lt: low.value + value }) : range(field, { gt: high.value - value })
    while (from - rows > most && end - start > 1) {
      const step = Math.ceil((end - start) / (COUNTS_AT_ONCE + 1))
      const values = Array.from({ length: COUNTS_AT_ONCE }, (_, n) => start + step * (n + 1)).filter((at) => at < end)
      const counted = await this.search(
        values.map((value) => ({
          size: 0,
          track_total_hits: true,
          query: { bool: { ...bool, filter: [...bool.filter, earlier(value)] } },
        })),
      )
      const counts = counted.map(({ hits }) => hits!.total!.value)
      const next = counts.findIndex((count) => count > from)
      const last = (next < 0 ? counts.length : next) - 1
      if (next >= 0) end = values[next]!
      if (last >= 0) [start, rows] = [values[last]!, counts[last]!]
    }
    return { rows, clauses: [earlier(start)] }
  }
}

/** Resolves after all promise callbacks that can already run. */
const microtasksDone = () => new Promise<void>((resolve) => process.nextTick(resolve))

/** Returns the number of documents that are still current. */
export const totalOf = ([all, outdated]: Counted): number =>
  all.hits!.total!.value - (outdated?.hits?.total?.value ?? 0)

export const aggregationsOf = (found: Found | undefined): Aggregations => found?.aggregations ?? {}
