/**
 * `node bench/sizes.ts [10000 100000]`: measures boards with these numbers of jobs on PostgreSQL: the duration of the
 * import, sizes on disk, and a process's startup time and memory. docs/sizing.md lists results.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { jobLines } from './make-jobs.ts'
import { killServers, runCli, SERVE, startPostgres, startServer } from './processes.ts'
import { filteredLists } from './workload.ts'

const counts = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'job-sizes-'))
const MIB = 1_048_576
const KEY = 'bench-operator-key-0123456789'

const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1)
const residentMib = (pid: number, name: string) =>
  Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024)

async function measure(count: number, databaseUrl: string): Promise<void> {
  const environment = { DATABASE_URL: databaseUrl, DATA_DIR: folder, ADMIN_API_KEY: KEY, LOG_LEVEL: 'fatal' }
  const file = join(folder, `${count}.ndjson`)
  writeFileSync(file, [...jobLines(count)].join(''))
  const begun = performance.now()
  runCli(['migrate'], environment)
  runCli(['import', 'jobs', file], environment)
  console.log(`${count} jobs: imported in ${seconds(begun)} s`)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('vacuum (analyze)')
  const { rows } = await client.query(`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc limit 5`)
  const total = (await client.query('select pg_database_size(current_database()) as bytes')).rows[0].bytes
  await client.end()
  const tables = rows.map(({ name, bytes }) => `${name} ${Math.round(bytes / MIB)}`).join(', ')
  console.log(`  database ${Math.round(total / MIB)} MiB: ${tables}`)
  const started = performance.now()
  const server = await startServer(SERVE, environment, '/readyz')
  console.log(`  ready after ${seconds(started)} s`)
  for (const path of filteredLists(500)) {
    const answer = await fetch(server.origin + path, { headers: { authorization: `Bearer ${KEY}` } })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    await answer.arrayBuffer()
  }
  const memory = `${residentMib(server.pid, 'VmRSS')} MiB, at most ${residentMib(server.pid, 'VmHWM')}`
  console.log(`  memory after 500 different lists: ${memory}`)
  await server.stop()
}

try {
  const postgres = await startPostgres(join(folder, 'postgres'))
  if ('missing' in postgres) throw new Error(postgres.missing)
  for (const count of counts.length > 0 ? counts : [10_000, 100_000]) {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(`create database sizes_${count}`)
    await client.end()
    await measure(count, postgres.url.replace(/postgres$/, `sizes_${count}`))
  }
  postgres.stop()
} finally {
  killServers()
  rmSync(folder, { recursive: true, force: true })
}
