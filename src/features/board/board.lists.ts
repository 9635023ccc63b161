/** Serves the list of jobs. The in-memory index selects the page, and a cache of serialized JSON provides the jobs. */
import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { entityTag } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import { presentDistance } from '../../lib/schema.ts'
import { describePage } from '../../lists/meta.ts'
import type { ListQuery } from '../../lists/query.ts'
import { slotsOf } from '../../search/memory/bits.ts'
import type { Stale } from '../../search/memory/board.ts'
import type { BoardIndex } from '../../search/memory/board-index.ts'
import {
  type CachedJob,
  CachedJobs,
  type CachedResponse,
  CachedResponses,
  type JobMarks,
  PAGES_BYTES_MAX,
} from '../../search/memory/cache.ts'
import { findMatching, listVectors } from '../../search/memory/queries.ts'
import {
  type Asked,
  answerQuery,
  type BoardPage,
  countEach,
  countMatches,
  understand,
  unknownConditions,
  withoutTypos,
} from '../../search/memory/query.ts'
import type { Kit } from '../feature.ts'
import { type JobDetail, type JobListItem, type JobSettings, listJobForms, presentJobListItem } from '../jobs/index.ts'

type BoardListsDeps = Pick<Kit, 'database' | 'searches' | 'board' | 'clock' | 'cursorSecret'> &
  Pick<JobSettings, 'origin'>

const HOUR_MS = 3_600_000

const [OPENING, COMMA, CLOSING] = ['{"data":[', ',', '],"meta":'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]

/**
 * Maximum number of times that one search loads missing sets: for the typed words, for the corrected words, and after a
 * reload. Without a limit, a search whose sets do not all fit into memory would load them forever.
 */
const ROUNDS_MAX = 5

/** A state of the board in which every set that a search needs is loaded. */
interface Known {
  index: BoardIndex
  asked: Asked
  stale: Stale | undefined
}

/** A page and the board state from which it was selected. */
interface CutPage extends Pick<Known, 'index' | 'stale'> {
  revision: number
  page: BoardPage
}

interface DetailedJob {
  number: number
  employer_id: string
  detail: JobDetail
}

/** A list item with the upgrades that only pages show. */
export type MarkedJob = JobListItem & JobMarks

/** Caches values that `make` derives from serialized list items. */
export class DerivedValues<T> {
  readonly #make: (job: MarkedJob) => T
  /**
   * Returns additional input for `make`, such as the catalog. When this input changes, all cached values become
   * invalid.
   */
  readonly #madeWith: () => unknown
  #with: unknown
  /**
   * Keyed by the job's buffer, which every change replaces. Parsing the buffer takes ten times as long as rendering.
   */
  #made = new WeakMap<Buffer, T>()

  constructor(make: (job: MarkedJob) => T, madeWith: () => unknown = () => undefined) {
    this.#make = make
    this.#madeWith = madeWith
  }

  of({ bytes, marks }: Pick<CachedJob, 'bytes' | 'marks'>): T {
    const present = this.#madeWith()
    if (present !== this.#with) {
      this.#with = present
      this.#made = new WeakMap()
    }
    let made = this.#made.get(bytes)
    if (made === undefined) {
      made = this.#make({ ...JSON.parse(bytes.toString()), ...marks })
      this.#made.set(bytes, made)
    }
    return made
  }
}

/** The account charged for a page, and whether the page may still be refused. */
interface Reading {
  account: string
  /** Maximum number of featured jobs before the jobs of the page. */
  featuredMax?: number
  /** True for later pages of a stream, which are charged but not refused. */
  hasBegun?: boolean
}

export class BoardLists {
  readonly #deps: BoardListsDeps
  readonly #items = new CachedJobs()
  readonly #details = new CachedJobs()
  readonly #responses = new CachedResponses()
  /** Cached HTML pages that are the same for every visitor. */
  readonly #pages = new CachedResponses(PAGES_BYTES_MAX)
  /** Increases when cached pages change for a reason other than the jobs. */
  #shown = 0
  /** Responses in progress, by revision and URL. */
  readonly #making = new Map<string, Promise<CachedResponse>>()
  /** Distinguishes the revisions of this process from those of others, so that ETags can contain them. */
  readonly #process = randomUUID()
  #ids: { revision: number; ids: readonly string[] } | undefined

