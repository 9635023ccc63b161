/**
 * The event stream. Delivers every event once to each reader that may see the event. No event appears at or below a
 * position that a reader has passed (decision 0106).
 */
import type { Database } from '../../db/database.ts'
import { Horizon } from '../../db/horizon.ts'
import { AppError } from '../../lib/errors.ts'
import { Places } from '../../lib/places.ts'
import { checkOf, Iterators } from './events.iterator.ts'
import {
  findEventIdAt,
  listEventsAfter,
  listPlaces,
  type Place,
  type PlacedEvent,
  type Viewer,
  type WrittenPlace,
} from './events.queries.ts'

/**
 * Maximum time from the commit of an event in this process to the next refresh, in milliseconds. The delay batches
 * bursts of events.
 */
const SOON_MS = 10
/** Maximum time between refreshes while readers wait, in milliseconds. Other processes write events, too. */
const EVERY_MS = 1_000
/** Maximum number of positions that a refresh reads. A refresh that reads this many wakes all readers. */
const PLACES_MAX = 1_000
/** Time between comments of a quiet stream, in milliseconds. Shorter than the timeouts of common proxies. */
const COMMENT_MS = 15_000
/** Time until a client reconnects after a stream ends, in milliseconds. */
const RETRY_MS = 1_000
/** Maximum size of a page, in bytes, without its last event. A slow client keeps one page of a stream in memory. */
const BYTES_MAX = { page: 4_194_304, stream: 65_536 }
const STREAM_LIMIT = 50
/** Limits on waiting readers. */
const READERS = {
  atOnce: 2_000,
  ofAccount: 10,
  ofNetwork: 500,
  refusal: 'Too many readers are waiting for events. Close another stream, or try again later.',
}

/** SQL for the highest position that any transaction has taken from the sequence, committed or not. */
const DRAWN = '(select last_value - (not is_called)::int from event_position_position_seq)'

/** A point between two events, and the iterator that names it. */
export interface Point {
  position: number
  iterator: string
}

interface StreamPage {
  rows: PlacedEvent[]
  next: Point
  hasMore: boolean
}

/** A reader that waits for events. */
class Follower {
  readonly viewer: Viewer
  /** Whether there may be events that the reader has not read yet. */
  isBehind = false
  #wake = () => {}

  constructor(viewer: Viewer) {
    this.viewer = viewer
  }

  notice(): void {
    this.isBehind = true
    this.#wake()
  }

  /** Waits until there are new events, the time is up, or the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.isBehind || signal.aborted) return
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
      this.#wake = done
    })
  }
}

export class EventStream {
  readonly slots = new Places(READERS)
  readonly #database: Pick<Database, 'read' | 'listen'>
  readonly #iterators: Iterators
  readonly #commentMs: number
  readonly #horizon = new Horizon<number>(DRAWN)
  readonly #followers = new Set<Follower>()
  #isSettled = false
  /** The latest settled event: no new event can appear at or below its position. */
  #latest: Place | undefined
  /** The latest refresh that has started, and the refresh that starts after it. */
  #refresh: Promise<void> = Promise.resolve()
  #nextRefresh: Promise<void> | undefined
  #timer: { handle: NodeJS.Timeout; due: number } | undefined
  #pauseMs = SOON_MS

