/**
 * `npm run bench -- [--jobs 20000] [--seconds 5] [--database pg|pglite|both] [--writes N] [--only TEXT]`: imports
 * generated jobs and compares the service with a bare Fastify server and a handwritten server on the same data.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { JobMarketplace } from '../packages/client/src/index.ts'
import { openDatabase } from '../src/db/database.ts'
import { createBaselineIndexes } from './baseline/indexes.ts'
import { jobLines } from './make-jobs.ts'
import { CONNECTIONS, type Figure, figureOf, load, type Sample, type Target } from './measure.ts'
import { killServers, runCli, SERVE, type Server, startPostgres, startServer } from './processes.ts'
import { countExactly } from './totals.ts'
import { filteredLists, newJobs, searches } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    database: { type: 'string', default: 'both' },
    /** Number of jobs created per second while reads are measured. */
    writes: { type: 'string', default: '0' },
    /** Runs only the cases whose name contains this text. */
    only: { type: 'string', default: '' },
  },
})
const jobCount = Number(options.jobs)
const seconds = Number(options.seconds)
const writes = Number(options.writes)
if (!(jobCount >= 100) || !(seconds >= 1) || !['pg', 'pglite', 'both'].includes(options.database)) {
  console.error(
    'Usage: npm run bench -- [--jobs N] [--seconds S] [--database pg|pglite|both] [--writes N] [--only TEXT]',
  )
  process.exit(2)
}

const ADMIN_API_KEY = 'bench-operator-key-0123456789'
/** Number of URLs whose totals are compared with a separate count(*). */
const CHECKED_TOTALS = 60

interface Loaded {
  version: string
  ids: string[]
  employer: { id: string; name: string }
  totals: Map<string, number>
}

/** Creates the handwritten server's indexes, and reads the database before a server uses it. */
async function inspect(target: { url: string } | { dataDir: string }, urls: readonly string[]): Promise<Loaded> {
  const database = await openDatabase(target)
  try {
    return await database.withClient(async (client) => {
      await createBaselineIndexes(client)
      const totals = new Map<string, number>()
      for (const url of urls) totals.set(url, await countExactly(client, url))
      const { rows: version } = await client.query("select current_setting('server_version') as version")
      const { rows: jobs } = await client.query('select id from job order by md5(id) limit 3000')
      const { rows: employers } = await client.query('select id, name from employer order by id limit 1')
      return { version: version[0].version, ids: jobs.map(({ id }) => id), employer: employers[0], totals }
    })
  } finally {
    await database.close()
  }
}

const lists = filteredLists(600)
const newest = searches(600)
const relevant = searches(600, 'relevance')
const everyNth = <T>(items: readonly T[], count: number) =>
  items.filter((_, index) => index % Math.ceil(items.length / count) === 0)
const checked = ['/v1/jobs', ...[lists, newest, relevant].flatMap((urls) => everyNth(urls, CHECKED_TOTALS))]

interface Case {
  name: string
  paths: readonly string[]
  bodies?: readonly string[]
  /** The case's requests come from candidates. Each candidate applies to a job only once. */
  by?: 'applicants'
}

const letter = JSON.stringify({ cover_letter: 'I have built battery packs for vans since 2015. '.repeat(12) })
const applicationPages = Array.from({ length: 10 }, (_, index) => `/v1/candidates/applications?page=${index + 1}`)

const casesOf = (ids: readonly string[]): Case[] => [
  { name: 'list, page 1', paths: ['/v1/jobs'] },
  { name: 'list, 1 to 3 filters', paths: lists },
  { name: 'search, newest first', paths: newest },
  { name: 'search, by relevance', paths: relevant },
  { name: 'one job', paths: ids.map((id) => `/v1/jobs/${id}`) },
  { name: 'create a job', paths: ['/v1/jobs'], bodies: newJobs(300, jobCount) },
  { name: 'apply', paths: ids.map((id) => `/v1/candidates/jobs/${id}/apply`), bodies: [letter], by: 'applicants' },
  { name: "a candidate's applications", paths: applicationPages, by: 'applicants' },
]

/** Number of candidates, which is large enough that none of them applies to the same job twice. */
const APPLICANTS = 20

/**
 * Registers candidates and returns the headers that identify them: API keys of one half for the service, and IDs of the
 * other half for the handwritten server.
 */
async function registerApplicants({ candidates }: JobMarketplace) {
  const headers: Record<'service' | 'baseline', Record<string, string>[]> = { service: [], baseline: [] }
  for (let index = 0; index < APPLICANTS; index++) {
    const profile = { first_name: 'Bench', last_name: 'Applicant', email: `a${index}.${Date.now()}@bench.example` }
    const { id, api_key } = await candidates.register(profile)
    if (index % 2 === 0) headers.service.push({ authorization: `Bearer ${api_key}` })
    else headers.baseline.push({ 'x-candidate-id': id })
  }
  return headers
}

