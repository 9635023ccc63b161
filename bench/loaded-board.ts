/** A temporary PostgreSQL server with generated jobs, loaded with the service's import command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jobLines } from './make-jobs.ts'
import { CONNECTIONS } from './measure.ts'
import { killServers, runCli, startPostgres } from './processes.ts'

/**
 * Runs the measurement on the database at `url`, or on generated jobs if `url` is undefined. Stops all processes that
 * it started.
 */
export async function withLoadedBoard(
  jobCount: number,
  url: string | undefined,
  measure: (url: string) => Promise<void>,
  /** Path of the `cli.ts` that imports the jobs. Default: this release. */
  cli?: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'board-bench-'))
  let stopPostgres = () => {}
  try {
    console.log(`Node ${process.version}, ${CONNECTIONS} connections`)
    if (url !== undefined) return await measure(url)
    const file = join(folder, 'jobs.ndjson')
    writeFileSync(file, '')
    for (const piece of jobLines(jobCount)) writeFileSync(file, piece, { flag: 'a' })
    const server = await startPostgres(join(folder, 'postgres'))
    if ('missing' in server) throw new Error(server.missing)
    stopPostgres = server.stop
    runCli(['import', 'jobs', file], { DATABASE_URL: server.url }, cli)
    await measure(server.url)
  } finally {
    killServers()
    stopPostgres()
    rmSync(folder, { recursive: true, force: true })
  }
}
