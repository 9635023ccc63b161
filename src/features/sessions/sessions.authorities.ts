/**
 * The one revocation signal of a process. Work that outlasts a request watches its actor here. It ends when the key
 * or the session behind the actor has ended on any process (decision 0065).
 */
import type { Database } from '../../db/database.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import { storedKeyOf } from '../accounts/index.ts'
import { listStanding } from './sessions.queries.ts'

/** A watched authority, until `release` is called. `signal` aborts when the authority has ended. */
export interface Watch {
  signal: AbortSignal
  release(): void
}

export class Authorities {
  readonly #database: Pick<Database, 'read'>
  readonly #clock: Clock
  /** Ids of the key and the session of each watch. */
  readonly #watched = new Map<AbortController, readonly string[]>()

  constructor(database: Pick<Database, 'read'>, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** Watches the key and the session of an actor. An arrow function, because callers pass it on. */
  readonly watch = (actor: Actor): Watch => {
    const ids = [storedKeyOf(actor)?.id, actor.session?.id].filter((id) => id !== undefined)
    const ended = new AbortController()
    // The key in ADMIN_API_KEY ends with the process.
    if (ids.length > 0) this.#watched.set(ended, ids)
    return { signal: ended.signal, release: () => this.#watched.delete(ended) }
  }

  /**
   * Ends watches that lost their authority. A background task calls it twice a second. Without watches, it costs
   * nothing.
   */
  async check(): Promise<void> {
    const watched = [...this.#watched]
    if (watched.length === 0) return
    const ids = [...new Set(watched.flatMap(([, ids]) => ids))]
    // If the query fails, the state is unknown: everything ends, and clients that reconnect are checked again.
    const standing = await this.#database
      .read((db) => listStanding(db, ids, this.#clock.now()))
      .catch((error) => {
        for (const [ended] of watched) this.#end(ended)
        throw error
      })
    for (const [ended, ids] of watched) if (!ids.every((id) => standing.has(id))) this.#end(ended)
  }

  #end(ended: AbortController): void {
    this.#watched.delete(ended)
    ended.abort()
  }
}
