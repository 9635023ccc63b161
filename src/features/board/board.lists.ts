/** Serves the list of jobs. The in-memory index selects the page, and the jobs come from a cache of serialized JSON. */

import type { Database, Db } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import { entityTag } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import { presentDistance } from '../../lib/schema.ts'
import { describePage } from '../../lists/meta.ts'
import type { ListQuery } from '../../lists/query.ts'
import { slotsOf } from '../../search/memory/bits.ts'
import type { Board, Stale } from '../../search/memory/board.ts'
import type { BoardIndex } from '../../search/memory/board-index.ts'
import { type CachedJob, CachedJobs, type CachedResponse, CachedResponses } from '../../search/memory/cache.ts'
import { findMatching, listBeginnings } from '../../search/memory/queries.ts'
import {
  type Asked,
  answerQuery,
  type BoardPage,
  understand,
  unknownConditions,
  withoutTypos,
} from '../../search/memory/query.ts'
import { conditionsOf, searchOf } from '../../search/memory/search.ts'
import { type JobDetail, type JobListItem, listJobForms, presentJobListItem } from '../jobs/index.ts'

interface BoardListsDeps {
  database: Database
  searches: SearchReads
  board: Board
  cursorSecret: Uint8Array
  /** Public origin. */
  origin: string
}

const [OPENING, COMMA, CLOSING] = ['{"data":[', ',', '],"meta":'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]

/**
 * Words that occur in at least this many jobs are loaded before anyone searches for them, the most frequent first. With
 * a million jobs, PostgreSQL takes up to 0.8 s to find the jobs with one word. The data for ranking takes four queries
 * per word instead of one, so it is loaded for fewer words.
 */
const FREQUENT_JOBS = 2_000
const FREQUENT_WORDS = 1_000
const RANKED_WORDS = 250

/**
 * Limits how often one search loads missing sets: for the words as typed, for the corrected words, and again after a
 * board reload. Sets that do not fit into memory together would otherwise be loaded forever.
 */
const ROUNDS_MAX = 5

/** A state of the board in which every set that a search needs is loaded. */
interface Known {
  index: BoardIndex
  asked: Asked
  stale: Stale | undefined
}

/** A page with the state of the board that it belongs to. */
interface CutPage extends Pick<Known, 'index' | 'stale'> {
  revision: number
  page: BoardPage
}

interface DetailedJob {
  number: number
  employer_id: string
  detail: JobDetail
}

/** Caches values that `make` derives from the list representations of jobs. */
export class OfForms<T> {
  readonly #make: (job: JobListItem) => T
  /**
   * Returns further input of `make`, such as the catalog. When this input changes, every cached value becomes invalid.
   */
  readonly #madeWith: () => unknown
  #with: unknown
  /**
   * The key is the buffer of the list representation, which is replaced when the job changes. Parsing a list
   * representation takes ten times as long as rendering the value.
   */
  #made = new WeakMap<Buffer, T>()

  constructor(make: (job: JobListItem) => T, madeWith: () => unknown = () => undefined) {
    this.#make = make
    this.#madeWith = madeWith
  }

  make(form: Buffer): T {
    const present = this.#madeWith()
    if (present !== this.#with) {
      this.#with = present
      this.#made = new WeakMap()
    }
    let made = this.#made.get(form)
    if (made === undefined) {
      made = this.#make(JSON.parse(form.toString()))
      this.#made.set(form, made)
    }
    return made
  }
}

/** The account charged for a page, and whether the page may still be refused. */
interface Reading {
  account: string
  /** True for later pages of a stream, which are charged but never refused. */
  hasBegun?: boolean
}

export class BoardLists {
  readonly #deps: BoardListsDeps
  readonly #forms = new CachedJobs()
  readonly #details = new CachedJobs()
  readonly #answers = new CachedResponses()
  /** Cached HTML pages that are the same for every visitor. */
  readonly #pages = new CachedResponses()
  /** Incremented when data other than jobs changes on the cached pages. */
  #shown = 0
  /** Responses in progress, by revision and URL. */
  readonly #making = new Map<string, Promise<CachedResponse>>()
  #ids: { revision: number; ids: readonly string[] } | undefined
  /** The index for which the frequent words have been loaded. */
  #learnt: BoardIndex | undefined

