/** Streams new events to the live page. The stream may omit events; only the event list is complete (decision 0053). */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { Places } from '../../lib/places.ts'
import type { Clock } from '../../lib/time.ts'
import { type EventRow, findEvent, listLatestEvents, type Viewer } from './events.queries.ts'

/** Time between polls of a follower, in milliseconds. */
const EVERY_MS = 1_000
/**
 * Maximum delay that the stream allows for, in milliseconds: the time between an event's timestamp and the commit that
 * makes the event visible. The stream may omit events with a longer delay.
 */
const LATE_MS = 10_000
const LOOK_MAX = 200
/** Maximum duration of a stream, in milliseconds. After that, the browser reconnects and is authenticated again. */
const LIFE_MS = 60_000
/** Limits on concurrent followers. Each follower queries the database once a second. */
const FOLLOWERS = {
  atOnce: 50,
  ofAccount: 2,
  ofNetwork: 10,
  refusal: 'Too many live views are open. Close another one, or try again later.',
}

interface TailOptions {
  database: Pick<Database, 'read'>
  clock: Clock
  everyMs?: number
  lifeMs?: number
}

interface Wanted {
  type: string | undefined
  /** ID of the last event that the follower received. */
  after: string | undefined
}

export class EventTail {
  readonly slots = new Places(FOLLOWERS)
  readonly #options: Required<TailOptions>

  constructor(options: TailOptions) {
    this.#options = { everyMs: EVERY_MS, lifeMs: LIFE_MS, ...options }
  }

  /**
   * Yields each poll's new events, oldest first. If a poll finds no new events, yields an empty list, which lets the
   * caller stop.
   */
  async *follow(viewer: Viewer, { type, after }: Wanted, signal: AbortSignal): AsyncGenerator<EventRow[]> {
    const { database, clock, everyMs, lifeMs } = this.#options
    const end = performance.now() + lifeMs
    const start = after === undefined ? undefined : await database.read((db) => findEvent(db, viewer, after))
    const from = start?.created_at ?? clock.now()
    let since = new Date(from.getTime() - LATE_MS)
    let known: ReadonlySet<string> | undefined
    const look = () => database.read((db) => listLatestEvents(db, viewer, { type, since, limit: LOOK_MAX }))
    do {
      const rows = await look()
      // Discards events if the stream ended during the query.
      if (signal.aborted) return
      const isOld = (row: EventRow) => (known ? known.has(row.id) : !start || !isAfter(row, start))
      const fresh = rows.filter((row) => !isOld(row)).reverse()
      known = new Set(rows.map(({ id }) => id))
      const latest = rows[0]?.created_at.getTime() ?? 0
      since = new Date(Math.max(since.getTime(), latest - LATE_MS))
      yield fresh
      await pause(everyMs, undefined, { signal }).catch(() => undefined)
    } while (!signal.aborted && performance.now() < end)
  }
}

function isAfter(row: EventRow, other: EventRow): boolean {
  const ms = row.created_at.getTime() - other.created_at.getTime()
  return ms > 0 || (ms === 0 && row.id > other.id)
}
