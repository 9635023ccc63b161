/** The list of jobs as HTTP answers: pages from the index, jobs as ready bytes. */

import { slotsOf } from '../../board/bits.ts'
import type { Board, Stale } from '../../board/board.ts'
import type { BoardIndex } from '../../board/board-index.ts'
import { findMatching, listBeginnings } from '../../board/queries.ts'
import {
  type Asked,
  answerQuery,
  type BoardPage,
  understand,
  unknownConditions,
  withoutTypos,
} from '../../board/query.ts'
import { type ReadyAnswer, ReadyAnswers, type ReadyForm, ReadyForms } from '../../board/ready.ts'
import { conditionsOf, searchOf } from '../../board/search.ts'
import type { Database, Db } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import { entityTag } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import { describePage } from '../../lib/list-meta.ts'
import type { ListQuery } from '../../lib/list-query.ts'
import { presentDistance } from '../../lib/schema.ts'
import { presentJobListItem } from './jobs.present.ts'
import { listJobForms } from './jobs.queries.ts'
import type { JobDetail, JobListItem } from './jobs.schemas.ts'

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
 * Words that so many jobs have are learnt before somebody asks for them, the most frequent ones: at a million jobs what is
 * known of one takes PostgreSQL up to 0.8 s to find. How closely jobs fit, which only ranking asks for, is four questions
 * instead of one, and is learnt of fewer.
 */
const FREQUENT_JOBS = 2_000
const FREQUENT_WORDS = 1_000
const RANKED_WORDS = 250

/**
 * Limits how often one search asks for what it does not know: for what was typed, for what was meant, and again where the
 * board was read anew meanwhile. Sets that have no room beside each other would be asked for without end.
 */
const ROUNDS_MAX = 5

/** A state of the board that knows what a search needs. */
interface Known {
  index: BoardIndex
  asked: Asked
  stale: Stale | undefined
}

/** A page with the state of the board that it is of. */
interface CutPage extends Pick<Known, 'index' | 'stale'> {
  revision: number
  page: BoardPage
}

interface DetailedJob {
  number: number
  employer_id: string
  detail: JobDetail
}

/** What is made of jobs in their list form. */
export class OfForms<T> {
  readonly #make: (job: JobListItem) => T
  /** What it is made with besides. */
  readonly #madeWith: () => unknown
  #with: unknown
  /** Forms stay the same bytes as long as nothing has changed: reading one costs ten times what showing it again does. */
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

export class BoardLists {
  readonly #deps: BoardListsDeps
  readonly #forms = new ReadyForms()
  readonly #details = new ReadyForms()
  readonly #answers = new ReadyAnswers()
  /** Pages for people, which they get alike. */
  readonly #pages = new ReadyAnswers()
  /** Moves whenever something changed that they show besides jobs. */
  #shown = 0
  /** Those under way, by revision and URL. */
  readonly #making = new Map<string, Promise<ReadyAnswer>>()
  #ids: { revision: number; ids: readonly string[] } | undefined
  /** The index whose frequent words are known. */
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

  /** The detail of a job on the board as it was answered before, if nothing has changed since. */
  readyDetail(id: string): ReadyForm | undefined {
    return this.#deps.board.now && this.#details.find(id)
  }

  /** Returns since when what was just answered from the board may be out of date, by `performance.now()`. */
  get staleSinceMs(): number | undefined {
    return this.#deps.board.stale?.sinceMs
  }

  /** Makes the detail of a job, and keeps it while the job is on the board; nobody is asked while the database is away. */
  async detail(id: string, ask: () => Promise<DetailedJob>): Promise<ReadyForm> {
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

  /** How many jobs on the board each category or type has. */
  async countBy(facet: 'category' | 'job_type'): Promise<{ slug: string; job_count: number }[]> {
    const index = await this.#deps.board.current()
    return index.counts(index.live, facet).map(({ value, count }) => ({ slug: String(value), job_count: count }))
  }

  /** The answer to the same request as before, if nothing has changed since. */
  ready(url: string): ReadyAnswer | undefined {
    const index = this.#deps.board.now
    return index && this.#answers.find(url, index.revision)
  }

  /**
   * Returns the answer to a request for a list. Requests for the same share the work, but each waits in its own account's
   * turn for words that nobody knows yet, and only its own account can be refused.
   */
  async list(url: string, query: ListQuery, account: string): Promise<ReadyAnswer> {
    const { board } = this.#deps
    const revision = revisionOf(await board.current(), board.stale)
    const ready = this.#answers.find(url, revision)
    if (ready) return ready
    const known = await this.#known(understand(query), account)
    const key = `${revisionOf(known.index, known.stale)} ${url}`
    let making = this.#making.get(key)
    if (making === undefined) {
      const cut = this.#cut(known, account)
      making = this.#make(url, query, cut, account).finally(() => this.#making.delete(key))
      this.#making.set(key, making)
    }
    return making
  }

  async #make(url: string, query: ListQuery, cut: CutPage, account: string): Promise<ReadyAnswer> {
    const answer = await this.#write(url, query, cut, account)
    const { index, stale } = cut
    // Not if something changed while forms were read.
    if (index.revision === cut.revision) this.#answers.keep(url, revisionOf(index, stale), answer)
    return answer
  }

