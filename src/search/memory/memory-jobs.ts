/** Serves lists of jobs from the memory of this process. */
import type { Database } from '../../db/database.ts'
import type { SearchReads } from '../../db/search-reads.ts'
import { unavailable } from '../../lib/errors.ts'
import { withTemporaries } from '../../lib/temporaries.ts'
import type { FacetCount, ListQuery } from '../../lists/query.ts'
import type { Asked, BoardView, FacetName, JobIndex, Stale } from '../job-index.ts'
import { countOf, passingSlots, slotsOf } from './bits.ts'
import type { Board } from './board.ts'
import type { BoardIndex } from './board-index.ts'
import { findMatching, listVectors } from './queries.ts'
import { unknownConditions, viewOf, withoutTypos } from './query.ts'

/**
 * Maximum number of rounds of one search. A round loads missing sets, corrects words, or computes the result. Without a
 * limit, a search whose sets do not all fit into memory would load them forever.
 */
const ROUNDS_MAX = 5

export interface MemoryJobsDeps {
  database: Database
  searches: SearchReads
  board: Board
}

export class MemoryJobs implements JobIndex {
  readonly #deps: MemoryJobsDeps
  #byId: { revision: number; slots: Uint32Array } | undefined

  constructor(deps: MemoryJobsDeps) {
    this.#deps = deps
  }

  get now(): BoardIndex | undefined {
    return this.#deps.board.now
  }

  get revision(): number | undefined {
    return this.#deps.board.revision
  }

  get stale(): Stale | undefined {
    return this.#deps.board.stale
  }

  current(): Promise<BoardIndex> {
    return this.#deps.board.current()
  }

  async ask<T>(asked: Asked, account: string, compute: (view: BoardView) => T): Promise<T> {
    const { board, searches } = this.#deps
    let meant = asked
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const index = await board.current()
      const { stale } = board
      const { unknown, computed } = await searches.compute(account, () => {
        const conditions = unknownConditions(index, meant)
        if (conditions.length > 0) return { unknown: conditions }
        const better = meant === asked ? withoutTypos(index, asked) : meant
        if (better === meant) return { computed: compute(viewOf(index, meant, stale)) }
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
      const find = (operands: readonly string[]) => searches.charging(account, (db) => findMatching(db, operands))
      if (others.length > 0) await searches.inTurn(account, () => texts.ask(others, find))
    }
    throw unavailable()
  }

  async countBy(facet: FacetName, filters: ListQuery['filters']): Promise<FacetCount[]> {
    const index = await this.current()
    return withTemporaries(() => index.counts(passingSlots(index.matching(filters)), facet))
  }

  async busiestCompanies(max: number): Promise<{ id: string; count: number }[]> {
    const index = await this.current()
    return index.busiestCompanies(max).map(({ slot, count }) => ({ id: index.columns.ids.get(slot), count }))
  }

  async size(): Promise<number> {
    return countOf((await this.current()).live)
  }

  async ids(skip: number, limit: number): Promise<readonly string[]> {
    const { columns, live, revision } = await this.current()
    // Sorts the jobs once per revision.
    if (this.#byId?.revision !== revision) {
      this.#byId = { revision, slots: slotsOf(live).sort((a, b) => columns.ids.compare(a, b)) }
    }
    return Array.from(this.#byId.slots.subarray(skip, skip + limit), (slot) => columns.ids.get(slot))
  }

  has({ number }: { number: number }): boolean {
    return this.#deps.board.has(number)
  }

  /** Builds the postings after the board has been loaded, and rebuilds them after many jobs have changed. */
  async prepare(ending?: AbortSignal): Promise<void> {
    const { database } = this.#deps
    const { texts } = await this.current()
    if (!texts.needsPostings) return
    await texts.build(async (numbers) =>
      ending?.aborted ? undefined : database.read((db) => listVectors(db, numbers)),
    )
  }
}
