/**
 * `node bench/kills.ts [--kills 200]`: runs two processes of the service on PostgreSQL, behind nginx as configured in
 * ops/. While clients create jobs, kills a process, PostgreSQL and nginx in turn with SIGKILL and restarts them. Exits
 * with code 1 if an acknowledged job is missing, if a job that was resent with its idempotency key exists twice, or if
 * a job does not have exactly one event. Requires the Debian packages postgresql and nginx.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { bounded, breaches, employer, Load, PATIENCE_MS, row } from './acknowledged.ts'
import { freePort, killServers, SERVE, type Server, startPostgres, startServer } from './processes.ts'
import { type ReverseProxy, startNginx } from './proxies.ts'

const { values: options } = parseArgs({ options: { kills: { type: 'string', default: '200' } } })
const kills = Number(options.kills)
const folder = mkdtempSync(join(tmpdir(), 'job-kills-'))
const started = await startPostgres(join(folder, 'postgres'))
if ('missing' in started) throw new Error(started.missing)
const postgres = started

const environment = { DATABASE_URL: postgres.url, DATA_DIR: folder, LOG_LEVEL: 'silent', TRUST_PROXY: '127.0.0.1/32' }
const ports = [await freePort(), await freePort()]
const serve = (port: number) => startServer(SERVE, environment, '/readyz', port)
const serveAll = async () => [await serve(ports[0]!), await serve(ports[1]!)]

/** Kills nginx and its workers at once. */
async function killNginx(nginx: ReverseProxy): Promise<void> {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(nginx.pid)], { encoding: 'utf8' })
  for (const pid of [nginx.pid, ...children.trim().split(/\s+/).map(Number)]) process.kill(pid, 'SIGKILL')
  await nginx.ended
}

async function run(): Promise<void> {
  const services: Server[] = await serveAll()
  const origins = services.map(({ origin }) => origin)
  let nginx = await startNginx(join(folder, 'nginx'), origins)
  const key = await employer(nginx.origin)
  const once = new Load()
  const persistent = new Load()
  once.start(() => nginx.origin, key, 'once')
  persistent.start(() => nginx.origin, key, 'persistent', true)
  /** The longest time from a kill to the next acknowledged job, by killed program. */
  const back: Record<string, number> = {}
  const faults: Record<string, (n: number) => Promise<void>> = {
    async service(n) {
      const at = n % 2
      await services[at]!.signal('SIGKILL')
      services[at] = await serve(ports[at]!)
    },
    async PostgreSQL() {
      await postgres.kill()
      await postgres.resume()
    },
    async nginx() {
      await killNginx(nginx)
      nginx = await startNginx(join(folder, 'nginx'), origins)
    },
  }
  const names = Object.keys(faults)
  for (let n = 0; n < kills; n++) {
    const name = names[n % names.length]!
    // Varies when the kill happens.
    await pause(100 + ((n * 137) % 400))
    const killedAt = performance.now()
    await faults[name]!(Math.floor(n / names.length))
    while (Math.min(once.lastGoodAt, persistent.lastGoodAt) < killedAt + 1) {
      if (performance.now() - killedAt > PATIENCE_MS)
        throw new Error(`No job was acknowledged after ${name} was killed`)
      await pause(5)
    }
    back[name] = Math.max(back[name] ?? 0, Math.round(performance.now() - killedAt))
    if (n % 20 === 19) row(`after ${n + 1} kills: acknowledged`, once.acknowledged.size + persistent.acknowledged.size)
  }
  await Promise.all([once.stop(), persistent.stop()])
  for (const [name, ms] of Object.entries(back))
    row(`longest time from the kill of ${name} to the next job`, `${ms} ms`)

  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const rowsOf = async (question: string) => (await client.query<{ title: string; times: string }>(question)).rows
  const titles = await rowsOf('select title, count(*) as times from job group by title')
  const there = new Set(titles.map(({ title }) => title))
  for (const [name, load] of Object.entries({ 'sent once': once, 'sent until acknowledged': persistent })) {
    row(`jobs ${name}: sent, acknowledged`, `${load.sent.size}, ${load.acknowledged.size}`)
    load.report(there)
  }
  bounded('resent until the end but never acknowledged', persistent.sent.difference(persistent.acknowledged).size, 0)
  bounded('created twice', titles.filter(({ times }) => times !== '1').length, 0)
  const [events] = await rowsOf(`
    select '' as title, count(*) as times from job full join (
      select subject_id, count(*) as created from event where type = 'job.created' group by subject_id) as log
      on log.subject_id = job.id
    where job.id is null or created is distinct from 1`)
  bounded('jobs without exactly one event, and events without a job', Number(events!.times), 0)
  await client.end()
  await Promise.all(services.map((service) => service.stop()))
  await killNginx(nginx)
}

try {
  await run()
} finally {
  killServers()
  // PostgreSQL may not be running.
  await postgres.kill().catch(() => {})
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
