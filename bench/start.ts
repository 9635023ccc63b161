/**
 * `node bench/start.ts [--jobs 200000] [--url postgres://…]`: measures the start of a process with and without a
 * snapshot of the board (decision 0141), on imported jobs or on a loaded database (`--url`).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withLoadedBoard } from './loaded-board.ts'
import { SERVE, startServer } from './processes.ts'

const { values: options } = parseArgs({
  options: { jobs: { type: 'string', default: '200000' }, url: { type: 'string' } },
})
const TURNS = 3
/** Maximum wait for the first snapshot, which a process writes a minute after its start. */
const WRITE_MAX_MS = 300_000
const TICK_MS = 10

/**
 * Starts a process, waits until it is ready, prints the time and memory that the start took, and then runs `meanwhile`.
 */
async function measure(name: string, environment: Record<string, string>, meanwhile = async () => {}): Promise<void> {
  const startedAt = performance.now()
  const server = await startServer([...SERVE, '--only', 'http'], environment, '/readyz')
  const seconds = (performance.now() - startedAt) / 1_000
  const [, ...fields] = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const cpuSeconds = ((Number(fields[10]) + Number(fields[11])) * TICK_MS) / 1_000
  const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))!
  console.log(`| ${name} | ${seconds.toFixed(1)} | ${cpuSeconds.toFixed(1)} | ${Math.round(Number(peak) / 1_024)} |`)
  await meanwhile()
  await server.stop()
}

await withLoadedBoard(Number(options.jobs), options.url, async (url) => {
  const folder = mkdtempSync(join(tmpdir(), 'start-bench-'))
  const snapshot = join(folder, 'board.snapshot')
  const environment = { DATABASE_URL: url, DATA_DIR: folder, PAYMENTS: 'free' }
  const written = async () => {
    const deadline = performance.now() + WRITE_MAX_MS
    while (!existsSync(snapshot)) {
      if (performance.now() > deadline) throw new Error('No snapshot was written')
      await pause(100)
    }
  }
  try {
    console.log('\n| board | seconds until ready | CPU seconds of the process | peak MB |\n|---|---:|---:|---:|')
    await measure('from PostgreSQL', environment, written)
    for (let turn = 1; turn < TURNS; turn++) {
      await measure('from the snapshot', environment)
      await measure('from PostgreSQL', { ...environment, DATA_DIR: join(folder, 'empty') })
    }
    await measure('from the snapshot', environment)
    console.log(`\nSnapshot: ${Math.round(statSync(snapshot).size / 1e6)} MB`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
