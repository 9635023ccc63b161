/**
 * `node bench/kill-webhooks.ts [--seconds 60] [--every 5] [--rate 200] [--restarts 2]`: tests that no event is lost.
 * Causes events over HTTP for TLS receivers, kills the worker with SIGKILL every few seconds, and restarts its own
 * PostgreSQL server in immediate mode. Exits with code 1 if a guarantee is violated.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { JobMarketplace, type JobMarketplaceError } from '../packages/client/src/index.ts'
import { makeLoopbackCertificate } from '../src/commands/certificate.ts'
import { employer } from './acknowledged.ts'
import { killServers, type Postgres, SERVE, startPostgres, startProcess, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: {
    /** Approximate duration of publishing, in seconds. */
    seconds: { type: 'string', default: '60' },
    /** Seconds between two SIGKILLs of the worker. */
    every: { type: 'string', default: '5' },
    /** Events per second. */
    rate: { type: 'string', default: '200' },
    restarts: { type: 'string', default: '2' },
  },
})
const everyMs = Number(options.every) * 1_000
const rate = Number(options.rate)
const restarts = Number(options.restarts)

const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const WEBHOOKS = 5
/** Number of jobs, which is large enough that changes rarely wait for each other's row locks. */
const JOBS = 32
/**
 * Maximum response time of a receiver. This delay ensures that deliveries are in progress when the worker is killed.
 */
const ANSWER_MS = 50
/** Allows for the start of a worker, which then checks for expired leases every 5 seconds. */
const BEYOND_LEASE_MS = 10_000
/** Deliveries that have not arrived this long after the last event count as lost. */
const DRAIN_MS = 300_000
const TIMEOUT_MS = 5_000
/** Time from a claim to the end of its lease. */
const LEASE_MS = TIMEOUT_MS + 20_000
/** How long after PostgreSQL's return a worker may still exit. */
const AWAY_MS = 2_000
const WORKER = 'killed-worker'

const breaches: string[] = []
const row = (name: string, value: string | number) => console.log(`  ${name.padEnd(58)}${String(value).padStart(16)}`)
/** Prints a figure and records a breach if it exceeds its limit. */
function bounded(name: string, value: number, most: number, unit = ''): void {
  row(name, `${value}${unit}`)
  if (value > most) breaches.push(`${name}: ${value}${unit} exceeds the limit of ${most}${unit}`)
}

/** Counts arrivals of each delivery and records the changes that each webhook received. */
class Receivers {
  readonly arrivals = new Map<string, number>()
  readonly changes: Set<number>[] = []
  readonly #servers: HttpsServer[] = []

  async listen(certificate: { key: string; cert: string }): Promise<string> {
    const changes = new Set<number>()
    this.changes.push(changes)
    const server = createServer({ ...certificate, keepAliveTimeout: 120_000 }, async (request, response) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of request) chunks.push(chunk)
      } catch {
        // The worker was killed before it sent the whole body.
        return
      }
      const id = String(request.headers['x-service-delivery-id'])
      this.arrivals.set(id, (this.arrivals.get(id) ?? 0) + 1)
      changes.add(Number(JSON.parse(Buffer.concat(chunks).toString()).data.job.title.split(' ')[1]))
      setTimeout(() => response.end(), Math.random() * ANSWER_MS)
    })
    this.#servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  }

  close(): void {
    for (const server of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
  }
}

