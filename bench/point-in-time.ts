/**
 * `node bench/point-in-time.ts [--jobs 200000] [--seconds 20]`: rehearses base backups and log archiving with the
 * scripts in ops/postgres. Creates jobs after the base backup, deletes everything as if by accident, kills the server,
 * and recovers another server to the moment before the deletion. Exits with code 1 if an acknowledged job is missing.
 */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { bounded, breaches, employer, Load, row, titles } from './acknowledged.ts'
import { jobLines } from './make-jobs.ts'
import {
  killServers,
  type Postgres,
  postgresAccount,
  postgresBinaries,
  runCli,
  SERVE,
  startCluster,
  startPostgres,
  startServer,
} from './processes.ts'

const { values: options } = parseArgs({
  options: { jobs: { type: 'string', default: '200000' }, seconds: { type: 'string', default: '20' } },
})
const jobCount = Number(options.jobs)
const ARCHIVED_WITHIN_MS = 120_000

const scripts = fileURLToPath(new URL('../ops/postgres/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'job-point-in-time-'))
const archive = join(folder, 'wal')
const bases = join(folder, 'base')

const sizeOf = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
    : statSync(path).size
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

async function timed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  row(name, `${((performance.now() - start) / 1_000).toFixed(1)} s`)
  return result
}

/** Queries a server on a separate connection. */
async function ask<T extends pg.QueryResultRow>(server: Postgres, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

const serve = (server: Postgres) =>
  startServer(SERVE, { DATABASE_URL: server.url, DATA_DIR: folder, LOG_LEVEL: 'fatal' }, '/readyz')

/** Waits until the server's entire log is archived. */
async function archiveAll(server: Postgres): Promise<void> {
  const [{ segment }] = (await ask<{ segment: string }>(
    server,
    'select pg_walfile_name(pg_switch_wal()) as segment',
  )) as [{ segment: string }]
  for (const deadline = performance.now() + ARCHIVED_WITHIN_MS; ; await pause(100)) {
    if (readdirSync(archive).includes(`${segment}.gz`)) return
    if (performance.now() > deadline) throw new Error(`${segment} was not archived`)
  }
}

async function rehearse(primary: Postgres): Promise<Postgres> {
  const jobs = join(folder, 'jobs.ndjson')
  writeFileSync(jobs, '')
  for (const piece of jobLines(jobCount)) writeFileSync(jobs, piece, { flag: 'a' })
  runCli(['import', 'jobs', jobs], { DATABASE_URL: primary.url })
  rmSync(jobs)
  const [{ size }] = (await ask<{ size: string }>(primary, 'select pg_database_size(current_database()) as size')) as [
    { size: string },
  ]
  row('database', megabytes(Number(size)))

  primary.stop()
  const account = postgresAccount()
  for (const path of [archive, bases]) {
    mkdirSync(path)
    if ('uid' in account) chownSync(path, account.uid, account.gid)
  }
  appendFileSync(
    join(folder, 'primary/cluster/postgresql.conf'),
    `archive_mode = on
archive_command = 'WAL_ARCHIVE=${archive} ${scripts}archive-wal.sh "%p" "%f"'
archive_timeout = 60s\n`,
  )
  await primary.resume()

  const environment = {
    PATH: [postgresBinaries()!, process.env.PATH].join(delimiter),
    WAL_ARCHIVE: archive,
    ...{ PGHOST: '127.0.0.1', PGPORT: String(primary.port), PGUSER: 'bench' },
  }
  const server = await serve(primary)
  const key = await employer(server.origin)
  const load = new Load()
  load.start(() => server.origin, key, 'after')
  const base = await timed('base backup while clients create jobs', () =>
    execFileSync(join(scripts, 'base-backup.sh'), [bases], { env: environment, encoding: 'utf8', ...account }).trim(),
  )
  row('base backup', megabytes(sizeOf(base)))
  await pause(Number(options.seconds) * 1_000)
  await load.stop()
  const there = await titles(server.origin, key)
  row('jobs acknowledged since the base backup', load.acknowledged.size)
  const [{ moment }] = (await ask<{ moment: string }>(primary, 'select clock_timestamp()::text as moment')) as [
    { moment: string },
  ]
  await server.stop()
  await ask(primary, 'truncate job, event cascade')
  await timed('until the log was archived', () => archiveAll(primary))
  const segments = readdirSync(archive)
  row('log since the base backup', `${segments.length} files, ${megabytes(sizeOf(archive))}`)
  primary.kill()

  const restored = await timed('unpacking, recovery and start', () =>
    startCluster(
      join(folder, 'restored'),
      (_binaries, cluster) => `WAL_ARCHIVE=${archive} ${scripts}restore-to.sh ${base} ${cluster} '${moment}'`,
    ),
  )
  if ('missing' in restored) throw new Error(restored.missing)
  await timed('until it accepts writes', async () => {
    while ((await ask(restored, 'select where pg_is_in_recovery()')).length > 0) await pause(20)
  })
  const again = await serve(restored)
  const found = await titles(again.origin, key)
  bounded('acknowledged before the deletion but missing', load.acknowledged.difference(found).size, 0)
  bounded('different from the jobs at that moment', there.symmetricDifference(found).size, 0)
  const [{ count }] = (await ask<{ count: string }>(restored, "select count(*) from job where state <> 'deleted'")) as [
    { count: string },
  ]
  bounded('missing jobs in total', jobCount + there.size - Number(count), 0)
  await again.stop()
  return restored
}

const primary = await startPostgres(join(folder, 'primary'))
if ('missing' in primary) throw new Error(primary.missing)
let running = primary
try {
  running = await rehearse(primary)
} finally {
  killServers()
  running.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
