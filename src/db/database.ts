/**
 * Opens PostgreSQL if a URL is configured, otherwise PGlite (PostgreSQL inside this process) in a folder or in memory.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { unavailable } from '../lib/errors.ts'
import { noteSent } from '../lib/written.ts'
import { embeddedConnection } from './embedded-stream.ts'
import { isUnavailable, violationOf } from './errors.ts'
import { lockFolder } from './lock-folder.ts'
import { type Link, type Presence, PresenceWatch } from './presence.ts'
import type { Schema } from './schema.ts'
import { traceQuery } from './spans.ts'
import { preparedName } from './statement-names.ts'

declare const kind: unique symbol

/** The query methods that databases and transactions share. */
export type Reader = Pick<
  Kysely<Schema>,
  'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor' | 'executeQuery'
>

/** A database outside a transaction, for reads only. */
export type Db = Reader & { readonly [kind]?: 'db' }

/** A transaction, which all functions that write require as a parameter. */
export type Tx = Transaction<Schema> & { readonly [kind]?: 'tx' }

/** The channels on which modules of a process notify each other. */
export type Channel =
  | 'events'
  | 'webhook-deliveries'
  | 'forgotten-mails'
  | `registered-${'employer' | 'candidate'}`
  | `payment-${string}`

const notified = new WeakMap<Tx, Set<Channel>>()

/** Notifies this process's listeners after the transaction commits. Other processes find new work by polling. */
export function notify(tx: Tx, channel: Channel): void {
  const channels = notified.get(tx)
  if (channels) channels.add(channel)
  else notified.set(tx, new Set([channel]))
}

const shownNowhere = new WeakSet<Tx>()

/** Marks a transaction that changes no data cached in memory. Lists then need no refresh. */
export function isShownNowhere(tx: Tx): void {
  shownNowhere.add(tx)
}

/** Runs a transaction that changes no data cached in memory. */
export function inUnshownTx<T>(database: Pick<Database, 'inTx'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.inTx((tx) => {
    isShownNowhere(tx)
    return work(tx)
  })
}

/** Runs a statement in a savepoint, so that a violated constraint does not abort the transaction. */
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

/** Runs a transaction on a raw connection. */
export async function transact<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

export interface Database {
  /** Runs reads; each statement may use a different connection. */
  read<T>(question: (db: Db) => Promise<T>): Promise<T>
  /** Runs reads in a single database session. */
  readInSession<T>(question: (db: Db) => Promise<T>): Promise<T>
  /** Runs a transaction. An exception rolls back the transaction. */
  inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs a single write without `begin` and `commit`. If the work sends more statements, each commits separately. */
  inStatement<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Calls the listener after this process commits a transaction that notified the channel. */
  listen(channel: Channel, listener: () => void): void
  /**
   * Calls the follower after this process commits a transaction that may change cached data. The writer waits for the
   * follower. Returns a function that removes the follower.
   */
  follow(follower: () => Promise<void> | undefined): () => void
  /** Runs work on a raw connection, for example for migrations. */
  withClient<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>
  /** Numbers of this process's connections (at most `most`), and of queries waiting for a connection. */
  readonly connections: { open: number; idle: number; waiting: number; most: number }
  readonly isEmbedded: boolean
  /** Undefined in commands and for the embedded database, which is always reachable. */
  readonly presence?: Presence | undefined
  close(): Promise<void>
}

/** A database that serves reads: the primary or a replica. */
export type Reads = Pick<Database, 'read'>

/** The pooler's mode, as in PgBouncer: in transaction mode, each transaction may run in a different server session. */
export type PoolMode = 'session' | 'transaction'

interface ServerOptions {
  url: string
  poolSize?: number
  poolMode?: PoolMode
  /** Timeout of a statement, in milliseconds, after which its connection is closed. Absent: no limit. */
  answerMaxMs?: number
  /** Maximum wait for a lock, in milliseconds, after which a query fails with `unavailable`. Commands have no limit. */
  lockWaitMaxMs?: number
  /**
   * Called when the server becomes unreachable, and when it becomes reachable again. If set, queries fail immediately
   * while the server is unreachable.
   */
  onPresence?: (isAway: boolean, cause: unknown) => void
}

interface EmbeddedOptions {
  dataDir: string | undefined
  /** An open in-memory database, which `close` leaves open. Default: a new database. */
  lite?: PGlite
  /**
   * Called when the embedded PostgreSQL aborts, for example because the disk is full. The function must end the
   * process.
   */
  onGivenUp?: () => never
}

export type DatabaseOptions = (ServerOptions | EmbeddedOptions) & {
  /** Whether the process exports traces. */
  isTraced?: boolean
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins
const parseTimestamptz = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date

/** Parses times such as `2026-03-04 10:10:26.838+00` twice as fast as pg. Leaves other formats (BC, infinity) to pg. */
function parseUtc(text: string): Date {
  const isPlain = text.length <= 26 && text.charCodeAt(10) === 0x20 && text.endsWith('+00')
  return isPlain ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseTimestamptz(text)
}

// Parses int8 as a number, which is safe: counts and salaries stay far below 2^53. `parseUtc` parses times, and pg
// parses all other types.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === INT8) return Number
    if (format !== 'binary' && oid === TIMESTAMPTZ) return parseUtc
    return pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}

