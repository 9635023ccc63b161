/**
 * `node bench/soak.ts [--minutes 30] [--most 200] [--jobs 5000]`: runs for a long time at half of the maximum load, but
 * at no more than `--most` requests per second, and checks that memory does not grow. Users read, search, register,
 * upload resumes, apply, create alerts and delete their accounts. An employer creates and deletes jobs, and a webhook
 * receives all events. Starts its own PostgreSQL server. Exits with code 1 if memory grows by more than a tenth, or if
 * a request, a task or a delivery fails.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { makeLoopbackCertificate } from '../src/commands/certificate.ts'
import { pdf } from '../test/support/documents.ts'
import { jobLines, randomFrom, vocabulary } from './make-jobs.ts'
import { killServers, type Postgres, REPORTING_MEMORY, runCli, SERVE, startPostgres, startServer } from './processes.ts'
import { filteredLists, newJobs, searches } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    /** Maximum requests per second, for a shared machine. */
    most: { type: 'string', default: '200' },
    jobs: { type: 'string', default: '5000' },
  },
})
const minutes = Number(options.minutes)
const most = Number(options.most)
const jobCount = Number(options.jobs)

const ADMIN_API_KEY = 'bench-operator-key-0123456789'
/** Warm-up before the calibration. */
const WARM_UP_MS = 15_000
/**
 * Number of jobs created before the calibration. The board keeps this many changes for searches, and parsed changes use
 * a lot of memory.
 */
const CHANGES = 4_000
const CALIBRATION_MS = 15_000
const CALIBRATION_CLIENTS = 16
const SAMPLE_MS = 10_000
/**
 * Number of samples between two garbage collections. Each collection precedes a measurement of the memory in use. More
 * frequent collections would change the service's behavior.
 */
const SAMPLES_A_COLLECTION = 6
/** Number of slices of the run. Each third of the run has three. */
const SLICES = 9
/** Maximum ratio of the mean memory use in the last third to that in the second. Caches fill during the first third. */
const GROWTH_MAX = 1.1
/** Maximum number of posted jobs at a time. Beyond it, each new job replaces the oldest. */
const POSTED = 200
const CANDIDATES = 100
/** Number of posted jobs that stay on the board. Their employer has an account and receives emails. */
const KEPT = 20
/** Maximum number of unfinished visits. Beyond it, the service is too slow. */
const UNDER_WAY_MAX = 5_000
const DRAIN_MS = 60_000

const breaches: string[] = []
const random = randomFrom(11)
const popular = [...filteredLists(1_000), ...searches(1_000)]
const bodies = newJobs(300, jobCount)
const words = Array.from({ length: 300 }, () => random.zipf(vocabulary.nouns)).join(' ')
const resumes = [pdf(...words.match(/.{1,80}(?: |$)/g)!), Buffer.from(words)]
const letter = 'I have built battery packs for vans since 2015. '.repeat(12)

type Slot = { statuses: Map<string, number>; latencies: number[] }
const emptySlot = (): Slot => ({ statuses: new Map(), latencies: [] })

