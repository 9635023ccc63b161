/**
 * Keeps the indexes of the search engine up to date with the database (decision 0135). Any number of processes may
 * follow at the same time: versions decide which write wins, and the position advances only from the previous position.
 * A lease only saves the other processes the work.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Database, inUnshownTx, type Tx } from '../../db/database.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import { documentOf, goneDocument, markerDocument } from './documents.ts'
import { type Engine, isMissing } from './engine.ts'
import {
  advanceIndex,
  deleteIndex,
  findHistory,
  findLastNumber,
  type IndexedRow,
  type IndexRow,
  insertIndex,
  isTooFarBehind,
  listIndexChanges,
  listIndexedRows,
  listIndexes,
  listNextRows,
  noteFilled,
  noteRefusals,
  noteRewritten,
  raiseEpoch,
  switchIndex,
} from './queries.ts'
import {
  createIndex,
  dropIndex,
  findMarkers,
  hasIndex,
  listDocuments,
  MissingIndex,
  refreshIndex,
  sweepGone,
  type Write,
  writeDocuments,
} from './writes.ts'

/** Number of rows read at a time. A vector can take 1 MB. */
const ROWS = 500
/** Number of concurrent write requests of a fill. A shard writes the documents of one request one after another. */
const FILL_REQUESTS = 2
/** Interval between position updates without changes, in milliseconds. */
const IDLE_MS = 1_000
/** Other processes start to follow if this process has not advanced the position for this long, in milliseconds. */
const LEASE_MS = 10_000
/** Maximum duration of a fill between rounds of following, in milliseconds. */
const FILL_MS = 2_000
/** How long lists may still read the previous index after the switch to another index, in milliseconds. */
const UNUSED_MS = 60_000
const SWEEP_MS = 3_600_000
/** How long the documents of jobs that left the board remain, in milliseconds. */
const GONE_MS = DAY_MS
/**
 * Maximum age of the position of an index that continues after a restore, in milliseconds. Shorter than `GONE_MS`, so
 * that the index still contains all documents that a restore to an earlier time needs.
 */
const HISTORY_GAP_MS = 20 * 3_600_000

/**
 * Number of editions to skip when documents are written again. A restore can lose all rounds within `HISTORY_GAP_MS`,
 * and the next editions must be higher than all editions in the index.
 */
const EDITIONS_SKIPPED = 2 ** 20

export interface FollowerDeps {
  database: Database
  clock: Clock
  engine: Engine
  log: Pick<Logger, 'info' | 'warn'>
  /** Counts documents. `written` includes the refused ones. */
  onWritten?: (written: number, refused: number) => void
}

export class Follower {
  readonly #deps: FollowerDeps
  readonly #name = randomUUID()
  #sweptAt = Number.NEGATIVE_INFINITY
  /** When this process last tried to advance the position of each index. */
  readonly #advancedAt = new Map<string, number>()
  /** The numbers of the markers of each index. */
  readonly #markers = new Map<string, readonly number[]>()

  constructor(deps: FollowerDeps) {
    this.#deps = deps
  }

  /**
   * Runs a round: creates an index if none exists, follows the indexes, fills one if none is current, and drops unused
   * ones.
   */
  async once(ending?: AbortSignal): Promise<'more' | 'done'> {
    const { database, clock } = this.#deps
    const rows = await database.read(listIndexes)
    const isNone = !rows.some(({ is_current, filled_to }) => is_current || filled_to !== null)
    let outcome: 'more' | 'done' = isNone && (await this.begin()) ? 'more' : 'done'
    for (const row of rows) {
      const now = clock.now()
      if (!row.is_current && row.filled_to === null) await this.#dropUnused(row, now)
      else if (row.follower === this.#name || row.leased_until === null || row.leased_until <= now) {
        if (await this.follow(row)) outcome = 'more'
        // If an index is current, an operator's command fills the next one, at its own pace.
        const isFirst = row.filled_to !== null && !rows.some(({ is_current }) => is_current)
        if (!isFirst) continue
        const until = performance.now() + FILL_MS
        outcome = 'more'
        await this.fill(row.name, () => performance.now() >= until || ending?.aborted === true).catch((error) => {
          if (!(error instanceof FilledElsewhere)) throw error
        })
      }
    }
    return outcome
  }

  /** Adds an index to fill, unless another one is being filled. Returns whether it added one. */
  async begin(): Promise<boolean> {
    const { clock, engine, log } = this.#deps
    const now = clock.now()
    const name = `${engine.index}-${now.toISOString().replaceAll(/\D/g, '')}`
    const isNew = await this.#write((tx) => insertIndex(tx, name, now))
    if (isNew) log.info({ index: name }, 'search index created')
    return isNew
  }