  constructor(deps: BoardListsDeps) {
    this.#deps = deps
    const items = this.#items
    deps.board.listen({
      jobsChanged: (ids) => items.jobsChanged(ids),
      employersChanged: (ids) => items.employersChanged(ids),
      readAhead: (ids) => items.ahead(() => this.#readItems(ids)),
    })
    deps.board.listen(this.#details)
  }

  /** Returns the cached detail of a job on the board, unless the job has changed since. */
  cachedDetail(id: string): CachedJob | undefined {
    return this.#deps.board.now && this.#details.find(id)
  }

  /** Time since which responses may be stale, in milliseconds of `performance.now()`. */
  get staleSinceMs(): number | undefined {
    return this.#deps.board.stale?.sinceMs
  }

  /**
   * Returns a job's detail, and caches it while the job is on the board. While the database is unavailable, returns the
   * cached detail, if any.
   */
  async detail(id: string, ask: () => Promise<DetailedJob>): Promise<CachedJob> {
    const { columns } = await this.#deps.board.current()
    const known = this.#deps.board.stale && this.#details.find(id)
    if (known) return known
    let isOnBoard = false
    const read = await this.#details.read(
      async () => {
        const { number, employer_id, detail } = await ask()
        isOnBoard = columns.slotOf(number) !== undefined
        const bytes = Buffer.from(JSON.stringify({ data: detail }))
        return new Map([[id, { bytes, etag: entityTag(bytes), employerId: employer_id }]])
      },
      () => isOnBoard,
    )
    return read.get(id)!
  }

  /** Returns the number of jobs on the board per category or type. `onlyOf`: counts only jobs of this employer. */
  async countBy(facet: 'category' | 'job_type', onlyOf?: string): Promise<{ slug: string; job_count: number }[]> {
    const index = await this.#deps.board.current()
    const jobs = index.matching(ownership(onlyOf))
    return index.counts(jobs, facet).map(({ value, count }) => ({ slug: String(value), job_count: count }))
  }

  /** Returns the cached response to a list request. `onlyOf`: for readers that see only this employer's jobs. */
  cached(url: string, onlyOf?: string): CachedResponse | undefined {
    const index = this.#deps.board.now
    return index && this.#responses.find(cacheKey(url, onlyOf), index.revision)
  }

  /**
   * Returns the response to a list request. Concurrent requests for the same URL share the work. Loads of missing words
   * are queued per account, so only a busy account's requests are refused. `onlyOf`: lists only jobs of this employer.
   */
  async list(url: string, query: ListQuery, account: string, onlyOf?: string): Promise<CachedResponse> {
    const { board } = this.#deps
    const revision = revisionOf(await board.current(), board.stale)
    const urlKey = cacheKey(url, onlyOf)
    const cached = this.#responses.find(urlKey, revision)
    if (cached) return cached
    const narrowed = { ...query, filters: [...query.filters, ...ownership(onlyOf)] }
    const { making } = await this.#whenKnown(understand(narrowed), account, (known) => {
      const key = `${revisionOf(known.index, known.stale)} ${urlKey}`
      let making = this.#making.get(key)
      if (making === undefined) {
        const cut = this.#cut(known, account)
        making = this.#make({ url, urlKey }, query, cut, account).finally(() => this.#making.delete(key))
        this.#making.set(key, making)
      }
      // Wraps the promise in an object: awaiting it here would extend the account's turn until the response is ready.
      return { making }
    })
    return making
  }

  async #make(
    { url, urlKey }: { url: string; urlKey: string },
    query: ListQuery,
    cut: CutPage,
    account: string,
  ): Promise<CachedResponse> {
    const response = await this.#write(url, query, cut, account)
    const { index, stale } = cut
    // Does not cache the response if the board has changed since its jobs were selected.
    if (index.revision === cut.revision) this.#responses.keep(urlKey, revisionOf(index, stale), response)
    return response
  }

  /** Returns an uncached response, for queries that the URL does not fully identify. */
  async answer(url: string, query: ListQuery, account: string): Promise<CachedResponse> {
    const cut = await this.#whenKnown(understand(query), account, (known) => this.#cut(known, account))
    return this.#write(url, query, cut, account)
  }

  async #write(url: string, query: ListQuery, cut: CutPage, account: string): Promise<CachedResponse> {
    const items = await this.#itemsOf(cut.page, account)
    const { stale } = cut
    const { meta: current, link } = describePage(url, query, cut.page)
    const meta = stale ? { ...current, stale: { since: stale.since.toISOString() } } : current
    const parts = items.flatMap(({ bytes }, n) => (n === 0 ? [bytes] : [COMMA, bytes]))
    const body = Buffer.concat([OPENING, ...parts, CLOSING, Buffer.from(`${JSON.stringify(meta)}}`)])
    return { body, link, staleSinceMs: stale?.sinceMs }
  }

  /** Returns a page of the list with each job's derived value. */
  async page<T>(url: string, query: ListQuery, derived: DerivedValues<T>, reading: Reading) {
    const { account, hasBegun = false, featuredMax } = reading
    const asked = understand(query, featuredMax)
    const cut = await this.#whenKnown(asked, account, (known) => this.#cut(known, account, hasBegun))
    const revision = this.#pageRevision(cut.index)
    const items = (await this.#itemsOf(cut.page, account)).map((item) => derived.of(item))
    return { revision, items, staleSinceMs: cut.stale?.sinceMs, ...describePage(url, query, cut.page) }
  }

  /** Returns the number of jobs that a query matches. */
  total(query: ListQuery, account: string): Promise<number> {
    return this.#whenKnown(understand(query), account, ({ index, asked }) => countMatches(index, asked))
  }

  /** Counts the jobs that match both a query and each of these sets of filters. */
  totals(query: ListQuery, each: readonly ListQuery['filters'][], account: string): Promise<number[]> {
    return this.#whenKnown(understand(query), account, ({ index, asked }) => countEach(index, asked, each))
  }

  /** Returns the companies with the most jobs on the board: the number of their jobs, and one of these jobs. */
  async busiestCompanies(max: number, account: string): Promise<{ job: JobListItem; job_count: number }[]> {
    const index = await this.#deps.board.current()
    const counted = index.busiestCompanies(max)
    const ids = counted.map(({ slot }) => index.columns.id[slot]!)
    const counts = new Map(ids.map((id, n) => [id, counted[n]!.count]))
    const jobs = (await this.#itemsOf({ ids, miles: undefined }, account)).map(
      ({ bytes }): JobListItem => JSON.parse(bytes.toString()),
    )
    return jobs.map((job) => ({ job, job_count: counts.get(job.id)! }))
  }

  /** Returns a cached page. Apart from the board, the key contains everything that the page depends on. */
  cachedPage(key: string): CachedResponse | undefined {
    const index = this.#deps.board.now
    return index && this.#pages.find(key, this.#pageRevision(index))
  }

  /** Invalidates cached pages after data other than jobs has changed. */
  readonly forgetPages = (): void => {
    this.#shown++
  }

  #pageRevision({ revision }: BoardIndex): string {
    // The hour is included, because cards show how many days ago a job was posted, and lists can be limited to 24
    // hours.
    return `${this.#process} ${revision} ${this.#shown} ${Math.floor(this.#deps.clock.now().getTime() / HOUR_MS)}`
  }

  keepPage(key: string, revision: string, response: CachedResponse): void {
    // Does not cache the page if the board has changed since rendering began.
    const index = this.#deps.board.now
    if (index && this.#pageRevision(index) === revision) this.#pages.keep(key, revision, response)
  }

  /** Returns a text that changes whenever the board changes, and differs between processes. */
  async revision(): Promise<string> {
    return this.#pageRevision(await this.#deps.board.current())
  }

  /** Returns the IDs of the jobs on the board, sorted once per board revision. */
  async ids(): Promise<readonly string[]> {
    const { columns, live, revision } = await this.#deps.board.current()
    if (this.#ids?.revision !== revision) {
      this.#ids = { revision, ids: Array.from(slotsOf(live), (slot) => columns.id[slot]!).sort() }
    }
    return this.#ids.ids
  }

  /** Loads the words of a reloaded board, or again if many jobs have changed. */
  async learnWords(ending?: AbortSignal): Promise<void> {
    const { board, database } = this.#deps
    const { texts } = await board.current()
    if (!texts.needsPostings) return
    await texts.build(async (numbers) =>
      ending?.aborted ? undefined : database.read((db) => listVectors(db, numbers)),
    )
  }

  /**
   * Loads every set that the search needs and corrects its typos. Then calls `compute` when it is the account's turn.
   */
  async #whenKnown<T>(asked: Asked, account: string, compute: (known: Known) => T): Promise<T> {
    const { board, searches } = this.#deps
    let meant = asked
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const index = await board.current()
      const { stale } = board
      const { unknown, computed } = await searches.compute(account, () => {
        const conditions = unknownConditions(index, meant)
        if (conditions.length > 0) return { unknown: conditions }
        const better = meant === asked ? withoutTypos(index, asked) : meant
        if (better === meant) return { computed: compute({ index, asked: meant, stale }) }
        meant = better
        return { unknown: [] }
      })
      if (unknown === undefined) return computed
      const { texts } = index
      // Takes a turn for each condition, because a frequent word among a million jobs takes several milliseconds.
      for (const wanted of unknown.filter((one) => texts.canCompute(one))) {
        await searches.compute(account, () => texts.find(wanted.condition, wanted.withFits) ?? texts.compute(wanted))
      }
      const others = unknown.filter((one) => !texts.canCompute(one))
      const ask = (operands: readonly string[]) => searches.charging(account, (db) => findMatching(db, operands))
      if (others.length > 0) await searches.inTurn(account, () => texts.ask(others, ask))
    }
    throw new AppError('unavailable', { headers: { 'retry-after': '2' } })
  }

  /** Selects the page's jobs. Throws `rate_limited` if jobs have to be read and the account has spent its budget. */
  #cut({ index, asked, stale }: Known, account: string, hasBegun = false): CutPage {
    const page = answerQuery(index, asked, this.#deps.cursorSecret)
    const cut = { index, stale, revision: index.revision, page }
    if (!hasBegun && page.ids.some((id) => this.#items.find(id) === undefined)) this.#deps.searches.check(account)
    return cut
  }

  /** Reads and serializes list items. Charges the account, if given. */
  async #readItems(ids: readonly string[], account?: string): Promise<Map<string, CachedJob>> {
    const { database, searches, origin } = this.#deps
    const ask = (db: Db) => listJobForms(db, ids)
    const rows = await (account === undefined ? database.read(ask) : searches.charging(account, ask))
    return new Map(
      rows.map((row) => [
        row.id,
        {
          bytes: Buffer.from(JSON.stringify(presentJobListItem(row, origin))),
          marks: { is_urgent: row.is_urgent, is_highlighted: row.is_highlighted },
          employerId: row.employer_id,
        },
      ]),
    )
  }

  /** Returns the serialized list items of a page. Omits jobs that have just been removed. */
  async #itemsOf({ ids, miles }: Pick<BoardPage, 'ids' | 'miles'>, account: string): Promise<CachedJob[]> {
    const found = new Map(ids.map((id) => [id, this.#items.find(id)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    if (missing.length > 0) {
      const read = await this.#items.read(
        () => this.#readItems(missing, account),
        () => true,
      )
      for (const [id, job] of read) found.set(id, job)
    }
    return ids.flatMap((id, n) => {
      const job = found.get(id)
      return job === undefined ? [] : miles ? { ...job, bytes: withDistance(job.bytes, miles[n]!) } : job
    })
  }
}

/** Returns the filters that leave only the jobs of an employer. */
const ownership = (employerId: string | undefined): ListQuery['filters'] =>
  employerId === undefined ? [] : [{ filter: 'employer_id', operator: 'is', value: employerId }]

/** Returns the key of a cached list. */
const cacheKey = (url: string, onlyOf: string | undefined) => (onlyOf === undefined ? url : `${onlyOf} ${url}`)

/** Returns the cache key for a board state. Responses from a stale board have separate keys. */
function revisionOf({ revision }: BoardIndex, stale: Stale | undefined): number | string {
  return stale ? `${revision} as of ${stale.sinceMs}` : revision
}

function withDistance(item: Buffer, distance_miles: number): Buffer {
  const member = JSON.stringify(presentDistance({ distance_miles })).slice(1)
  return Buffer.concat([item.subarray(0, -1), COMMA, Buffer.from(member)])
}
