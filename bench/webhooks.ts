/**
 * `node bench/webhooks.ts [--events 1000] [--seconds 20] [--deliveries 200000] [--pending 1000000] [--only PART]`:
 * measures the cost and speed of webhooks. PART is fan-out, latency, deliveries, fairness, claim or memory. Uses the
 * PostgreSQL server at BENCH_DATABASE_URL, or starts one. Sends HTTP requests to a separate service process. Twenty TLS
 * receivers check signatures.
 */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { generate } from 'selfsigned'
import { JobMarketplace } from '../packages/client/src/index.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import type { EventType } from '../src/events/catalogue.ts'
import { appendEvents } from '../src/events/outbox.ts'
import { sampleEvent } from '../src/events/samples.ts'
import { claimDeliveries, finishAttempts } from '../src/features/webhooks/webhooks.dispatch-queries.ts'
import { employer } from './acknowledged.ts'
import { killServers, REPORTING_MEMORY, SERVE, type Server, startPostgres, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: {
    /** Number of events in the fan-out and in each round of deliveries. Every receiver gets each event. */
    events: { type: 'string', default: '1000' },
    /** Duration of the load of 200 events per second, in seconds. */
    seconds: { type: 'string', default: '20' },
    /** Number of deliveries in the memory measurement. */
    deliveries: { type: 'string', default: '200000' },
    /** Size of the backlog that workers claim from, in deliveries. */
    pending: { type: 'string', default: '1000000' },
    only: { type: 'string', default: '' },
  },
})
const eventCount = Number(options.events)
const seconds = Number(options.seconds)
const deliveryCount = Number(options.deliveries)
const pendingCount = Number(options.pending)
const isAsked = (part: string) => part.includes(options.only)

const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const SECRET = 'bench-secret-0123456789'
const RECEIVERS = 20
const EVENTS_PER_SECOND = 200
/** Receivers check only every n-th signature, because they share the CPU with the service. */
const CHECKED = 50
let wrongSignatures = 0
/** Timeout after which missing events count as lost, in milliseconds. */
const LOST_MS = 600_000
/** Number of jobs, which is large enough that changes rarely wait for each other's row locks. */
const JOBS = 32
/** Number of webhooks that share the backlog, and number of claims. */
const BACKLOG_WEBHOOKS = 2_000
const CLAIMS = 1_000
const CLAIMED_MAX = 256
/** Number of fan-out measurements. The result is their median. */
const TURNS = 3

/** A receiver that keeps connections alive and records the first arrival of each event. */
class Receiver {
  readonly arrivals = new Map<string, { at: number; createdAt: number }>()
  isHanging = false
  received = 0
  lastAt = 0
  readonly server: HttpsServer
  #awaited = { count: Infinity, resolve: () => {} }

  constructor(certificate: { key: string; cert: string }) {
    this.server = createServer({ ...certificate, keepAlive: true, keepAliveTimeout: 120_000 }, (request, response) => {
      const at = Date.now()
      if (this.isHanging) return
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        response.end()
        const body = Buffer.concat(chunks).toString()
        const signature = String(request.headers['x-service-signature'])
        if (this.received++ % CHECKED === 0 && !isSigned(signature, body)) wrongSignatures++
        const { id, created_at } = JSON.parse(body)
        if (this.arrivals.has(id)) return
        this.arrivals.set(id, { at, createdAt: Date.parse(created_at) })
        this.lastAt = at
        if (this.arrivals.size >= this.#awaited.count) this.#awaited.resolve()
      })
    })
  }

  listen = () => new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`
  }

  /** Clears the recorded arrivals. Resolves after this many distinct events. */
  expect(count: number): Promise<void> {
    this.arrivals.clear()
    return new Promise((resolve, reject) => {
      const report = () => reject(new Error(`Only ${this.arrivals.size} of ${count} events arrived`))
      const timer = setTimeout(report, LOST_MS)
      this.#awaited = {
        count,
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
      }
    })
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

function isSigned(header: string, body: string): boolean {
  const time = /^t=(\d+),/.exec(header)?.[1]
  return header === `t=${time},v1=${createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')}`
}

