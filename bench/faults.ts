/**
 * `node bench/faults.ts [--only NAME,…] [--seconds 4] [--previous FOLDER]`: makes the service's dependencies fail while
 * clients create jobs, and prints figures. Every acknowledged job must exist afterward, and no response may be 500.
 * Exits with code 1 if a guarantee is violated. Starts its own PostgreSQL server. Simulates a full disk with a small
 * tmpfs, which requires root.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { bounded, breaches, call, employer, Load, PATIENCE_MS, row, titles } from './acknowledged.ts'
import {
  killServers,
  type Postgres,
  SERVE,
  type Server,
  startPostgres,
  startProcess,
  startServer,
} from './processes.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    /** Seconds of load before and after each fault. */
    seconds: { type: 'string', default: '4' },
    /** Folder of the earlier release that the upgrade starts from, with its packages installed. */
    previous: { type: 'string' },
  },
})
const loadMs = Number(options.seconds) * 1_000
/**
 * Amounts of space that the runs leave free on the disk, in MiB. Each is too small for the embedded database's first or
 * second log file.
 */
const KEEP_FREE_MIB = [2, 10, 20]

const serve = (environment: NodeJS.ProcessEnv) =>
  startServer(SERVE, { LOG_LEVEL: 'fatal', RATE_LIMIT: 'off', ...environment }, '/readyz')

const probe = (server: Server, path: string) =>
  fetch(server.origin + path, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    ({ status }) => status,
    () => 0,
  )

interface Place {
  folder: string
  postgres: Postgres
  /** Creates a separate database on `postgres`. */
  createDatabase(): Promise<string>
}

