/**
 * The one way to a database: PostgreSQL when there is a URL, else PGlite (PostgreSQL in this process) in a folder.
 * Below this file nothing knows which of the two it is.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { AppError } from '../lib/errors.ts'
import { noteSent } from '../lib/written.ts'
import { isUnavailable, violationOf } from './errors.ts'
import { lockFolder } from './lock-folder.ts'
import { type Link, type Presence, PresenceWatch } from './presence.ts'
import type { Schema } from './schema.ts'

declare const kind: unique symbol

/** What questions may be asked of: a database or a transaction. */
export type Reader = Pick<
  Kysely<Schema>,
  'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor' | 'executeQuery'
>

/** Outside a transaction; reads only. */
export type Db = Reader & { readonly [kind]?: 'db' }

/** Inside a transaction; everything that writes takes one. */
export type Tx = Transaction<Schema> & { readonly [kind]?: 'tx' }

/** What one part of a process tells another. */
export type Channel =
  | 'webhook-deliveries'
  | 'forgotten-mails'
  | `registered-${'employer' | 'candidate'}`
  | `payment-${string}`

const notified = new WeakMap<Tx, Set<Channel>>()

/** Tells the listeners of this process, once the transaction is committed; others find what there is by looking. */
export function notify(tx: Tx, channel: Channel): void {
  const channels = notified.get(tx)
  if (channels) channels.add(channel)
  else notified.set(tx, new Set([channel]))
}

const shownNowhere = new WeakSet<Tx>()

/** Says that the transaction writes nothing that is kept in memory anywhere: no list needs to look for it. */
export function isShownNowhere(tx: Tx): void {
  shownNowhere.add(tx)
}

/**
 * Runs a statement that may fail by a constraint, where something follows: inside a transaction its failure would end that
 * too.
 */
export async function attempt<T>(tx: Tx, statement: () => Promise<T>): Promise<T> {
  if (!tx.isTransaction) return statement()
  await sql`savepoint attempt`.execute(tx)
  try {
    return await statement()
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(tx)
    throw error
  }
}

export interface Database {
  /** Runs reads, each statement on its own. */
  read<T>(question: (db: Db) => Promise<T>): Promise<T>
  /** The same on one session of the server. */
  readInSession<T>(question: (db: Db) => Promise<T>): Promise<T>
  /** Runs a transaction; an exception rolls it back. */
  inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs a write that is one statement, which is a transaction of itself: the server is spared begin and commit. Work
   * that sends several has each on its own.
   */
  inStatement<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Calls the listener whenever a transaction of this process that notified the channel is committed. */
  listen(channel: Channel, listener: () => void): void
  /**
   * Calls the follower after each transaction of this process that may show somewhere, and has whoever wrote wait for it:
   * who is told that something is written finds it everywhere.
   */
  follow(follower: () => Promise<void> | undefined): void
  /** For migrations: a bare connection of its own, outside the pool's rules. */
  withClient<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>
  /** The connections of this process, and how many questions wait for one. */
  readonly connections: { open: number; idle: number; waiting: number; most: number }
  readonly isEmbedded: boolean
  /** Undefined where nobody watches, as in commands, or nothing can vanish, as the embedded database. */
  readonly presence?: Presence | undefined
  close(): Promise<void>
}

/** Who answers questions that change nothing: the database, or a replica of it. */
export type Reads = Pick<Database, 'read'>

/** As in PgBouncer: behind a pooler in transaction mode each transaction may have another session of the server. */
export type PoolMode = 'session' | 'transaction'

export type DatabaseOptions =
  | {
      url: string
      poolSize?: number
      poolMode?: PoolMode
      /** A connection on which a statement takes longer is given up; absent: never. */
      answerMaxMs?: number
      /** For who serves requests: whoever waits longer for a lock is told `unavailable`. Commands wait as long as it takes. */
      lockWaitMaxMs?: number
      /** Watches whether the server answers, and breaks everything off when it does not; called when that changes. */
      onPresence?: (isAway: boolean, cause: unknown) => void
    }
  | {
      dataDir: string | undefined
      loadDataDir?: Blob
      /** Called where PostgreSQL has given up, as for want of room for its log; must end the process. */
      onGivenUp?: () => never
    }

const { INT8, TIMESTAMPTZ } = pg.types.builtins
const parseTimestamptz = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date

/** `2026-03-04 10:10:26.838+00`; what is written in another way (BC, infinity) is pg's. Twice as fast as pg's own. */
function parseUtc(text: string): Date {
  const isPlain = text.length <= 26 && text.charCodeAt(10) === 0x20 && text.endsWith('+00')
  return isPlain ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseTimestamptz(text)
}

// int8: counts and salaries here stay far below 2^53. The rest is pg's own.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === INT8) return Number
    if (format !== 'binary' && oid === TIMESTAMPTZ) return parseUtc
    return pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}

/** So many may wait for a connection; further ones are refused at once rather than late. */
const WAITING_MAX = 1_000

/** Distinct statements kept prepared a connection; further ones are sent unprepared. */
const PREPARED_MAX = 500
const preparedNames = new Map<string, string>()