/** Subscribes these receivers as the admin. Returns a function that ends the subscriptions. */
async function subscribe(
  server: Server,
  receivers: readonly Receiver[],
  type: EventType,
): Promise<() => Promise<void>> {
  const { webhooks } = new JobMarketplace({ baseUrl: server.origin, apiKey: ADMIN_API_KEY })
  const ids: string[] = []
  for (const { url } of receivers) {
    ids.push((await webhooks.create({ url, events: [type], secret: SECRET })).id)
  }
  return async () => {
    for (const id of ids) await webhooks.delete(id)
  }
}

/** Appends events as the service does, `batch` per transaction. Returns the rate per second. */
async function append(database: Database, count: number, batch: number): Promise<number> {
  const { type, data } = sampleEvent('job.created')
  const start = performance.now()
  let left = count
  const writer = async () => {
    while (left > 0) {
      const events = Array.from({ length: Math.min(batch, left) }, () => ({
        ...{ type, data, subjectId: data.job.id, employerId: data.job.employer_id, at: new Date() },
      }))
      left -= events.length
      await database.inTx((tx) => appendEvents(tx, events))
    }
  }
  await Promise.all(Array.from({ length: batch === 1 ? 8 : 1 }, writer))
  return (count / (performance.now() - start)) * 1000
}

const row = (name: string, ...cells: string[]) =>
  console.log(`  ${name.padEnd(44)}${cells.map((cell) => cell.padStart(16)).join('')}`)
const perSecond = (rate: number) => `${rate.toFixed(0)} /s`
const times = (ratio: number) => `${ratio.toFixed(2)} ×`

async function fanOut(server: Server, database: Database, receivers: readonly Receiver[]): Promise<void> {
  console.log('\nAppending events, by the number of webhooks that receive each event, without deliveries')
  row('webhooks', '1 per commit', '200 per commit', 'ratio to none', 'ratio to none')
  const counts = [0, 1, 3]
  const rates = new Map(counts.map((count) => [count, { single: [] as number[], batched: [] as number[] }]))
  await append(database, eventCount, 1)
  // Measures in turns, so other load on the machine affects all of them.
  for (let turn = 0; turn < TURNS; turn++) {
    for (const count of counts) {
      const unsubscribe = await subscribe(server, receivers.slice(0, count), 'job.created')
      rates.get(count)!.single.push(await append(database, eventCount * 3, 1))
      rates.get(count)!.batched.push(await append(database, eventCount * 10, 200))
      await unsubscribe()
    }
  }
  const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[TURNS >> 1]!
  const none = rates.get(0)!
  for (const [count, { single, batched }] of rates) {
    const ratios = [median(single) / median(none.single), median(batched) / median(none.batched)]
    row(String(count), perSecond(median(single)), perSecond(median(batched)), ...ratios.map(times))
  }
}