const scenarios: Record<string, (place: Place) => Promise<void>> = {
  async 'database unavailable at startup'({ folder }) {
    const process = startProcess(SERVE, {
      DATABASE_URL: 'postgres://bench@127.0.0.1:1/none',
      DATA_DIR: folder,
      LOG_LEVEL: 'fatal',
    })
    const start = performance.now()
    row('exit code', String(await process.ended))
    row('time until the exit', `${Math.round(performance.now() - start)} ms`)
  },

  async 'database unavailable for a while'({ folder, postgres, createDatabase }) {
    const server = await serve({ DATABASE_URL: await createDatabase(), DATA_DIR: folder })
    const key = await employer(server.origin)
    const load = new Load()
    load.start(() => server.origin, key, 'away')
    await pause(loadMs)
    const goneAt = performance.now()
    await postgres.halt()
    await pause(loadMs)
    const statuses = [await probe(server, '/healthz'), await probe(server, '/readyz')]
    row('/healthz and /readyz during the outage', statuses.join(', '))
    if (statuses.join() !== '200,200') breaches.push(`/healthz and /readyz returned ${statuses} without a database`)
    const took: number[] = []
    for (let n = 0; n < 200; n++) {
      const askedAt = performance.now()
      const { status } = await call(server.origin, 'GET', '/jobs', key)
      if (status !== 200) breaches.push(`a list returned ${status} without a database`)
      took.push(performance.now() - askedAt)
    }
    bounded('slowest of 200 lists during the outage', Math.round(Math.max(...took)), 250, ' ms')
    await postgres.resume()
    const backAt = performance.now()
    while (load.lastGoodAt < backAt && performance.now() - backAt < PATIENCE_MS) await pause(5)
    bounded(
      'from the end of the outage to the next acknowledged POST',
      Math.round(load.lastGoodAt - backAt),
      5_000,
      ' ms',
    )
    row('duration of the outage', `${Math.round(backAt - goneAt)} ms`)
    await pause(loadMs)
    await load.stop()
    load.report(await titles(server.origin, key))
    row('exit code after SIGTERM', String(await server.stop()))
  },

  async 'every connection in use'({ folder, createDatabase }) {
    const url = await createDatabase()
    const server = await serve({ DATABASE_URL: url, DATA_DIR: folder, DATABASE_POOL_SIZE: '2' })
    const key = await employer(server.origin)
    const load = new Load()
    load.start(() => server.origin, key, 'taken')
    await pause(loadMs)
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin; lock table job in access exclusive mode')
    // Waits longer than a request waits for a connection and then for the lock.
    await pause(18_000)
    const askedAt = performance.now()
    row(
      '/healthz and /readyz during the lock',
      [await probe(server, '/healthz'), await probe(server, '/readyz')].join(', '),
    )
    bounded('both responded within', Math.round(performance.now() - askedAt), 3_000, ' ms')
    const refused = load.outcomes.get('503') ?? 0
    row('responses with status 503 during the lock', refused)
    if (refused === 0) breaches.push('no request received 503 during the lock')
    await holder.query('commit')
    const backAt = performance.now()
    while (load.lastGoodAt < backAt) await pause(5)
    bounded('from the release to the next acknowledged POST', Math.round(load.lastGoodAt - backAt), 2_000, ' ms')
    await holder.end()
    await load.stop()
    load.report(await titles(server.origin, key), 16_000)
    await server.stop()
  },

  'SIGTERM under load, PostgreSQL': async ({ folder, createDatabase }) =>
    endUnderLoad('SIGTERM', { DATABASE_URL: await createDatabase(), DATA_DIR: folder }),
  'SIGTERM under load, embedded': ({ folder }) => endUnderLoad('SIGTERM', { DATA_DIR: join(folder, 'sigterm') }),
  'SIGKILL under load, PostgreSQL': async ({ folder, createDatabase }) =>
    endUnderLoad('SIGKILL', { DATABASE_URL: await createDatabase(), DATA_DIR: folder }),
  'SIGKILL under load, embedded': ({ folder }) => endUnderLoad('SIGKILL', { DATA_DIR: join(folder, 'sigkill') }),

  async 'migrations by two processes at once'({ folder, createDatabase }) {
    const environment = { DATABASE_URL: await createDatabase(), DATA_DIR: folder }
    const both = [1, 2].map(() => startProcess(['src/main/cli.ts', 'migrate'], environment).ended)
    const exits = await Promise.all(both)
    row('exit codes', exits.join(', '))
    if (exits.join() !== '0,0') breaches.push('a concurrent migrate failed')
  },

  async 'rolling upgrade'({ folder, createDatabase }) {
    if (options.previous === undefined) return row('skipped', 'requires --previous')
    const environment = {
      LOG_LEVEL: 'fatal',
      RATE_LIMIT: 'off',
      DATABASE_URL: await createDatabase(),
      DATA_DIR: folder,
    }
    const before = await startServer([join(options.previous, 'src/main/cli.ts'), 'serve'], environment, '/readyz')
    const key = await employer(before.origin)
    const load = new Load()
    let servers = [before]
    let turn = 0
    load.start(() => servers[turn++ % servers.length]!.origin, key, 'rolling')
    await pause(loadMs)
    const after = await serve(environment)
    const migrated = load.acknowledged.size
    servers = [before, after]
    await pause(loadMs)
    // Like a proxy, sends no new requests to the process that is about to stop.
    servers = [after]
    row('exit code of the previous release', String(await before.stop()))
    await pause(loadMs)
    await load.stop()
    row('acknowledged before and after the upgrade', `${migrated}, ${load.acknowledged.size - migrated}`)
    load.report(await titles(after.origin, key))
    bounded('not acknowledged', load.sent.size - load.acknowledged.size, 0)
    await after.stop()
  },

  async 'clock of a process'({ folder, createDatabase }) {
    const clock = fakeClock(join(folder, 'clock-of-process'))
    if (!clock) return
    const environment = { DATABASE_URL: await createDatabase(), DATA_DIR: folder }
    const servers = [await serve(environment), await serve({ ...environment, ...clock.environment })]
    await stepUnderLoad(servers, clock, environment.DATABASE_URL)
  },
  async 'clock of PostgreSQL'({ folder }) {
    const clock = fakeClock(join(folder, 'clock-of-postgres'))
    if (!clock) return
    Object.assign(process.env, clock.environment)
    const own = await startPostgres(join(folder, 'stepping'))
    for (const name of Object.keys(clock.environment)) delete process.env[name]
    if ('missing' in own) throw new Error(own.missing)
    try {
      const environment = { DATABASE_URL: own.url, DATA_DIR: folder }
      await stepUnderLoad([await serve(environment), await serve(environment)], clock)
    } finally {
      own.stop()
    }
  },

  async 'disk full, PostgreSQL'({ folder }) {
    await onSmallDisk(join(folder, 'small'), 320, async (disk) => {
      const postgres = await startPostgres(join(disk, 'postgres'))
      if ('missing' in postgres) throw new Error(postgres.missing)
      try {
        await fillUnderLoad({ DATABASE_URL: postgres.url, DATA_DIR: folder }, disk, 2)
      } finally {
        postgres.stop()
      }
    })
  },
  async 'disk full, embedded'({ folder }) {
    for (const keepMib of KEEP_FREE_MIB) {
      row('free disk space', `${keepMib} MiB`)
      await onSmallDisk(join(folder, `tiny-${keepMib}`), 320, (disk) =>
        fillUnderLoad({ DATA_DIR: join(disk, 'data') }, disk, keepMib),
      )
    }
  },
}

