/**
 * The board of this process: the index of the jobs that are on it, kept current with the database, which holds the
 * truth. What this process committed is in it before the next answer, what others did within a quarter of a second
 * (decision 0026).
 */
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/time.ts'
import { BoardIndex } from './board-index.ts'
import { type Changes, findBoardRows, findChanges, findPosition, listBoardRows, type Position } from './queries.ts'

/** Rows that are read, and taken in, at a time: more would keep the thread from requests for too long. */
const LOAD_ROWS = 2_000
const CHANGE_ROWS = 1_000
/** How old the index may be while others write. */
const AGE_MAX_MS = 200
/** A clock that is set back by more brings back what had expired; the board is read anew. */
const CLOCK_STEP_MS = 1_000

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Told of jobs whose forms are out of date, and of employers whose jobs' forms are. */
export interface BoardListener {
  jobsChanged(ids: readonly string[]): void
  employersChanged(ids: readonly string[]): void
}

export class Board {
  readonly #database: Database
  readonly #clock: Clock
  #index: BoardIndex | undefined
  #position: Position = { horizon: '0', server: '' }
  /** The last known writers of what changed since the horizon, by job and by employer. */
  #known = new Map<number | string, number>()
  /** Which of this process's commits are in the index, and when it was last compared. */
  #writes = -1
  #comparedAt = 0
  #lastNow = 0
  #refreshing: Promise<void> | undefined
  readonly #listeners: BoardListener[] = []

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  listen(listener: BoardListener): void {
    this.#listeners.push(listener)
  }

  /** The index, if it is as current as it has to be; otherwise `current` brings it there. */
  get now(): BoardIndex | undefined {
    const now = this.#clock.now().getTime()
    const index = this.#index
    if (index === undefined || this.#writes !== this.#database.writes || now < this.#lastNow - CLOCK_STEP_MS)
      return undefined
    // Nobody else writes to an embedded database.
    if (!this.#database.isEmbedded && performance.now() - this.#comparedAt > AGE_MAX_MS) return undefined
    this.#lastNow = now
    if (now >= index.nextExpiry) this.#remove(index, index.expired(now))
    return index
  }

  /** The index with everything in it that was committed before this call, and by this process before it resolves. */
  async current(): Promise<BoardIndex> {
    for (;;) {
      const index = this.now
      if (index) return index
      this.#refreshing ??= this.#refresh().finally(() => {
        this.#refreshing = undefined
      })
      await this.#refreshing
    }
  }

  async #refresh(): Promise<void> {
    const writes = this.#database.writes
    const startedAt = performance.now()
    const now = this.#clock.now()
    if (this.#index === undefined || now.getTime() < this.#lastNow - CLOCK_STEP_MS) await this.#load(now)
    else {
      const changes = await this.#database.read((db) => findChanges(db, this.#position.horizon))
      if (changes.server === this.#position.server) await this.#take(this.#index, changes, this.#position.horizon, now)
      else await this.#load(now)
    }
    this.#lastNow = now.getTime()
    this.#writes = writes
    this.#comparedAt = startedAt
  }

  /** Reads the whole board. What is written meanwhile is found by the next comparison, from before the first row. */
  async #load(now: Date): Promise<void> {
    const position = await this.#database.read(findPosition)
    const index = new BoardIndex()
    for (let after = ''; ; ) {
      const rows = await this.#database.read((db) => listBoardRows(db, after, LOAD_ROWS, now))
      index.load(rows)
      if (rows.length < LOAD_ROWS) break
      after = rows.at(-1)!.id
    }
    await index.order(pause)
    const changes = await this.#database.read((db) => findChanges(db, position.horizon))
    this.#known.clear()
    await this.#take(index, changes, position.horizon, now)
    // Another board altogether: nothing that was made of the old one is of use.
    index.revision = (this.#index?.revision ?? 0) + 1
    this.#index = index
    this.#tellEmployers([])
  }

  /** Takes in what was written since the horizon. */
  async #take(index: BoardIndex, changes: Changes, since: string, now: Date): Promise<void> {
    const { horizon, server, jobs, removed, employers } = changes
    const changedJobs = jobs.filter(({ number, changed }) => this.#known.get(number) !== changed)
    const changedEmployers = employers.filter(({ id, changed }) => this.#known.get(id) !== changed)
    for (let from = 0; from < changedJobs.length; from += CHANGE_ROWS) {
      const numbers = changedJobs.slice(from, from + CHANGE_ROWS).map(({ number }) => number)
      const rows = await this.#database.read((db) => findBoardRows(db, numbers, since, now))
      const onBoard = new Set(rows.map(({ number }) => number))
      this.#tellJobs(rows.map(({ id }) => id))
      this.#remove(
        index,
        slotsOfNumbers(
          index,
          numbers.filter((number) => !onBoard.has(number)),
        ),
      )
      index.change(rows, [])
    }
    this.#remove(index, slotsOfNumbers(index, removed))
    if (changedEmployers.length > 0) {
      this.#tellEmployers(changedEmployers.map(({ id }) => id))
      index.revision++
    }
    // They are told again until the horizon has passed them, as a transaction may still be open that began before.
    this.#known = new Map()
    for (const { number, changed } of jobs) this.#known.set(number, changed)
    for (const { id, changed } of employers) this.#known.set(id, changed)
    this.#position = { horizon, server }
  }

  #tellJobs(ids: readonly string[]): void {
    if (ids.length > 0) for (const listener of this.#listeners) listener.jobsChanged(ids)
  }

  #tellEmployers(ids: readonly string[]): void {
    for (const listener of this.#listeners) listener.employersChanged(ids)
  }

  #remove(index: BoardIndex, slots: readonly number[]): void {
    this.#tellJobs(slots.map((slot) => index.columns.id[slot]!))
    index.change([], slots)
  }
}

function slotsOfNumbers({ columns }: BoardIndex, numbers: readonly number[]): number[] {
  return numbers.flatMap((number) => columns.slotOfNumber(number) ?? [])
}
