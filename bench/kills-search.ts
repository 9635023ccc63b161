/**
 * `node bench/kills-search.ts [--kills 100] [--nodes 1] [--jobs 2000]`: runs a web process and a worker on PostgreSQL
 * and OpenSearch. While clients write jobs and search for them, kills the worker, a node of OpenSearch and PostgreSQL
 * in turn and restarts them. Exits with code 1 if a search lacks an acknowledged write, or if the index differs from
 * the database after a minute without writes. Requires the Debian packages postgresql and maven.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startOpenSearch } from '../test/support/open-search.ts'
import { bounded, breaches, employer, PATIENCE_MS, row } from './acknowledged.ts'
import { jobLines } from './make-jobs.ts'
import { killServers, runCli, SERVE, startPostgres, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    nodes: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2000' },
  },
})
const kills = Number(options.kills)
const nodes = Number(options.nodes)
const CLIENTS = 4
/** Pause of a client after each write and search. */
const WRITE_PAUSE_MS = 100
/** Maximum time from a kill until lists are complete again and the index contains all changes. */
const BACK_MAX_MS = 180_000
const QUIET_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), 'job-kills-search-'))
/** Returns a server, or throws the reason why it is missing. */
function present<Server extends object>(server: Server | { missing: string }): Server {
  if ('missing' in server) throw new Error(server.missing)
  return server
}
const engine = present(await startOpenSearch({ nodes, heapMb: 512 }))
const postgres = present(await startPostgres(join(folder, 'postgres')))

const environment = {
  ...{ DATABASE_URL: postgres.url, DATA_DIR: folder, LOG_LEVEL: 'fatal', PAYMENTS: 'free' },
  SEARCH_URL: engine.urls.join(),
}
const startWorker = () => startServer([...SERVE, '--only', 'work'], environment, '/readyz')

/** Runs a query on a separate connection, because PostgreSQL is killed in the meantime. */
async function ask<Row extends pg.QueryResultRow>(query: string): Promise<Row> {
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(query)).rows[0]!
  } finally {
    await client.end().catch(() => {})
  }
}

interface Meta {
  pagination: { total: number }
  stale?: { since: string }
}

/** Clients that write jobs and search for each one afterward. */
class Writers {
  writes = 0
  searches = 0
  /** Number of requests without a response or with a 503. */
  unavailable = 0
  /** Number of responses that lack the last write and are marked as stale, because PostgreSQL is down. */
  stale = 0
  lastFoundAt = 0
  slowestMs = 0
  readonly wrong: string[] = []
  readonly #origin: string
  readonly #key: string
  #isOver = false
  #clients: Promise<void>[] = []

  constructor(origin: string, key: string) {
    this.#origin = origin
    this.#key = key
  }

