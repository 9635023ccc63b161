/**
 * Serves the list of jobs. The in-memory index or the search engine selects the page, and a cache of serialized JSON
 * provides the jobs.
 */
import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { entityTag } from '../../lib/entity-tags.ts'
import { AppError, isForLater } from '../../lib/errors.ts'
import { joinList } from '../../lib/json-text.ts'
import { presentDistance } from '../../lib/schema.ts'
import { describePage } from '../../lists/meta.ts'
import type { ListQuery } from '../../lists/query.ts'
import {
  type BoardPage,
  type BoardState,
  type BoardView,
  type JobIndex,
  type Stale,
  understand,
} from '../../search/job-index.ts'
import {
  type CachedJob,
  CachedJobs,
  type CachedResponse,
  CachedResponses,
  type JobMarks,
  PAGES_BYTES_MAX,
  RecentKeys,
} from '../../search/memory/cache.ts'
import type { Kit } from '../feature.ts'
import { type JobDetail, type JobListItem, type JobSettings, listJobForms, presentJobListItem } from '../jobs/index.ts'

type BoardListsDeps = Pick<Kit, 'database' | 'searches' | 'board' | 'clock'> &
  Pick<JobSettings, 'origin'> & { jobs: JobIndex }

const HOUR_MS = 3_600_000

/** A page and the board state from which it was selected. */
interface CutPage extends Pick<BoardView, 'revision' | 'stale'> {
  page: BoardPage | Promise<BoardPage>
  /**
   * The items of the page, in the order of the page. An item is undefined if it is not cached. The array is undefined
   * if the page comes from the search engine.
   */
  items: (CachedJob | undefined)[] | undefined
}

interface DetailedJob {
  number: number
  is_active: boolean
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

  /** Returns the values of these jobs. */
  of(jobs: readonly Pick<CachedJob, 'bytes' | 'marks'>[]): T[] {
    const present = this.#madeWith()
    if (present !== this.#with) {
      this.#with = present
      this.#made = new WeakMap()
    }
    return jobs.map((job) => this.#valueOf(job))
  }

  #valueOf({ bytes, marks }: Pick<CachedJob, 'bytes' | 'marks'>): T {
    let made = this.#made.get(bytes)
    if (made === undefined) {
      made = this.#make({ ...JSON.parse(bytes.toString()), ...marks })
      this.#made.set(bytes, made)
    }
    return made
  }
}

/**
 * Returns undefined if searches are rate-limited or unavailable, so that the page omits an optional section. Otherwise
 * throws the error.
 */
export function orNothing(error: unknown): undefined {
  if (!(error instanceof AppError && isForLater(error))) throw error
}

/** Options for reading a page. `account` is charged for the page. */
interface Reading {
  account: string
  /** Maximum number of featured jobs to show before the page's jobs. */
  featuredMax?: number
  /**
   * For each set of filters in `each`, counts the jobs that match the set, `others` and the query's search. Ignores the
   * query's own filters.
   */
  counted?: { others: ListQuery['filters']; each: readonly ListQuery['filters'][] }
  /** True for later pages of a stream, which are charged but not refused. */
  hasBegun?: boolean
}

export class BoardLists {
  readonly #deps: BoardListsDeps
  readonly #items = new CachedJobs()
  readonly #details = new CachedJobs()
  readonly #responses = new CachedResponses()
  /** Cached HTML pages for readers who are not signed in. */
  readonly #pages = new CachedResponses(PAGES_BYTES_MAX)
  readonly #recentPages = new RecentKeys()
  /** Increases when cached pages change for a reason other than the jobs. */
  #shown = 0
  /** Responses in progress, by revision and URL. */
  readonly #making = new Map<string, Promise<CachedResponse>>()
  /** Distinguishes the revisions of this process from those of other processes, so that ETags can contain revisions. */
  readonly #process = randomUUID()

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

  /** Returns the cached detail of a job on the board, unless the job has changed since the detail was cached. */
  cachedDetail(id: string): CachedJob | undefined {
    return this.#deps.jobs.now && this.#details.find(id)
  }

  /**
   * Time since which responses may be stale, in milliseconds of `performance.now()`. Undefined if responses are up to
   * date.
   */
  get staleSinceMs(): number | undefined {
    return this.#deps.jobs.stale?.sinceMs
  }

