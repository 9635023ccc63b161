/**
 * `node bench/board.ts [--jobs 20000] [--url postgres://…] [--seconds 5] [--only PATTERN] [--alone] [--settle 0]
 * [--warm] [--fast-path-off] [--turns 6] [--before FOLDER] [--engine opensearch [--heap 1024]]`: measures every kind of
 * read. For comparison, measures a bare Fastify server and a handwritten server in the same minute. Imports generated
 * jobs, or uses a loaded database (`--url`). During the measurement, compares totals with `count(*)` and fails if a
 * total is wrong. With `--engine opensearch`, fills an index on one OpenSearch node, which then answers lists and
 * searches. The benchmark then also requests other lists for 30 s before the first case.
 */
import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { JobMarketplace } from '../packages/client/src/index.ts'
import type { OpenSearch } from '../test/support/open-search.ts'
import { createBaselineIndexes, dropBaselineIndexes } from './baseline/indexes.ts'
import { withLoadedBoard } from './loaded-board.ts'
import { randomFrom, vocabulary } from './make-jobs.ts'
import { askOnce, type Figure, figureOf, hasWrk, load, loadByWrk, meanOf, type Sample } from './measure.ts'
import { processorMs, SERVE, type Server, startServer } from './processes.ts'
import { startSearch } from './searched.ts'
import { countExactly } from './totals.ts'
import { filteredLists, newJobs, searches } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    /** A loaded database, to which the benchmark adds jobs. */
    url: { type: 'string' },
    /** Runs only the cases whose name matches this regular expression. */
    only: { type: 'string', default: '' },
    /** Omits the handwritten server, which needs half a minute to search a million jobs. */
    alone: { type: 'boolean', default: false },
    /** Seconds to wait after the first list, while the process loads the most frequent words. */
    settle: { type: 'string', default: '0' },
    /**
     * Requests every URL of a case once before the measurement, to simulate a board that has been running for a while.
     */
    warm: { type: 'boolean', default: false },
    /** For some cases with cached responses, also measures a process with FAST_PATH=off (decision 0082). */
    'fast-path-off': { type: 'boolean', default: false },
    /**
     * Number of turns in both orders when comparing with hello or with the service itself. Within a minute, the
     * machine's speed varies more than the compared rates.
     */
    turns: { type: 'string', default: '6' },
    /** Another checkout of the service, such as the previous release, to compare with on the same database. */
    before: { type: 'string' },
    /** Source of the lists: memory or `opensearch`. */
    engine: { type: 'string', default: 'memory' },
    /** Heap of OpenSearch, in MB. */
    heap: { type: 'string', default: '1024' },
  },
})
const jobCount = Number(options.jobs)
const seconds = Number(options.seconds)
const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const VARIED = 2_500
const CHECK_EVERY_MS = 1_000
/** Warm-up in seconds, because Java still compiles OpenSearch's code during the first thousands of searches. */
const ENGINE_WARM_UP_S = 30
/** Maximum share of the run that is spent counting. */
const CHECKS_SHARE = 0.1

const lists = filteredLists(VARIED)
const withFacets = (paths: readonly string[]) =>
  paths.map((path) => `${path}&facets=category,job_type,experience_level,workplace`)
const faceted = withFacets(lists)
const newest = searches(VARIED)
const relevant = vocabulary.nouns
  .slice(0, 100)
  .map((search) => `/v1/jobs?${new URLSearchParams({ search, sort: 'relevance' })}`)
const around = vocabulary.cities.flatMap((location) =>
  vocabulary.categories.map((category) => `/v1/jobs?${new URLSearchParams({ location, distance: '50', category })}`),
)
/** Lists and searches that differ from the measured ones. */
const warmUps = [...filteredLists(VARIED), ...withFacets(filteredLists(VARIED)), ...searches(VARIED)].filter(
  (path) => ![lists, faceted, newest].some((measured) => measured.includes(path)),
)
const random = randomFrom(7)
const popular = [...lists.slice(0, 1_000), ...newest.slice(0, 1_000)]
const asPeopleAsk = Array.from({ length: 20_000 }, () => random.zipf(popular))

/** Headers that browsers and most HTTP libraries send by default, unlike the load generator. */
const asBrowsers = { 'accept-encoding': 'gzip, deflate, br' }

type Other = 'hello' | 'baseline' | 'quiet' | 'usual' | 'before'