async function latency(server: Server, receiver: Receiver): Promise<void> {
  const unsubscribe = await subscribe(server, [receiver], 'job.updated')
  const apiKey = await employer(server.origin)
  const board = new JobMarketplace({ baseUrl: server.origin, apiKey })
  const job = { title: 'Watched', location: 'Leipzig', category: 'software', type: 'full-time' }
  const ids: string[] = []
  for (let n = 0; n < JOBS; n++) {
    ids.push((await board.jobs.create({ ...job, description: `Job ${n}.` })).id)
  }
  // The first second opens connections and warms up.
  const count = EVENTS_PER_SECOND * (seconds + 1)
  const all = receiver.expect(count)
  const changes: Promise<unknown>[] = []
  for (const start = performance.now(); changes.length < count; ) {
    const due = Math.min(count, ((performance.now() - start) / 1000) * EVENTS_PER_SECOND)
    while (changes.length < due) {
      const body = { description: `Changed ${changes.length} times.` }
      changes.push(board.jobs.update(ids[changes.length % JOBS]!, body))
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await Promise.all(changes)
  await all
  const measured = [...receiver.arrivals.values()].sort((a, b) => a.createdAt - b.createdAt).slice(EVENTS_PER_SECOND)
  const waits = measured.map(({ at, createdAt }) => at - createdAt).sort((a, b) => a - b)
  const quantile = (share: number) => `${waits[Math.floor((waits.length - 1) * share)]} ms`
  console.log(
    `\nFrom the request to the first byte at the receiver at ${EVENTS_PER_SECOND} events/s (the commit is later)`,
  )
  row(`${waits.length} events`, `p50 ${quantile(0.5)}`, `p99 ${quantile(0.99)}`, `max ${quantile(1)}`)
  await unsubscribe()
}

/**
 * Sends this many events to all receivers. Returns the seconds from the first commit until the healthy receivers have
 * all events.
 */
async function round(database: Database, receivers: readonly Receiver[], count: number): Promise<number> {
  const healthy = receivers.filter(({ isHanging }) => !isHanging)
  const all = healthy.map((receiver) => receiver.expect(count))
  const start = Date.now()
  await append(database, count, 200)
  await Promise.all(all)
  return (Math.max(...healthy.map(({ lastAt }) => lastAt)) - start) / 1000
}

async function deliveries(server: Server, database: Database, receivers: readonly Receiver[]): Promise<void> {
  const unsubscribe = await subscribe(server, receivers, 'job.created')
  // Opens connections and warms up.
  await round(database, receivers, eventCount)
  const healthySeconds = await round(database, receivers, eventCount)
  if (isAsked('deliveries')) {
    console.log(
      `\nDeliveries of ${eventCount} events to ${RECEIVERS} receivers, from the first commit to the last arrival`,
    )
    row(`${eventCount * RECEIVERS} deliveries`, perSecond((eventCount * RECEIVERS) / healthySeconds))
  }
  if (isAsked('fairness')) {
    receivers[0]!.isHanging = true
    const hangingSeconds = await round(database, receivers, eventCount)
    receivers[0]!.isHanging = false
    console.log('\nTime until the 19 healthy webhooks had received every event')
    row('all receivers respond', `${healthySeconds.toFixed(2)} s`)
    row('one of twenty receivers hangs', `${hangingSeconds.toFixed(2)} s`, times(hangingSeconds / healthySeconds))
  }
  await unsubscribe()
}

/** Fills a backlog. One webhook has half of the deliveries; the other webhooks share the rest. */
async function fillBacklog(database: Database): Promise<void> {
  const half = Math.floor(pendingCount / 2)
  const each = Math.floor(half / (BACKLOG_WEBHOOKS - 1))
  await database.withClient(async (client) => {
    await client.query(`
      insert into webhook (id, owner_id, audience, url, events, secret_sealed, watched_from, created_at, updated_at)
      select 'wh_' || to_char(n, 'FM0000'), (select min(id) from account), '*', 'https://hooks.example/' || n,
        '{job.created}', 'x', now(), now(), now()
      from generate_series(1, ${BACKLOG_WEBHOOKS}) as n`)
    await client.query(`
      insert into event (id, type, subject_id, body, created_at)
      select 'evt_' || to_char(n, 'FM00000000'), 'job.created', 'job', repeat('x', 700), now()
      from generate_series(1, ${half}) as n`)
    // The first webhook has a delivery for each event, and the others for the first events only.
    await client.query(`
      insert into webhook_delivery (id, event_id, webhook_id, event_type, created_at, due_at, scheduled_at)
      select 'whd_' || event || '_' || hook, 'evt_' || to_char(event, 'FM00000000'), 'wh_' || to_char(hook, 'FM0000'),
        'job.created', now(), now(), now()
      from generate_series(1, ${BACKLOG_WEBHOOKS}) as hook
      cross join lateral generate_series(1, case when hook = 1 then ${half} else ${each} end) as event`)
    await client.query('vacuum analyze')
  })
}

/** Claims deliveries like a worker with free capacity. Writes results between claims, outside the measurement. */
async function claim(database: Database): Promise<void> {
  await fillBacklog(database)
  const waits: number[] = []
  let claimed = 0
  let after = ''
  while (waits.length < CLAIMS) {
    const now = new Date()
    const leaseUntil = new Date(now.getTime() + 35_000)
    const start = performance.now()
    const rows = await database.inStatement((tx) =>
      claimDeliveries(tx, { now, leaseUntil, after, limit: CLAIMED_MAX, eachMax: 8, unprovenMax: 8, lanes: {} }),
    )
    if (rows.length === 0 && after === '') break
    waits.push(performance.now() - start)
    claimed += rows.length
    const [last] = rows
      .map(({ webhook_id }) => webhook_id)
      .sort()
      .reverse()
    after = rows.length === CLAIMED_MAX ? last! : ''
    const endings = rows.map(({ id, webhook_id, number, trigger }) => ({
      ...{
        id,
        webhook_id,
        number,
        trigger,
        is_success: true,
        is_gone: false,
        is_telling: true,
        retry_at: null,
        at: now,
      },
      ...{ started_at: now, duration_ms: 1, status: 200, error_class: null, reason: null },
      ...{ response_excerpt: null, address: null },
    }))
    await database.inTx((tx) => finishAttempts(tx, endings, true))
  }
  waits.sort((one, other) => one - other)
  const quantile = (share: number) => `${waits[Math.floor((waits.length - 1) * share)]!.toFixed(1)} ms`
  console.log(
    `\nA claim from ${pendingCount} pending deliveries to ${BACKLOG_WEBHOOKS} webhooks, half of them to one webhook`,
  )
  row(
    `${waits.length} claims, ${claimed} claimed`,
    `p50 ${quantile(0.5)}`,
    `p99 ${quantile(0.99)}`,
    `max ${quantile(1)}`,
  )
}

async function memory(server: Server, database: Database, receivers: readonly Receiver[]): Promise<void> {
  const unsubscribe = await subscribe(server, receivers, 'job.created')
  const rounds = 10
  const each = Math.ceil(deliveryCount / RECEIVERS / rounds)
  const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MB`
  console.log(
    `\nService memory over ${each * rounds * RECEIVERS} deliveries; heap and buffers after a garbage collection`,
  )
  row('deliveries', 'resident', 'heap in use', 'outside the heap')
  const looks: NodeJS.MemoryUsage[] = []
  for (let done = 1; done <= rounds; done++) {
    await round(database, receivers, each)
    const usage = await server.memory()
    looks.push(usage)
    row(String(each * done * RECEIVERS), ...[usage.rss, usage.heapUsed, usage.external].map(megabytes))
  }
  const [first, last] = [looks[0]!, looks.at(-1)!]
  row('last / first', times(last.rss / first.rss), times(last.heapUsed / first.heapUsed))
  await unsubscribe()
}

const folder = mkdtempSync(join(tmpdir(), 'job-bench-'))
const certificate = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ],
})
writeFileSync(join(folder, 'ca.pem'), certificate.cert)
const receivers = Array.from(
  { length: RECEIVERS },
  () => new Receiver({ key: certificate.private, cert: certificate.cert }),
)
const given = process.env.BENCH_DATABASE_URL
const postgres = given ? { url: given, stop: () => {} } : await startPostgres(join(folder, 'postgres'))
if ('missing' in postgres) throw new Error(postgres.missing)
const admin = new pg.Client({ connectionString: postgres.url })
await admin.connect()
const name = `job_bench_webhooks_${process.pid}`
await admin.query(`create database ${name}`)
const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href
const environment = {
  DATABASE_URL: url,
  DATA_DIR: folder,
  ADMIN_API_KEY,
  LOG_LEVEL: 'warn',
  RATE_LIMIT: 'off',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_CA_FILE: join(folder, 'ca.pem'),
}

/** Runs a part of the benchmark with its own service, without backlog or memory from another part. */
async function withService(args: string[], part: (server: Server, database: Database) => Promise<void>): Promise<void> {
  const command = [...REPORTING_MEMORY, ...SERVE, ...args]
  const server = await startServer(command, environment, '/readyz')
  const database = await openDatabase({ url, poolSize: 8 })
  try {
    await part(server, database)
  } finally {
    await database.close()
    await server.stop()
  }
}

try {
  await Promise.all(receivers.map((receiver) => receiver.listen()))
  const { rows } = await admin.query("select current_setting('server_version') as version")
  console.log(`PostgreSQL ${rows[0].version}, Node ${process.versions.node}, ${cpus().length} processors`)
  if (isAsked('fan-out')) await withService(['--only', 'http'], (...all) => fanOut(...all, receivers))
  if (isAsked('latency')) await withService([], (server) => latency(server, receivers[0]!))
  if (isAsked('deliveries') || isAsked('fairness')) await withService([], (...all) => deliveries(...all, receivers))
  if (isAsked('memory')) await withService([], (...all) => memory(...all, receivers))
  // Runs last, because the webhooks that this part creates have secrets that no key can decrypt.
  if (isAsked('claim')) await withService(['--only', 'http'], (_server, database) => claim(database))
  if (wrongSignatures > 0) throw new Error(`${wrongSignatures} signatures were wrong`)
} finally {
  killServers()
  for (const receiver of receivers) receiver.close()
  await admin.query(`drop database ${name} with (force)`)
  await admin.end()
  postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