interface FakeClock {
  /**
   * Environment variables for processes that use this clock. They do not affect the monotonic clock of these processes.
   */
  environment: Record<string, string>
  set(hours: number): void
}

/** Returns a wall clock that can jump. Requires the Debian package faketime. */
function fakeClock(file: string): FakeClock | undefined {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (library === undefined) {
    row('skipped', 'requires the package faketime')
    return undefined
  }
  const set = (hours: number) => writeFileSync(file, `${hours < 0 ? '' : '+'}${hours}h`)
  set(0)
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { environment, set }
}

/** Creates jobs on all servers while the clock jumps five hours ahead and back, then five hours behind and back. */
async function stepUnderLoad(servers: Server[], clock: FakeClock, url?: string): Promise<void> {
  const key = await employer(servers[0]!.origin)
  const load = new Load()
  let turn = 0
  load.start(() => servers[turn++ % servers.length]!.origin, key, 'clock', true)
  for (const hours of [0, 5, 0, -5, 0]) {
    clock.set(hours)
    await pause(Math.max(loadMs, 6_000))
    const ready = await Promise.all(servers.map((server) => probe(server, '/readyz')))
    row(`${hours} h: acknowledged so far, /readyz`, `${load.acknowledged.size}, ${ready}`)
    if (ready.some((status) => status !== 200))
      breaches.push(`/readyz returned ${ready} while the clock was off by ${hours} h`)
  }
  await load.stop()
  load.report(await titles(servers[0]!.origin, key), 5_000)
  if (url !== undefined) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ wrong: string }>(
      "select count(*) as wrong from job where created_at not between now() - interval '1 hour' and now() + interval '2 seconds'",
    )
    await client.end()
    bounded('jobs with a wrong time', Number(rows[0]!.wrong), 0)
  }
  row('exit codes', (await Promise.all(servers.map((server) => server.stop()))).join(', '))
}

