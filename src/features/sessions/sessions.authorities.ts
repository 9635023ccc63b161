/**
 * Aborts long-running work, such as streams, when the actor's key or session ends, or the member's role changes
 * (decision 0065).
 */
import type { Database } from '../../db/database.ts'
import type { Actor } from '../../lib/scopes.ts'
import type { Clock } from '../../lib/time.ts'
import { storedKeyOf } from '../accounts/index.ts'
import { listStanding } from './sessions.queries.ts'

export class Authorities {
  readonly #database: Pick<Database, 'read'>
  readonly #clock: Clock
  /** For each watch, the IDs of its key and session, and the member's role. */
  readonly #watched = new Map<AbortController, readonly string[]>()

  constructor(database: Pick<Database, 'read'>, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /**
   * Returns a signal that aborts after any process has ended the actor's key or session, or changed the member's role.
   * `release` ends the watch.
   */
  readonly watch = (actor: Actor): { signal: AbortSignal; release(): void } => {
    const { member, session } = actor
    const role = member && `${member.id}/${member.role}`
    const ids = [storedKeyOf(actor)?.id, session?.id, role].filter((id) => id !== undefined)
    const ended = new AbortController()
    // A key in ADMIN_API_KEY is valid as long as the process runs.
    if (ids.length > 0) this.#watched.set(ended, ids)
    return { signal: ended.signal, release: () => this.#watched.delete(ended) }
  }

  /** Aborts watches whose key or session has ended, or whose member's role has changed. */
  async check(): Promise<void> {
    const watched = [...this.#watched]
    if (watched.length === 0) return
    const ids = [...new Set(watched.flatMap(([, ids]) => ids))]
    // If the query fails, aborts all watches, because keys and sessions may have ended. Clients that reconnect must
    // authenticate again.
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
