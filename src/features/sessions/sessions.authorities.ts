/**
 * Signals revocations within a process. Long-running work, such as streams, watches the key and the session of its
 * actor here. The work is aborted when the key or the session ends in any process (decision 0065).
 */
import type { Database } from '../../db/database.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import { storedKeyOf } from '../accounts/index.ts'
import { listStanding } from './sessions.queries.ts'

/**
 * A watch on the authority of an actor, until `release` is called. `signal` aborts when the key or the session ends.
 */
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

  /** Watches the key and the session of an actor. An arrow function, because it is passed as a callback. */
  readonly watch = (actor: Actor): Watch => {
    const ids = [storedKeyOf(actor)?.id, actor.session?.id].filter((id) => id !== undefined)
    const ended = new AbortController()
    // A key in ADMIN_API_KEY is valid as long as the process runs.
    if (ids.length > 0) this.#watched.set(ended, ids)
    return { signal: ended.signal, release: () => this.#watched.delete(ended) }
  }

  /**
   * Aborts watches whose key or session has ended. A background task calls this method twice a second. Does nothing if
   * there are no watches.
   */
  async check(): Promise<void> {
    const watched = [...this.#watched]
    if (watched.length === 0) return
    const ids = [...new Set(watched.flatMap(([, ids]) => ids))]
    // If the query fails, aborts all watches, because the keys and sessions may have ended. Clients that reconnect are
    // authenticated again.
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