  /** Writes the next changes, or forgets the index if it cannot be continued. Returns whether more work is left. */
  async follow(row: IndexRow): Promise<boolean> {
    const { engine, log } = this.#deps
    try {
      if (row.filled_to === 0) await createIndex(engine, row.name, await this.#deps.database.read(findLastNumber))
      const reason = await this.#whyUseless(row)
      if (reason === undefined) return await this.#follow(row)
      log.warn({ index: row.name, reason }, 'search index forgotten')
    } catch (error) {
      if (!isMissing(error) && !(error instanceof MissingIndex)) throw error
      log.warn({ index: row.name, reason: 'the engine does not have it' }, 'search index forgotten')
    }
    await this.#write((tx) => deleteIndex(tx, row.name))
    return true
  }

  async #whyUseless(row: IndexRow): Promise<string | undefined> {
    const { database, clock } = this.#deps
    const now = clock.now()
    if (isTooFarBehind(row, now)) return 'it is too far behind'
    const history = await database.read(findHistory)
    if (row.server === history.server) return undefined
    const [system, oid] = row.server.split(' ')
    if (!history.server.startsWith(`${system} ${oid} `)) return 'it belongs to another database'
    if (now.getTime() - row.followed_at.getTime() > HISTORY_GAP_MS) return 'it belongs to an older history'
    await this.#adopt(row, history.server)
    return undefined
  }