/** Returns a function that creates requests, with each path once per candidate. */
function eachOnce(paths: readonly string[], body: string, applicants: readonly Record<string, string>[]) {
  let asked = 0
  return () => {
    const path = paths[asked % paths.length]!
    const applicant = applicants[Math.floor(asked++ / paths.length)]
    if (!applicant) throw new Error('Every candidate has applied to every job. Increase APPLICANTS.')
    return { path, body, headers: { ...applicant, 'content-type': 'application/json' } }
  }
}

/** Checks statuses and compares totals with count(*). Runs before the measurements. */
async function check(
  server: Server,
  headers: Record<string, string>,
  urls: readonly string[],
  loaded: Loaded,
): Promise<void> {
  for (const url of urls) {
    const response = await fetch(server.origin + url, { headers })
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
    const { data, meta } = (await response.json()) as {
      data: object[]
      meta: { pagination: { total: number }; search?: { matched_all: number } }
    }
    const { total } = meta.pagination
    // A search by relevance may also return jobs that match only some of its words.
    const matching = meta.search?.matched_all ?? total
    const expected = loaded.totals.get(url)
    if (expected !== undefined && matching !== expected) {
      throw new Error(`${url}: total ${matching}, count(*) ${expected}`)
    }
    if (data.length !== Math.min(total, 20)) throw new Error(`${url}: ${data.length} rows of ${total}`)
  }
}

interface Measured {
  name: string
  service: Figure
  baseline: Figure
  hello: Figure
}

async function measure({ name, paths, bodies = [] }: Case, servers: Record<keyof Omit<Measured, 'name'>, Target>) {
  const method = bodies.length > 0 ? ('POST' as const) : ('GET' as const)
  const targets = {
    service: { ...servers.service, method, paths, bodies },
    baseline: { ...servers.baseline, method, paths, bodies },
    hello: servers.hello,
  }
  const order = ['hello', 'baseline', 'service'] as const
  const samples = { service: [] as Sample[], baseline: [] as Sample[], hello: [] as Sample[] }
  for (const who of order) await load(targets[who], 2)
  // Measures the servers in both orders, so other load on the machine affects all of them.
  const rounds = seconds >= 4 ? 2 : 1
  for (let round = 0; round < rounds; round++) {
    for (const who of round % 2 === 0 ? order : order.toReversed()) {
      samples[who].push(await load(targets[who], seconds / rounds))
    }
  }
  return {
    name,
    service: figureOf(samples.service),
    baseline: figureOf(samples.baseline),
    hello: figureOf(samples.hello),
  } satisfies Measured
}

