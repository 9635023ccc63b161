/**
 * `node bench/cluster.ts up|throughput|replica|failover [--http 2] [--work 1] [--jobs 20000] [--seconds 4] [--rounds 2]
 * [--search]`: runs a board with several processes on one machine, as configured in ops/nginx/ and ops/cluster/. The
 * board consists of nginx, `serve --only http`, `serve --only work`, PgBouncer in transaction mode, and PostgreSQL with
 * a synchronous replica. With `--search`, OpenSearch with two nodes answers lists and searches.
 *
 * - `up` runs the board until Ctrl-C.
 * - `throughput` measures the board and, for comparison, a single process.
 * - `replica` writes through one process and reads back through the others.
 * - `failover` kills the primary under load and promotes the replica.
 *
 * Exits with code 1 if a guarantee is violated. Requires the Debian packages postgresql, pgbouncer and nginx, and maven
 * for `--search`. Stores all files in a temporary folder.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { JobMarketplace } from '../packages/client/src/index.ts'
import { type OpenSearch, startOpenSearch } from '../test/support/open-search.ts'
import { bounded, breaches, call, employer, Load, PATIENCE_MS, row, titles } from './acknowledged.ts'
import { jobLines } from './make-jobs.ts'
import { CONNECTIONS, figureOf, load, type Sample } from './measure.ts'
import {
  freePort,
  killServers,
  type Postgres,
  type Process,
  postgresAccount,
  runCli,
  SERVE,
  type Server,
  startPostgres,
  startProgram,
  startReplica,
  startServer,
} from './processes.ts'
import { startNginx, untilListening } from './proxies.ts'
import { filteredLists, newJobs } from './workload.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    http: { type: 'string', default: '2' },
    work: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '2' },
    search: { type: 'boolean', default: false },
  },
})
const [action] = positionals
const OPERATOR_KEY = 'operator-key-of-the-bench'
const seconds = Number(options.seconds)
const jobCount = Number(options.jobs)
const configurations = new URL('../ops/cluster/', import.meta.url).pathname

/** Copies a file from ops/cluster/ into the folder and replaces its $NAMES with these values. */
function configure(name: string, folder: string, values: Record<string, string | number> = {}): string {
  const text = readFileSync(join(configurations, name), 'utf8')
  const file = join(folder, name)
  const known: Record<string, string | number> = { FOLDER: folder, ...values }
  writeFileSync(
    file,
    text.replaceAll(/\$([A-Z_]+)/g, (written, key: string) => String(known[key] ?? written)),
  )
  return file
}

/** Running PostgreSQL servers, which are stopped at the end. */
const databases = new Set<Postgres>()

interface Cluster {
  origin: string
  primary: Postgres
  replica: Postgres
  http: Server[]
  work: Server[]
  /** The environment of the cluster's processes. */
  environment: Record<string, string>
  /** Starts another proxy for these processes only and returns its origin. */
  startProxy(servers: readonly Server[]): Promise<string>
  killPrimary(): void
  /** Points PgBouncer at this server. */
  pointTo(server: Postgres): void
  stop(): Promise<void>
}

let engine: OpenSearch | undefined

function there<T extends object>(server: T | { missing: string }): T {
  if ('missing' in server) throw new Error(server.missing)
  return server
}

