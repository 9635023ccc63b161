/**
 * Reads from a streaming replica with read-your-writes consistency across processes. Each read asks the primary for the
 * end of its log. It then waits until the replica has replayed the log up to that position (decision 0045).
 */
import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../lib/errors.ts'
import type { Database, Db, Reader, Reads } from './database.ts'
import { statement } from './statement.ts'

/** Identifies a write-ahead log. Only positions in the same log are comparable. */
export interface Log {
  system: string
  /** Increases whenever a replica is promoted. */
  timeline: number
  database: string
}

/** The end of the primary's log. */
export interface Position extends Log {
  lsn: string
}

/** A server's state in relation to a position in the log. */
export interface Standing extends Log {
  is_standby: boolean
  /** Bytes of log that the server still has to replay to reach the position; negative if it is past the position. */
  lag_bytes: number
}

/**
 * Returns a position that covers all acknowledged writes: the end of the flushed log. If commits do not wait for a
 * flush, returns the end of the inserted log. Always using the inserted log would delay reads, because an open
 * transaction's log may stay unflushed for seconds.
 */
export function findPosition(db: Reader): Promise<Position> {
  return statement<Position>`
    select case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end::text as lsn,
      system_identifier::text as system, current_database()::text as database,
      ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline
    from pg_control_system()`.one(db)
}

/**
 * Returns the state of a server. The timeline comes from the WAL receiver's status, which only members of pg_monitor
 * can read. For other roles, or if no WAL receiver runs, it comes from the control file, which can be minutes old. In
 * both cases, the server follows this timeline.
 */
export function findStanding(db: Reader, { lsn }: Pick<Position, 'lsn'>): Promise<Standing> {
  return statement<Standing>`
    select pg_is_in_recovery() as is_standby,
      pg_wal_lsn_diff(${lsn}::pg_lsn, coalesce(pg_last_wal_replay_lsn(), '0/0'))::bigint as lag_bytes,
      system_identifier::text as system, current_database()::text as database,
      coalesce((select received_tli from pg_stat_wal_receiver),
        (select greatest(timeline_id, min_recovery_end_timeline)
          from pg_control_checkpoint(), pg_control_recovery())) as timeline
    from pg_control_system()`.one(db)
}

/** Returns whether the server is a replica that replays this log. */
export function isReplicaOf(log: Log, { is_standby, ...own }: Standing): boolean {
  return is_standby && own.system === log.system && own.timeline === log.timeline && own.database === log.database
}

/**
 * Outcomes of a read. `served`: the replica served the read. With all other outcomes, the primary served it. Either the
 * replica was `busy`, `behind` or `failed`, or reads were `paused` because the replica had recently been behind or
 * failed. `unasked`: the primary did not return the end of its log.
 */
export const replicaOutcomes = ['served', 'busy', 'behind', 'failed', 'paused', 'unasked'] as const
type Outcome = (typeof replicaOutcomes)[number]

/** Maximum time that a read waits for the replica to catch up, in milliseconds. Usually, the replica needs less. */
const WAIT_MS = 50
const POLL_MS = 2
/**
 * How long reads avoid the replica after it was behind or failed, in milliseconds. After that, one read tries it again.
 */
const PAUSE_MS = 1_000

class Behind extends Error {}
class Busy extends Error {}
class NoReplica extends Error {}

/** Returns whether the error was caused by the server rather than by the query. */
const isOfServer = (error: unknown) =>
  error instanceof AppError || error instanceof Behind || error instanceof NoReplica

type Server = Pick<Database, 'readInSession' | 'connections'>

interface Timing {
  /** In milliseconds. */
  now(): number
  after(ms: number): Promise<unknown>
}

export class Replica implements Reads {
  readonly #primary: Reads
  readonly #server: Server
  readonly #logger: Pick<Logger, 'info' | 'warn'>
  readonly #timing: Timing
  readonly #position: () => Promise<Position>
  /** The state of the replica. It stays `failed` until the replica serves a read again. */
  #state: 'served' | 'behind' | 'failed' = 'served'
  #retryAt = 0
  #lagBytes = Number.NaN
  #sessions = 0
  /** The number of reads by outcome. */
  readonly reads: Record<Outcome, number> = { served: 0, busy: 0, behind: 0, failed: 0, paused: 0, unasked: 0 }