/** Begins a statement that is written for its values: prepared it would only take the place of one that comes again. */
export const UNPREPARED = '/* unprepared */'

function preparedName(text: string): string | undefined {
  if (text.startsWith(UNPREPARED)) return undefined
  let name = preparedNames.get(text)
  if (name === undefined && preparedNames.size < PREPARED_MAX) {
    name = `q${preparedNames.size}`
    preparedNames.set(text, name)
  }
  return name
}

interface ClientOptions {
  poolMode: PoolMode
  begin: string
  /** All clients of the pool, also those that are connecting. */
  clients: Set<PreparingClient>
  isAway: () => boolean
}

/** What pg says of a connection that ended; one of the messages that mean `unavailable`. */
const TERMINATED = 'Connection terminated unexpectedly'

/**
 * A client whose parameterised queries are prepared once a connection: planning a list query costs the server
 * about as much as running it. Its transactions begin together with their first statement.
 */
class PreparingClient extends pg.Client {
  readonly #isSession: boolean
  readonly #begin: string
  readonly #isAway: () => boolean

  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { poolMode, begin, clients, isAway } = config as unknown as ClientOptions
    this.#isSession = poolMode === 'session'
    this.#begin = begin
    this.#isAway = isAway
    clients.add(this)
    this.once('end', () => clients.delete(this))
    // A connection that ends under a query fails the query; as an event without a listener it would end the process.
    this.on('error', () => {})
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be restated without it
  override connect(...[callback]: any[]): any {
    // The pool gives those who wait for a connection one after the other a try.
    if (this.#isAway()) return void process.nextTick(callback, new Error(TERMINATED))
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (super.connect as any)(callback)
  }

  /** Breaks off whatever is under way, connecting included; all of it fails as `unavailable`. */
  breakOff(): void {
    ;(this as unknown as { connection: { stream: Duplex } }).connection.stream.destroy()
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be restated without it
  override query(...[config, values, ...rest]: any[]): any {
    if (config === 'begin') {
      // Not waited for: it fails only where the connection does, and then so does all that follows.
      super.query(this.#begin).catch(() => {})
      return Promise.resolve({ command: 'BEGIN', rowCount: null, rows: [] })
    }
    if (typeof config === 'string' && Array.isArray(values) && values.length > 0) {
      noteSent(values)
      const name = this.#isSession ? preparedName(config) : undefined
      return super.query({ text: config, values, name } as pg.QueryConfig)
    }
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (super.query as any)(config, values, ...rest)
  }
}

/**
 * - enable_seqscan, plan_cache_mode: the planner takes `@@` for as cheap as any comparison. For a frequent word it then
 *   reads every search vector from its TOAST table: 110 ms for a count over 20,000 jobs that takes 10 ms through the
 *   index. Planned without the value, a query has one plan, the one that the tests look at, and is planned once.
 * - random_page_cost: the pages that lists walk over are in memory. With the default of 4 two filters and a sort read the
 *   whole table (25 ms) instead of an index in the order that is asked for (6 ms).
 * - work_mem: the words of a search that nearly all of a million jobs have find 120,000 pages. With the default of 4 MB not
 *   all rows in them are remembered, and every search vector is read again from its TOAST table (3 s instead of 0.9 s).
 * - jit: compiling costs more than any of our queries takes.
 */
const PLANNER_SETTINGS = `
  set enable_seqscan = off; set plan_cache_mode = force_generic_plan; set random_page_cost = 1.1; set jit = off;
  set work_mem = '64MB'`

/** A process that stands still, or is cut off, in the middle of a transaction keeps its locks no longer than this. */
const IDLE_IN_TRANSACTION_MAX = '60s'

/** Waits for locks as long as it takes, whatever the session says. */
export const WAIT_FOR_LOCKS = 'set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0'

/** Times arrive in the one form that `parseUtc` reads. Poolers set this anew for each transaction, and no others. */
const UTC = "set timezone = 'UTC'"

/** Opens the database; the embedded one is created in `dataDir`, or in memory without one. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const isEmbedded = !('url' in options)
  const poolMode = isEmbedded ? 'session' : (options.poolMode ?? 'session')
  const lockWaitMaxMs = isEmbedded ? undefined : options.lockWaitMaxMs
  const settings = [UTC]
  if (poolMode === 'session') settings.push(PLANNER_SETTINGS)
  if (poolMode === 'session' && lockWaitMaxMs !== undefined) {
    settings.push(`set lock_timeout = ${lockWaitMaxMs}`)
    settings.push(`set idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION_MAX}'`)
  }
  // Behind a pooler sessions begin with the bounds of who serves requests.
  const waitsAnyway = poolMode === 'transaction' && lockWaitMaxMs === undefined
  const embedded = isEmbedded ? await openEmbedded(options) : undefined
  const clients = new Set<PreparingClient>()
  const onPresence = isEmbedded ? undefined : options.onPresence
  const presence: PresenceWatch | undefined =
    onPresence &&
    new PresenceWatch(
      () => linkTo((options as { url: string }).url),
      (isAway) => {
        if (isAway) for (const client of clients) client.breakOff()
        onPresence(isAway, presence!.cause)
      },
    )
  const pool = new pg.Pool({
    ...(embedded
      ? // One session, kept for ever: an idle time-out would end it.
        {
          ...(await import('@electric-sql/pglite/node-postgres')).createPgConfig(embedded.lite),
          max: 1,
          idleTimeoutMillis: 0,
        }
      : {
          connectionString: (options as { url: string }).url,
          max: (options as { poolSize?: number }).poolSize ?? 10,
          // A request that waits longer than this for a connection is better refused.
          connectionTimeoutMillis: 10_000,
          query_timeout: (options as { answerMaxMs?: number }).answerMaxMs,
        }),
    Client: PreparingClient,
    poolMode,
    begin: waitsAnyway ? `begin; ${WAIT_FOR_LOCKS}` : 'begin',
    clients,
    isAway: () => presence?.isAway === true,
    // What is sent goes out at once: a transaction needs no round trip for its `begin` (a sixth more creations a second).
    pipeline: true,
    types,
    onConnect: (client: pg.ClientBase) => client.query(settings.join('; ')),
  } as pg.PoolConfig & ClientOptions)
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {})
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const insideTx = new AsyncLocalStorage<true>()
  const refuseNesting = () => {
    // PGlite has one session: waiting for it inside a transaction that holds it would hang for ever.
    if (insideTx.getStore()) throw new Error('A transaction is open here: use its tx')
    if (presence?.isAway) throw unavailable(presence.cause)
    if (pool.waitingCount >= WAITING_MAX) throw unavailable('too many wait for a connection')
  }
  const listeners: { channel: Channel; listener: () => void }[] = []
  const followers: (() => Promise<void> | undefined)[] = []
  const announce = async (tx: Tx) => {
    for (const { channel, listener } of listeners) if (notified.get(tx)?.has(channel)) listener()
    if (!shownNowhere.has(tx)) await Promise.all(followers.map((follower) => follower()))
  }
  return {
    isEmbedded,
    presence,
    get connections() {
      return {
        open: pool.totalCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
        most: pool.options.max,
      }
    },
    listen(channel, listener) {
      listeners.push({ channel, listener })
    },
    follow(follower) {
      followers.push(follower)
    },
    async read(question) {
      refuseNesting()
      return question(kysely).catch(rethrow)
    },
    async readInSession(question) {
      refuseNesting()
      // A pooler in transaction mode keeps a session for no longer than that.
      const session = poolMode === 'session' ? kysely.connection() : kysely.transaction()
      return session.execute(question).catch(rethrow)
    },
    async inTx(work) {
      refuseNesting()
      let committed: Tx | undefined
      const result = await kysely
        .transaction()
        .execute((tx) => {
          committed = tx
          return insideTx.run(true, () => work(tx))
        })
        .catch(rethrow)
      await announce(committed!)
      return result
    },
    async inStatement(work) {
      refuseNesting()
      // A thing of its own for each: what one notifies of is not told by another.
      const tx = kysely.withoutPlugins() as unknown as Tx
      const result = await work(tx).catch(rethrow)
      await announce(tx)
      return result
    },
    async withClient(work) {
      refuseNesting()
      const client = await pool.connect().catch(rethrow)
      try {
        const result = await work(client)
        client.release()
        return result
      } catch (error) {
        // The connection may be broken; the embedded database has no other.
        client.release(!isEmbedded)
        throw error
      }
    },
    async close() {
      presence?.close()
      await kysely.destroy()
      // Kysely ends the pool only when it has used it.
      if (!pool.ended) await pool.end()
      await embedded?.lite.close()
      await embedded?.unlock()
    },
  }
}

/** A connection beside the pool, which may be busy. */
function linkTo(url: string): Link {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  const connected = client.connect()
  return {
    ask: async () => {
      await connected
      await client.query('select 1')
    },
    close: () => (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy(),
  }
}

function rethrow(error: unknown): never {
  if (!isUnavailable(error)) throw violationOf(error) ?? error
  throw unavailable(error)
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', { cause, headers: { 'retry-after': '2' } })
}

async function openEmbedded({ dataDir, loadDataDir, onGivenUp }: Exclude<DatabaseOptions, { url: string }>) {
  const { PGlite } = await import('@electric-sql/pglite')
  if (dataDir === undefined) {
    const lite = await PGlite.create({ ...(loadDataDir && { loadDataDir }) })
    return { lite, unlock: async () => {} }
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // Two processes on one folder would destroy it.
  const unlock = await lockFolder(dataDir)
  try {
    const lite = await PGlite.create({ dataDir: join(dataDir, 'pglite') })
    // PGlite goes on after the exception that follows, and waits for ever for a lock that it holds itself.
    if (onGivenUp) Object.assign(lite.Module, { onAbort: onGivenUp })
    return { lite, unlock }
  } catch (error) {
    await unlock()
    // Of errors of its files PGlite tells no more than that.
    const reason = (error as Error).message || (error as Error).name
    throw unavailable(new Error(`the embedded one does not start; its disk may be full (${reason})`))
  }
}
