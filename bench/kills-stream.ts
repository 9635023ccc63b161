/**
 * `node bench/kills-stream.ts [--url postgres://…] [--seconds 180] [--every 5]`: runs two processes of the service.
 * While eight clients write jobs and slow transactions commit up to 20 seconds late, readers follow the event stream.
 * Every few seconds, kills a process of the service and, half an interval later, all readers with SIGKILL, and restarts
 * them. Exits with code 1 if a reader missed an event, received the events of a job in a different order than the
 * changes, or received an event again that it had finished before a kill.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { JobMarketplace, JobMarketplaceError } from '../packages/client/src/index.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { appendEvent } from '../src/events/outbox.ts'
import { sampleEvent } from '../src/events/samples.ts'
import { bounded, breaches, employer, row } from './acknowledged.ts'
import { freePort, killServers, type Process, SERVE, startPostgres, startProcess, startServer } from './processes.ts'
import type { Line } from './stream-reader.ts'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    seconds: { type: 'string', default: '180' },
    every: { type: 'string', default: '5' },
  },
})
const seconds = Number(options.seconds)
const everyMs = Number(options.every) * 1_000
const WRITERS = 8
const SLOW_WRITERS = 2
/** Maximum duration of a slow transaction and of the pause after it, in milliseconds. */
const SLOW_MS = 20_000
const SLOW_PAUSE_MS = 20_000
/** Number of jobs that all writers change, and the number of these that slow transactions also change. */
const JOBS = { all: 32, slow: 4 }
/** Share of the updates that change a job of the slow transactions. These updates often wait for a lock. */
const CONTENDED = 0.02
const TIMEOUT_MS = 10_000
/** Maximum time until the readers have received everything after the last kill, in milliseconds. */
const DRAIN_MS = 120_000
const ADMIN_API_KEY = 'bench-operator-key-0123456789'

const newJob = (title: string) => ({
  ...{ title, description: 'x', location: 'Leipzig', category: 'software', type: 'full-time' },
})
const newTitle = () => `Welder ${crypto.randomUUID()}`
const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!

/** Clients that write jobs, each request through a random process. */
class Writers {
  done = 0
  failed = 0
  slow = 0
  readonly #boards: JobMarketplace[]
  readonly #jobs: readonly string[]
  readonly #database: Database
  #isOver = false
  #clients: Promise<void>[] = []

  constructor(boards: JobMarketplace[], jobs: readonly string[], database: Database) {
    this.#boards = boards
    this.#jobs = jobs
    this.#database = database
  }

  start(): void {
    const clients = Array.from({ length: WRITERS }, () => this.#run())
    this.#clients = [...clients, ...Array.from({ length: SLOW_WRITERS }, () => this.#runSlowly())]
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  /** Abandons a job if the process is killed, because the outcome is unknown. */
  async #run(): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const { jobs } = pick(this.#boards)
      const shared = pick(Math.random() < CONTENDED ? this.#jobs.slice(0, JOBS.slow) : this.#jobs.slice(JOBS.slow))
      try {
        if (n % 4 > 0) await jobs.update(shared, { title: newTitle() })
        else {
          const { id } = await jobs.create(newJob(newTitle()))
          await jobs.activate(id)
          await jobs.update(id, { title: newTitle() })
          await (n % 8 === 0 ? jobs.close(id) : jobs.delete(id))
        }
        this.done++
      } catch (error) {
        if (!(error instanceof JobMarketplaceError) || (error.status ?? 503) < 500) throw error
        this.failed++
        await pause(100)
      }
    }
  }

  /** Changes jobs in transactions that are open for up to 20 seconds, with the change at a random moment. */
  async #runSlowly(): Promise<void> {
    while (!this.#isOver) {
      const [beforeMs, slowMs] = [Math.random(), Math.random()].map((share) => share * SLOW_MS).sort((a, b) => a - b)
      await this.#database.inTx(async (tx) => {
        // Assigns an ID to the transaction, so that the horizon waits for it.
        await sql`select pg_current_xact_id()`.execute(tx)
        await pause(beforeMs)
        const { id, title, employer_id } = await tx
          .selectFrom('job')
          .select(['id', 'title', 'employer_id'])
          .where('id', '=', pick(this.#jobs.slice(0, JOBS.slow)))
          .forUpdate()
          .executeTakeFirstOrThrow()
        const job = { ...sampleEvent('job.created').data.job, id, employer_id, title: newTitle() }
        await tx.updateTable('job').set({ title: job.title }).where('id', '=', id).execute()
        const data = { job, changed_fields: ['title'], previous: { title } }
        await appendEvent(tx, { type: 'job.updated', subjectId: id, employerId: employer_id, at: new Date(), data })
        await pause(slowMs! - beforeMs!)
      })
      this.slow++
      await pause(Math.random() * SLOW_PAUSE_MS)
    }
  }
}