interface Case {
  name: string
  paths: readonly string[]
  /**
   * Servers to compare with. `quiet` is the service without new jobs, and `usual` is the service with FAST_PATH=off.
   * Cases without the baseline run last, after its indexes are dropped.
   */
  against: readonly Other[]
  /** Headers for every server, in addition to the credentials. */
  headers?: Record<string, string>
  /** Uses autocannon, which decodes every body. Decoding takes longer than the service takes for a cached response. */
  isByAutocannon?: boolean
  /** Jobs created and activated per second during the case. */
  postings?: number
  /** Whether to compare totals during the case. */
  isChecked?: boolean
}

const casesOf = (ids: readonly string[], pages: number): Case[] => [
  { name: 'list, page 1', paths: ['/v1/jobs'], against: ['hello', 'usual'] },
  { name: 'list, page 1, compressed', paths: ['/v1/jobs'], against: ['hello', 'usual'], headers: asBrowsers },
  { name: 'list, page 1, by autocannon', paths: ['/v1/jobs'], against: ['hello'], isByAutocannon: true },
  { name: 'one job', paths: ids.map((id) => `/v1/jobs/${id}`), against: ['hello', 'usual'] },
  { name: '1 to 3 filters', paths: lists, against: ['baseline'], isChecked: true },
  { name: 'search', paths: newest, against: ['baseline'], isChecked: true },
  { name: 'mix, 1 posting per second', paths: asPeopleAsk, against: ['baseline'], postings: 1 },
  { name: 'search by relevance, frequent words', paths: relevant, against: ['baseline'] },
  { name: '1 to 3 filters and four facets', paths: faceted, against: [], isChecked: true },
  { name: 'radius of 50 miles and a category', paths: around, against: [] },
  { name: 'list, page 1, 50 postings per second', paths: ['/v1/jobs'], against: ['quiet'], postings: 50 },
  { name: 'list, page 1 again', paths: ['/v1/jobs?page=1'], against: ['hello'] },
  { name: `list, page ${pages}`, paths: [`/v1/jobs?page=${pages}`], against: [] },
]

let engine: OpenSearch | undefined

/**
 * Starts OpenSearch and fills an index, if the benchmark measures OpenSearch. Returns the service settings for
 * OpenSearch, or no settings.
 */
async function searched(environment: Record<string, string>): Promise<Record<string, string>> {
  if (options.engine !== 'opensearch') return {}
  const started = await startSearch(environment, { heapMb: Number(options.heap) })
  engine = started.engine
  return started.settings
}

const bodies = newJobs(200, 3 * jobCount)

/**
 * Starts creating and activating this many jobs per second. Returns a function that stops the clients and returns the
 * number of created jobs.
 */
function post(origin: string, key: string, perSecond: number): () => Promise<number> {
  const agent = new Agent({ keepAlive: true })
  // Does not use fetch, because it needs twice the CPU time, which would slow down the readers.
  const send = (path: string, body?: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
      const sent = request(`${origin}/v1${path}`, { method: 'POST', headers, agent }, (answer) => {
        if (answer.statusCode! < 300) text(answer).then(resolve, reject)
        else reject(new Error(`POST ${path}: ${answer.statusCode}`))
      })
      sent.on('error', reject).end(body)
    })
  const underWay = new Set<Promise<void>>()
  let posted = 0
  const once = async () => {
    const { data } = JSON.parse(await send('/jobs', bodies[posted++ % bodies.length]!)) as { data: { id: string } }
    await send(`/jobs/${data.id}/activate`)
  }
  const timer = setInterval(() => {
    const begun: Promise<void> = once().finally(() => underWay.delete(begun))
    underWay.add(begun)
  }, 1_000 / perSecond)
  return async () => {
    clearInterval(timer)
    await Promise.all(underWay)
    agent.destroy()
    return posted
  }
}