async function ask(url: string, text: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** With `--search`, starts the search engine and fills an index. Returns the settings of the processes that use it. */
async function searched({ url }: Postgres): Promise<Record<string, string>> {
  if (!options.search) return {}
  engine = there(await startOpenSearch({ nodes: 2, heapMb: 512, isFast: true }))
  const environment = { SEARCH_URL: engine.urls.join() }
  runCli(['search', 'reindex'], { DATABASE_URL: url, ...environment })
  return environment
}

async function bringUp(folder: string, counts: { http: number; work: number; jobs: number }): Promise<Cluster> {
  // PgBouncer runs as PostgreSQL's user and reads its configuration from this folder.
  chmodSync(folder, 0o755)
  const primary = there(await startPostgres(join(folder, 'primary')))
  databases.add(primary)
  if (counts.jobs > 0) {
    const file = join(folder, 'jobs.ndjson')
    writeFileSync(file, [...jobLines(counts.jobs)].join(''))
    runCli(['import', 'jobs', file], { DATABASE_URL: primary.url })
  }
  const replica = there(await startReplica(primary, join(folder, 'replica')))
  databases.add(replica)
  // From now on, every commit waits until it is on the replica's disk.
  await ask(primary.url, "alter system set synchronous_standby_names = '*'")
  await ask(primary.url, 'select pg_reload_conf()')
  const states = () => ask(primary.url, 'select sync_state from pg_stat_replication')
  while ((await states())[0]?.sync_state !== 'sync') await pause(50)

  const poolerPort = await freePort()
  const pointTo = (server: Postgres) =>
    void configure('primary.ini', folder, { PRIMARY_PORT: server.port, REPLICA_PORT: replica.port })
  pointTo(primary)
  writeFileSync(join(folder, 'users.txt'), '"bench" ""\n')
  const pooler = startProgram(
    'pgbouncer',
    [configure('pgbouncer.ini', folder, { PORT: poolerPort })],
    postgresAccount(),
  )
  await untilListening(poolerPort)

  const environment = {
    DATABASE_URL: `postgres://bench@127.0.0.1:${poolerPort}/postgres`,
    DATABASE_REPLICA_URL: `postgres://bench@127.0.0.1:${poolerPort}/replica`,
    DATABASE_POOL_MODE: 'transaction',
    ADMIN_API_KEY: OPERATOR_KEY,
    DATA_DIR: folder,
    LOG_LEVEL: 'fatal',
    TRUST_PROXY: '127.0.0.1',
    ...(await searched(primary)),
  }
  const serve = [...SERVE, '--only']
  const http: Server[] = []
  while (http.length < counts.http) http.push(await startServer([...serve, 'http'], environment, '/readyz'))
  const work: Server[] = []
  while (work.length < counts.work) work.push(await startServer([...serve, 'work'], environment, '/readyz'))

  const proxies: Process[] = []
  const startProxy = async (servers: readonly Server[]) => {
    const origins = servers.map(({ origin }) => origin)
    const proxy = await startNginx(join(folder, `nginx-${proxies.length}`), origins)
    proxies.push(proxy)
    return proxy.origin
  }
  const origin = await startProxy(http)
  return {
    ...{ origin, startProxy, primary, replica, http, work, environment },
    killPrimary() {
      primary.kill()
      databases.delete(primary)
    },
    pointTo(server) {
      pointTo(server)
      process.kill(pooler.pid, 'SIGHUP')
    },
    async stop() {
      await Promise.all(proxies.map((proxy) => proxy.signal('SIGTERM')))
      const exits = await Promise.all([...http, ...work].map((one) => one.signal('SIGTERM')))
      row('exit codes of the processes at SIGTERM', exits.join(', '))
      if (exits.some((exit) => exit !== 0)) breaches.push('a process did not stop with exit code 0')
      await pooler.signal('SIGTERM')
    },
  }
}

async function up(folder: string): Promise<void> {
  const cluster = await bringUp(folder, { http: Number(options.http), work: Number(options.work), jobs: 0 })
  row('API', `${cluster.origin}/v1`)
  row('ports of the HTTP processes', cluster.http.map(({ origin }) => new URL(origin).port).join(', '))
  row('DATABASE_URL, through PgBouncer', cluster.environment.DATABASE_URL!)
  row('primary', cluster.primary.url)
  row('replica', cluster.replica.url)
  if (engine) row('SEARCH_URL', engine.urls.join())
  const key = await employer(cluster.origin)
  const writer = new Load()
  writer.start(() => cluster.origin, key, 'up')
  await pause(1_000)
  await writer.stop()
  writer.report(await titles(cluster.origin, key))
  console.log('Press Ctrl-C to stop the board.')
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  await cluster.stop()
}

/** Returns the CPU time that these processes have used so far, in seconds. */
function cpuOf(pids: readonly number[]): number {
  const ticks = (pid: number) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  }
  return pids.reduce((sum, pid) => sum + ticks(pid), 0) / Number(execFileSync('getconf', ['CLK_TCK']))
}

