/**
 * `node bench/feeds.ts --url postgres://… [--postings 100000] [--file FILE.ndjson[.gz]] [--turns 3]`: creates a feed in
 * an empty database and passes one NDJSON document through it twice. Prints the rates of both passes, the CPU time of
 * this process, the report, and the increase in resident memory over the idle process. Postings are short, because a
 * document has at most 64 MiB.
 *
 * Then, without `--file`, starts the service, and requests lists at a constant rate, alternately with and without a
 * concurrent pass that updates a tenth of the postings.
 */
import { createReadStream } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { pipeline, Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createGunzip } from 'node:zlib'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { commandLineActor } from '../src/features/accounts/index.ts'
import {
  createDocumentRun,
  ensureImportFeed,
  Pace,
  type RunnerDeps,
  runNext,
  storeDocument,
} from '../src/features/feeds/index.ts'
import { Connections, createGuard } from '../src/features/webhooks/index.ts'
import { newId } from '../src/lib/ids.ts'
import { makeJob } from './make-jobs.ts'
import { figureOf, type Sample } from './measure.ts'
import { killServers, SERVE, startServer } from './processes.ts'
import { filteredLists } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    postings: { type: 'string', default: '100000' },
    /** Real postings instead of generated ones. */
    file: { type: 'string' },
    /** Number of comparisons of the latencies of lists. */
    turns: { type: 'string', default: '3' },
  },
})
if (options.url === undefined) {
  console.error(
    'Usage: node bench/feeds.ts --url postgres://… [--postings 100000] [--file FILE.ndjson[.gz]] [--turns 3]',
  )
  process.exit(2)
}
const MIB = 1_048_576
const TEXT_LENGTH = 150

function lineOf(index: number): string {
  const {
    requirements: _,
    benefits: _b,
    company_logo_url: _l,
    company_website: _w,
    description = '',
    ...job
  } = makeJob(index)
  return `${JSON.stringify({ ...job, description: description!.slice(0, TEXT_LENGTH) })}\n`
}

function* generated(count: number): Generator<Buffer> {
  for (let from = 0; from < count; from += 100) {
    yield Buffer.from(Array.from({ length: Math.min(100, count - from) }, (_, n) => lineOf(from + n)).join(''))
  }
}

function documentOf(): AsyncIterable<Buffer> {
  if (options.file === undefined) return Readable.from(generated(Number(options.postings)))
  const bytes = createReadStream(options.file)
  return options.file.endsWith('.gz') ? (pipeline(bytes, createGunzip(), () => {}) as AsyncIterable<Buffer>) : bytes
}

const database = await openDatabase({ url: options.url })
await migrate(database)
const guard = createGuard({ allowCidrs: [], allowPorts: [] })
const deps: RunnerDeps = {
  database,
  clock: { now: () => new Date() },
  settings: { origin: 'https://board.example', defaultCurrency: 'EUR' },
  fetching: { guard, connections: new Connections({ guard, ca: undefined, connectMs: 1_000 }), pace: new Pace() },
  isFree: true,
}

/** Passes the document through the feed, and returns the feed's ID. */
async function pass(name: string): Promise<string> {
  await setTimeout(2_000)
  globalThis.gc?.()
  const idle = process.memoryUsage.rss()
  let highest = idle
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }, 250)
  const runId = newId('feedRun')
  const storing = performance.now()
  await storeDocument(database, runId, documentOf())
  const now = new Date()
  const run = await database.inTx(async (tx) => {
    const feed = { name: 'bench', format: 'ndjson' as const, company: null, closeAfterHours: 48, now }
    const id = await ensureImportFeed(tx, feed)
    return createDocumentRun(tx, { actor: { ...commandLineActor, kind: 'admin' }, id, runId, dryRun: false, now })
  })
  const running = performance.now()
  const used = process.cpuUsage()
  const ended = (await runNext(deps, { onlyId: run.id }))!
  const seconds = (performance.now() - running) / 1_000
  clearInterval(sampling)
  const { user, system } = process.cpuUsage(used)
  const { counts, problems, state } = ended
  console.log(
    `${name}: ${state}, ${Math.round(counts.read / seconds)} rows/s, CPU ${((user + system) / counts.read).toFixed(0)} ms per ` +
      `1,000 rows, ${seconds.toFixed(1)} s after storing the document in ` +
      `${((running - storing) / 1_000).toFixed(1)} s; memory ${Math.round((highest - idle) / MIB)} MiB above ` +
      `${Math.round(idle / MIB)} MiB; load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`,
  )
  console.log(`  ${JSON.stringify(counts)}`)
  const byCode = Map.groupBy(problems, ({ code }) => code)
  for (const [code, of] of byCode)
    console.log(`  ${code}, ${of.length} of the first ${problems.length}: ${of[0]!.detail}`)
  return run.feed_id
}

