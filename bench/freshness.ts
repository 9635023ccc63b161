/**
 * `node bench/freshness.ts [--engine opensearch] [--jobs 20000] [--rate 200] [--seconds 60] [--url postgres://…]`:
 * changes jobs at a constant rate, and measures how long another process takes to list a new job, and the age of the
 * OpenSearch index. Starts two web processes and a worker. Exits with code 1 if the process that created a job does not
 * list it immediately, or if the age of the index exceeds 3 s in more than one of a hundred samples.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { JobMarketplace } from '../packages/client/src/index.ts'
import { bounded, breaches, row } from './acknowledged.ts'
import { withLoadedBoard } from './loaded-board.ts'
import { SERVE, startServer } from './processes.ts'
import { startSearch } from './searched.ts'

const { values: options } = parseArgs({
  options: {
    engine: { type: 'string', default: 'memory' },
    jobs: { type: 'string', default: '20000' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    /** A loaded database, to which the benchmark adds jobs. */
    url: { type: 'string' },
  },
})
const rate = Number(options.rate)
const durationMs = Number(options.seconds) * 1_000
const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const CONNECTIONS = 4
const POLL_MS = 10
const AGE_EVERY_MS = 200
const AGE_MAX_MS = 3_000

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

function show(name: string, values: readonly number[]): void {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => Math.round(quantile(values, share)))
  row(`${name}: p50, p99, maximum of ${values.length}`, `${p50}, ${p99}, ${most} ms`)
}

/** Changes jobs at the rate in `--rate` until `end`, each in a separate transaction. Returns the number of changes. */
async function change(url: string, end: number): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
  )
  const { rows } = await clients[0]!.query<{ id: string }>("select id from job where state = 'active' limit 20000")
  const startedAt = performance.now()
  let changes = 0
  const work = async (client: pg.Client) => {
    while (performance.now() < end) {
      const { id } = rows[(changes * 7_919) % rows.length]!
      const ahead = (changes++ / rate) * 1_000 - (performance.now() - startedAt)
      if (ahead > 0) await pause(ahead)
      await client.query('update job set application_count = application_count + 1 where id = $1', [id])
    }
  }
  await Promise.all(clients.map(work))
  await Promise.all(clients.map((client) => client.end()))
  return changes
}

async function run(url: string): Promise<void> {
  const environment = { DATABASE_URL: url, LOG_LEVEL: 'fatal', PAYMENTS: 'free', ADMIN_API_KEY }
  const search = options.engine === 'opensearch' ? await startSearch(environment) : undefined
  try {
    const settings = { ...environment, ...search?.settings }
    const startWeb = () => startServer([...SERVE, '--only', 'http'], settings, '/readyz')
    const [one, other] = [await startWeb(), await startWeb()]
    const worker = await startServer([...SERVE, '--only', 'work'], settings, '/readyz')
    const as = (baseUrl: string, apiKey: string) => new JobMarketplace({ baseUrl, apiKey })
    const owner = { name: 'Bench Motors', email: `owner.${Date.now()}@bench.example` }
    const key = (await as(one.origin, ADMIN_API_KEY).employers.register(owner)).api_key!
    const [mine, theirs] = [as(one.origin, key), as(other.origin, key)]
    const isListed = async ({ jobs }: JobMarketplace, word: string) =>
      (await jobs.list({ search: word, limit: 1 })).data.length === 1

    const end = performance.now() + durationMs
    const changing = change(url, end)
    const ages: number[] = []
    const measuring = (async () => {
      while (search && performance.now() < end) {
        const headers = { authorization: `Bearer ${ADMIN_API_KEY}` }
        const metrics = await (await fetch(`${worker.origin}/metrics`, { headers })).text()
        ages.push(Number(/^search_index_age_seconds (.*)$/m.exec(metrics)![1]) * 1_000)
        await pause(AGE_EVERY_MS)
      }
    })()
    const own: number[] = []
    const others: number[] = []
    let missing = 0
    for (let n = 0; performance.now() < end; n++) {
      const word = `fresh${n}x${Date.now()}`
      const job = { title: `Welder ${word}`, description: 'x', location: 'Leipzig' }
      const { id } = await mine.jobs.create({ ...job, category: 'software', type: 'full-time' })
      await mine.jobs.activate(id)
      const createdAt = performance.now()
      const elsewhere = async () => {
        while (!(await isListed(theirs, word))) await pause(POLL_MS)
        others.push(performance.now() - createdAt)
      }
      const here = async () => {
        if (!(await isListed(mine, word))) missing++
        own.push(performance.now() - createdAt)
      }
      await Promise.all([here(), elsewhere()])
      await pause(100)
    }
    await measuring
    row('changes per second', Math.round((await changing) / Number(options.seconds)))
    show('list of the process that created a job', own)
    bounded('own jobs missing in that list', missing, 0)
    show('until another process lists it, including its response', others)
    if (search) {
      show('age of the index', ages)
      bounded('99th percentile of the age of the index', Math.round(quantile(ages, 0.99)), AGE_MAX_MS, ' ms')
    }
    for (const server of [one, other, worker]) await server.stop()
  } finally {
    await search?.engine.stopAll()
  }
}

await withLoadedBoard(Number(options.jobs), options.url, run)
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