async function throughput(folder: string): Promise<void> {
  const cluster = await bringUp(folder, { http: 4, work: 1, jobs: jobCount })
  const alone = await startServer(
    [...SERVE, '--only', 'http'],
    {
      ...cluster.environment,
      ...{
        DATABASE_URL: cluster.primary.url,
        DATABASE_REPLICA_URL: cluster.replica.url,
        DATABASE_POOL_MODE: 'session',
      },
    },
    '/readyz',
  )
  const key = await employer(cluster.origin)
  const ids = (await ask(cluster.primary.url, 'select id from job order by md5(id) limit 1000')).map(({ id }) => id)
  const jobs = newJobs(300, jobCount)
  const cases: { name: string; method: 'GET' | 'POST'; paths: string[]; bodies: string[] }[] = [
    { name: 'list, 1 to 3 filters', method: 'GET', paths: filteredLists(600), bodies: [] },
    { name: 'one job', method: 'GET', paths: ids.map((id) => `/v1/jobs/${id}`), bodies: [] },
    { name: 'create a job', method: 'POST', paths: ['/v1/jobs'], bodies: jobs },
  ]
  const proxies = [
    await cluster.startProxy(cluster.http.slice(0, 1)),
    await cluster.startProxy(cluster.http.slice(0, 2)),
    cluster.origin,
  ]
  const setUps = [
    { name: '1, no PgBouncer', origin: alone.origin, servers: [alone] },
    { name: '1, PgBouncer', origin: cluster.http[0]!.origin, servers: cluster.http.slice(0, 1) },
    ...[1, 2, 4].map((count, index) => ({
      ...{ name: `nginx, ${count}, PgBouncer`, origin: proxies[index]! },
      servers: cluster.http.slice(0, count),
    })),
  ]
  console.log(`${cpus().length} cores, shared with the load generator; ${jobCount} jobs; ${CONNECTIONS} connections`)
  for (const { name, method, paths, bodies } of cases) {
    const samples = setUps.map(() => ({ kept: [] as Sample[], cpu: 0 }))
    const target = (origin: string) => ({
      ...{ origin, method, paths, bodies },
      headers: { authorization: `Bearer ${key}`, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    })
    for (const { origin } of setUps) await load(target(origin), 1)
    // Measures every setup in each round, so other load on the machine affects all of them.
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [index, { origin, servers }] of setUps.entries()) {
        const pids = servers.map(({ pid }) => pid)
        const before = cpuOf(pids)
        samples[index]!.kept.push(await load(target(origin), seconds))
        samples[index]!.cpu += cpuOf(pids) - before
      }
    }
    for (const [index, setUp] of setUps.entries()) {
      const { kept, cpu } = samples[index]!
      const { perSecond, p50, p99 } = figureOf(kept)
      const count = kept.reduce((sum, { latencies }) => sum + latencies.length, 0)
      const cost = ((cpu * 1_000) / count).toFixed(2)
      const rate = `${Math.round(perSecond)}/s`.padStart(8)
      const times = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
      console.log(`  ${name.padEnd(22)}${setUp.name.padEnd(26)}${rate}   ${times}   ${cost} ms of CPU time per request`)
    }
  }
  await alone.stop()
  await cluster.stop()
}

const CLIENTS = 16
/** Number of reads of each written resource. Any process may serve them. */
const READS = 4

/**
 * Writes with all clients and reads each write back. Returns the number of writes, the read latencies and the number of
 * stale reads.
 */