  /**
   * Returns a job's detail, and caches it while the job is on the board. While the database is unavailable, returns the
   * cached detail, if any.
   */
  async detail(id: string, ask: () => Promise<DetailedJob>): Promise<CachedJob> {
    const { jobs } = this.#deps
    await jobs.current()
    const known = jobs.stale && this.#details.find(id)
    if (known) return known
    let isOnBoard = false
    const read = await this.#details.read(
      async () => {
        const { employer_id, detail, ...job } = await ask()
        isOnBoard = jobs.has(job)
        const bytes = Buffer.from(JSON.stringify({ data: detail }))
        return new Map([[id, { bytes, etag: entityTag(bytes), employerId: employer_id }]])
      },
      () => isOnBoard,
    )
    return read.get(id)!
  }

  /** Returns the number of jobs on the board per category or type. With `onlyOf`, counts only this employer's jobs. */
  async countBy(facet: 'category' | 'job_type', onlyOf?: string): Promise<{ slug: string; job_count: number }[]> {
    const counts = await this.#deps.jobs.countBy(facet, ownership(onlyOf))
    return counts.map(({ value, count }) => ({ slug: String(value), job_count: count }))
  }

  /**
   * Returns the cached response to a list request. With `onlyOf`, the reader sees only the jobs of the employer with
   * this ID.
   */
  cached(url: string, onlyOf?: string): CachedResponse | undefined {
    const state = this.#deps.jobs.now
    return state && this.#responses.find(cacheKey(url, onlyOf), state.revision)
  }

  /**
   * Returns the response to a list request. Concurrent requests for the same URL share the work. Each account loads
   * missing words through its own queue, so only a busy account's requests are refused. With `onlyOf`, lists only this
   * employer's jobs.
   */
  async list(url: string, query: ListQuery, account: string, onlyOf?: string): Promise<CachedResponse> {
    const { jobs } = this.#deps
    const revision = revisionOf(await jobs.current(), jobs.stale)
    const urlKey = cacheKey(url, onlyOf)
    const cached = this.#responses.find(urlKey, revision)
    if (cached) return cached
    const narrowed = { ...query, filters: [...query.filters, ...ownership(onlyOf)] }
    const { making } = await jobs.ask(understand(narrowed), account, (view) => {
      const key = `${revisionOf(view, view.stale)} ${urlKey}`
      let making = this.#making.get(key)
      if (making === undefined) {
        const cut = this.#cut(view, account)
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
    // Does not cache the response if the board has changed since the response's jobs were selected.
    if (this.#deps.jobs.revision === cut.revision) {
      this.#responses.keep(urlKey, revisionOf(cut, cut.stale), response)
    }
    return response
  }

  /** Returns an uncached response, for queries that the URL does not fully identify. */
  async answer(url: string, query: ListQuery, account: string): Promise<CachedResponse> {
    const cut = this.#deps.jobs.ask(understand(query), account, (view) => this.#cut(view, account))
    return this.#write(url, query, await cut, account)
  }

  async #write(url: string, query: ListQuery, cut: CutPage, account: string): Promise<CachedResponse> {
    const { stale } = cut
    const page = await cut.page
    const items = await this.#itemsOf(page, account, cut.items)
    const { meta: current, link } = describePage(url, query, page)
    const meta = stale ? { ...current, stale: { since: stale.since.toISOString() } } : current
    const areCached = page.miles === undefined
    const body = joinList(
      items.map(({ bytes }) => bytes),
      meta,
      areCached,
    )
    return { body, link, staleSinceMs: stale?.sinceMs }
  }

  /** Returns a page of the list with each job's derived value. */
  async page<T>(url: string, query: ListQuery, derived: DerivedValues<T>, reading: Reading) {
    const { account, hasBegun = false, featuredMax, counted } = reading
    const read = (view: BoardView) => ({
      ...this.#cut(view, account, hasBegun),
      counts: counted && view.counts(counted.others, counted.each),
    })
    const cut = await this.#deps.jobs.ask(understand(query, featuredMax), account, read, { hasBegun })
    const revision = this.#pageRevision(cut)
    const [found, counts] = await Promise.all([cut.page, Promise.resolve(cut.counts).catch(orNothing)])
    const items = derived.of(await this.#itemsOf(found, account, cut.items))
    return { revision, items, counts, staleSinceMs: cut.stale?.sinceMs, ...describePage(url, query, found) }
  }

  /** Returns the number of jobs that a query matches. */
  async total(query: ListQuery, account: string): Promise<number> {
    return this.#deps.jobs.ask(understand(query), account, (view) => view.count())
  }

  /** Returns the number of jobs, and one of the jobs, for each of the companies with the most jobs on the board. */
  async busiestCompanies(max: number, account: string): Promise<{ job: JobListItem; job_count: number }[]> {
    const counted = await this.#deps.jobs.busiestCompanies(max)
    const ids = counted.map(({ id }) => id)
    const counts = new Map(counted.map(({ id, count }) => [id, count]))
    const jobs = (await this.#itemsOf({ ids, miles: undefined }, account)).map(
      ({ bytes }): JobListItem => JSON.parse(bytes.toString()),
    )
    return jobs.map((job) => ({ job, job_count: counts.get(job.id)! }))
  }

  /** Returns the cached page with this key, unless the hour or any data that pages show has changed. */
  cachedPage(key: string): CachedResponse | undefined {
    const state = this.#deps.jobs.now
    return state && this.#pages.find(key, this.#pageRevision(state))
  }

  /** Invalidates cached pages after data other than jobs has changed. */
  readonly forgetPages = (): void => {
    this.#shown++
  }

  #pageRevision({ revision }: BoardState): string {
    // Includes the hour, because cards show how many days ago a job was posted, and lists can be limited to the last
    // 24 hours.
    return `${this.#process} ${revision} ${this.#shown} ${Math.floor(this.#deps.clock.now().getTime() / HOUR_MS)}`
  }

  /** Caches a page from its second request on, because crawlers request thousands of pages only once. */
  keepPage(key: string, revision: string, response: CachedResponse): void {
    if (!this.#recentPages.add(key)) return
    // Does not cache the page if the board has changed since rendering began.
    const state = this.#deps.jobs.now
    if (state && this.#pageRevision(state) === revision) this.#pages.keep(key, revision, response)
  }

  /** Returns a string that changes whenever pages of the board may change, and that differs between processes. */
  async revision(): Promise<string> {
    return this.#pageRevision(await this.#deps.jobs.current())
  }

  /** Returns the number of jobs that lists show. */
  size(): Promise<number> {
    return this.#deps.jobs.size()
  }

  /** Returns a slice of the IDs of the jobs that lists show, in ascending order. */
  ids(skip: number, limit: number): Promise<readonly string[]> {
    return this.#deps.jobs.ids(skip, limit)
  }

  /** Builds the index of words in the background, if necessary. */
  async prepare(ending?: AbortSignal): Promise<void> {
    await this.#deps.jobs.prepare?.(ending)
  }

  /**
   * Selects the page's jobs. Throws `rate_limited` if jobs have to be read and the account has spent its budget, unless
   * `hasBegun` is true.
   */
  #cut(view: BoardView, account: string, hasBegun = false): CutPage {
    const { revision, stale } = view
    const page = view.page()
    // If the page is a promise, `EngineJobs` has already checked the account.
    const items = page instanceof Promise ? undefined : page.ids.map((id) => this.#items.find(id))
    if (!hasBegun && items?.includes(undefined)) this.#deps.searches.check(account)
    return { revision, stale, page, items }
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

  /**
   * Returns the serialized list items of a page. Omits jobs that have just been removed. `cached` contains the cached
   * items, if they have already been looked up.
   */
  async #itemsOf(
    { ids, miles }: Pick<BoardPage, 'ids' | 'miles'>,
    account: string,
    cached: CutPage['items'] = ids.map((id) => this.#items.find(id)),
  ): Promise<CachedJob[]> {
    const missing = ids.filter((_id, n) => cached[n] === undefined)
    const read =
      missing.length > 0
        ? await this.#items.read(
            () => this.#readItems(missing, account),
            () => true,
          )
        : undefined
    return ids.flatMap((id, n) => {
      const job = cached[n] ?? read?.get(id)
      return job === undefined ? [] : miles ? { ...job, bytes: withDistance(job.bytes, miles[n]!) } : job
    })
  }
}

/** Returns the filters that limit a list to an employer's jobs. */
const ownership = (employerId: string | undefined): ListQuery['filters'] =>
  employerId === undefined ? [] : [{ filter: 'employer_id', operator: 'is', value: employerId }]

/** Returns the key of a cached list. */
const cacheKey = (url: string, onlyOf: string | undefined) => (onlyOf === undefined ? url : `${onlyOf} ${url}`)

/** Returns the cache key for a board state. Responses from a stale board have separate keys. */
function revisionOf({ revision }: BoardState, stale: Stale | undefined): number | string {
  return stale ? `${revision} as of ${stale.sinceMs}` : revision
}

function withDistance(item: Buffer, distance_miles: number): Buffer {
  const member = JSON.stringify(presentDistance({ distance_miles })).slice(1)
  return Buffer.concat([item.subarray(0, -1), Buffer.from(`,${member}`)])
}