function table(measured: readonly Measured[]): string {
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  const rows = measured.map(({ name, service, baseline, hello }) =>
    [
      ...[name, whole(service.perSecond), service.p50.toFixed(1), service.p99.toFixed(1)],
      ...[(service.perSecond / hello.perSecond).toFixed(2), (service.perSecond / baseline.perSecond).toFixed(2)],
      ...[whole(hello.perSecond), whole(baseline.perSecond)],
      ...[baseline.p50.toFixed(1), baseline.p99.toFixed(1)],
    ].join(' | '),
  )
  return [
    '| case | requests/s | p50 ms | p99 ms | ratio to hello | ratio to handwritten | hello/s | handwritten/s | handwritten p50 | handwritten p99 |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}

/**
 * Measures the service and the baseline on the same data. `forService` and `forBaseline` are the environment variables
 * of the two servers.
 */
async function bench(
  target: { url: string } | { dataDir: string },
  forService: NodeJS.ProcessEnv,
  forBaseline: NodeJS.ProcessEnv,
  name: string,
) {
  const loaded = await inspect(target, checked)
  const service = await startServer(
    SERVE,
    // The rate limits would stop the load generator.
    { ...forService, ADMIN_API_KEY, RATE_LIMIT: 'off' },
    '/readyz',
  )
  const operator = new JobMarketplace({ baseUrl: service.origin, apiKey: ADMIN_API_KEY })
  const applicants = await registerApplicants(operator)
  const { id, name: company } = loaded.employer
  const baseline = await startServer(
    ['bench/baseline/server.ts'],
    { ...forBaseline, EMPLOYER_ID: id, EMPLOYER_NAME: company },
    '/v1/jobs?limit=1',
  )
  const hello = await startServer(['bench/baseline/hello.ts'], {}, '/')
  const person = { first_name: 'Bench', last_name: 'Reader', email: `reader.${Date.now()}@bench.example` }
  const { api_key: readerKey } = await operator.candidates.register(person)
  const board = { name: 'Bench Motors', email: `owner.${Date.now()}@bench.example` }
  const { api_key: ownerKey } = await operator.employers.register(board)
  await check(service, { authorization: `Bearer ${readerKey}` }, [...lists, ...newest, ...relevant, ...checked], loaded)
  // The handwritten server does not know that `CA` alone also means Canada.
  const isAmbiguous = (url: string) => new URL(url, 'http://x').searchParams.get('location') === 'CA'
  await check(
    baseline,
    {},
    checked.filter((url) => !isAmbiguous(url)),
    loaded,
  )

  const bare = { headers: {}, method: 'GET', paths: ['/'], bodies: [] } as const
  const json = { 'content-type': 'application/json' }
  const measured: Measured[] = []
  // Concurrent writes invalidate cached totals, so they happen only with --writes.
  const bodies = newJobs(50, 2 * jobCount)
  const written = ['url' in target ? [service] : [service, baseline]].flat()
  const headersOfWrites = { ...json, authorization: `Bearer ${ownerKey}` }
  let wrote = 0
  const write = async ({ origin }: Server) => {
    const body = bodies[wrote++ % bodies.length]!
    const { status } = await fetch(`${origin}/v1/jobs`, { method: 'POST', headers: headersOfWrites, body })
    if (status !== 201) throw new Error(`A concurrent write returned ${status}`)
  }
  const writing = writes > 0 ? setInterval(() => written.forEach(write), 1000 / writes) : undefined
  // With the embedded database, the handwritten server uses a copy of the jobs, without the candidates.
  const isPossible = ({ by }: Case) => by === undefined || 'url' in target
  for (const one of casesOf(loaded.ids).filter((one) => isPossible(one) && one.name.includes(options.only))) {
    if (one.bodies) clearInterval(writing)
    const key = one.bodies ? ownerKey : readerKey
    const sent = one.bodies ? json : {}
    const as = (who: 'service' | 'baseline', headers: Record<string, string>) => {
      if (one.by === undefined) return { headers }
      const next = one.bodies && eachOnce(one.paths, one.bodies[0]!, applicants[who])
      return { headers: applicants[who][0]!, next }
    }
    measured.push(
      await measure(one, {
        hello: { ...bare, origin: hello.origin },
        baseline: { ...bare, origin: baseline.origin, ...as('baseline', sent) },
        service: { ...bare, origin: service.origin, ...as('service', { ...sent, authorization: `Bearer ${key}` }) },
      }),
    )
  }
  clearInterval(writing)
  for (const server of [service, baseline, hello]) await server.stop()
  const beside = writes > 0 ? `, ${writes} new jobs per second during reads` : ''
  console.log(`\n### ${name} ${loaded.version}, ${jobCount.toLocaleString('en')} jobs${beside}\n\n${table(measured)}\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'job-bench-'))
let stopPostgres = () => {}
try {
  const cpu = cpus()
  console.log(`${cpu.length} × ${cpu[0]?.model.trim()}, Node ${process.version}, ${CONNECTIONS} connections`)
  const file = join(folder, 'jobs.ndjson')
  writeFileSync(file, '')
  for (const piece of jobLines(jobCount)) writeFileSync(file, piece, { flag: 'a' })

  if (options.database !== 'pglite') {
    const given = process.env.BENCH_DATABASE_URL
    const server = given ? { url: given, stop: () => {} } : await startPostgres(join(folder, 'postgres'))
    if ('missing' in server) {
      if (options.database === 'pg') throw new Error(server.missing)
      console.log(`PostgreSQL skipped: ${server.missing}`)
    } else {
      stopPostgres = server.stop
      // Creates a separate database and drops it afterward.
      const name = `job_bench_${process.pid}`
      const admin = new pg.Client({ connectionString: server.url })
      await admin.connect()
      await admin.query(`create database ${name}`)
      try {
        const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href
        runCli(['import', 'jobs', file], { DATABASE_URL: url })
        await bench({ url }, { DATABASE_URL: url }, { DATABASE_URL: url }, 'PostgreSQL')
      } finally {
        killServers()
        await admin.query(`drop database ${name} with (force)`)
        await admin.end()
      }
    }
  }
  if (options.database !== 'pg') {
    // PGlite runs inside the server's process, so the handwritten server uses the same driver on a copy of the folder.
    const ours = join(folder, 'pglite')
    const copy = join(folder, 'pglite-copy')
    runCli(['import', 'jobs', file], { DATA_DIR: ours })
    await inspect({ dataDir: join(ours, 'db') }, [])
    cpSync(ours, copy, { recursive: true })
    await bench({ dataDir: join(ours, 'db') }, { DATA_DIR: ours }, { DATA_DIR: copy }, 'PGlite')
  }
} finally {
  killServers()
  stopPostgres()
  rmSync(folder, { recursive: true, force: true })
}