  start(): void {
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#run(client))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  /** Sends a request. Returns undefined if it failed, or if its outcome is unknown. */
  async #send<T>(method: string, path: string, body?: object): Promise<T | undefined> {
    const startedAt = performance.now()
    const headers = { authorization: `Bearer ${this.#key}`, ...(body && { 'content-type': 'application/json' }) }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const sent = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) }
    try {
      const response = await fetch(`${this.#origin}/v1${path}`, sent)
      const text = await response.text()
      if (response.ok) return (text === '' ? {} : JSON.parse(text)) as T
      if (response.status !== 503) this.wrong.push(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
    } catch {
      // No response.
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt)
    }
    this.unavailable++
    await pause(WRITE_PAUSE_MS)
    return undefined
  }

  /** Searches for a word, and checks that the search finds one job or, if `found` is false, none. */
  async #expect(word: string, found: boolean): Promise<void> {
    this.writes++
    const writtenAt = Date.now()
    const answer = await this.#send<{ meta: Meta }>('GET', `/jobs?search=${word}`)
    if (!answer) return
    this.searches++
    const { stale, pagination } = answer.meta
    if (stale && Date.parse(stale.since) <= writtenAt) {
      this.stale++
      return
    }
    this.lastFoundAt = performance.now()
    const { total } = pagination
    if (total !== Number(found)) this.wrong.push(`${word}: ${total} jobs instead of ${Number(found)}`)
  }

  /** Creates and changes jobs, and removes two of three from the board. Abandons a job after an unknown outcome. */
  async #run(client: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const word = (step: number) => `w${client}x${n}x${step}`
      const job = { title: `Welder ${word(0)}`, description: 'x', location: 'Leipzig' }
      const more = { category: 'software', type: 'full-time' }
      const created = await this.#send<{ data: { id: string } }>('POST', '/jobs', { ...job, ...more })
      if (!created) continue
      const path = `/jobs/${created.data.id}`
      if (!(await this.#send('POST', `${path}/activate`))) continue
      await this.#expect(word(0), true)
      await pause(WRITE_PAUSE_MS)
      if (!(await this.#send('PUT', path, { title: `Welder ${word(1)}` }))) continue
      await this.#expect(word(1), true)
      await this.#expect(word(0), false)
      await pause(WRITE_PAUSE_MS)
      if (n % 3 === 0) continue
      const isGone = await (n % 3 === 1 ? this.#send('POST', `${path}/close`) : this.#send('DELETE', path))
      if (isGone) await this.#expect(word(1), false)
    }
  }
}

/** Waits until a condition holds. Returns the time in milliseconds, or undefined if it takes too long. */
async function awaited(condition: () => Promise<boolean> | boolean): Promise<number | undefined> {
  for (const startedAt = performance.now(); ; await pause(20)) {
    if (await condition()) return performance.now() - startedAt
    if (performance.now() - startedAt > BACK_MAX_MS) return undefined
  }
}

/** Returns whether the index has reached a transaction. */
const hasReached = async (xid: string) =>
  (
    await ask<{ is_there: boolean }>(
      `select coalesce(bool_or(horizon >= '${xid}'::xid8), false) as is_there from search_index where is_current`,
    )
  ).is_there
const lastTransaction = async () =>
  (await ask<{ xid: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as xid')).xid

async function run(): Promise<void> {
  const file = join(folder, 'jobs.ndjson')
  writeFileSync(file, [...jobLines(Number(options.jobs))].join(''))
  runCli(['import', 'jobs', file], environment)
  const web = await startServer([...SERVE, '--only', 'http'], environment, '/healthz')
  let worker = await startWorker()
  const begun = await lastTransaction()
  if ((await awaited(() => hasReached(begun))) === undefined) throw new Error('The index was not filled.')
  const writers = new Writers(web.origin, await employer(web.origin))
  writers.start()
  const longest: Record<string, number> = {}
  const note = (name: string, ms: number | undefined) => {
    if (ms === undefined) breaches.push(`${name}: more than ${BACK_MAX_MS} ms`)
    longest[name] = Math.max(longest[name] ?? 0, ms ?? BACK_MAX_MS)
  }
  /** The pending start of a node. The other programs are killed meanwhile. */
  let starting = Promise.resolve()
  const faults = {
    async worker() {
      await worker.signal('SIGKILL')
      worker = await startWorker()
    },
    async OpenSearch(round: number) {
      await engine.kill(round % nodes)
      starting = engine.start(round % nodes)
      // The error is handled when the promise is awaited.
      starting.catch(() => {})
    },
    async PostgreSQL() {
      await postgres.halt()
      await postgres.resume()
    },
  }
  const names = Object.keys(faults) as (keyof typeof faults)[]
  for (let n = 0; n < kills && writers.wrong.length === 0; n++) {
    const round = Math.floor(n / names.length)
    // Varies the order, and when the kill happens.
    await pause(100 + ((n * 137) % 900))
    await faults[names[(n + round) % names.length]!](round)
    if (n % names.length < names.length - 1) continue
    await starting
    const backAt = performance.now()
    note('until a search succeeded after a round of kills', await awaited(() => writers.lastFoundAt > backAt))
    // Waits for the index only after every third round, so that most kills interrupt the recovery from the previous one.
    if (round % 3 < 2) continue
    const end = await lastTransaction()
    note('until the index contained all changes afterward', await awaited(() => hasReached(end)))
    row(`after ${n + 1} kills: writes, searches`, `${writers.writes}, ${writers.searches}`)
  }
  await starting
  await writers.stop()
  for (const [name, ms] of Object.entries(longest)) row(`longest time ${name}`, `${Math.round(ms)} ms`)
  row('requests without a response, or with 503', writers.unavailable)
  row('responses marked as older than the last write', writers.stale)
  bounded('longest request', Math.round(writers.slowestMs), PATIENCE_MS - 1_000, ' ms')
  for (const text of writers.wrong.slice(0, 20)) console.log(`  ${text}`)
  bounded('wrong responses', writers.wrong.length, 0)
  await pause(QUIET_MS)
  const { xid } = await ask<{ xid: string }>('select max(changed_xid::text::bigint)::text as xid from job')
  if (!(await hasReached(xid))) breaches.push('the index lacks changes after a minute without writes')
  try {
    runCli(['search', 'verify', '--sample', '999999'], environment)
  } catch {
    breaches.push('the index differs from the database')
  }
  await Promise.all([web.stop(), worker.stop()])
}

try {
  await run()
} finally {
  killServers()
  await engine.stopAll()
  // PostgreSQL may not be running.
  await postgres.kill().catch(() => {})
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
