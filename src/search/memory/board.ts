/**
 * The in-memory board of this process, kept current with the database. Commits of this process are in the index before
 * the next response, and commits of other processes within a quarter of a second (decision 0026).
 */
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Database, Db } from '../../db/database.ts'
import { unavailable } from '../../lib/errors.ts'
import { Exchange } from '../../lib/exchange.ts'
import type { Clock } from '../../lib/time.ts'
import type { Stale } from '../job-index.ts'
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
import type { BoardState, Snapshots } from './snapshot.ts'

/** Number of rows read and applied at a time. Larger batches would block requests for too long. */
const LOAD_ROWS = 2_000
/** Reloads a board without a base if the changed jobs exceed both this number and a quarter of the board. */
const CHANGES_MAX = 5_000
/** Maximum age of the index if other processes can write. Tests can set another age. */
const AGE_MAX_MS = 200
/** Writers wait for the index only if it was read within this time. */
const UNREAD_MS = 1_000
/** Prefetches changed jobs only if there are at most this many, because most jobs of an import are never requested. */
const AHEAD_MAX = 20
/** Timeout of a read, in milliseconds. A dead connection can take 15 minutes to fail and would block every list. */
const READ_MAX_MS = 30_000
/** Reloads the board if the clock is set back by more than this, because expired jobs may then be open again. */
const CLOCK_STEP_MS = 1_000
/** Readers and writers wait at most this long for a snapshot. */
const HELD_MAX_MS = 500

/**
 * An index outside this process that contains all changes up to a position. A board with such a base contains only the
 * jobs that have changed since.
 */
export interface Base<O extends OpenedBase> {
  /** Returns whether to open the base again. `changes` is the number of jobs changed since it was opened. */
  hasMoved(db: Db, opened: O, changes: number): Promise<boolean>
  /** Opens the base at its current position. */
  open(db: Db, now: Date): Promise<O>
}

export interface OpenedBase {
  readonly position: Position
  /** The number of jobs on the board at that position. */
  readonly jobs: number
  /** The highest number of a job in the base. Jobs with higher numbers were created later. */
  readonly lastNumber: number
}

/** An index, the changes that it lacks, and the transactions at or above the horizon whose changes it contains. */
interface LoadedIndex {
  index: BoardIndex
  changes: Changes
  taken: readonly string[]
}

/** Receives notifications when the cached bytes of single jobs, or of all jobs of an employer, become stale. */
export interface BoardListener {
  jobsChanged(ids: readonly string[]): void
  employersChanged(ids: readonly string[]): void
  /** Prefetches changed jobs. Returns a function that caches them; the caller calls it once the board is up to date. */
  readAhead?(ids: readonly string[]): Promise<() => void>
}

export interface BoardOptions {
  ageMaxMs?: number
  readMaxMs?: number
  staleMaxMs?: number
  defaultCurrency?: string
  snapshots?: Snapshots | undefined
}

export class Board<O extends OpenedBase = OpenedBase> {
  readonly #database: Database
  readonly #clock: Clock
  readonly #ageMaxMs: number
  readonly #readMaxMs: number
  readonly #staleMaxMs: number
  #index: BoardIndex | undefined
  #exchange: Exchange
  #position: Position = { horizon: '0', server: '' }
  /** Applied transactions at or above the horizon. Open transactions hold back the horizon. */
  #taken: readonly string[] = []
  /**
   * Counts of this process's commits: all, those in the index, and those that must be in the index for the next reader.
   */
  #commits = 0
  #seen = 0
  #mustSee = 0
  /** Times of the last comparison with the database and of the last request for the index. */
  #comparedAt = 0
  #compared: Stale = { since: new Date(0), sinceMs: 0 }
  #askedAt = Number.NEGATIVE_INFINITY
  #lastNow = 0
  #refreshing: Promise<void> | undefined
  /** Settles when the index may change again. */
  #held: Promise<unknown> | undefined
  readonly #snapshots: Snapshots | undefined
  readonly #base: Base<O> | undefined
  #opened: O | undefined
  readonly #listeners: BoardListener[] = []
  /** Stops reading this process's commits. */
  readonly close: () => void

