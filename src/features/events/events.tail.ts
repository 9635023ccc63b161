/** Events as they happen, for the eyes: the list of events is what misses nothing (decision 0053). */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { Places } from '../../lib/places.ts'
import type { Clock } from '../../lib/time.ts'
import { type EventRow, findEvent, listLatestEvents, type Viewer } from './events.queries.ts'

/** Somebody who looks asks this often. */
const EVERY_MS = 1_000
/** An event is seen when its transaction ends, which may be so long after the time that it bears. */
const LATE_MS = 10_000
/** Events that one look finds at most. */
const LOOK_MAX = 200
/** After this time the browser asks anew, and is authenticated anew. */
const LIFE_MS = 60_000
/** Followers at once: each asks the database once a second. */
const FOLLOWERS = {
  atOnce: 50,
  ofAccount: 2,
  ofNetwork: 10,
  refusal: 'Too many live views are open: close one first.',
}

interface TailOptions {
  database: Pick<Database, 'read'>
  clock: Clock
  everyMs?: number
  lifeMs?: number
}

export interface Wanted {
  type: string | undefined
  /** The id of the event that was seen last. */
  after: string | undefined
}

/** The followers of a process. */
export class EventTail {
  readonly #options: Required<TailOptions>
  readonly #places = new Places(FOLLOWERS)
  readonly #ending = new AbortController()

  constructor(options: TailOptions) {
    this.#options = { everyMs: EVERY_MS, lifeMs: LIFE_MS, ...options }
  }

  /** Takes a place for a follower, or throws; it is left by `leave`, and taken away by `signal`. */
  enter({ accountId }: Viewer, network: string): { leave: () => void; signal: AbortSignal } {
    const taken = new AbortController()
    const leave = this.#places.take(accountId, network, () => taken.abort())
    return { leave, signal: AbortSignal.any([this.#ending.signal, taken.signal]) }
  }

  /** What is new at every look, oldest first; nothing new comes as an empty list, so that a follower can be given up. */
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
      // Nothing goes out that was found after the end.
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

  /** Ends all following, so that the server can stop. */
  end(): void {
    this.#ending.abort()
  }
}

function isAfter(row: EventRow, other: EventRow): boolean {
  const ms = row.created_at.getTime() - other.created_at.getTime()
  return ms > 0 || (ms === 0 && row.id > other.id)
}
