/** The list of jobs as HTTP answers: pages from the index, jobs as ready bytes. */

import { countOf } from '../../board/bits.ts'
import type { Board } from '../../board/board.ts'
import type { BoardIndex, BoardQuery, FacetName, IndexPage } from '../../board/board-index.ts'
import { findFitting, findMatching } from '../../board/queries.ts'
import { type ReadyAnswer, ReadyAnswers, type ReadyForm, ReadyForms } from '../../board/ready.ts'
import {
  conditionsOf,
  countBefore,
  cutRanking,
  found,
  type Ranking,
  rank,
  rankedSet,
  rankKey,
  relevanceIn,
  type Search,
  searchOf,
} from '../../board/search.ts'
import type { Database } from '../../db/database.ts'
import { encodeCursor } from '../../lib/cursor.ts'
import { describePage } from '../../lib/list-meta.ts'
import type { FacetCount, ListQuery } from '../../lib/list-query.ts'
import { presentJobListItem } from './jobs.present.ts'
import { listJobForms } from './jobs.queries.ts'
import type { JobDetail } from './jobs.schemas.ts'

/** A page of the board, by ids. */
export interface BoardPage {
  ids: string[]
  /** Of all pages, exact. */
  total: number
  hasMore: boolean
  nextCursor: string | null
  prevCursor: string | null
  facets?: Record<string, FacetCount[]>
}

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

export class BoardLists {
  readonly #deps: BoardListsDeps
  readonly #forms = new ReadyForms()
  readonly #details = new ReadyForms()
  readonly #answers = new ReadyAnswers()

  constructor(deps: BoardListsDeps) {
    this.#deps = deps
    deps.board.listen(this.#forms)
    deps.board.listen(this.#details)
  }

  /** The detail of a job on the board as it was answered before, if nothing has changed since. */
  readyDetail(id: string): Buffer | undefined {
    return this.#deps.board.now && this.#details.find(id)?.bytes
  }

  /** Makes the detail of a job, and keeps it while the job is on the board. */
  async detail(id: string, ask: () => Promise<{ employer_id: string; detail: JobDetail }>): Promise<Buffer> {
    const { columns } = await this.#deps.board.current()
    const read = await this.#details.read(
      async () => {
        const { employer_id, detail } = await ask()
        return new Map([[id, { bytes: Buffer.from(JSON.stringify({ data: detail })), employerId: employer_id }]])
      },
      () => columns.slotOf(id) !== undefined,
    )
    return read.get(id)!.bytes
  }

  /** The answer to the same request as before, if nothing has changed since. */
  ready(url: string): ReadyAnswer | undefined {
    const index = this.#deps.board.now
    return index && this.#answers.find(url, index.revision)
  }

  /** The answer to a request for a list. */
  async list(url: string, query: ListQuery): Promise<ReadyAnswer> {
    const ready = this.#answers.find(url, (await this.#deps.board.current()).revision)
    if (ready) return ready
    const { index, revision, answer } = await this.answer(url, query)
    // Not if something changed while forms were read.
    if (index.revision === revision) this.#answers.keep(url, revision, answer)
    return answer
  }

  /** The same for a query that the URL alone does not tell. */
  async answer(url: string, query: ListQuery) {
    const { index, page } = await this.#page(query)
    const { revision } = index
    const forms = await this.#formsOf(page.ids)
    const { meta, link } = describePage(url, query, page)
    const parts = forms.flatMap((form, n) => (n === 0 ? [form] : [COMMA, form]))
    const body = Buffer.concat([OPENING, ...parts, CLOSING, Buffer.from(`${JSON.stringify(meta)}}`)])
    return { index, revision, answer: { body, link } }
  }

  /** A page of the board, and the index that it is of. */
  async #page(query: ListQuery): Promise<{ index: BoardIndex; page: BoardPage }> {
    const text = query.filters.find(({ filter }) => filter === 'search')?.value
    const search = text === undefined ? undefined : searchOf(text as string)
    const isRanked = query.sort.some(({ field }) => field === 'relevance')
    const conditions = search ? conditionsOf(search, isRanked) : []
    for (;;) {
      const index = await this.#deps.board.current()
      const unknown = conditions.filter(({ condition, withFits }) => !index.texts.find(condition, withFits))
      if (unknown.length === 0)
        return { index, page: this.#pageWithFacets(index, query as BoardQuery, search, isRanked) }
      await Promise.all(
        unknown.map(({ condition, withFits }) =>
          index.texts.ask(condition, withFits, () =>
            this.#deps.database.read((db) => (withFits ? findFitting : findMatching)(db, condition)),
          ),
        ),
      )
    }
  }

  /** Of the jobs that pass these filters those that the search finds or, ranked, comes near to. */
  #set(index: BoardIndex, filters: ListQuery['filters'], search: Search | undefined, isRanked: boolean) {
    const filtered = index.matching({ filters })
    const ranking = search && isRanked ? rank(index, filtered, search) : undefined
    const set = ranking ? rankedSet(index, ranking) : search ? found(index, filtered, search) : filtered
    return { set, ranking }
  }