async function run(postgres: Postgres, folder: string, receivers: Receivers): Promise<void> {
  const certificate = makeLoopbackCertificate(new Date())
  writeFileSync(join(folder, 'ca.pem'), certificate.cert)
  const environment = {
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    ADMIN_API_KEY,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
    WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
  }
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
  pool.on('error', () => {})
  /** Returns the rows, or undefined while the database is down. */
  const look = (text: string, values: unknown[] = []) =>
    pool.query(text, values).then(
      ({ rows }) => rows,
      () => undefined,
    )
  const ask = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows

  const http = await startServer([...SERVE, '--only', 'http'], environment, '/readyz')
  const exits: string[] = []
  let restartedAt = 0
  let awayUntil = 0
  /** When the worker or the database last started. Both have been running since then. */
  let ableSince = Date.now()
  let isOver = false
  const startWorker = () => {
    ableSince = Date.now()
    const started = startProcess([...SERVE, '--only', 'work'], { ...environment, PGAPPNAME: WORKER })
    void started.ended.then((exit) => {
      exits.push(String(exit))
      if (exit === 'SIGKILL' || isOver) return
      // A worker that starts while the database is down exits with an error. This function then acts as its supervisor.
      if (performance.now() > awayUntil) breaches.push(`a worker exited on its own: ${exit}`)
      worker = startWorker()
    })
    return started
  }
  let worker = startWorker()

  const operator = new JobMarketplace({ baseUrl: http.origin, apiKey: ADMIN_API_KEY })
  for (let n = 0; n < WEBHOOKS; n++) {
    const url = await receivers.listen(certificate)
    await operator.webhooks.create({ url, events: ['job.updated'] })
  }
  // Without retries, because a retry of a change that took effect would create another event.
  const board = new JobMarketplace({ baseUrl: http.origin, apiKey: await employer(http.origin), retries: 0 })
  const jobs: string[] = []
  for (let n = 0; n < JOBS; n++) {
    const job = { title: 'Change', description: 'x', location: 'Leipzig', category: 'software', type: 'full-time' }
    jobs.push((await board.jobs.create(job)).id)
  }

  const acknowledged = new Set<number>()
  const refused = new Map<number, number>()
  /** Duration of each restart of PostgreSQL, in milliseconds. */
  const away: number[] = []
  let isPublishing = true
  const publish = async () => {
    const changes: Promise<void>[] = []
    for (const start = performance.now(); isPublishing; ) {
      for (const due = ((performance.now() - start) / 1_000) * rate; changes.length < due; ) {
        const n = changes.length
        const change = async () => {
          try {
            await board.jobs.update(jobs[n % JOBS]!, { title: `Change ${n}` })
            acknowledged.add(n)
          } catch (error) {
            // A request without a response is not acknowledged.
            const { status = 0 } = error as JobMarketplaceError
            refused.set(status, (refused.get(status) ?? 0) + 1)
          }
        }
        changes.push(change())
      }
      await pause(5)
    }
    await Promise.all(changes)
  }

  /**
   * Leases that killed workers left behind. The key contains the delivery ID and the attempt number; the value is the
   * delivery ID.
   */
  const left = new Map<string, string>()
  const killWorker = async () => {
    await worker.signal('SIGKILL')
    // PostgreSQL first finishes the killed worker's statements.
    while ((await ask('select from pg_stat_activity where application_name = $1', [WORKER])).length > 0) await pause(10)
    const before = left.size
    // Excludes claims from before PostgreSQL restarted, because their results should have been written since then.
    const claimed = await ask('select id, attempts from webhook_delivery where lease_until > $1', [
      new Date(restartedAt + LEASE_MS),
    ])
    for (const { id, attempts } of claimed) {
      left.set(`${id} ${attempts}`, id)
    }
    worker = startWorker()
    return left.size - before
  }
  let longestBeyondMs = 0
  let isWatched = true
  const watch = async () => {
    for (; isWatched; await pause(200)) {
      const found = await look(
        `select coalesce(max(extract(epoch from now() - greatest(lease_until, $1))), 0)::float8 * 1000 as beyond
         from webhook_delivery where lease_until is not null`,
        [new Date(ableSince)],
      )
      longestBeyondMs = Math.max(longestBeyondMs, found?.[0].beyond ?? 0)
    }
  }

  const inFlight: number[] = []
  const kills = Math.floor((Number(options.seconds) * 1_000) / everyMs)
  /** Numbers of the kills after which PostgreSQL restarts, halfway to the next kill. */
  const restartsAfter = new Set(
    Array.from({ length: restarts }, (_, n) => Math.round((kills * (n + 1)) / (restarts + 1))),
  )
  const disturb = async () => {
    while (inFlight.length < kills) {
      await pause(everyMs / 2)
      if (restartsAfter.has(inFlight.length)) {
        restartedAt = Date.now()
        awayUntil = Infinity
        const start = performance.now()
        await postgres.restartAtOnce()
        away.push(Math.round(performance.now() - start))
        awayUntil = performance.now() + AWAY_MS
        ableSince = Date.now()
      }
      await pause(everyMs / 2)
      inFlight.push(await killWorker())
    }
    isPublishing = false
  }

  const watching = watch()
  await Promise.all([publish(), disturb()])
  const drainStart = performance.now()
  let pending = Infinity
  while (pending > 0 && performance.now() - drainStart < DRAIN_MS) {
    await pause(200)
    pending = Number((await ask("select count(*) from webhook_delivery where state = 'pending'"))[0].count)
  }
  isWatched = false
  await watching
  isOver = true
  const outcomes = await ask(
    "select coalesce(error_class, 'delivered') as outcome, count(*) from webhook_attempt group by 1",
  )
  const undelivered = await ask(
    "select state, count(*) from webhook_delivery_settled where state <> 'delivered' group by 1",
  )
  const orderly = [await worker.signal('SIGTERM'), await http.stop()].map(String)
  await pool.end()

  const lost = receivers.changes.reduce((sum, came) => sum + acknowledged.difference(came).size, 0)
  const leftOf = new Map<string, number>()
  for (const id of left.values()) leftOf.set(id, (leftOf.get(id) ?? 0) + 1)
  const again = [...receivers.arrivals].filter(([, times]) => times > 1)
  const duplicates = again.reduce((sum, [, times]) => sum + times - 1, 0)
  const unexplained = again.reduce((sum, [id, times]) => sum + Math.max(0, times - 1 - (leftOf.get(id) ?? 0)), 0)
  const allInFlight = inFlight.reduce((sum, count) => sum + count, 0)

  row('acknowledged events', acknowledged.size)
  row(
    'failed changes, by status (0: no response)',
    [...refused].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none',
  )
  row(`expected deliveries to ${WEBHOOKS} webhooks`, acknowledged.size * WEBHOOKS)
  row('received deliveries', receivers.arrivals.size)
  row('attempts', outcomes.map(({ outcome, count }) => `${count} × ${outcome}`).join(', '))
  bounded('lost deliveries', lost, 0)
  bounded(
    'undelivered according to the table',
    undelivered.reduce((sum, { count }) => sum + Number(count), 0),
    0,
  )
  row('SIGKILLs of the worker', inFlight.length)
  row('duration of PostgreSQL restarts', away.map((ms) => `${ms} ms`).join(', '))
  row('deliveries in flight at each SIGKILL', inFlight.join(' '))
  bounded(`duplicates (${allInFlight} deliveries were in flight at the SIGKILLs)`, duplicates, allInFlight)
  bounded('duplicates of deliveries that were not in flight at a SIGKILL', unexplained, 0)
  bounded(
    'longest wait after the end of a lease, with a worker running',
    Math.round(longestBeyondMs),
    BEYOND_LEASE_MS,
    ' ms',
  )
  row('time until all deliveries had arrived', `${((performance.now() - drainStart) / 1_000).toFixed(1)} s`)
  row(
    'exits of workers',
    [...Map.groupBy(exits, (exit) => exit)].map(([exit, all]) => `${all.length} × ${exit}`).join(', '),
  )
  row('exit codes of worker and server after SIGTERM', orderly.join(', '))
  if (orderly.some((exit) => exit !== '0')) breaches.push('a process did not stop with exit code 0')
  if (refused.has(500)) breaches.push('a change received status 500')
  if (inFlight.length === 0 || allInFlight === 0) breaches.push('nothing was in flight: the run proves nothing')
}

const folder = mkdtempSync(join(tmpdir(), 'job-kill-'))
const receivers = new Receivers()
const postgres = await startPostgres(join(folder, 'postgres'))
if ('missing' in postgres) throw new Error(postgres.missing)
try {
  await run(postgres, folder, receivers)
} finally {
  killServers()
  receivers.close()
  postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