/** Milliseconds between two requests. */
const PACE_MS = 20
/** Duration of a measurement while no pass runs. */
const QUIET_MS = 10_000
/** One in this many postings differs from the previous document. */
const CHANGED_EVERY = 10

/** Requests lists at a constant rate until a promise settles. */
async function requestLists(origin: string, over: Promise<unknown>): Promise<Sample> {
  const paths = filteredLists(500)
  const latencies: number[] = []
  const started = performance.now()
  const ask = async (path: string) => {
    const at = performance.now()
    const response = await fetch(origin + path, { headers: authorized })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    latencies.push(performance.now() - at)
  }
  let isOver = false
  void over.finally(() => {
    isOver = true
  })
  const asked: Promise<void>[] = []
  for (let n = 0; !isOver; n++) {
    asked.push(ask(paths[n % paths.length]!))
    await setTimeout(PACE_MS)
  }
  await Promise.all(asked)
  return { latencies, seconds: (performance.now() - started) / 1_000, responses: latencies.length }
}

const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const authorized = { authorization: `Bearer ${ADMIN_API_KEY}` }

async function callApi(url: string, init?: { type: string; body: string }) {
  const headers = { ...authorized, ...(init && { 'content-type': init.type }) }
  const response = await fetch(url, init ? { method: 'POST', headers, body: init.body } : { headers })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { data: { id: string; state: string } }).data
}

/** Sends a document to a feed of the service, and waits until its run has ended. */
async function passInService(feed: string, turn: number): Promise<void> {
  const lines = Array.from({ length: Number(options.postings) }, (_, index) => {
    const line = lineOf(index)
    return index % CHANGED_EVERY === 0 ? line.replace('"title":"', `"title":"${turn} `) : line
  })
  const { id } = await callApi(`${feed}/documents`, { type: 'application/x-ndjson', body: lines.join('') })
  for (;;) {
    const run = await callApi(`${feed}/runs/${id}`)
    if (run.state === 'succeeded') return
    if (run.state !== 'pending' && run.state !== 'running') throw new Error(`The run is ${run.state}.`)
    await setTimeout(500)
  }
}

/** Compares the latencies of lists during passes with those without. */
async function compareLists(url: string, feedId: string): Promise<void> {
  const environment = { DATABASE_URL: url, ADMIN_API_KEY, PAYMENTS: 'free' }
  const { origin } = await startServer(SERVE, environment, '/readyz')
  const feed = `${origin}/v1/feeds/${feedId}`
  // A warm-up compiles the functions and fills the caches.
  await requestLists(origin, setTimeout(QUIET_MS))
  for (let turn = 1; turn <= Number(options.turns); turn++) {
    const quiet = figureOf([await requestLists(origin, setTimeout(QUIET_MS))])
    const during = figureOf([await requestLists(origin, passInService(feed, turn))])
    console.log(
      `lists: p99 ${during.p99.toFixed(1)} ms during a pass, ${quiet.p99.toFixed(1)} ms without: ratio ` +
        `${(during.p99 / quiet.p99).toFixed(1)}; p50 ${during.p50.toFixed(1)} and ${quiet.p50.toFixed(1)} ms`,
    )
  }
}

await pass('first pass')
const feedId = await pass('unchanged pass')
await database.close()
try {
  if (options.file === undefined && Number(options.turns) > 0) await compareLists(options.url, feedId)
} finally {
  killServers()
}