/** Maximum number of queries that may wait for a connection. Further queries are refused immediately. */
const WAITING_MAX = 1_000

interface ClientOptions {
  poolMode: PoolMode
  begin: string
  /** All clients of the pool, including those that are connecting. */
  clients: Set<PreparingClient>
  /** Names of the pool's prepared statements, by SQL text. */
  names: Map<string, string>
  isAway: () => boolean
}

/** pg's error message for a terminated connection, which `isUnavailable` recognizes. */
const TERMINATED = 'Connection terminated unexpectedly'

/**
 * A client that, in session mode, prepares each recurring parameterized query once per connection, because planning a
 * list query costs about as much as running it. A transaction sends `begin` together with its first statement.
 */
class PreparingClient extends pg.Client {
  readonly #isSession: boolean
  readonly #begin: string
  readonly #names: Map<string, string>
  readonly #isAway: () => boolean

  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { poolMode, begin, clients, names, isAway } = config as unknown as ClientOptions
    this.#isSession = poolMode === 'session'
    this.#begin = begin
    this.#names = names
    this.#isAway = isAway
    clients.add(this)
    this.once('end', () => clients.delete(this))
    // If a connection ends during a query, the query fails. Without this listener, the error event would also end the
    // process.
    this.on('error', () => {})
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be restated without it
  override connect(...[callback]: any[]): any {
    // The pool lets each waiting query try to connect in turn, so every attempt must fail quickly.
    if (this.#isAway()) return void process.nextTick(callback, new Error(TERMINATED))
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (super.connect as any)(callback)
  }

  /** Aborts everything that the client is doing, including connection attempts, with the error `unavailable`. */
  breakOff(): void {
    destroy(this)
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads cannot be restated without it
  override query(...[config, values, ...rest]: any[]): any {
    if (config === 'begin') {
      // Not awaited: `begin` fails only if the connection does, and then all later statements fail as well.
      super.query(this.#begin).catch(() => {})
      return Promise.resolve({ command: 'BEGIN', rowCount: null, rows: [] })
    }
    if (typeof config === 'string' && Array.isArray(values) && values.length > 0) {
      noteSent(values)
      const name = this.#isSession ? preparedName(this.#names, config) : undefined
      return super.query({ text: config, values, name } as pg.QueryConfig)
    }
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (super.query as any)(config, values, ...rest)
  }
}

/**
 * Planner settings in session mode, with the reason for each:
 * - enable_seqscan, plan_cache_mode: the planner assumes that `@@` is as cheap as any comparison. A query
 *   for a common word would therefore read every search vector from its TOAST table. Reading them takes 110 ms for a
 *   count over 20,000 jobs; using the index takes 10 ms. A generic plan is created once for all values, so tests can
 *   check it.
 * - random_page_cost: lists read table pages that are in memory. With the default of 4, a query with two filters and a
 *   sort reads the whole table in 25 ms. Using an index in the requested order takes 6 ms.
 * - work_mem: a search for words that occur in nearly all of a million jobs matches rows in 120,000 pages. A bitmap of
 *   all these rows does not fit into the default of 4 MB. Every search vector is then read again from its TOAST table
 *   (3 s instead of 0.9 s).
 * - jit: compiling any of our queries takes longer than running it.
 */
const PLANNER_SETTINGS = `
  set enable_seqscan = off; set plan_cache_mode = force_generic_plan; set random_page_cost = 1.1; set jit = off;
  set work_mem = '64MB'`

/** Maximum time that a transaction holds its locks after its process was paused or disconnected. */
const IDLE_IN_TRANSACTION_MAX = '60s'

/** Removes the time limits for the rest of the transaction. Its statements then wait for locks indefinitely. */
export const WAIT_FOR_LOCKS = 'set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0'

/**
 * Makes the server send times in the format that `parseUtc` parses. Poolers restore this setting, but none of the
 * others here.
 */
const UTC = "set timezone = 'UTC'"

/** Creates the pool of connections to the server, or to the embedded database with `embeddedPool`. */
function createPool(
  { url, poolSize = 10, poolMode = 'session', lockWaitMaxMs, answerMaxMs }: Partial<ServerOptions>,
  embeddedPool: pg.PoolConfig | undefined,
  watched: Pick<ClientOptions, 'clients' | 'isAway'>,
): pg.Pool {
  const settings = [UTC]
  if (poolMode === 'session') settings.push(PLANNER_SETTINGS)
  if (poolMode === 'session' && lockWaitMaxMs !== undefined) {
    settings.push(`set lock_timeout = ${lockWaitMaxMs}`)
    settings.push(`set idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION_MAX}'`)
  }
  // Sessions behind a pooler start with the time limits of processes that serve requests. Commands must remove these
  // limits.
  const waitsAnyway = poolMode === 'transaction' && lockWaitMaxMs === undefined
  const pool = new pg.Pool({
    ...(embeddedPool ?? {
      connectionString: url,
      max: poolSize,
      // Requests that wait longer than this for a connection are refused.
      connectionTimeoutMillis: 10_000,
      query_timeout: answerMaxMs,
    }),
    Client: PreparingClient,
    poolMode,
    begin: waitsAnyway ? `begin; ${WAIT_FOR_LOCKS}` : 'begin',
    names: new Map(),
    ...watched,
    // Sends statements without waiting for earlier results, which saves the round trip of `begin`. As a result, the
    // service creates a sixth more resources per second.
    pipeline: true,
    types,
    onConnect: (client: pg.ClientBase) => client.query(settings.join('; ')),
  } as pg.PoolConfig & ClientOptions)
  // A broken idle connection is replaced at the next query. Without this listener, its error event would end the
  // process.
  pool.on('error', () => {})
  return pool
}

/** Opens the database. The embedded database is in the folder `dataDir` or, if that is undefined, in memory. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const isEmbedded = !('url' in options)
  const embedded = isEmbedded ? await openEmbedded(options) : undefined
  const server: Partial<ServerOptions> = isEmbedded ? {} : options
  const { url, poolMode = 'session', onPresence } = server
  const clients = new Set<PreparingClient>()
  const presence: PresenceWatch | undefined =
    onPresence &&
    new PresenceWatch(
      () => linkTo(url!),
      (isAway) => {
        if (isAway) for (const client of clients) client.breakOff()
        onPresence(isAway, presence!.cause)
      },
    )
  const pool = createPool(server, embedded?.pool, { clients, isAway: () => presence?.isAway === true })
  const kysely = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    ...(options.isTraced && { log: traceQuery }),
  })
  const insideTx = new AsyncLocalStorage<true>()
  const refuseNesting = () => {
    // PGlite has one session. A transaction that waited for its own session would wait forever.
    if (insideTx.getStore()) throw new Error('A transaction is already open: use its tx')
    if (presence?.isAway) throw unavailable(presence.cause)
    if (pool.waitingCount >= WAITING_MAX) throw unavailable('too many queries wait for a connection')
  }
  const listeners: { channel: Channel; listener: () => void }[] = []
  const followers = new Set<() => Promise<void> | undefined>()
  const announce = async (tx: Tx) => {
    for (const { channel, listener } of listeners) if (notified.get(tx)?.has(channel)) listener()
    if (!shownNowhere.has(tx)) await Promise.all([...followers].map((follower) => follower()))
  }
  return {
    isEmbedded,
    presence,
    get connections() {
      const { totalCount: open, idleCount: idle, waitingCount: waiting } = pool
      return { open, idle, waiting, most: pool.options.max }
    },
    listen: (channel, listener) => void listeners.push({ channel, listener }),
    follow(follower) {
      followers.add(follower)
      return () => followers.delete(follower)
    },
    async read(question) {
      refuseNesting()
      return question(kysely).catch(rethrow)
    },
    async readInSession(question) {
      refuseNesting()
      // A pooler in transaction mode assigns a session only for the duration of a transaction.
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
      // Creates a separate object per statement, because notifications of concurrent statements must not mix.
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
        // Discards the connection, which may be broken. The embedded database keeps its only connection.
        client.release(!isEmbedded)
        throw error
      }
    },
    async close() {
      presence?.close()
      await kysely.destroy()
      // Kysely ends the pool only if Kysely has used it.
      if (!pool.ended) await pool.end()
      await embedded?.close()
    },
  }
}

/** Opens a connection outside the pool, because the pool may be busy. */
function linkTo(url: string): Link {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  const connected = client.connect()
  return {
    ask: async () => {
      await connected
      await client.query('select 1')
    },
    close: () => destroy(client),
  }
}

/** Closes the socket of a client immediately. */
function destroy(client: pg.Client): void {
  ;(client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy()
}

function rethrow(error: unknown): never {
  if (!isUnavailable(error)) throw violationOf(error) ?? error
  throw unavailable(error)
}

/** Opens the embedded database. Returns the options of a pool with its single session, and a function to close it. */
async function openEmbedded({ dataDir, lite: opened, onGivenUp }: EmbeddedOptions) {
  const { PGlite } = await import('@electric-sql/pglite')
  const poolOf = (lite: PGlite) => ({ ...embeddedConnection(lite), max: 1, idleTimeoutMillis: 0 })
  if (opened) return { pool: poolOf(opened), close: async () => {} }
  if (dataDir === undefined) {
    const lite = await PGlite.create()
    return { pool: poolOf(lite), close: () => lite.close() }
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // Two processes would corrupt the data in a shared folder.
  const unlock = await lockFolder(dataDir)
  try {
    const lite = await PGlite.create({ dataDir: join(dataDir, 'pglite') })
    // After an abort, PGlite would otherwise continue, and wait forever for a lock that it holds itself.
    if (onGivenUp) Object.assign(lite.Module, { onAbort: onGivenUp })
    return { pool: poolOf(lite), close: () => lite.close().then(unlock) }
  } catch (error) {
    await unlock()
    // PGlite reports no other details about file errors.
    const reason = (error as Error).message || (error as Error).name
    throw unavailable(new Error(`the embedded database cannot start; its disk may be full (${reason})`))
  }
}