const linesOf = (log: string) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)

/** Compares what a reader received with the events in the database. */
function check(name: string, log: string, expected: ReadonlySet<string>): void {
  const received = new Set<string>()
  /** Events since the last iterator, and interrupted events that may arrive again. */
  let current: string[] = []
  const interrupted = new Set<string>()
  const titles = new Map<string, string | undefined>()
  const ages: number[] = []
  let [again, wronglyAgain, outOfOrder] = [0, 0, 0]
  for (const line of linesOf(log)) {
    if (line[0] === 'next') current = []
    else if (line[0] === 'start') for (const id of current) interrupted.add(id)
    else {
      const [, id, ageMs, type, subject, title, previous] = line
      current.push(id)
      if (received.has(id)) {
        again++
        if (!interrupted.delete(id)) wronglyAgain++
        continue
      }
      received.add(id)
      ages.push(ageMs)
      if (!subject) continue
      // Each title is unique, so the titles of a job show the order of its changes.
      const isNext = type === 'job.created' ? !titles.has(subject) : titles.get(subject) === (previous ?? title)
      if (!isNext) outOfOrder++
      titles.set(subject, type === 'job.deleted' ? undefined : title)
    }
  }
  ages.sort((a, b) => a - b)
  const [median, oldest] = [ages[Math.floor(ages.length / 2)], ages.at(-1)].map((ms) => `${(ms! / 1_000).toFixed(1)} s`)
  row(`${name}: events received`, received.size)
  row(`${name}: age when received, median and maximum`, `${median}, ${oldest}`)
  bounded(`${name}: missed`, expected.difference(received).size, 0)
  bounded(`${name}: received but not in the database`, received.difference(expected).size, 0)
  bounded(`${name}: out of order for a job`, outOfOrder, 0)
  row(`${name}: received again`, again)
  bounded(`${name}: received again but not in progress at a kill`, wronglyAgain, 0)
}

/** A reader that continues where the previous process was killed. */
class Reader {
  readonly log: string
  readonly #environment: NodeJS.ProcessEnv
  #process: Process | undefined

  constructor(log: string, iterator: string, environment: NodeJS.ProcessEnv) {
    this.log = log
    this.#environment = { ...environment, LOG: log }
    const first: Line = ['next', iterator]
    writeFileSync(log, `${JSON.stringify(first)}\n`)
  }

  start(origin: string): void {
    this.#process = startProcess(['bench/stream-reader.ts'], { ...this.#environment, BOARD: origin })
  }

  async kill(): Promise<void> {
    const end = await this.#process!.signal('SIGKILL')
    if (end !== 'SIGKILL') breaches.push(`a reader ended by itself: ${end}`)
  }
}