async function writeAndRead(origin: string) {
  const latencies: number[] = []
  let [writes, stale] = [0, 0]
  const read = async (path: string, key: string) => {
    const begun = performance.now()
    const answer = await call(origin, 'GET', path, key)
    latencies.push(performance.now() - begun)
    return answer
  }
  const keys = await Promise.all(Array.from({ length: CLIENTS }, () => employer(origin)))
  const until = performance.now() + seconds * 1_000
  await Promise.all(
    keys.map(async (key) => {
      for (let round = 0; performance.now() < until; round++) {
        const website = `https://bench.example/${round}`
        await call(origin, 'PUT', '/employers/profile', key, { website })
        const job = { title: 'x', description: 'x', location: 'Leipzig', category: 'software', type: 'full-time' }
        const { id } = (await call(origin, 'POST', '/jobs', key, job)).data
        writes += 2
        for (let n = 0; n < READS; n++) {
          if ((await read('/employers/profile', key)).data.website !== website) stale++
          if ((await read(`/jobs/${id}`, key)).status !== 200) stale++
        }
      }
    }),
  )
  return { writes, stale, sample: { latencies, seconds } }
}

/** Returns the number of reads by outcome, summed over all processes. */
async function readsOf(servers: readonly Server[]): Promise<Record<string, number>> {
  const reads: Record<string, number> = {}
  for (const { origin } of servers) {
    const response = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } })
    const lines = (await response.text()).matchAll(/^database_replica_reads_total\{outcome="(\w+)"\} (\d+)$/gm)
    for (const [, outcome, count] of lines) reads[outcome!] = (reads[outcome!] ?? 0) + Number(count)
  }
  return reads
}

async function replica(folder: string): Promise<void> {
  const cluster = await bringUp(folder, { http: Number(options.http), work: Number(options.work), jobs: 0 })
  const without: Server[] = []
  while (without.length < cluster.http.length) {
    const environment = { ...cluster.environment, DATABASE_REPLICA_URL: '' }
    without.push(await startServer([...SERVE, '--only', 'http'], environment, '/readyz'))
  }
  const plain = await cluster.startProxy(without)
  const set = async (server: Postgres, setting: string) => {
    await ask(server.url, `alter system ${setting}`)
    await ask(server.url, 'select pg_reload_conf()')
  }
  const measure = async (name: string, origin: string, servers: readonly Server[]) => {
    const before = await readsOf(servers)
    const { writes, stale, sample } = await writeAndRead(origin)
    const { perSecond, p50, p99 } = figureOf([sample])
    console.log(name)
    row('writes, reads', `${writes}, ${sample.latencies.length}`)
    row('reads per second', Math.round(perSecond))
    row('p50, p99 of a read', `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`)
    const after = await readsOf(servers)
    for (const [outcome, count] of Object.entries(after))
      row(`  replica reads: ${outcome}`, count - (before[outcome] ?? 0))
    bounded('reads that missed an earlier write of the client', stale, 0)
  }
  await writeAndRead(plain)
  await writeAndRead(cluster.origin)
  await measure('replica not used', plain, without)
  await measure('synchronous replica (acknowledged writes are on its disk)', cluster.origin, cluster.http)
  await set(cluster.primary, "set synchronous_standby_names = ''")
  await measure('asynchronous replica', cluster.origin, cluster.http)
  await set(cluster.replica, 'set recovery_min_apply_delay = 20')
  await measure('replica 20 ms late', cluster.origin, cluster.http)
  await set(cluster.replica, 'set recovery_min_apply_delay = 1000')
  await measure('replica 1 s late', cluster.origin, cluster.http)
  await set(cluster.replica, 'reset recovery_min_apply_delay')
  await Promise.all(without.map((one) => one.stop()))
  await cluster.stop()
}

/** Maximum number of jobs on the board, because every process's whole list is compared. */
const ON_BOARD = 2_000

