/**
 * The board of this process: the index of the jobs that are on it, kept current with the database, which holds the
 * truth. What this process committed is in it before the next answer, what others did within a quarter of a second
 * (decision 0026).
 */
import type { Database, Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import type { Clock } from '../lib/time.ts'
import { BoardIndex } from './board-index.ts'
import {
  CHANGED_ROWS_MAX,
  type ChangedRow,
  type Changes,
  findChanges,
  findPosition,
  listBoardRows,
  listChangedRows,
  type Position,
} from './queries.ts'

/** Rows that are read, and taken in, at a time: more would keep the thread from requests for too long. */
const LOAD_ROWS = 2_000
/** Where more has changed, and more than a quarter of the board, it is read anew. */
const CHANGES_MAX = 5_000
/** How old the index may be while others write, unless a test asks for another age. */
const AGE_MAX_MS = 200
/** Where nobody has read for so long, whoever writes does not wait until it is in the index. */
const UNREAD_MS = 1_000
/** Of so many changed jobs at most is read ahead what will be asked for: of those of an import most never is. */
const AHEAD_MAX = 20
/** Whoever waits for a connection that is gone, which may take a quarter of an hour to tell, keeps all lists waiting. */
const READ_MAX_MS = 30_000
/** A clock that is set back by more brings back what had expired; the board is read anew. */
const CLOCK_STEP_MS = 1_000

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Told of jobs whose forms are out of date, and of employers whose jobs' forms are. */
export interface BoardListener {
  jobsChanged(ids: readonly string[]): void
  employersChanged(ids: readonly string[]): void
  /** Reads ahead what will be asked for of jobs that have changed; the answer takes it in, once they are on the board. */
  readAhead?(ids: readonly string[]): Promise<() => void>
}

/** When the index was last in step with a database that has not answered since. */
export interface Stale {
  since: Date
  /** The same by `performance.now()`. */
  sinceMs: number
}

export class Board {
  readonly #database: Database
  readonly #clock: Clock
  readonly #ageMaxMs: number
  readonly #readMaxMs: number
  readonly #staleMaxMs: number
  #index: BoardIndex | undefined
  #position: Position = { horizon: '0', server: '' }
  /** Transactions at or after the horizon whose changes are in the index: one that began earlier is still open. */
  #taken: readonly string[] = []
  /** Commits of this process: how many there were, how many are in the index, and how many a reader has to find there. */
  #commits = 0
  #seen = 0
  #mustSee = 0
  /** When the index was last compared, and when it was last asked for. */
  #comparedAt = 0
  #compared: Stale = { since: new Date(0), sinceMs: 0 }
  #askedAt = Number.NEGATIVE_INFINITY
  #lastNow = 0
  #refreshing: Promise<void> | undefined
  readonly #listeners: BoardListener[] = []

  /** `staleMaxMs`: how long the index is read while the database is away. */
  constructor(
    database: Database,
    clock: Clock,
    { ageMaxMs = AGE_MAX_MS, readMaxMs = READ_MAX_MS, staleMaxMs = 0 } = {},
  ) {
    this.#database = database
    this.#clock = clock
    this.#ageMaxMs = ageMaxMs
    this.#readMaxMs = readMaxMs
    this.#staleMaxMs = staleMaxMs
    database.follow(() => this.#committed())
  }

  listen(listener: BoardListener): void {
    this.#listeners.push(listener)
  }

  /** The index, if it is as current as it has to be; otherwise `current` brings it there. */
  get now(): BoardIndex | undefined {
    const now = this.#clock.now().getTime()
    const index = this.#index
    this.#askedAt = performance.now()
    if (index === undefined || this.#seen < this.#mustSee || now < this.#lastNow - CLOCK_STEP_MS) return undefined
    // Nobody else writes to an embedded database.
    const age = this.#database.isEmbedded ? 0 : this.#askedAt - this.#comparedAt
    if (age > this.#ageMaxMs) return undefined
    // In time, so that nobody has to wait for it; what goes wrong is met by who does.
    if (age > this.#ageMaxMs / 2) this.#refreshed().catch(() => {})
    this.#lastNow = now
    this.#expire(index, now)
    return index
  }

  /**
   * Returns since when what `current` returns may be out of date; undefined: it is not. Ask right after `current`.
   */
  get stale(): Stale | undefined {
    const { presence } = this.#database
    if (!presence?.isSilent || this.#index === undefined) return undefined
    const ageMs = performance.now() - this.#comparedAt
    if (ageMs <= this.#ageMaxMs || ageMs > this.#staleMaxMs) return undefined
    // A server that is slow for a moment hides nothing that was acknowledged here.
    return presence.isAway || this.#seen >= this.#mustSee ? this.#compared : undefined
  }

  /**
   * Returns the index with everything in it that this process acknowledged before the call or, while the database is
   * away, as it was last in step. Whoever asks meanwhile shares the work.
   */
  async current(): Promise<BoardIndex> {
    const { presence } = this.#database
    if (!presence) return this.#upToDate()
    return (
      this.now ??
      presence.orWhileSilent(
        () => this.#upToDate(),
        () => this.#outOfDate(),
      )
    )
  }

  #outOfDate(): BoardIndex | undefined {
    if (this.stale === undefined) return undefined
    this.#expire(this.#index!, this.#clock.now().getTime())
    return this.#index
  }

  async #upToDate(): Promise<BoardIndex> {
    // One that is under way may have begun before the last commit; the next has not.
    const index = this.now ?? (await this.#refreshing?.then(() => this.now))
    if (index) return index
    await this.#refreshed()
    this.#expire(this.#index!, this.#clock.now().getTime())
    return this.#index!
  }

  /**
   * Something is committed of which nobody was told yet: whoever wrote waits until it is in the index, and no reader does.
   */
  #committed(): Promise<void> | undefined {
    const commit = ++this.#commits
    if (this.#isRead) return this.#see(commit).catch(() => this.#leaveToReaders(commit))
    this.#leaveToReaders(commit)
    return undefined
  }

  get #isRead(): boolean {
    return this.#index !== undefined && performance.now() - this.#askedAt < UNREAD_MS
  }

  #leaveToReaders(commit: number): void {
    this.#mustSee = Math.max(this.#mustSee, commit)
  }

  /** How many jobs this process shows, and how old they may be; undefined before the board is loaded. */
  get state(): { jobs: number; ageMs: number } | undefined {
    return this.#index && { jobs: this.#index.size, ageMs: performance.now() - this.#comparedAt }
  }

  /** Compares the index with the database, or loads it; for no reader in particular. */
  async refresh(): Promise<void> {
    await this.#refreshed()
  }

  async #see(commit: number): Promise<void> {
    while (this.#seen < commit) await this.#refreshed()
  }

  #refreshed(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  #expire(index: BoardIndex, now: number): void {
    if (now >= index.nextExpiry) this.#remove(index, index.expired(now))
  }

  async #refresh(): Promise<void> {
    const commits = this.#commits
    const startedAt = performance.now()
    const now = this.#clock.now()
    if (this.#index === undefined || now.getTime() < this.#lastNow - CLOCK_STEP_MS) await this.#load(now)
    else {
      const changes = await this.#read((db) => findChanges(db, this.#position, this.#taken, now))
      const isLittle = changes.jobs.length <= Math.max(CHANGES_MAX, this.#index.size / 4)
      if (changes.server === this.#position.server && isLittle) {
        const takeIn = await this.#readAhead(changes)
        await this.#take(this.#index, changes, now)
        takeIn()
      } else await this.#load(now)
    }
    this.#lastNow = now.getTime()
    this.#seen = commits
    this.#comparedAt = startedAt
    this.#compared = { since: now, sinceMs: startedAt }
  }

  /** So that no reader waits for what the first one would have to read. */
  async #readAhead({ rows }: Changes): Promise<() => void> {
    if (!this.#isRead || rows.length === 0 || rows.length > AHEAD_MAX) return () => {}
    const ids = rows.map(({ id }) => id)
    const read = await Promise.all(this.#listeners.map((listener) => listener.readAhead?.(ids)))
    return () => {
      for (const takeIn of read) takeIn?.()
    }
  }

  /** Reads the whole board. What is written meanwhile is found by the next comparison, from before the first row. */
  async #load(now: Date): Promise<void> {
    const position = await this.#read(findPosition)
    const index = new BoardIndex()
    for (let after = ''; ; ) {
      const rows = await this.#read((db) => listBoardRows(db, after, LOAD_ROWS, now))
      index.load(rows)
      if (rows.length < LOAD_ROWS) break
      after = rows.at(-1)!.id
    }
    await index.order(pause)
    const changes = await this.#read((db) => findChanges(db, position, [], now))
    this.#taken = []
    await this.#take(index, changes, now)
    // Another board altogether: nothing that was made of the old one is of use.
    index.revision = (this.#index?.revision ?? 0) + 1
    this.#index = index
    this.#tellEmployers([])
  }

  async #take(index: BoardIndex, { horizon, server, ...changes }: Changes, now: Date): Promise<void> {
    const { jobs, rows, removed, employers } = changes
    this.#change(index, rows, [...jobs.filter(({ is_on_board }) => !is_on_board), ...removed])
    if (employers.length > 0) {
      this.#tellEmployers(employers.map(({ id }) => id))
      index.revision++
    }
    const isRead = new Set(rows.map(({ id }) => id))
    const others = jobs.filter(({ id, is_on_board }) => is_on_board && !isRead.has(id))
    for (let from = 0; from < others.length; from += CHANGED_ROWS_MAX) {
      const part = others.slice(from, from + CHANGED_ROWS_MAX)
      const ids = part.map(({ id }) => id)
      const found = await this.#read((db) => listChangedRows(db, ids, now))
      const isFound = new Set(found.map(({ id }) => id))
      this.#change(
        index,
        found,
        part.filter(({ id }) => !isFound.has(id)),
      )
    }
    const taken = new Set([...this.#taken, ...[...jobs, ...removed, ...employers].map(({ xid }) => xid)])
    this.#taken = [...taken].filter((xid) => BigInt(xid) >= BigInt(horizon))
    this.#position = { horizon, server }
  }

  #change(index: BoardIndex, rows: readonly ChangedRow[], gone: readonly { number: number }[]): void {
    this.#tellJobs(rows.map(({ id }) => id))
    this.#remove(
      index,
      gone.flatMap(({ number }) => index.columns.slotOf(number) ?? []),
    )
    index.change(rows, [])
  }

  async #read<T>(question: (db: Db) => Promise<T>): Promise<T> {
    const tooLong = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => tooLong.reject(new AppError('unavailable', { headers: { 'retry-after': '2' } })),
      this.#readMaxMs,
    )
    return Promise.race([this.#database.read(question), tooLong.promise]).finally(() => clearTimeout(timer))
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