async function run(url: string, folder: string): Promise<void> {
  const environment = { DATABASE_URL: url, DATA_DIR: folder, ADMIN_API_KEY, LOG_LEVEL: 'fatal', PAYMENTS: 'free' }
  const ports = [await freePort(), await freePort()]
  const serve = (port: number) => startServer(SERVE, environment, '/readyz', port)
  /** The processes of the service, which may still be starting. */
  const services = [Promise.resolve(await serve(ports[0]!)), Promise.resolve(await serve(ports[1]!))]
  const origins = (await Promise.all(services)).map(({ origin }) => origin)
  const database = await openDatabase({ url, poolSize: SLOW_WRITERS + 1 })
  const eventsAfter = async (position: number) =>
    await database.read((db) => db.selectFrom('event_position').selectAll().where('position', '>', position).execute())
  const begun = Math.max(0, ...(await eventsAfter(0)).map(({ position }) => Number(position)))
  const operator = new JobMarketplace({ baseUrl: origins[0]!, apiKey: ADMIN_API_KEY })
  const { next } = (await operator.events.poll({ after: 'now' })).meta

  const apiKey = await employer(origins[0]!)
  const boards = origins.map((baseUrl) => new JobMarketplace({ baseUrl, apiKey, retries: 0, timeoutMs: TIMEOUT_MS }))
  const jobs: string[] = []
  for (let n = 0; n < JOBS.all; n++) jobs.push((await boards[0]!.jobs.create(newJob(newTitle()))).id)
  const readers = Object.entries({ operator: ADMIN_API_KEY, employer: apiKey }).flatMap(([kind, API_KEY]) =>
    ['stream', 'poll'].map((WAY) => ({
      ...{ kind, way: WAY },
      reader: new Reader(join(folder, `${kind}-${WAY}`), next, { API_KEY, WAY }),
    })),
  )
  for (const { reader } of readers) reader.start(origins[0]!)
  const writers = new Writers(boards, jobs, database)
  writers.start()

  const kills = { service: 0, readers: 0 }
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    await pause(everyMs / 2)
    const n = kills.service++ % services.length
    await (await services[n]!).signal('SIGKILL')
    services[n] = serve(ports[n]!)
    await pause(everyMs / 2)
    kills.readers++
    for (const { reader } of readers) {
      await reader.kill()
      reader.start(pick(origins))
    }
  }
  await Promise.all(services)
  await writers.stop()
  row('kills of the service, and of all readers', `${kills.service}, ${kills.readers}`)
  row('series of writes: finished, interrupted', `${writers.done}, ${writers.failed}`)
  row('slow transactions', writers.slow)

  const events = await eventsAfter(begun)
  const employerId = events.find(({ employer_id }) => employer_id !== null)!.employer_id
  const all = new Set(events.map(({ event_id }) => event_id))
  const own = new Set(events.filter(({ employer_id }) => employer_id === employerId).map(({ event_id }) => event_id))
  row('events', events.length)
  const stoppedAt = performance.now()
  const countOf = ({ log }: Reader) => new Set(linesOf(log).map(([kind, id]) => kind === 'event' && id)).size
  while (
    performance.now() - stoppedAt < DRAIN_MS &&
    readers.some(({ reader, kind }) => countOf(reader) - 1 < (kind === 'operator' ? all : own).size)
  )
    await pause(500)
  row('time until the readers had received all events', `${((performance.now() - stoppedAt) / 1_000).toFixed(1)} s`)
  for (const { reader, kind, way } of readers) {
    await reader.kill()
    check(`${kind}, ${way}`, reader.log, kind === 'operator' ? all : own)
  }
  await database.close()
  for (const service of services) await (await service).stop()
}

const folder = mkdtempSync(join(tmpdir(), 'kills-stream-'))
let stopPostgres = () => {}
try {
  let { url } = options
  if (url === undefined) {
    const postgres = await startPostgres(join(folder, 'postgres'))
    if ('missing' in postgres) throw new Error(postgres.missing)
    ;({ url, stop: stopPostgres } = postgres)
  }
  await run(url, folder)
} finally {
  killServers()
  stopPostgres()
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