/** Starts comparing totals. Returns a function that stops the comparisons and returns their number. */
function check(client: pg.Client, origin: string, key: string, paths: readonly string[]): () => Promise<number> {
  const stopping = new AbortController()
  const { signal } = stopping
  let checked = 0
  const checking = (async () => {
    for (; !signal.aborted; checked++) {
      const path = random.pick(paths)
      const begun = performance.now()
      const expected = await countExactly(client, path)
      const took = performance.now() - begun
      const answer = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })
      const { meta } = (await answer.json()) as { meta: { pagination: { total: number } } }
      const { total } = meta.pagination
      if (total !== expected) throw new Error(`${path}: total ${total}, count(*) ${expected}`)
      await pause(Math.max(CHECK_EVERY_MS, took / CHECKS_SHARE), undefined, { signal }).catch(() => {})
    }
  })()
  checking.catch(() => {})
  return async () => {
    stopping.abort()
    await checking
    return checked
  }
}

async function bench(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // The service uses the same setting, because the planner underestimates the cost of reading every vector.
  await client.query('set enable_seqscan = off')
  const { rows: found } = await client.query('select id from job order by md5(id) limit 3000')
  const { rows: employers } = await client.query('select id, name from employer order by id limit 1')
  const { rows: about } = await client.query(
    "select current_setting('server_version') as version, (select count(*) from job where state = 'active') as jobs",
  )
  const base = { DATABASE_URL: url, ADMIN_API_KEY, RATE_LIMIT: 'off', PAYMENTS: 'free' }
  const environment = { ...base, ...(await searched(base)) }
  if (options.alone) await dropBaselineIndexes(client)
  else await createBaselineIndexes(client)
  const startedAt = performance.now()
  const service = await startServer([...SERVE, '--only', 'http'], environment, '/readyz')
  const person = { first_name: 'Bench', last_name: 'Reader', email: `reader.${Date.now()}@bench.example` }
  const operator = new JobMarketplace({ baseUrl: service.origin, apiKey: ADMIN_API_KEY })
  const key = (await operator.candidates.register(person)).api_key!
  const headers = { authorization: `Bearer ${key}` }
  await (await fetch(`${service.origin}/v1/jobs`, { headers })).json()
  const startMs = performance.now() - startedAt
  const owner = { name: 'Bench Motors', email: `owner.${Date.now()}@bench.example` }
  const ownerKey = (await operator.employers.register(owner)).api_key!
  const baseline = await startServer(
    ['bench/baseline/server.ts'],
    { DATABASE_URL: url, EMPLOYER_ID: employers[0].id, EMPLOYER_NAME: employers[0].name },
    '/v1/jobs?limit=1',
  )
  const hello = await startServer(['bench/baseline/hello.ts'], {}, '/')
  const usual = options['fast-path-off']
    ? await startServer([...SERVE, '--only', 'http'], { ...environment, FAST_PATH: 'off' }, '/readyz')
    : undefined
  const before = options.before ? await startBefore(options.before, environment) : undefined
  console.log(
    `\n### PostgreSQL ${about[0].version}, ${Number(about[0].jobs).toLocaleString('en')} jobs\n
First list ${(startMs / 1_000).toFixed(1)} s after the start; resident memory afterward: ${rssOf(service)} MB\n
| case | requests/s | p50 ms | p99 ms | first requests/s | first p99 ms | ratio to hello | ratio to handwritten | ratio to no postings | ratio to FAST_PATH=off | ratio to before | processor time per request, ratio to before | totals compared |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|`,
  )
  await pause(Number(options.settle) * 1_000)
  if (engine) {
    await load({ origin: service.origin, headers, method: 'GET', paths: warmUps, bodies: [] }, ENGINE_WARM_UP_S)
  }
  const servers: { [name in Other | 'service']?: Server | undefined } = { service, baseline, hello, usual, before }
  const pages = Math.floor(Number(about[0].jobs) / 40)
  for (const { name, paths, against: all, headers: more, isByAutocannon, postings, isChecked } of casesOf(
    found.map(({ id }) => id),
    pages,
  )) {
    if (!new RegExp(options.only).test(name)) continue
    const isByWrk = hasWrk && paths.length === 1 && !isByAutocannon
    if (!all.includes('baseline') && !all.includes('hello')) await dropBaselineIndexes(client)
    const isLeftOut: Partial<Record<Other, boolean>> = { baseline: options.alone, usual: !usual }
    const against = [...all.filter((other) => !isLeftOut[other]), ...(before ? (['before'] as const) : [])]
    const target = (server: Server, sent: Record<string, string>, asked: readonly string[]) => ({
      ...{ origin: server.origin, headers: { ...sent, ...more }, method: 'GET' as const, paths: asked, bodies: [] },
    })
    const targets = {
      service: target(service, headers, paths),
      baseline: target(baseline, {}, paths),
      hello: target(hello, {}, ['/']),
      quiet: target(service, headers, paths),
      usual: target(usual ?? service, headers, paths),
      before: target(before ?? service, headers, paths),
    }
    const first = figureOf([await load(targets.service, seconds)])
    if (options.warm) await askOnce(targets.service)
    for (const who of ['usual', 'before'] as const) if (against.includes(who)) await load(targets[who], seconds)
    const order = [...against, 'service'] as const
    const samples: Record<string, Sample[]> = Object.fromEntries(order.map((who) => [who, []]))
    const byWrk: Record<string, Figure[]> = Object.fromEntries(order.map((who) => [who, []]))
    const spent = Object.fromEntries(order.map((who) => [who, { ms: 0, responses: 0 }]))
    const stopChecking = isChecked ? check(client, service.origin, key, paths) : undefined
    // Measures the servers in forward and then reverse order, so other load affects all of them equally.
    const thereAndBack = [...order, ...order.toReversed()]
    const turns = against.some((other) => other !== 'baseline') ? Number(options.turns) : 1
    const turnSeconds = turns > 1 ? seconds / 4 : seconds / 2
    for (const who of Array.from({ length: turns }, () => thereAndBack).flat()) {
      const stopPosting = postings && who !== 'quiet' ? post(targets[who].origin, ownerKey, postings) : undefined
      const { pid } = servers[who] ?? service
      const spentBefore = processorMs(pid)
      if (isByWrk) byWrk[who]!.push(await loadByWrk(targets[who], turnSeconds))
      else samples[who]!.push(await load(targets[who], turnSeconds))
      // All runs of wrk take equally long, so their rates can replace their numbers of responses.
      const responses = isByWrk ? byWrk[who]!.at(-1)!.perSecond : samples[who]!.at(-1)!.responses
      spent[who]!.ms += processorMs(pid) - spentBefore
      spent[who]!.responses += responses
      await stopPosting?.()
    }
    const compared = await stopChecking?.()
    const figure = (who: string) => (isByWrk ? meanOf(byWrk[who]!) : figureOf(samples[who]!))
    const service_ = figure('service')
    const ratio = (other: Other) => {
      if (!against.includes(other)) return ''
      const mean = (service_.perSecond / figure(other).perSecond).toFixed(2)
      if (turns === 1) return mean
      const rates = (who: string) =>
        (isByWrk ? byWrk[who]! : samples[who]!.map((sample) => figureOf([sample]))).map(({ perSecond }) => perSecond)
      const others = rates(other)
      const each = rates('service')
        .map((rate, turn) => rate / others[turn]!)
        .sort((a, b) => a - b)
      return `${mean} (${each[0]!.toFixed(2)} to ${each.at(-1)!.toFixed(2)})`
    }
    // If other programs use the machine, processor time per request varies less than rates.
    const processorMsOf = (who: string) => spent[who]!.ms / spent[who]!.responses
    const processorRatio = before && (processorMsOf('service') / processorMsOf('before')).toFixed(2)
    const ratios = (['hello', 'baseline', 'quiet', 'usual', 'before'] as const).map(ratio)
    const [firstRate] = figures(first)
    const cells = [
      name,
      ...figures(service_),
      firstRate,
      first.p99.toFixed(1),
      ...ratios,
      processorRatio ?? '',
      compared ?? '',
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  console.log(`\nResident memory at the end: ${rssOf(service)} MB`)
  await client.end()
  for (const server of Object.values(servers)) await server?.stop()
}

/** Starts the service of another checkout, with its own flags. */
async function startBefore(folder: string, environment: Record<string, string>): Promise<Server> {
  const checkout = resolve(folder)
  const { serviceFlags } = await import(join(checkout, 'bin/launch.js'))
  return startServer(
    [...serviceFlags, join(checkout, 'src/main/cli.ts'), 'serve', '--only', 'http'],
    environment,
    '/readyz',
  )
}

function figures({ perSecond, p50, p99 }: Figure): string[] {
  return [Math.round(perSecond).toLocaleString('en'), p50.toFixed(1), p99.toFixed(1)]
}

function rssOf({ pid }: Server): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024)
}

try {
  await withLoadedBoard(jobCount, options.url, bench)
} finally {
  await engine?.stopAll()
}