  /**
   * Continues an index after a restart, a failover or a restore. The write-ahead log contains both the position and the
   * changes. Therefore, a history that contains the position also contains all transactions below it. The history may
   * lack later transactions and reuse their IDs, so this function writes their documents again.
   */
  async #adopt(row: IndexRow, server: string): Promise<void> {
    const { engine, log } = this.#deps
    const query = { range: { xid: { gte: Number(row.horizon) } } }
    await refreshIndex(engine, row.name)
    const rewritten = await this.rewrite(row, server, (after) =>
      listDocuments(engine, row.name, query, { after, limit: ROWS }),
    )
    log.info({ index: row.name, rewritten }, 'search index kept after a database restart')
  }

  /** Writes documents again, with versions above all earlier ones. Returns their number. */
  async rewrite(
    row: IndexRow,
    server: string,
    listNext: (after: number) => Promise<readonly { number: number }[]>,
  ): Promise<number> {
    if (!(await this.#write((tx) => raiseEpoch(tx, row)))) return 0
    row.epoch++
    let rewritten = 0
    for (let after = -1; ; ) {
      const numbers = (await listNext(after)).map(({ number }) => number)
      if (numbers.length === 0) break
      await this.#writeJobs(row, numbers, true)
      rewritten += numbers.length
      after = numbers.at(-1)!
    }
    for (let now: IndexRow | undefined = row; now?.epoch === row.epoch; now = await this.#find(row.name)) {
      const to = { server, edition: now.edition + EDITIONS_SKIPPED }
      await this.#publish(now, to.edition)
      const { name, epoch, edition } = now
      if (!(await this.#write((tx) => noteRewritten(tx, { name, epoch, edition }, to)))) continue
      Object.assign(row, to)
      break
    }
    return rewritten
  }

  async #follow(row: IndexRow): Promise<boolean> {
    const { database, clock, engine } = this.#deps
    const now = clock.now()
    const { changed, removed, horizon, hasMore } = await database.read((db) => listIndexChanges(db, row.horizon))
    const isWritten = changed.length + removed.length > 0
    if (isWritten) {
      const gone = removed.map(({ number, xid }) => ({ number, xid, document: goneDocument(number, now) }))
      await this.#writeDocuments(row, gone)
      for (let from = 0; from < changed.length; from += ROWS) {
        await this.#writeJobs(row, changed.slice(from, from + ROWS), false)
      }
      await this.#publish(row, row.edition + 1)
    } else {
      if (performance.now() - (this.#advancedAt.get(row.name) ?? Number.NEGATIVE_INFINITY) < IDLE_MS) return false
      if (!(await hasIndex(engine, row.name))) throw new MissingIndex()
    }
    const to = {
      horizon,
      edition: row.edition + (isWritten ? 1 : 0),
      followed_at: hasMore ? row.followed_at : now,
      follower: this.#name,
      leased_until: new Date(now.getTime() + LEASE_MS),
    }
    const isMine = await this.#write((tx) => advanceIndex(tx, row, to))
    if (isMine) await this.#sweep(row, now)
    this.#advancedAt.set(row.name, performance.now())
    return hasMore && isMine
  }

  /** Makes the written documents visible to searches, together with their edition in the marker of each shard. */
  async #publish({ name, epoch }: IndexRow, edition: number): Promise<void> {
    const { engine, clock } = this.#deps
    const markers = this.#markers.get(name) ?? (await findMarkers(engine, name))
    this.#markers.set(name, markers)
    const writes = markers.map((number) => ({ number, xid: edition, document: markerDocument(number) }))
    await writeDocuments(engine, { name, epoch }, writes, clock.now())
    await refreshIndex(engine, name)
  }

  async #sweep({ name }: IndexRow, now: Date): Promise<void> {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = performance.now()
    await sweepGone(this.#deps.engine, name, new Date(now.getTime() - GONE_MS))
  }

  async #dropUnused({ name, followed_at }: IndexRow, now: Date): Promise<void> {
    if (now.getTime() - followed_at.getTime() < UNUSED_MS) return
    await dropIndex(this.#deps.engine, name)
    await this.#write((tx) => deleteIndex(tx, name))
  }

  /**
   * Continues the fill of an index until `isEnough` returns true. `isEnough` receives the size of each full batch, and
   * 0 after the last batch. Switches lists to the index once it contains all jobs. Returns whether the fill has ended.
   * Throws `FilledElsewhere` if another process fills the index, or has filled or forgotten it in the meantime.
   */
  async fill(name: string, isEnough: (row: IndexRow, jobs: number) => boolean | Promise<boolean>): Promise<boolean> {
    const { database } = this.#deps
    let row = await this.#find(name)
    if (!row) throw new FilledElsewhere()
    if (row.filled_to === null) return true
    const read = (after: number) => {
      const rows = database.read((db) => listNextRows(db, after, ROWS))
      // The error is handled when the promise is awaited, unless an earlier write has failed by then.
      rows.catch(() => {})
      return rows
    }
    let next = read(row.filled_to)
    let filling: Promise<IndexRow> | undefined
    for (let isLast = false; !isLast; ) {
      const rows = await next
      const last = rows.at(-1)?.number ?? 0
      // Jobs that are inserted from now on count as changes.
      isLast = rows.length < ROWS
      if (!isLast) next = read(last)
      // Prepares the documents while the engine writes the previous ones.
      const writes = rows.filter(({ is_listed }) => is_listed).map((job) => this.#writeOf(job))
      if (filling) {
        row = await filling
        if (await isEnough(row, ROWS)) return false
      }
      filling = this.#fillIn(row, writes, last)
      // The error is handled when the promise is awaited, unless a read has failed by then.
      filling.catch(() => {})
    }
    await isEnough(await filling!, 0)
    // Lists add all changes above the position to the index's results, so these should be few.
    for (let found = await this.#find(name); found && (await this.follow(found)); ) found = await this.#find(name)
    const filled = await this.#find(name)
    if (!filled) throw new FilledElsewhere()
    await this.#publish(filled, filled.edition)
    if (!(await this.#write((tx) => switchIndex(tx, name)))) throw new FilledElsewhere()
    this.#deps.log.info({ index: name }, 'search index filled')
    return true
  }

  /** Writes the documents of a fill up to the job number `last`. Returns the index with its progress. */
  async #fillIn(row: IndexRow, writes: readonly Write[], last: number): Promise<IndexRow> {
    const size = Math.ceil(writes.length / FILL_REQUESTS)
    const parts = Array.from({ length: FILL_REQUESTS }, (_, n) => writes.slice(n * size, (n + 1) * size))
    await Promise.all(parts.map((part) => this.#writeDocuments(row, part)))
    const to = Math.max(last, row.filled_to!)
    if (!(await this.#write((tx) => noteFilled(tx, row, to)))) throw new FilledElsewhere()
    return { ...row, filled_to: to }
  }

  async #find(name: string): Promise<IndexRow | undefined> {
    return (await this.#deps.database.read(listIndexes)).find((row) => row.name === name)
  }

  /** Writes the jobs with these numbers as they are now. Removed jobs are written only if `withRemoved` is set. */
  async #writeJobs(index: IndexRow, numbers: readonly number[], withRemoved: boolean): Promise<void> {
    const rows = await this.#deps.database.read((db) => listIndexedRows(db, numbers))
    const writes = rows.map((job) => this.#writeOf(job))
    if (withRemoved) {
      const found = new Set(rows.map(({ number }) => number))
      const removed = numbers.filter((number) => !found.has(number))
      const now = this.#deps.clock.now()
      // A removal in the new history has a higher version.
      writes.push(...removed.map((number) => ({ number, xid: 0, document: goneDocument(number, now) })))
    }
    await this.#writeDocuments(index, writes)
  }

  #writeOf(job: IndexedRow): Write {
    const { number, xid, is_listed } = job
    return { number, xid, document: is_listed ? documentOf(job) : goneDocument(number, this.#deps.clock.now()) }
  }

  async #writeDocuments(index: IndexRow, writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return
    const { engine, clock, log, onWritten } = this.#deps
    const now = clock.now()
    const refused = await writeDocuments(engine, index, writes, now)
    onWritten?.(writes.length, refused.length)
    for (const refusal of refused) log.warn({ index: index.name, ...refusal }, 'search engine refused a job')
    const written = writes.map(({ number }) => number)
    await this.#write((tx) => noteRefusals(tx, index.name, { written, refused, now }))
  }

  #write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return inUnshownTx(this.#deps.database, work)
  }
}

/** Thrown if another process fills the index, or has filled or forgotten it. */
export class FilledElsewhere extends Error {}