/** Stops the service under load three times, restarts it each time, and checks the acknowledged jobs. */
async function endUnderLoad(signal: 'SIGTERM' | 'SIGKILL', environment: NodeJS.ProcessEnv): Promise<void> {
  let server = await serve(environment)
  const key = await employer(server.origin)
  const load = new Load()
  load.start(() => server.origin, key, signal)
  const exits: string[] = []
  for (let n = 0; n < 3; n++) {
    await pause(loadMs)
    const before = load.outcomes.get('201') ?? 0
    const start = performance.now()
    exits.push(`${await server.signal(signal)} after ${Math.round(performance.now() - start)} ms`)
    if (before === 0) breaches.push('no write was acknowledged before the signal: the run proves nothing')
    server = await serve(environment)
  }
  await load.stop()
  row('exits', exits.join(', '))
  const there = await titles(server.origin, key)
  load.report(there)
  if (signal === 'SIGTERM') {
    // A stopping service must not execute a request without responding, because the client may resend the request.
    bounded('written but not acknowledged', there.difference(load.acknowledged).size, 0)
    if (exits.some((exit) => !exit.startsWith('0 '))) breaches.push(`did not stop with exit code 0: ${exits}`)
  }
  await server.stop()
}

async function onSmallDisk(disk: string, megabytes: number, work: (disk: string) => Promise<void>): Promise<void> {
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'none', disk], { stdio: 'ignore' })
  } catch {
    row('skipped', 'requires root')
    return
  }
  try {
    await work(disk)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
}

/** Fills the disk except for `keepMib`, creates jobs until writes fail, and then frees the space again. */
async function fillUnderLoad(environment: NodeJS.ProcessEnv, disk: string, keepMib: number): Promise<void> {
  const server = await serve(environment)
  const key = await employer(server.origin)
  const load = new Load()
  load.start(() => server.origin, key, 'full')
  await pause(loadMs)
  const { bavail, bsize } = statfsSync(disk)
  const filler = join(disk, 'filler')
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - keepMib * 1_048_576)))
  const fullAt = performance.now()
  const isRefusing = () => performance.now() - load.lastGoodAt > 3_000
  while (!isRefusing() && performance.now() - fullAt < 120_000) await pause(50)
  row('jobs created until the disk was full', load.acknowledged.size)
  if (!isRefusing()) breaches.push('the disk did not fill up: the run proves nothing')
  const exit = await Promise.race([server.ended, probe(server, '/healthz').then(() => undefined)])
  if (exit === undefined) {
    const reading = await call(server.origin, 'GET', '/jobs', key).then(
      ({ status }) => status,
      () => 0,
    )
    const alive = await probe(server, '/healthz')
    row('/healthz and GET /jobs on the full disk', [alive, reading].join(', '))
    if (alive !== 200) breaches.push('the process hung')
  } else if (environment.DATABASE_URL === undefined) row('exited on its own, exit code', exit)
  else breaches.push(`ended with ${exit}`)
  rmSync(filler)
  const roomAt = performance.now()
  while (exit === undefined && load.lastGoodAt < roomAt && performance.now() - roomAt < PATIENCE_MS) await pause(5)
  if (exit === undefined) {
    const goesOn = load.lastGoodAt >= roomAt
    row('recovered on its own once space was free', goesOn ? `after ${Math.round(load.lastGoodAt - roomAt)} ms` : 'no')
    if (!goesOn) breaches.push('the service did not recover once space was free')
  }
  await load.stop()
  await server.signal('SIGTERM')
  const again = await serve(environment)
  load.report(await titles(again.origin, key))
  await again.stop()
}

const folder = mkdtempSync(join(tmpdir(), 'job-faults-'))
const postgres = await startPostgres(join(folder, 'postgres'))
if ('missing' in postgres) throw new Error(postgres.missing)
let databases = 0
const place: Place = {
  folder,
  postgres,
  async createDatabase() {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    const name = `fault_${++databases}`
    await client.query(`create database ${name}`)
    await client.end()
    return postgres.url.replace(/\/postgres$/, `/${name}`)
  },
}
try {
  const wanted = options.only?.split(',')
  for (const [name, run] of Object.entries(scenarios)) {
    if (wanted && !wanted.some((part) => name.includes(part))) continue
    console.log(name)
    await run(place)
  }
} finally {
  killServers()
  postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
