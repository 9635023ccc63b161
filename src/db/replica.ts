/**
 * Reads from a streaming replica, so that a client reads what it wrote, whichever process took it: the primary is asked how
 * far its log goes once the read has begun, and the replica answers when it has replayed that much (decision 0045).
 */
import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { AppError } from '../lib/errors.ts'
import { sharing } from '../lib/sharing.ts'
import type { Database, Db, Reader, Reads } from './database.ts'

/** Whose log it is; positions in others mean something else. */
export interface Log {
  system: string
  /** Begun anew by every promotion. */
  timeline: number
  database: string
}

/** Where the log of a primary ends. */
export interface Position extends Log {
  lsn: string
}

/** How a server stands to such a position. */
export interface Standing extends Log {
  is_standby: boolean
  /** What is to be replayed still; negative where it is further. */
  lag_bytes: number
}

/**
 * The end of all that is acknowledged: what is flushed, or where commits are acknowledged before that, what is written at
 * all. Not always the latter: a transaction's beginning may wait for its flush, and the replica for that, for seconds.
 */
export async function findPosition(db: Reader): Promise<Position> {
  const { rows } = await sql<Position>`
    select case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end::text as lsn,
      system_identifier::text as system, current_database()::text as database,
      ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline
    from pg_control_system()`.execute(db)
  return rows[0]!
}

/**
 * The timeline is that of the log received last, which only pg_monitor may see, or else what the control file says, minutes
 * late at worst. Neither is ever one that the server is not on the way to.
 */
export async function findStanding(db: Reader, { lsn }: Pick<Position, 'lsn'>): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select pg_is_in_recovery() as is_standby,
      pg_wal_lsn_diff(${lsn}::pg_lsn, coalesce(pg_last_wal_replay_lsn(), '0/0'))::bigint as lag_bytes,
      system_identifier::text as system, current_database()::text as database,
      coalesce((select received_tli from pg_stat_wal_receiver),
        (select greatest(timeline_id, min_recovery_end_timeline)
          from pg_control_checkpoint(), pg_control_recovery())) as timeline
    from pg_control_system()`.execute(db)
  return rows[0]!
}

/** Whether the server replays this log. */
export function isReplicaOf(log: Log, { is_standby, ...own }: Standing): boolean {
  return is_standby && own.system === log.system && own.timeline === log.timeline && own.database === log.database
}

/**
 * Who answered a read: the replica, or the primary, as the replica was busy, behind, failed, or had been one of the latter a
 * moment ago, or as the primary could not say how far its log goes.
 */
export const replicaOutcomes = ['served', 'busy', 'behind', 'failed', 'paused', 'unasked'] as const
type Outcome = (typeof replicaOutcomes)[number]

/** A read waits so long for the replica to catch up: most of what is replayed at all is by then. */
const WAIT_MS = 50
const POLL_MS = 2
/** For so long it is not asked after it was behind or failed; then one read tries. */
const PAUSE_MS = 1_000

class Behind extends Error {}
class Busy extends Error {}
class NoReplica extends Error {}

/** Whether the server is at fault, whatever it was asked. */
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
  /** What came of it last, but for reads that did not wait for it. */
  #state: 'served' | 'behind' | 'failed' = 'served'
  #retryAt = 0
  #lagBytes = Number.NaN
  #sessions = 0
  /** How many reads ended how. */
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

  /** Whether reads go there. */
  get isUsed(): boolean {
    return this.#state === 'served'
  }

  /** How far behind it was when it was last asked. */
  get lagBytes(): number {
    return this.#lagBytes
  }

  /** Answers from the replica where that has everything that was acknowledged before the call, otherwise from the primary. */
  async read<T>(question: (db: Db) => Promise<T>): Promise<T> {
    if (!this.#mayTry()) return this.#askPrimary('paused', question)
    const position = await this.#position().catch(() => undefined)
    if (!position) {
      // That tells nothing of the replica: the next read may try it.
      this.#retryAt = 0
      return this.#askPrimary('unasked', question)
    }
    try {
      const answer = await this.#ask(position, question)
      this.#serve()
      return answer
    } catch (error) {
      // What the question itself says is an answer.
      if (error instanceof AppError && error.code !== 'unavailable') {
        this.#serve()
        throw error
      }
      if (error instanceof Busy) return this.#askPrimary('busy', question)
      if (isOfServer(error)) return this.#askPrimary(this.#pause(error), question)
      // A fault of the question's is one on the primary, too.
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
    // Whoever waited for a connection would take a busy replica for one that is behind.
    if (this.#sessions >= this.#server.connections.most) throw new Busy()
    this.#sessions++
    const begun = Promise.withResolvers<true>()
    let isLate = false
    // On the session that is then asked: behind one address there may be several servers, or another one in a moment.
    const session = this.#server.readInSession(async (db) => {
      for (;;) {
        const standing = await findStanding(db, position)
        if (isLate) throw new Behind()
        if (!isReplicaOf(position, standing)) throw new NoReplica('It is no replica of the primary')
        this.#lagBytes = Math.max(0, standing.lag_bytes)
        if (standing.lag_bytes <= 0) break
        await this.#timing.after(POLL_MS)
      }
      begun.resolve(true)
      return question(db)
    })
    const answer = session.finally(() => this.#sessions--)
    const late = this.#timing.after(WAIT_MS).then(() => false)
    // A server that hangs gives no answer at all.
    if (await Promise.race([begun.promise, answer.then(() => true), late])) return answer
    isLate = true
    answer.catch(() => {})
    throw new Behind()
  }

  #serve(): void {
    this.reads.served++
    if (this.#state === 'failed') this.#logger.info('the replica is read again')
    this.#state = 'served'
  }

  #pause(error: unknown): Outcome {
    const isBehind = error instanceof Behind
    if (!isBehind && this.#state !== 'failed') this.#logger.warn({ err: error }, 'the replica is not read')
    // One that hangs after it failed has not come back.
    if (this.#state !== 'failed') this.#state = isBehind ? 'behind' : 'failed'
    this.#retryAt = this.#timing.now() + PAUSE_MS
    return isBehind ? 'behind' : 'failed'
  }
}