  constructor(
    primary: Reads,
    server: Server,
    logger: Pick<Logger, 'info' | 'warn'>,
    timing: Timing = { now: () => performance.now(), after },
  ) {
    this.#primary = primary
    this.#server = server
    this.#logger = logger
    this.#timing = timing
    this.#position = sharing(() => primary.read(findPosition))
  }

  /** Whether reads use the replica. */
  get isUsed(): boolean {
    return this.#state === 'served'
  }

  /** The replica's lag at the last check, in bytes. NaN before the first check. */
  get lagBytes(): number {
    return this.#lagBytes
  }

  /**
   * Reads from the replica if it is available and has every write acknowledged before the call, otherwise from the
   * primary.
   */
  async read<T>(question: (db: Db) => Promise<T>): Promise<T> {
    if (!this.#mayTry()) return this.#askPrimary('paused', question)
    const position = await this.#position().catch(() => undefined)
    if (!position) {
      // A failure of the primary does not affect the replica, so the next read may try the replica.
      this.#retryAt = 0
      return this.#askPrimary('unasked', question)
    }
    try {
      const answer = await this.#ask(position, question)
      this.#serve()
      return answer
    } catch (error) {
      // An error in the query itself shows that the replica works.
      if (error instanceof AppError && error.code !== 'unavailable') {
        this.#serve()
        throw error
      }
      if (error instanceof Busy) return this.#askPrimary('busy', question)
      if (isOfServer(error)) return this.#askPrimary(this.#pause(error), question)
      // If the query itself is at fault, the primary returns the same error.
      const answer = await this.#primary.read(question)
      this.reads[this.#pause(error)]++
      return answer
    }
  }

  #askPrimary<T>(outcome: Outcome, question: (db: Db) => Promise<T>): Promise<T> {
    this.reads[outcome]++
    return this.#primary.read(question)
  }

  #mayTry(): boolean {
    if (this.isUsed) return true
    if (this.#timing.now() < this.#retryAt) return false
    this.#retryAt = this.#timing.now() + PAUSE_MS
    return true
  }

  async #ask<T>(position: Position, question: (db: Db) => Promise<T>): Promise<T> {
    // Does not wait for a connection; otherwise, a busy replica would appear to be behind.
    if (this.#sessions >= this.#server.connections.most) throw new Busy()
    this.#sessions++
    const begun = Promise.withResolvers<true>()
    let isLate = false
    // Checks the same session that runs the query, because one host name can lead to different servers.
    const session = this.#server.readInSession(async (db) => {
      for (;;) {
        const standing = await findStanding(db, position)
        if (isLate) throw new Behind()
        if (!isReplicaOf(position, standing)) throw new NoReplica('The server is not a replica of the primary')
        this.#lagBytes = Math.max(0, standing.lag_bytes)
        if (standing.lag_bytes <= 0) break
        await this.#timing.after(POLL_MS)
      }
      begun.resolve(true)
      return question(db)
    })
    const answer = session.finally(() => this.#sessions--)
    const late = this.#timing.after(WAIT_MS).then(() => false)
    // A query to a server that hangs never returns.
    if (await Promise.race([begun.promise, answer.then(() => true), late])) return answer
    isLate = true
    answer.catch(() => {})
    throw new Behind()
  }

  #serve(): void {
    this.reads.served++
    if (this.#state === 'failed') this.#logger.info('the replica is in use again')
    this.#state = 'served'
  }

  #pause(error: unknown): Outcome {
    const isBehind = error instanceof Behind
    if (!isBehind && this.#state !== 'failed') this.#logger.warn({ err: error }, 'the replica is not in use')
    // A failed replica that now hangs still counts as failed.
    if (this.#state !== 'failed') this.#state = isBehind ? 'behind' : 'failed'
    this.#retryAt = this.#timing.now() + PAUSE_MS
    return isBehind ? 'behind' : 'failed'
  }
}

/**
 * Returns a function whose concurrent callers share one call to `ask`. The call starts only after all of these callers
 * have called. Only one call to `ask` runs at a time; callers that arrive during a call share the next one.
 */
function sharing<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    if (next === undefined) {
      next = last.then(() => {
        next = undefined
        return ask()
      })
      last = next.catch(() => {})
    }
    return next
  }
}
