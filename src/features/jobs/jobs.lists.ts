/** The list of jobs as HTTP answers: pages from the index, jobs as ready bytes. */

import { countOf } from '../../board/bits.ts'
import type { Board } from '../../board/board.ts'
import type { BoardIndex, BoardQuery } from '../../board/board-index.ts'
import { type ReadyAnswer, ReadyAnswers, type ReadyForm, ReadyForms } from '../../board/ready.ts'
import type { Database } from '../../db/database.ts'
import { encodeCursor } from '../../lib/cursor.ts'
import { describePage } from '../../lib/list-meta.ts'
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
  async answer(url: string, query: BoardQuery): Promise<ReadyAnswer> {
    const index = await this.#deps.board.current()
    const { revision } = index
    const page = this.page(index, query)
    const forms = await this.#formsOf(page.ids)
    const { meta, link } = describePage(url, query, page)
    const parts = forms.flatMap((form, n) => (n === 0 ? [form] : [COMMA, form]))
    const body = Buffer.concat([OPENING, ...parts, CLOSING, Buffer.from(`${JSON.stringify(meta)}}`)])
    const answer = { body, link }
    // Not if something changed while forms were read.
    if (index.revision === revision) this.#answers.keep(url, revision, answer)
    return answer
  }

  /** A page of the board. */
  page(index: BoardIndex, query: BoardQuery): BoardPage {
    const set = index.matching(query)
    const total = countOf(set)
    const { slots, hasMore, hasPrevious } = index.page(set, total, query)
    const cursorAt = (direction: 'next' | 'prev', slot: number | undefined) =>
      encodeCursor(this.#deps.cursorSecret, query.binding, {
        direction,
        key: slot === undefined ? null : index.cursorKey(slot, query),
      })
    return {
      ids: slots.map((slot) => index.columns.id[slot]!),
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