  /**
   * `staleMaxMs` is how long the index is used while the database is unavailable. `defaultCurrency` is the currency for
   * comparing salaries until `use` is called.
   */
  constructor(
    database: Database,
    clock: Clock,
    {
      ageMaxMs = AGE_MAX_MS,
      readMaxMs = READ_MAX_MS,
      staleMaxMs = 0,
      defaultCurrency = 'USD',
      base,
      snapshots,
    }: BoardOptions & { base?: Base<O> } = {},
  ) {
    this.#base = base
    this.#snapshots = snapshots
    this.#exchange = Exchange.without(defaultCurrency)
    this.#database = database
    this.#clock = clock
    this.#ageMaxMs = ageMaxMs
    this.#readMaxMs = readMaxMs
    this.#staleMaxMs = staleMaxMs
    this.close = database.follow(() => this.#committed())
  }

  listen(listener: BoardListener): void {
    this.#listeners.push(listener)
  }

  /** Sets the exchange rates for comparing salaries. */
  use(exchange: Exchange): void {
    this.#exchange = exchange
    this.#index?.use(exchange)
  }

  /** Returns the index if it is current enough, otherwise undefined. `current` refreshes the index. */
  get now(): BoardIndex | undefined {
    const now = this.#clock.now().getTime()
    const index = this.#index
    this.#askedAt = performance.now()
    if (index === undefined || this.#seen < this.#mustSee || now < this.#lastNow - CLOCK_STEP_MS) return undefined
    // An embedded database has no other writers.
    const age = this.#database.isEmbedded ? 0 : this.#askedAt - this.#comparedAt
    if (age > this.#ageMaxMs) return undefined
    // Refreshes early, before readers have to wait. If the refresh fails, the next reader that has to wait gets the
    // error.
    if (age > this.#ageMaxMs / 2) this.refresh().catch(() => {})
    this.#lastNow = now
    this.#expire(index, now)
    return index
  }

  /**
   * Returns the time since which the index may be stale, or undefined if it is current. Read this property immediately
   * after `current`.
   */
  get stale(): Stale | undefined {
    const { presence } = this.#database
    if (!presence?.isSilent || this.#index === undefined) return undefined
    const ageMs = performance.now() - this.#comparedAt
    if (ageMs <= this.#ageMaxMs || ageMs > this.#staleMaxMs) return undefined
    // While the server is only slow, acknowledged writes must stay visible.
    return presence.isAway || this.#seen >= this.#mustSee ? this.#compared : undefined
  }

  /**
   * Returns the index with all acknowledged writes of this process or, while the database is unavailable, the last
   * known state. Concurrent callers share one refresh.
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
    // A refresh in progress may have started before the last commit.
    const index = this.now ?? (await this.#refreshing?.then(() => this.now))
    if (index) return index
    await this.refresh()
    this.#expire(this.#index!, this.#clock.now().getTime())
    return this.#index!
  }

  /** Handles a commit before its acknowledgment. The writer waits for the index, which saves readers the wait. */
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

  /** The base of the last known index, if the board has one. */
  get base(): O | undefined {
    return this.#opened
  }

  /** The last known index. */
  get known(): BoardIndex | undefined {
    return this.#index
  }

  /** The revision of the last known index. */
  get revision(): number | undefined {
    return this.#index?.revision
  }

  /** Returns whether a job is in the last known index. */
  has(number: number): boolean {
    return this.#index?.columns.slotOf(number) !== undefined
  }

  get state(): { jobs: number; ageMs: number } | undefined {
    return this.#index && { jobs: this.#opened?.jobs ?? this.#index.size, ageMs: performance.now() - this.#comparedAt }
  }

  async #see(commit: number): Promise<void> {
    while (this.#seen < commit) await this.refresh()
  }

  /** Brings the index up to date with the database, or loads it. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  #expire(index: BoardIndex, now: number): void {
    if (now >= index.nextExpiry) this.#remove(index, index.expired(now))
  }

  /** Writes a snapshot of the board if one is due. Returns whether it wrote one. */
  async save(): Promise<boolean> {
    if (!this.#snapshots || !this.#index) return false
    return this.#snapshots.save(
      this.#index,
      (query) => this.#read(query),
      (work) => this.#hold(work),
    )
  }

  /**
   * Runs work and keeps the index unchanged meanwhile, unless jobs expire or readers would wait for too long.
   * Returns undefined if the index has changed.
   */
  async #hold<T>(work: (state: BoardState) => Promise<T>): Promise<T | undefined> {
    while (this.#refreshing) await this.#refreshing.catch(() => {})
    const index = this.#index!
    const { revision } = index
    const working = work({ index, position: this.#position, taken: this.#taken, at: this.#clock.now().getTime() })
    this.#held = Promise.race([working, pause(HELD_MAX_MS, undefined, { ref: false })]).catch(() => {})
    try {
      const result = await working
      return this.#index === index && index.revision === revision ? result : undefined
    } finally {
      this.#held = undefined
    }
  }

  async #refresh(): Promise<void> {
    await this.#held
    const commits = this.#commits
    const startedAt = performance.now()
    const now = this.#clock.now()
    const moved = await this.#openMoved(now)
    if (this.#index === undefined || moved || now.getTime() < this.#lastNow - CLOCK_STEP_MS)
      await this.#load(now, moved)
    else {
      const changes = await this.#read((db) => findChanges(db, this.#position, this.#taken, now))
      const isLittle = this.#base || changes.jobs.length <= Math.max(CHANGES_MAX, this.#index.size / 4)
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

  async #readAhead({ rows }: Changes): Promise<() => void> {
    if (!this.#isRead || rows.length === 0 || rows.length > AHEAD_MAX) return () => {}
    const ids = rows.map(({ id }) => id)
    const read = await Promise.all(this.#listeners.map((listener) => listener.readAhead?.(ids)))
    return () => {
      for (const takeIn of read) takeIn?.()
    }
  }

  /** Opens the base if it has moved on. If the base cannot be opened, the board keeps its current one. */
  async #openMoved(now: Date): Promise<O | undefined> {
    const [base, opened] = [this.#base, this.#opened]
    if (!base || !opened) return undefined
    const { changed } = this.#index!
    if (!(await this.#read((db) => base.hasMoved(db, opened, changed.size)))) return undefined
    return this.#read((db) => base.open(db, now)).catch(() => undefined)
  }

  /**
   * Loads the whole board or, with a base, the changes since its position. Reads the position before the first row,
   * because `findChanges` must find concurrent writes.
   */
  async #load(now: Date, moved?: O): Promise<void> {
    const base = this.#base
    const opened = moved ?? (base && (await this.#read((db) => base.open(db, now))))
    const { index, changes, taken } = (await this.#restore(now)) ?? (await this.#loadIndex(opened, now))
    this.#taken = taken
    await this.#take(index, changes, now)
    // The rates may have changed during the load.
    index.use(this.#exchange)
    // A moved base no longer contains the jobs of the old index that expired since the last read.
    if (this.#index) this.#expire(this.#index, now.getTime())
    // A new revision invalidates everything that was cached from the old index.
    index.revision = (this.#index?.revision ?? 0) + 1
    this.#index = index
    this.#opened = opened
    // Listeners were notified of every change while the base was open.
    if (!moved) this.#notifyOfEmployers([])
  }

  async #loadIndex(opened: O | undefined, now: Date): Promise<LoadedIndex> {
    const position = opened?.position ?? (await this.#read(findPosition))
    const index = new BoardIndex(this.#exchange, this.#base !== undefined)
    if (!this.#base) await this.#loadRows(index, now)
    await index.order(setImmediate)
    const changes = await this.#read((db) => findChanges(db, position, [], now))
    return { index, changes, taken: [] }
  }

  /** Loads the first index from the snapshot, if possible. */
  async #restore(now: Date): Promise<LoadedIndex | undefined> {
    if (this.#index) return undefined
    const restored = await this.#snapshots?.load((query) => this.#read(query), this.#exchange, now)
    if (!restored) return undefined
    const { index, position, taken } = restored
    const changes = await this.#read((db) => findChanges(db, position, taken, now))
    return changes.server === position.server ? { index, changes, taken } : undefined
  }

  async #loadRows(index: BoardIndex, now: Date): Promise<void> {
    for (let after = ''; ; ) {
      const rows = await this.#read((db) => listBoardRows(db, after, LOAD_ROWS, now))
      index.load(rows)
      if (rows.length < LOAD_ROWS) return
      after = rows.at(-1)!.id
    }
  }

  async #take(index: BoardIndex, { horizon, server, ...changes }: Changes, now: Date): Promise<void> {
    const { jobs, rows, removed, employers } = changes
    this.#change(index, rows, [...jobs.filter(({ is_on_board }) => !is_on_board), ...removed])
    if (employers.length > 0) {
      this.#notifyOfEmployers(employers.map(({ id }) => id))
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

  #change(index: BoardIndex, rows: readonly ChangedRow[], gone: readonly { id?: string; number: number }[]): void {
    this.notifyOfJobs(rows.map(({ id }) => id))
    if (this.#base) this.#noteChanged(index, rows, gone)
    this.#remove(
      index,
      gone.flatMap(({ number }) => index.columns.slotOf(number) ?? []),
    )
    index.change(rows, [])
  }

  /**
   * Notes the numbers of changed jobs, and notifies the listeners about all jobs that have left the board, including
   * jobs that are not in the index.
   */
  #noteChanged(index: BoardIndex, rows: readonly ChangedRow[], gone: readonly { id?: string; number: number }[]): void {
    for (const { number } of [...rows, ...gone]) index.changed.add(number)
    // Lists lose jobs of the base even if the index does not contain them.
    const lastNumber = this.#opened?.lastNumber ?? 0
    if (gone.some(({ number }) => number <= lastNumber)) index.revision++
    this.notifyOfJobs(gone.flatMap(({ id }) => id ?? []))
    // A removed job no longer has a row, so its ID is unknown.
    if (gone.some(({ id }) => id === undefined)) this.#notifyOfEmployers([])
  }

  #read<T>(query: (db: Db) => Promise<T>): Promise<T> {
    const { promise: tooLong, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(unavailable()), this.#readMaxMs)
    return Promise.race([this.#database.read(query), tooLong]).finally(() => clearTimeout(timer))
  }

  /** Notifies the listeners that jobs have changed, expired or left the board. */
  notifyOfJobs(ids: readonly string[]): void {
    if (ids.length > 0) for (const listener of this.#listeners) listener.jobsChanged(ids)
  }

  #notifyOfEmployers(ids: readonly string[]): void {
    for (const listener of this.#listeners) listener.employersChanged(ids)
  }

  #remove(index: BoardIndex, slots: readonly number[]): void {
    this.notifyOfJobs(slots.map((slot) => index.columns.ids.get(slot)))
    index.change([], slots)
  }
}