  #cut(index: BoardIndex, query: BoardQuery, search: Search | undefined, isRanked: boolean): BoardPage {
    const { set, ranking } = this.#set(index, query.filters, search, isRanked)
    if (ranking && query.sort.length === 1) return this.#cutRanked(index, query, ranking)
    const total = countOf(set)
    const relevanceOf = ranking && relevanceIn(index, ranking)
    const page = index.page(set, total, query, relevanceOf)
    return this.#pageOf(index, query, total, page, (slot) => index.cursorKey(slot, query, relevanceOf))
  }

  #pageWithFacets(index: BoardIndex, query: BoardQuery, search: Search | undefined, isRanked: boolean): BoardPage {
    const page = this.#cut(index, query, search, isRanked)
    if (query.facets.length === 0) return page
    const counted = query.facets.map((facet) => {
      const others = query.filters.filter(({ filter }) => filter !== facet)
      return [facet, index.counts(this.#set(index, others, search, isRanked).set, facet as FacetName)] as const
    })
    return { ...page, facets: Object.fromEntries(counted) }
  }

  #cutRanked(index: BoardIndex, query: BoardQuery, ranking: Ranking): BoardPage {
    const { cursor, limit } = query
    const total = ranking.ranks.length
    const isBackward = cursor.direction === 'prev'
    const first = query.page === undefined ? 0 : (query.page - 1) * limit
    const anchor = cursor.key && countBefore(index, ranking, cursor.key, !isBackward)
    const offset =
      anchor === null
        ? isBackward
          ? Math.max(0, total - limit)
          : first
        : isBackward
          ? Math.max(0, anchor - limit)
          : anchor
    const count = isBackward && anchor !== null ? anchor - offset : limit
    const slots = cutRanking(index, ranking, offset, count)
    const page = { slots, hasMore: offset + slots.length < total, hasPrevious: offset > 0 && total > 0 }
    return this.#pageOf(index, query, total, page, (slot) => rankKey(index, ranking, slot))
  }

  #pageOf(
    { columns }: BoardIndex,
    { binding }: BoardQuery,
    total: number,
    { slots, hasMore, hasPrevious }: IndexPage,
    keyOf: (slot: number) => (string | number)[],
  ): BoardPage {
    const cursorAt = (direction: 'next' | 'prev', slot: number | undefined) =>
      encodeCursor(this.#deps.cursorSecret, binding, { direction, key: slot === undefined ? null : keyOf(slot) })
    return {
      ids: slots.map((slot) => columns.id[slot]!),
      total,
      hasMore,
      nextCursor: hasMore ? cursorAt('next', slots.at(-1)) : null,
      prevCursor: hasPrevious ? cursorAt('prev', slots[0]) : null,
    }
  }

  /** The list forms of these jobs; one that was removed a moment ago is left out. */
  async #formsOf(ids: readonly string[]): Promise<Buffer[]> {
    const found = new Map(ids.map((id) => [id, this.#forms.find(id)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    if (missing.length > 0) {
      const { database, origin } = this.#deps
      const read = await this.#forms.read(
        async () => {
          const rows = await database.read((db) => listJobForms(db, missing))
          return new Map(
            rows.map((row): [string, ReadyForm] => [
              row.id,
              { bytes: Buffer.from(JSON.stringify(presentJobListItem(row, origin))), employerId: row.employer_id },
            ]),
          )
        },
        () => true,
      )
      for (const [id, form] of read) found.set(id, form)
    }
    return ids.flatMap((id) => found.get(id)?.bytes ?? [])
  }
}