  constructor(deps: BoardListsDeps) {
    this.#deps = deps
    const forms = this.#forms
    deps.board.listen({
      jobsChanged: (ids) => forms.jobsChanged(ids),
      employersChanged: (ids) => forms.employersChanged(ids),
      readAhead: (ids) => forms.ahead(() => this.#readForms(ids)),
    })
    deps.board.listen(this.#details)
  }

  /** Returns the cached detail of a job on the board, or undefined if it has changed or is not cached. */
  readyDetail(id: string): CachedJob | undefined {
    return this.#deps.board.now && this.#details.find(id)
  }

  /** Returns the time from which responses may be stale, in milliseconds of `performance.now()`, or undefined. */
  get staleSinceMs(): number | undefined {
    return this.#deps.board.stale?.sinceMs
  }

  /**
   * Returns the detail of a job and caches it while the job is on the board. Reads nothing while the database is
   * down.
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

  /** Returns how many jobs on the board each category or type has. */
  async countBy(facet: 'category' | 'job_type'): Promise<{ slug: string; job_count: number }[]> {
    const index = await this.#deps.board.current()
    return index.counts(index.live, facet).map(({ value, count }) => ({ slug: String(value), job_count: count }))
  }

  /** Returns the cached response for a URL, or undefined if it is outdated or not cached. */
  ready(url: string): CachedResponse | undefined {
    const index = this.#deps.board.now
    return index && this.#answers.find(url, index.revision)
  }

  /**
   * Returns the response to a list request. Concurrent requests for the same URL share the work. Words that are not
   * loaded yet are queued per account, so that only the requests of a busy account are refused.
   */
  async list(url: string, query: ListQuery, account: string): Promise<CachedResponse> {
    const { board } = this.#deps
    const revision = revisionOf(await board.current(), board.stale)
    const ready = this.#answers.find(url, revision)
    if (ready) return ready
    const { making } = await this.#whenKnown(understand(query), account, (known) => {
      const key = `${revisionOf(known.index, known.stale)} ${url}`
      let making = this.#making.get(key)
      if (making === undefined) {
        const cut = this.#cut(known, account)
        making = this.#make(url, query, cut, account).finally(() => this.#making.delete(key))
        this.#making.set(key, making)
      }
      // Wraps the promise in an object: a bare promise would be awaited, and the account's turn would last until the
      // response is ready.
      return { making }
    })
    return making
  }

