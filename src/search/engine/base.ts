/** The search engine as the base of a board: a point in time of the current index, and its position. */
import { LRUCache } from 'lru-cache'
import { unavailable } from '../../lib/errors.ts'
import type { Base, OpenedBase } from '../memory/board.ts'
import type { Position } from '../memory/queries.ts'
import { range, term } from './clauses.ts'
import { type Engine, type Found, isMissing, KEPT, PointLost } from './engine.ts'
import { findCurrentIndex } from './queries.ts'

/** How long a point in time stays open for searches that still use it after the next one is opened, in milliseconds. */
const CLOSE_AFTER_MS = 10_000
/**
 * Minimum time for which a point in time stays open, in milliseconds. Few jobs change in two seconds, unless an import
 * is running.
 */
const KEPT_MS = 2_000
/** With at most `FEW_CHANGES` newer changes, a point in time stays open `LONGER` times as long. */
const [FEW_CHANGES, LONGER] = [64, 30]
/** Maximum number of results that a base remembers. A list of 20 jobs takes about 5 KB. */
const ANSWERS_MAX = 4_000
/** Number of jobs whose expiry is read in one request. */
const EXPIRIES = 1_000

/** A job of the base, and the time at which it expires. */
interface Expiry {
  id: string
  at: number
}

export class EngineBase implements OpenedBase {
  readonly position: Position
  readonly name: string
  readonly edition: number
  /** The ID of the point in time. */
  readonly pit: string
  readonly openedAt: number
  /** The number of jobs on the board when the base was opened. */
  readonly jobs: number
  readonly lastNumber: number
  /** True once the engine has lost the point in time. */
  isLost = false
  /** The engine's results at this point in time, by search. */
  readonly answers = new LRUCache<string, Found>({ max: ANSWERS_MAX })
  /** The time up to which expired jobs have been reported. Starts with the time of the previous base. */
  expiredAt: number
  readonly #engine: Engine
  readonly #expiriesFrom: number
  #expiries: Expiry[] = []
  /** The earliest time at which jobs that were not read may expire. */
  #expiriesTo = 0
  /** The sort values of the last job that was read. */
  #lastExpiry: readonly unknown[] | undefined

  constructor(
    engine: Engine,
    row: CurrentIndex,
    {
      pit,
      openedAt,
      expiredAt,
      jobs,
      lastNumber,
    }: Pick<EngineBase, 'pit' | 'openedAt' | 'expiredAt' | 'jobs' | 'lastNumber'>,
  ) {
    this.#engine = engine
    this.position = row
    this.name = row.name
    this.edition = row.edition
    this.pit = pit
    this.openedAt = openedAt
    this.expiredAt = expiredAt
    this.#expiriesFrom = expiredAt
    this.jobs = jobs
    this.lastNumber = lastNumber
  }

  /**
   * Returns when the next job of the base expires or, if that is not known yet, the earliest time at which it may
   * expire.
   */
  get nextExpiry(): number {
    return this.#expiries[0]?.at ?? this.#expiriesTo
  }