/** Simulates all users of the board over HTTP. */
class People {
  /** Responses in the current slice. */
  slot = emptySlot()
  requests = 0
  visits = 0
  readonly #agent = new Agent({ connections: 64 })
  readonly #tags = new Map<string, string>()
  readonly #posted: string[] = []
  readonly #candidates: string[] = []
  #employer = ''
  #reader = ''
  readonly #jobs: string[] = []
  readonly #kept: string[] = []
  #serial = 0
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  async #ask(method: 'GET' | 'POST' | 'DELETE', path: string, key: string, body?: object | string | Buffer) {
    const isBytes = Buffer.isBuffer(body)
    const tag = this.#tags.get(path)
    const start = performance.now()
    this.requests++
    const answer = await request(`${this.#origin}${path}`, {
      ...{ dispatcher: this.#agent, method },
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': isBytes ? 'application/pdf' : 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        // Half of the repeated requests simulate clients that cached the response.
        ...(tag && random.next() < 0.5 && { 'if-none-match': tag }),
      },
      body: body === undefined || typeof body === 'string' || isBytes ? (body ?? null) : JSON.stringify(body),
    })
    const text = await answer.body.text()
    this.slot.latencies.push(performance.now() - start)
    const status = String(answer.statusCode)
    this.slot.statuses.set(status, (this.slot.statuses.get(status) ?? 0) + 1)
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
    if (method === 'GET' && answer.headers.etag) this.#tags.set(path, String(answer.headers.etag))
    return text === '' ? undefined : JSON.parse(text).data
  }

  async settle(webhook: string): Promise<void> {
    const admin = ADMIN_API_KEY
    const types = await this.#ask('GET', '/v1/webhooks/event-types', admin)
    await this.#ask('POST', '/v1/webhooks', admin, {
      url: webhook,
      events: types.map(({ type }: { type: string }) => type),
    })
    const employer = { name: 'Soak Motors', email: 'owner@soak.example' }
    this.#employer = (await this.#ask('POST', '/v1/employers', admin, employer)).api_key
    const reader = { first_name: 'Soak', last_name: 'Reader', email: 'reader@soak.example' }
    this.#reader = (await this.#ask('POST', '/v1/candidates', admin, reader)).api_key
    for (let page = 1; page <= 20; page++) {
      const jobs: { id: string }[] = await this.#ask('GET', `/v1/jobs?limit=100&page=${page}`, this.#reader)
      this.#jobs.push(...jobs.map(({ id }) => id))
    }
    while (this.#kept.length < KEPT) this.#kept.push(await this.#postOne())
  }

  /** Runs one random visit, mostly a read. */
  async visit(): Promise<void> {
    this.visits++
    const chance = random.next()
    try {
      if (chance < 0.006) await this.#apply()
      else if (chance < 0.03) await this.post()
      else if (chance < 0.1) await this.#ask('GET', '/v1/jobs', this.#reader)
      else if (chance < 0.55) await this.#ask('GET', random.zipf(popular), this.#reader)
      else await this.#ask('GET', `/v1/jobs/${random.pick(this.#jobs)}`, this.#reader)
    } catch (error) {
      if (breaches.length < 20) breaches.push(String(error))
    }
  }

  async #postOne(): Promise<string> {
    const { id } = await this.#ask('POST', '/v1/jobs', this.#employer, bodies[this.#serial++ % bodies.length])
    await this.#ask('POST', `/v1/jobs/${id}/activate`, this.#employer)
    return id
  }

  async post(): Promise<void> {
    this.#posted.push(await this.#postOne())
    if (this.#posted.length > POSTED) await this.#ask('DELETE', `/v1/jobs/${this.#posted.shift()}`, this.#employer)
  }

  async #apply(): Promise<void> {
    const serial = this.#serial++
    const person = { first_name: 'Soak', last_name: 'Applicant', email: `a${serial}@soak.example` }
    const { api_key: key } = await this.#ask('POST', '/v1/candidates', ADMIN_API_KEY, person)
    const { id: resume_id } = await this.#ask('POST', '/v1/candidates/resume', key, random.pick(resumes))
    const criteria = { category: random.pick(vocabulary.categories), remote: true }
    await this.#ask('POST', '/v1/candidates/job-alerts', key, { name: 'New', criteria, frequency: 'instant' })
    for (const id of [...random.some(this.#jobs, 2, 2), random.pick(this.#kept)]) {
      await this.#ask('POST', `/v1/candidates/jobs/${id}/apply`, key, { cover_letter: letter, resume_id })
    }
    await this.#ask('GET', '/v1/candidates/applications?page=1', key)
    // Each candidate receives a different response, so this tag is useless for the next candidate.
    this.#tags.delete('/v1/candidates/applications?page=1')
    this.#candidates.push(key)
    if (this.#candidates.length > CANDIDATES)
      await this.#ask('DELETE', '/v1/candidates/profile', this.#candidates.shift()!)
  }

  takeSlot(): Slot {
    const { slot } = this
    this.slot = emptySlot()
    return slot
  }

  close = () => this.#agent.close()
}

/** Returns the values of `/metrics` by name and labels. */
async function readMetrics(origin: string): Promise<Map<string, number>> {
  const { body } = await request(`${origin}/metrics`, { headers: { authorization: `Bearer ${ADMIN_API_KEY}` } })
  const samples = (await body.text()).matchAll(/^([a-z]\S*) (\S+)$/gm)
  return new Map([...samples].map(([, name, value]) => [name!, Number(value)]))
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const megabytes = (bytes: number) => (bytes / 1_048_576).toFixed(1)

/** Starts visits at a steady rate for this duration, regardless of response times. */
async function visitSteadily(people: People, perSecond: number, ms: number): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const start = performance.now()
  for (let begun = 0, past = 0; past < ms; past = performance.now() - start) {
    for (; begun < (past / 1_000) * perSecond; begun++) {
      if (underWay.size >= UNDER_WAY_MAX) throw new Error('The service does not keep up')
      const visit: Promise<void> = people.visit().finally(() => underWay.delete(visit))
      underWay.add(visit)
    }
    await pause(5)
  }
  await Promise.all(underWay)
}

async function run(postgres: Postgres, folder: string): Promise<void> {
  const certificate = makeLoopbackCertificate(new Date())
  writeFileSync(join(folder, 'ca.pem'), certificate.cert)
  const deliveries = new Set<string>()
  const receiver = createServer({ ...certificate, keepAliveTimeout: 120_000 }, (incoming, response) => {
    deliveries.add(String(incoming.headers['x-service-delivery-id']))
    incoming.resume().on('end', () => response.end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const file = join(folder, 'jobs.ndjson')
  writeFileSync(file, [...jobLines(jobCount)].join(''))
  runCli(['import', 'jobs', file], { DATABASE_URL: postgres.url })
  const server = await startServer(
    [...REPORTING_MEMORY, ...SERVE],
    {
      ...{ DATABASE_URL: postgres.url, DATA_DIR: folder, ADMIN_API_KEY, LOG_LEVEL: 'warn', PAYMENTS: 'free' },
      ...{ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_CA_FILE: join(folder, 'ca.pem') },
    },
    '/readyz',
  )
  const people = new People(server.origin)
  await people.settle(`https://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)

  const visitFor = async (ms: number) => {
    const before = { requests: people.requests, visits: people.visits }
    const until = performance.now() + ms
    const client = async () => {
      while (performance.now() < until) await people.visit()
    }
    await Promise.all(Array.from({ length: CALIBRATION_CLIENTS }, client))
    return { requests: people.requests - before.requests, visits: people.visits - before.visits }
  }
  await visitFor(WARM_UP_MS)
  let posts = 0
  const poster = async () => {
    while (posts++ < CHANGES) {
      await people.post()
      await people.visit()
    }
  }
  await Promise.all(Array.from({ length: CALIBRATION_CLIENTS }, poster))
  const calibration = await visitFor(CALIBRATION_MS)
  const possible = (calibration.requests / CALIBRATION_MS) * 1_000
  const rate = Math.min(possible / 2, most)
  const visitsPerSecond = (rate * calibration.visits) / calibration.requests
  console.log(
    `Node ${process.versions.node}, ${cpus().length} processors; ${possible.toFixed(0)} requests/s with ${CALIBRATION_CLIENTS} clients; ` +
      `now ${rate.toFixed(0)}/s (half of that, at most ${most}) for ${minutes} minutes\n
Memory in MB: resident (median); heap (minimum); heap in use and outside the heap, after a garbage collection each minute (mean). Event loop: p99 of the delay in ms (median, maximum)\n
| until min | requests/s | p50 ms | p99 ms | resident | heap | in use | outside | loop | pool busy, waiting | statuses |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|`,
  )
  people.takeSlot()
  const statuses = new Map<string, number>()
  const slices: { resident: number; heap: number; inUse: number }[] = []
  const sliceMs = (minutes * 60_000) / SLICES
  const visiting = visitSteadily(people, visitsPerSecond, minutes * 60_000)
  // The promise is awaited below. Until then, this handler prevents an unhandled rejection.
  visiting.catch(() => {})
  let looks = 0
  const start = performance.now()
  for (let n = 1; n <= SLICES; n++) {
    const samples: Map<string, number>[] = []
    const usages: NodeJS.MemoryUsage[] = []
    while (performance.now() - start < n * sliceMs) {
      await Promise.race([visiting, pause(Math.min(SAMPLE_MS, n * sliceMs - (performance.now() - start)))])
      samples.push(await readMetrics(server.origin))
      if (++looks % SAMPLES_A_COLLECTION === 0) usages.push(await server.memory())
    }
    if (usages.length === 0) usages.push(await server.memory())
    const of = (name: string) => samples.map((sample) => sample.get(name)!)
    const { latencies, statuses: found } = people.takeSlot()
    const slice = {
      resident: quantile(of('process_resident_memory_bytes'), 0.5),
      heap: Math.min(...of('nodejs_heap_size_used_bytes')),
      inUse: mean(usages.map(({ heapUsed }) => heapUsed)),
    }
    slices.push(slice)
    for (const [status, count] of found) statuses.set(status, (statuses.get(status) ?? 0) + count)
    const lags = of('nodejs_eventloop_lag_p99_seconds').map((seconds) => seconds * 1_000)
    const cells = [
      ...[((n * sliceMs) / 60_000).toFixed(1), ((latencies.length / sliceMs) * 1_000).toFixed(0)],
      ...[quantile(latencies, 0.5).toFixed(1), quantile(latencies, 0.99).toFixed(1)],
      ...[slice.resident, slice.heap, slice.inUse, mean(usages.map(({ external }) => external))].map(megabytes),
      `${quantile(lags, 0.5).toFixed(0)}, ${Math.max(...lags).toFixed(0)}`,
      `${mean(of('database_pool_connections{state="busy"}')).toFixed(1)}, ${Math.max(...of('database_pool_waiting'))}`,
      [...found].map(([status, count]) => `${count} × ${status}`).join(', '),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  await visiting
  for (const name of ['resident', 'heap', 'inUse'] as const) {
    const [second, last] = [3, 6].map((from) => mean(slices.slice(from, from + 3).map((slice) => slice[name])))
    const growth = last! / second!
    console.log(`${name}, last third compared with the second: ${growth.toFixed(3)} ×`)
    if (growth > GROWTH_MAX) breaches.push(`${name} grew from ${megabytes(second!)} MB to ${megabytes(last!)} MB`)
  }
  const drainStart = performance.now()
  const pending = async () => (await readMetrics(server.origin)).get('webhook_deliveries_pending')!
  let left = await pending()
  while (left > 0 && performance.now() - drainStart < DRAIN_MS) {
    await pause(500)
    left = await pending()
  }
  if (left > 0) breaches.push(`${left} deliveries are still pending`)
  const metrics = await readMetrics(server.origin)
  const total = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  const failed = [...metrics].filter(([name, value]) => /^task_rounds_total.*failed/.test(name) && value > 0)
  for (const [name, value] of failed) breaches.push(`${name} ${value}`)
  const mails = [...metrics].filter(([name, value]) => name.startsWith('mails_total') && value > 0)
  console.log(`responses: ${total}; deliveries: ${deliveries.size}; ${mails.map((mail) => mail.join(' ')).join(', ')}`)
  const exit = await server.stop()
  if (exit !== 0) breaches.push(`the service exited with ${exit}`)
  await people.close()
  receiver.close()
  receiver.closeAllConnections()
}

const folder = mkdtempSync(join(tmpdir(), 'job-soak-'))
const postgres = await startPostgres(join(folder, 'postgres'))
if ('missing' in postgres) throw new Error(postgres.missing)
try {
  await run(postgres, folder)
} finally {
  killServers()
  postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