  /** The same for a query that the URL alone does not tell. */
  async answer(url: string, query: ListQuery, account: string): Promise<ReadyAnswer> {
    return this.#write(url, query, this.#cut(await this.#known(understand(query), account), account), account)
  }

  async #write(url: string, query: ListQuery, cut: CutPage, account: string): Promise<ReadyAnswer> {
    const forms = await this.#formsOf(cut, account)
    const { stale } = cut
    const { meta: current, link } = describePage(url, query, cut.page)
    const meta = stale ? { ...current, stale: { since: stale.since.toISOString() } } : current
    const parts = forms.flatMap((form, n) => (n === 0 ? [form] : [COMMA, form]))
    const body = Buffer.concat([OPENING, ...parts, CLOSING, Buffer.from(`${JSON.stringify(meta)}}`)])
    return { body, link, staleSinceMs: stale?.sinceMs }
  }

  /**
   * Returns a page of the list as what is made of its jobs, for those who show it in another form than JSON. A stream that
   * has begun is charged, but not refused.
   */
  async page<T>(url: string, query: ListQuery, of: OfForms<T>, account: string, { hasBegun = false } = {}) {
    const cut = this.#cut(await this.#known(understand(query), account), account, hasBegun)
    const revision = this.#pageRevision(cut.index)
    const items = (await this.#formsOf(cut, account)).map((form) => of.make(form))
    return { revision, items, staleSinceMs: cut.stale?.sinceMs, ...describePage(url, query, cut.page) }
  }

  /** The page that was shown at the same address before, if nothing has changed since. */
  readyPage(url: string): ReadyAnswer | undefined {
    const index = this.#deps.board.now
    return index && this.#pages.find(url, this.#pageRevision(index))
  }

  /** Pages that are kept show something that has changed. */
  readonly forgetPages = (): void => {
    this.#shown++
  }

  #pageRevision({ revision }: BoardIndex): string {
    return `${revision} ${this.#shown}`
  }

  /** Keeps a page for those who ask for the same. */
  keepPage(url: string, revision: string, answer: ReadyAnswer): void {
    // Not if something changed while it was made.
    const index = this.#deps.board.now
    if (index && this.#pageRevision(index) === revision) this.#pages.keep(url, revision, answer)
  }

  /** The jobs on the board, by id; sorted once for each state of the board. */
  async ids(): Promise<readonly string[]> {
    const { columns, live, revision } = await this.#deps.board.current()
    if (this.#ids?.revision !== revision) {
      this.#ids = { revision, ids: Array.from(slotsOf(live), (slot) => columns.id[slot]!).sort() }
    }
    return this.#ids.ids
  }

  /** Learns the words of a board that was read anew, one question at a time: how all begin, and the frequent ones. */
  async learnWords(ending?: AbortSignal): Promise<void> {
    const { board, database } = this.#deps
    const index = await board.current()
    if (index === this.#learnt) return
    if (!index.texts.knowsBeginnings) await this.#learnBeginnings(index, ending)
    for (const [rank, word] of index.vocabulary.frequent(FREQUENT_JOBS, FREQUENT_WORDS).entries()) {
      // As the beginning of a word, which the last one may be, and as a whole one.
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

  /** Returns the current index with all that the search needs, and the search without typing errors. */
  async #known(asked: Asked, account: string): Promise<Known> {
    const { board, searches } = this.#deps
    let meant = asked
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const index = await board.current()
      const { stale } = board
      const unknown = unknownConditions(index, meant)
      if (unknown.length === 0) {
        const better = meant === asked ? withoutTypos(index, asked) : meant
        if (better === meant) return { index, asked: meant, stale }
        meant = better
        continue
      }
      const ask = (operands: readonly string[]) => searches.charging(account, (db) => findMatching(db, operands))
      await searches.inTurn(account, () => index.texts.ask(unknown, ask))
    }
    throw new AppError('unavailable', { headers: { 'retry-after': '2' } })
  }

  /** Cuts the page. Throws `rate_limited` if jobs have to be read and the account has spent its budget. */
  #cut({ index, asked, stale }: Known, account: string, hasBegun = false): CutPage {
    const page = answerQuery(index, asked, this.#deps.cursorSecret)
    const cut = { index, stale, revision: index.revision, page }
    if (!hasBegun && page.ids.some((id) => this.#forms.find(id) === undefined)) this.#deps.searches.check(account)
    return cut
  }

  /** Reads the list forms of jobs, for an account or for nobody in particular. */
  async #readForms(ids: readonly string[], account?: string): Promise<Map<string, ReadyForm>> {
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

  /** The list forms of these jobs; one that was removed a moment ago is left out. */
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

/** What answers are kept under: those of a board that is out of date say so. */
function revisionOf({ revision }: BoardIndex, stale: Stale | undefined): number | string {
  return stale ? `${revision} as of ${stale.sinceMs}` : revision
}

/** A form with one member more. */
function withDistance(form: Buffer, distance_miles: number): Buffer {
  const member = JSON.stringify(presentDistance({ distance_miles })).slice(1)
  return Buffer.concat([form.subarray(0, -1), COMMA, Buffer.from(member)])
}
