/**
 * `node bench/migrations.ts [--previous FOLDER] [--jobs 200000] [FILE…]`: applies migrations to a loaded board while
 * the previous release serves it under load. FOLDER contains that release with its packages; default: this release.
 * FILE defaults to the migrations that the previous release lacks. Exits with code 1 if a request fails or takes longer
 * than a second. Migrates the loaded database at BENCH_DATABASE_URL or, without that variable, a database on its own
 * PostgreSQL server.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { serviceFlags } from '../bin/launch.js'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { listMigrations } from '../src/db/migration-file.ts'
import { bounded, breaches, call, employer, row } from './acknowledged.ts'
import { withLoadedBoard } from './loaded-board.ts'
import { randomFrom, vocabulary } from './make-jobs.ts'
import { startServer } from './processes.ts'

const { values: options, positionals } = parseArgs({
  options: { previous: { type: 'string', default: '.' }, jobs: { type: 'string', default: '200000' } },
  allowPositionals: true,
})
const previous = resolve(options.previous)
const cli = join(previous, 'src/main/cli.ts')
const CLIENTS = 8
/**
 * Pause between a client's requests, in milliseconds. In total, the clients send about a hundred requests per second.
 */
const PAUSE_MS = 60
const SETTLE_MS = 3_000
const LONGEST_MS = 1_000

/**
 * Clients that create, change and read jobs, each client one job at a time. Records the longest request since the last
 * `take`.
 */
class Requests {
  count = 0
  #longest = { ms: 0, what: '' }
  readonly #failed = new Map<string, number>()
  readonly #random = randomFrom(5)
  readonly #starts = new Set<number>()
  #isOver = false
  #clients: Promise<void>[] = []

  start(origin: string, key: string): void {
    const client = async (name: number) => {
      for (let n = 0; !this.#isOver; n++) {
        const job = {
          title: `Bench ${name} ${n}`,
          description: 'x',
          location: 'Leipzig',
          category: 'rail',
          type: 'full-time',
        }
        const { data } = await this.#ask(origin, 'POST', '/jobs', key, job)
        if (!data?.id) continue
        await this.#ask(origin, 'PUT', `/jobs/${data.id}`, key, { title: `Changed ${name} ${n}` })
        await this.#ask(origin, 'POST', `/jobs/${data.id}/activate`, key)
        await this.#ask(origin, 'GET', '/employers/jobs?sort=title', key)
        await this.#ask(origin, 'GET', `/jobs?search=${this.#random.pick(vocabulary.nouns)}`, key)
        await this.#ask(origin, 'GET', `/jobs/${data.id}`, key)
      }
    }
    this.#clients = Array.from({ length: CLIENTS }, (_, name) => client(name))
  }

  async #ask(origin: string, method: string, path: string, key: string, body?: object) {
    await pause(PAUSE_MS)
    const start = performance.now()
    this.#starts.add(start)
    const answer = await call(origin, method, path, key, body).catch(() => ({
      status: 0,
      data: {} as Record<string, string>,
    }))
    this.#starts.delete(start)
    this.count++
    const ms = Math.round(performance.now() - start)
    const what = `${method} ${path.replace(/job_\w+/, ':id').replace(/=.*/, '=')}: ${answer.status}`
    if (ms > this.#longest.ms) this.#longest = { ms, what }
    if (answer.status >= 400 || answer.status === 0) this.#failed.set(what, (this.#failed.get(what) ?? 0) + 1)
    return answer
  }

  /** Waits for the current requests. Returns the number of requests and the longest request since the last call. */
  async take(): Promise<{ count: number; longest: { ms: number; what: string } }> {
    const until = performance.now()
    while ([...this.#starts].some((start) => start < until)) await pause(5)
    const taken = { count: this.count, longest: this.#longest }
    this.count = 0
    this.#longest = { ms: 0, what: '' }
    return taken
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
    for (const [fault, times] of this.#failed) breaches.push(`${fault}, ${times} times`)
  }
}

async function run(url: string, work: string): Promise<void> {
  const known = await listMigrations(pathToFileURL(`${previous}/migrations/`))
  const here = await listMigrations()
  const files =
    positionals.length > 0
      ? positionals
      : here.filter((name) => !known.includes(name)).map((name) => join('migrations', name))
  if (files.length === 0) throw new Error('No migrations to apply. Set --previous FOLDER, or list migration files.')
  const folder = join(work, 'migrations')
  mkdirSync(folder)
  for (const file of [...known.map((name) => join(previous, 'migrations', name)), ...files])
    copyFileSync(file, join(folder, basename(file)))

  const environment = { DATABASE_URL: url, DATA_DIR: work, LOG_LEVEL: 'fatal', PAYMENTS: 'free' }
  const server = await startServer([...serviceFlags, cli, 'serve'], environment, '/readyz')
  const database = await openDatabase({ url, poolSize: 1 })
  const requests = new Requests()
  requests.start(server.origin, await employer(server.origin))
  await pause(SETTLE_MS)
  await requests.take()
  await pause(SETTLE_MS)
  const before = await requests.take()
  row('without a migration: requests, longest', `${before.count}, ${before.longest.ms} ms`)
  for (const name of files.map((file) => basename(file))) {
    const start = performance.now()
    await migrate(database, { folder: pathToFileURL(`${folder}/`), only: [...known, name], onBlocked: console.log })
    const seconds = ((performance.now() - start) / 1_000).toFixed(1)
    const { count, longest } = await requests.take()
    row(`${name}: seconds, requests`, `${seconds}, ${count}`)
    bounded(`${name}: ${longest.what}`, longest.ms, LONGEST_MS, ' ms')
  }
  await requests.stop()
  await database.close()
  await server.stop()
}

const work = mkdtempSync(join(tmpdir(), 'job-migrations-'))
try {
  await withLoadedBoard(Number(options.jobs), process.env.BENCH_DATABASE_URL, (url) => run(url, work), cli)
} finally {
  rmSync(work, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