/** Compares each process's list of all jobs with the database. */
async function compareBoards({ http }: Cluster, key: string, { url }: Postgres): Promise<void> {
  // Waits longer than a process needs to apply another process's changes.
  await pause(1_000)
  const rows = await ask(url, "select id from job where state = 'active' and expires_at > now() order by posted_at, id")
  const stored = rows.map(({ id }) => id!)
  for (const { origin } of http) {
    const { jobs } = new JobMarketplace({ baseUrl: origin, apiKey: key })
    const { total } = (await jobs.list({ limit: 1 })).meta.pagination
    const listed = await Array.fromAsync(jobs.listAll({ sort: 'posted_at' }), ({ id }) => id)
    row('jobs on the board of a process, and in the database', `${total}, ${stored.length}`)
    if (total !== stored.length || listed.join() !== stored.join())
      breaches.push(`the board of ${origin} differs from the database`)
  }
}

async function failover(folder: string): Promise<void> {
  const jobs = Math.min(jobCount, ON_BOARD)
  const cluster = await bringUp(folder, { http: Number(options.http), work: Number(options.work), jobs })
  const key = await employer(cluster.origin)
  await compareBoards(cluster, key, cluster.primary)
  // Closes jobs on the primary before it fails. The promoted replica later closes other jobs.
  await ask(cluster.primary.url, "update job set state = 'closed' where state = 'active' and number % 7 = 0")
  // Some clients abandon unacknowledged jobs; others resend them with the same idempotency key.
  const impatient = new Load()
  const persistent = new Load()
  impatient.start(() => cluster.origin, key, 'once')
  persistent.start(() => cluster.origin, key, 'persistent', true)
  await pause(seconds * 1_000)
  const killedAt = performance.now()
  cluster.killPrimary()
  // Simulates the time until a person or a monitor detects the failure.
  await pause(2_000)
  const promotedAt = performance.now()
  await cluster.replica.promote()
  cluster.pointTo(cluster.replica)
  const pointedAt = performance.now()
  await ask(cluster.replica.url, "update job set state = 'closed' where state = 'active' and number % 11 = 0")
  const lastGoodAt = () => Math.min(impatient.lastGoodAt, persistent.lastGoodAt)
  while (lastGoodAt() < pointedAt && performance.now() - pointedAt < PATIENCE_MS) await pause(5)
  row('from the kill to the promotion', `${Math.round(promotedAt - killedAt)} ms`)
  row('promoting the replica and redirecting PgBouncer', `${Math.round(pointedAt - promotedAt)} ms`)
  bounded('from the redirection to the next acknowledged POST', Math.round(lastGoodAt() - pointedAt), 15_000, ' ms')
  await pause(seconds * 1_000)
  await Promise.all([impatient.stop(), persistent.stop()])
  const there = await titles(cluster.origin, key)
  for (const [name, clients] of Object.entries({ 'sent once': impatient, 'sent until acknowledged': persistent })) {
    row(`jobs ${name}: sent, acknowledged`, `${clients.sent.size}, ${clients.acknowledged.size}`)
    clients.report(there)
  }
  await compareBoards(cluster, key, cluster.replica)
  bounded('resent but never acknowledged', persistent.sent.difference(persistent.acknowledged).size, 0)
  await cluster.stop()
}

const actions: Record<string, (folder: string) => Promise<void>> = { up, throughput, replica, failover }
const run = action === undefined ? undefined : actions[action]
if (!run) {
  console.error(
    'Usage: node bench/cluster.ts up|throughput|replica|failover [--http 2] [--work 1] [--jobs 20000] [--seconds 4] [--rounds 2] [--search]',
  )
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'job-cluster-'))
try {
  await run(folder)
} finally {
  killServers()
  // Stops the replica first, because the primary waits for it.
  for (const database of [...databases].reverse()) database.stop()
  await engine?.stopAll()
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