  /** Calls `tell` with the IDs of the jobs that have expired since the last call. */
  async expire(now: number, tell: (ids: readonly string[]) => void): Promise<void> {
    while (this.nextExpiry <= now) {
      const count = this.#expiries.findIndex(({ at }) => at > now)
      const expired = this.#expiries.splice(0, count < 0 ? this.#expiries.length : count)
      if (expired.length > 0) {
        this.expiredAt = expired.at(-1)!.at
        tell(expired.map(({ id }) => id))
      }
      if (this.#expiries.length === 0 && this.#expiriesTo <= now) await this.readExpiries()
    }
  }

  /** Reads the next jobs to expire. */
  async readExpiries(): Promise<void> {
    const found = await this.#engine.search(this.pit, [
      {
        size: EXPIRIES,
        track_total_hits: false,
        query: range('expires_at', { gt: this.#expiriesFrom }),
        sort: [{ expires_at: 'asc' }, { id: 'asc' }],
        ...(this.#lastExpiry && { search_after: this.#lastExpiry }),
      },
    ])
    const hits = found[0]!.hits?.hits ?? []
    this.#expiries = hits.map(({ sort }) => ({ at: Number(sort![0]), id: String(sort![1]) }))
    this.#lastExpiry = hits.at(-1)?.sort
    // Further jobs may expire at the same time as the last one.
    this.#expiriesTo = hits.length < EXPIRIES ? Number.POSITIVE_INFINITY : this.#expiries.at(-1)!.at
  }
}

type CurrentIndex = NonNullable<Awaited<ReturnType<typeof findCurrentIndex>>>

/**
 * Returns the base of a board whose lists the engine serves. `keptMs` is the minimum time for which a point in time
 * stays open. A new point in time has no remembered results.
 */
export function engineBase(
  engine: Engine,
  { keptMs = KEPT_MS }: { keptMs?: number | undefined } = {},
): Base<EngineBase> {
  let before: EngineBase | undefined
  let openedAt = 0
  return {
    async hasMoved(db, { name, edition, isLost }, changes) {
      const leastMs = changes > FEW_CHANGES ? keptMs : LONGER * keptMs
      if (!isLost && performance.now() - openedAt < leastMs) return false
      const row = await findCurrentIndex(db)
      return isLost || row?.name !== name || row.edition !== edition
    },
    async open(db, now) {
      openedAt = performance.now()
      // Reads the position first: the point in time then contains at least the changes up to that position.
      const row = await findCurrentIndex(db)
      if (row === undefined) throw unavailable(undefined, 5)
      const opened = await open(engine, row, now, before)
      if (before) setTimeout(closePoint, CLOSE_AFTER_MS, engine, before.pit).unref()
      before = opened
      return opened
    },
  }
}

async function open(engine: Engine, row: CurrentIndex, now: Date, before?: EngineBase): Promise<EngineBase> {
  let pit: string | undefined
  try {
    const { pit_id } = await engine.read<{ pit_id: string }>({
      method: 'POST',
      path: `/${row.name}/_search/point_in_time`,
      querystring: { keep_alive: KEPT, allow_partial_pit_creation: false },
    })
    pit = pit_id
    const openedAt = now.getTime()
    const count = (query: object) => ({ size: 0, track_total_hits: true, query })
    const [onBoard, marked, all] = await engine.search(pit, [
      count(range('expires_at', { gt: openedAt })),
      count({ bool: { filter: [range('number', { lt: 0 }), range('xid', { gte: row.edition })] } }),
      { size: 0, track_total_hits: false, aggs: { last: { max: { field: 'number' } } } },
    ])
    // Nodes without a majority may serve older copies of shards, and a restored index may itself be older.
    if (marked!.hits!.total!.value < marked!._shards!.total)
      throw new OlderCopy(`${row.name} lacks edition ${row.edition}`)
    const opened = new EngineBase(engine, row, {
      pit,
      openedAt,
      expiredAt: Math.min(openedAt, before?.expiredAt ?? openedAt),
      jobs: onBoard!.hits!.total!.value,
      lastNumber: all!.aggregations!.last.value ?? 0,
    })
    await opened.readExpiries()
    return opened
  } catch (error) {
    if (pit !== undefined) closePoint(engine, pit)
    // A lost index stays missing until it is rebuilt. While a node is missing, a new point in time would be lost as
    // well.
    const isLater = isMissing(error) || error instanceof PointLost || error instanceof OlderCopy
    throw isLater ? unavailable(error, 5) : error
  }
}

/** Thrown if a shard of a point in time is older than the edition of the index. */
class OlderCopy extends Error {}

function closePoint(engine: Engine, pit: string): void {
  engine.read({ method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit] } }).catch(() => {
    // The engine closes the point in time itself after `KEPT`.
  })
}

/** Matches the documents of jobs that lists do not hide as copies of other jobs. */
export const unfolded = term('is_folded', 'f')
