/** The list of jobs as HTTP answers: pages from the index, jobs as ready bytes. */

import { slotsOf } from '../../board/bits.ts'
import type { Board } from '../../board/board.ts'
import type { BoardIndex } from '../../board/board-index.ts'
import { findMatching } from '../../board/queries.ts'
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
import type { Database } from '../../db/database.ts'
import { entityTag } from '../../lib/entity-tags.ts'
import { AppError } from '../../lib/errors.ts'
import { describePage } from '../../lib/list-meta.ts'
import type { ListQuery } from '../../lib/list-query.ts'
import { presentDistance } from '../../lib/schema.ts'
import { Turns } from '../../lib/turns.ts'
import { presentJobListItem } from './jobs.present.ts'
import { listJobForms } from './jobs.queries.ts'
import type { JobDetail, JobListItem } from './jobs.schemas.ts'

interface BoardListsDeps {
  database: Database
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

/** One search may have a hundred questions, each of seconds on a large board: most connections stay with other requests. */
const QUESTIONS_AT_ONCE = 4
/** Those of ten such searches: whoever comes then is better told to come again. */
const QUESTIONS_WAITING_MAX = 2_000

/**
 * Words that so many jobs have are learnt before somebody asks for them, the most frequent ones: at a million jobs what is
 * known of one takes PostgreSQL up to 0.8 s to find. How closely jobs fit, which only ranking asks for, is four questions
 * instead of one, and is learnt of fewer.
 */
const FREQUENT_JOBS = 2_000
const FREQUENT_WORDS = 1_000
const RANKED_WORDS = 250

/**
 * So many times a search asks for what it does not know: once for what was typed, once for what was meant, again where
 * the board was read anew meanwhile. Sets that have no room beside each other would be asked for without end.
 */
const ROUNDS_MAX = 5

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
  readonly #turns = new Turns(QUESTIONS_AT_ONCE, QUESTIONS_WAITING_MAX)
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

  /** Makes the detail of a job, and keeps it while the job is on the board. */
  async detail(id: string, ask: () => Promise<DetailedJob>): Promise<ReadyForm> {
    const { columns } = await this.#deps.board.current()
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

  /** The answer to a request for a list; whoever asks for the same meanwhile shares it. */
  async list(url: string, query: ListQuery): Promise<ReadyAnswer> {
    const { revision } = await this.#deps.board.current()
    const ready = this.#answers.find(url, revision)
    if (ready) return ready
    const key = `${revision} ${url}`
    let making = this.#making.get(key)
    if (making === undefined) {
      making = this.#make(url, query).finally(() => this.#making.delete(key))
      this.#making.set(key, making)
    }
    return making
  }

  async #make(url: string, query: ListQuery): Promise<ReadyAnswer> {
    const { index, revision, answer } = await this.answer(url, query)
    // Not if something changed while forms were read.
    if (index.revision === revision) this.#answers.keep(url, revision, answer)
    return answer
  }

  /** The same for a query that the URL alone does not tell. */
  async answer(url: string, query: ListQuery) {
    const { index, asked } = await this.#index(understand(query))
    const { revision } = index
    const page = answerQuery(index, asked, this.#deps.cursorSecret)
    const forms = await this.#formsOf(page)
    const { meta, link } = describePage(url, query, page)
    const parts = forms.flatMap((form, n) => (n === 0 ? [form] : [COMMA, form]))
    const body = Buffer.concat([OPENING, ...parts, CLOSING, Buffer.from(`${JSON.stringify(meta)}}`)])
    return { index, revision, answer: { body, link } }
  }

  /** A page of the list as what is made of its jobs, for those who show it in another form than JSON. */
  async page<T>(url: string, query: ListQuery, of: OfForms<T>) {
    const { index, asked } = await this.#index(understand(query))
    const revision = this.#pageRevision(index)
    const page = answerQuery(index, asked, this.#deps.cursorSecret)
    const items = (await this.#formsOf(page)).map((form) => of.make(form))
    return { revision, items, ...describePage(url, query, page) }
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

  /** Learns the frequent words of a board that was read anew, one question at a time. */
  async learnFrequentWords(ending?: AbortSignal): Promise<void> {
    const { board, database } = this.#deps
    const index = await board.current()
    if (index === this.#learnt) return
    const one = new Turns(1, Number.POSITIVE_INFINITY)
    const ask = (operand: string) => one.take(() => database.read((db) => findMatching(db, operand)))
    for (const [rank, word] of index.vocabulary.frequent(FREQUENT_JOBS, FREQUENT_WORDS).entries()) {
      // As the beginning of a word, which the last one may be, and as a whole one.
      const conditions = [word, `${word} `].flatMap((text) => conditionsOf(searchOf(text), rank < RANKED_WORDS))
      for (const { condition, withFits } of conditions) {
        if (ending?.aborted || !index.texts.hasRoom) return
        if (!index.texts.find(condition, withFits)) await index.texts.ask(condition, withFits, ask)
      }
    }
    this.#learnt = index
  }

  /** The current index with all that the search needs, and the search without typing errors. */
  async #index(asked: Asked): Promise<{ index: BoardIndex; asked: Asked }> {
    const { board, database } = this.#deps
    let meant = asked
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const index = await board.current()
      const unknown = unknownConditions(index, meant)
      if (unknown.length === 0) {
        const better = meant === asked ? withoutTypos(index, asked) : meant
        if (better === meant) return { index, asked: meant }
        meant = better
      }
      const ask = (operand: string) => this.#turns.take(() => database.read((db) => findMatching(db, operand)))
      await Promise.all(unknown.map(({ condition, withFits }) => index.texts.ask(condition, withFits, ask)))
    }
    throw new AppError('unavailable', { headers: { 'retry-after': '2' } })
  }

  async #readForms(ids: readonly string[]): Promise<Map<string, ReadyForm>> {
    const { database, origin } = this.#deps
    const rows = await database.read((db) => listJobForms(db, ids))
    return new Map(
      rows.map((row) => [
        row.id,
        { bytes: Buffer.from(JSON.stringify(presentJobListItem(row, origin))), employerId: row.employer_id },
      ]),
    )
  }

  /** The list forms of these jobs; one that was removed a moment ago is left out. */
  async #formsOf({ ids, miles }: BoardPage): Promise<Buffer[]> {
    const found = new Map(ids.map((id) => [id, this.#forms.find(id)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    if (missing.length > 0) {
      const read = await this.#forms.read(
        () => this.#readForms(missing),
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

/** A form with one member more. */
function withDistance(form: Buffer, distance_miles: number): Buffer {
  const member = JSON.stringify(presentDistance({ distance_miles })).slice(1)
  return Buffer.concat([form.subarray(0, -1), COMMA, Buffer.from(member)])
}