  async #make(url: string, query: ListQuery, cut: CutPage, account: string): Promise<CachedResponse> {
    const answer = await this.#write(url, query, cut, account)
    const { index, stale } = cut
    // Does not cache the response if the board changed while jobs were read.
    if (index.revision === cut.revision) this.#answers.keep(url, revisionOf(index, stale), answer)
    return answer
  }

  /** Returns the uncached response to a query that its URL does not fully identify. */
  async answer(url: string, query: ListQuery, account: string): Promise<CachedResponse> {
    const cut = await this.#whenKnown(understand(query), account, (known) => this.#cut(known, account))
    return this.#write(url, query, cut, account)
  }

  async #write(url: string, query: ListQuery, cut: CutPage, account: string): Promise<CachedResponse> {
    const forms = await this.#formsOf(cut, account)
    const { stale } = cut
    const { meta: current, link } = describePage(url, query, cut.page)
    const meta = stale ? { ...current, stale: { since: stale.since.toISOString() } } : current
    const parts = forms.flatMap((form, n) => (n === 0 ? [form] : [COMMA, form]))
    const body = Buffer.concat([OPENING, ...parts, CLOSING, Buffer.from(`${JSON.stringify(meta)}}`)])
    return { body, link, staleSinceMs: stale?.sinceMs }
  }

  /** Returns a page of the list in a representation other than JSON, with each job converted by `of`. */
  async page<T>(url: string, query: ListQuery, of: OfForms<T>, { account, hasBegun = false }: Reading) {
    const cut = await this.#whenKnown(understand(query), account, (known) => this.#cut(known, account, hasBegun))
    const revision = this.#pageRevision(cut.index)
    const items = (await this.#formsOf(cut, account)).map((form) => of.make(form))
    return { revision, items, staleSinceMs: cut.stale?.sinceMs, ...describePage(url, query, cut.page) }
  }

  /** Returns the cached page for a URL, or undefined if it is outdated or not cached. */
  readyPage(url: string): CachedResponse | undefined {
    const index = this.#deps.board.now
    return index && this.#pages.find(url, this.#pageRevision(index))
  }

  /** Invalidates cached pages after a change of data other than jobs. */
  readonly forgetPages = (): void => {
    this.#shown++
  }

  #pageRevision({ revision }: BoardIndex): string {
    return `${revision} ${this.#shown}`
  }

  /** Caches a page for later requests. */
  keepPage(url: string, revision: string, answer: CachedResponse): void {
    // Does not cache the page if the board changed while it was rendered.
    const index = this.#deps.board.now
    if (index && this.#pageRevision(index) === revision) this.#pages.keep(url, revision, answer)
  }

  /** Returns the ids of the jobs on the board, sorted once per state of the board. */
  async ids(): Promise<readonly string[]> {
    const { columns, live, revision } = await this.#deps.board.current()
    if (this.#ids?.revision !== revision) {
      this.#ids = { revision, ids: Array.from(slotsOf(live), (slot) => columns.id[slot]!).sort() }
    }
    return this.#ids.ids
  }

  /** Loads the words of a reloaded board, one query at a time: first all word prefixes, then the frequent words. */
  async learnWords(ending?: AbortSignal): Promise<void> {
    const { board, database } = this.#deps
    const index = await board.current()
    if (index === this.#learnt) return
    if (!index.texts.knowsBeginnings) await this.#learnBeginnings(index, ending)
    for (const [rank, word] of index.vocabulary.frequent(FREQUENT_JOBS, FREQUENT_WORDS).entries()) {
      // As a prefix and as a whole word, because the last word of a search may be incomplete.
      const conditions = [word, `${word} `].flatMap((text) => conditionsOf(searchOf(text), rank < RANKED_WORDS))
      for (const wanted of conditions) {
        if (ending?.aborted || !index.texts.hasRoom) return
        await index.texts.ask([wanted], (operands) => database.read((db) => findMatching(db, operands)))
      }
    }
    this.#learnt = index
  }

  async #learnBeginnings({ texts }: BoardIndex, ending?: AbortSignal): Promise<void> {
    const beginnings = texts.beginLearning()
    for (let after = 0; !ending?.aborted; ) {
      const next = await this.#deps.database.read((db) => listBeginnings(db, after))
      if (next === undefined) {
        beginnings.isComplete = true
        return
      }
      for (const text of next.beginnings) beginnings.add(text)
      after = next.lastNumber
    }
  }

  /**
   * Loads every set that the search needs and corrects the search's typos. Then calls `compute` in the account's turn,
   * with the current index and the corrected search.
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
      const ask = (operands: readonly string[]) => searches.charging(account, (db) => findMatching(db, operands))
      if (unknown.length > 0) await searches.inTurn(account, () => index.texts.ask(unknown, ask))
    }
    throw new AppError('unavailable', { headers: { 'retry-after': '2' } })
  }

  /**
   * Selects the jobs of the page. Throws `rate_limited` if jobs have to be read and the account has spent its budget.
   */
  #cut({ index, asked, stale }: Known, account: string, hasBegun = false): CutPage {
    const page = answerQuery(index, asked, this.#deps.cursorSecret)
    const cut = { index, stale, revision: index.revision, page }
    if (!hasBegun && page.ids.some((id) => this.#forms.find(id) === undefined)) this.#deps.searches.check(account)
    return cut
  }

  /** Reads list representations of jobs, charged to an account if one is given. */
  async #readForms(ids: readonly string[], account?: string): Promise<Map<string, CachedJob>> {
    const { database, searches, origin } = this.#deps
    const ask = (db: Db) => listJobForms(db, ids)
    const rows = await (account === undefined ? database.read(ask) : searches.charging(account, ask))
    return new Map(
      rows.map((row) => [
        row.id,
        { bytes: Buffer.from(JSON.stringify(presentJobListItem(row, origin))), employerId: row.employer_id },
      ]),
    )
  }

  /** Returns the list representations of these jobs, except those that have just been removed. */
  async #formsOf({ page: { ids, miles } }: CutPage, account: string): Promise<Buffer[]> {
    const found = new Map(ids.map((id) => [id, this.#forms.find(id)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    if (missing.length > 0) {
      const read = await this.#forms.read(
        () => this.#readForms(missing, account),
        () => true,
      )
      for (const [id, form] of read) found.set(id, form)
    }
    return ids.flatMap((id, n) => {
      const bytes = found.get(id)?.bytes
      return bytes === undefined ? [] : miles ? withDistance(bytes, miles[n]!) : bytes
    })
  }
}

/** Returns the cache key of a state of the board. Responses from a stale board have separate keys. */
function revisionOf({ revision }: BoardIndex, stale: Stale | undefined): number | string {
  return stale ? `${revision} as of ${stale.sinceMs}` : revision
}

/** Returns a list representation with the distance added. */
function withDistance(form: Buffer, distance_miles: number): Buffer {
  const member = JSON.stringify(presentDistance({ distance_miles })).slice(1)
  return Buffer.concat([form.subarray(0, -1), COMMA, Buffer.from(member)])
}