  constructor(database: Pick<Database, 'read' | 'listen'>, secret: Uint8Array, commentMs = COMMENT_MS) {
    this.#database = database
    this.#iterators = new Iterators(secret)
    this.#commentMs = commentMs
    database.listen('events', () => this.#refreshWithin(SOON_MS))
  }

  /** The waiting readers. */
  get readers(): ReadonlySet<unknown> {
    return this.#followers
  }

  /**
   * Returns the point that an iterator names. `now` names the latest point. Without an iterator, returns the start of
   * the stream.
   */
  async find(iterator: string | undefined): Promise<Point> {
    if (!iterator) return this.#pointOf(undefined)
    if (iterator === 'now') {
      await this.refresh()
      if (this.#isSettled) return this.#pointOf(this.#latest)
      throw new AppError('unavailable', { headers: { 'retry-after': '1' } })
    }
    const named = this.#iterators.decode(iterator)
    if (!named) {
      const detail = 'after must be now, or an iterator from a response.'
      throw new AppError('invalid_parameter', { errors: [{ parameter: 'after', code: 'invalid_parameter', detail }] })
    }
    const { position, check } = named
    const eventId = position === 0 ? '' : await this.#database.read((db) => findEventIdAt(db, position))
    // A restored backup may have a different event at this position.
    if (eventId === undefined || checkOf(eventId) !== check) throw new AppError('iterator_expired')
    return { position, iterator }
  }

  /** Returns the next events. If there are none, waits for them until the time is up or the signal aborts. */
  async poll(
    viewer: Viewer,
    from: Point,
    { limit, waitMs }: { limit: number; waitMs: number },
    signal: AbortSignal,
  ): Promise<StreamPage> {
    const end = performance.now() + waitMs
    const follower = this.#join(viewer)
    try {
      await this.refresh()
      for (;;) {
        follower.isBehind = false
        const page = await this.#page(viewer, from, limit, BYTES_MAX.page)
        const leftMs = end - performance.now()
        if (page.rows.length > 0 || leftMs <= 0 || signal.aborted) return page
        await follower.wait(leftMs, signal)
      }
    } finally {
      this.#followers.delete(follower)
    }
  }

  /** Yields server-sent events until the signal aborts or the database becomes unavailable. */
  async *messages(viewer: Viewer, from: Point, signal: AbortSignal): AsyncGenerator<string> {
    yield `retry: ${RETRY_MS}\n\n`
    const follower = this.#join(viewer)
    try {
      await this.refresh()
      for (let point = from; !signal.aborted; ) {
        follower.isBehind = false
        const { rows, next, hasMore } = await this.#page(viewer, point, STREAM_LIMIT, BYTES_MAX.stream)
        for (const { type, body, ...place } of rows) {
          if (signal.aborted) return
          yield `id: ${this.#pointOf(place).iterator}\nevent: ${type}\ndata: ${body}\n\n`
        }
        point = next
        if (hasMore) continue
        await follower.wait(this.#commentMs, signal)
        // Moves the client past events that it may not see, so that its iterator does not expire.
        if (!follower.isBehind && !signal.aborted) yield `:\nid: ${point.iterator}\n\n`
      }
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error
    } finally {
      this.#followers.delete(follower)
    }
  }

  /**
   * Finds new events. The refresh starts after this call, so it finds every event that was committed before the call,
   * unless an open transaction holds back the horizon.
   */
  refresh(): Promise<void> {
    this.#nextRefresh ??= this.#refresh
      .catch(() => undefined)
      .then(() => {
        this.#refresh = this.#refreshOnce()
        this.#nextRefresh = undefined
        return this.#refresh
      })
    return this.#nextRefresh
  }

  async #refreshOnce(): Promise<void> {
    try {
      const drawn = await this.#horizon.find(this.#database)
      if (drawn === undefined) return
      // The database may have been restored from an older backup.
      if (this.#latest && drawn < this.#latest.position) this.#latest = undefined
      const known = this.#latest?.position ?? 0
      // Reads the latest position again, because the retention task may have deleted it.
      const slice = { after: known - 1, upTo: drawn, limit: PLACES_MAX }
      const places = await this.#database.read((db) => listPlaces(db, slice))
      this.#isSettled = true
      this.#latest = places[0]
      const newPlaces = places.filter(({ position }) => position > known)
      for (const follower of this.#followers) {
        if (places.length === PLACES_MAX || newPlaces.some((place) => isFor(follower.viewer, place))) follower.notice()
      }
    } finally {
      this.#pauseMs = this.#horizon.isHeldBack ? Math.min(2 * this.#pauseMs, EVERY_MS) : SOON_MS
      this.#refreshWithin(this.#horizon.isHeldBack ? this.#pauseMs : EVERY_MS)
    }
  }

  /** Schedules a refresh if readers wait. */
  #refreshWithin(ms: number): void {
    const due = performance.now() + ms
    if (this.#followers.size === 0 || (this.#timer && this.#timer.due <= due)) return
    clearTimeout(this.#timer?.handle)
    const handle = setTimeout(() => {
      this.#timer = undefined
      // If the database is unavailable, readers wait for the next refresh.
      this.refresh().catch(() => undefined)
    }, ms)
    this.#timer = { handle, due }
  }

  #join(viewer: Viewer): Follower {
    const follower = new Follower(viewer)
    this.#followers.add(follower)
    return follower
  }

  async #page(viewer: Viewer, from: Point, limit: number, bytesMax: number): Promise<StreamPage> {
    const latest = this.#latest
    if (!latest || latest.position <= from.position) return { rows: [], next: from, hasMore: false }
    const slice = { after: from.position, upTo: latest.position, limit, bytesMax }
    const { rows, hasMore } = await this.#database.read((db) => listEventsAfter(db, viewer, slice))
    return { rows, next: this.#pointOf(hasMore ? rows.at(-1) : latest), hasMore }
  }

  #pointOf(place: Place | undefined): Point {
    return { position: place?.position ?? 0, iterator: this.#iterators.encode(place) }
  }
}

/** Returns whether the viewer may see the event at a position. */
function isFor({ kind, accountId }: Viewer, place: WrittenPlace): boolean {
  if (kind === 'employer') return place.employer_id === accountId
  if (kind === 'candidate') return place.candidate_id === accountId
  return true
}
