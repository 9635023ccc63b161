/** `examples/board-mirror` ends up with all of the employer's jobs, even if it is killed and the service restarts. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'

const MIRROR = fileURLToPath(new URL('../../examples/board-mirror/mirror.ts', import.meta.url))
const board = useBoard()

test('the mirror survives kills, a restart of the service, and purged events', async () => {
  const employer = await board.employer()
  const folder = await mkdtemp(join(tmpdir(), 'mirror-'))
  const FILE = join(folder, 'jobs.json')
  // Gives the service a constant URL, because its port changes when it restarts.
  const front = createServer((socket) => {
    const back = connect(Number(new URL(board.address).port), '127.0.0.1')
    pipeline(socket, back, socket, () => undefined)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const BOARD = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  let output = ''
  const start = (): ChildProcess => {
    const env = { BOARD, API_KEY: employer.key, FILE }
    const child = spawn(process.execPath, ['--conditions=workspace', MIRROR], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    return child
  }
  let child = start()
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const byId = (jobs: { id: string; application_count?: number; source?: null }[]) =>
    Object.fromEntries(jobs.map(({ application_count: _, source: __, ...job }) => [job.id, job]))
  /** Waits until the file contains the employer's jobs. */
  const caughtUp = async () => {
    const expected = byId((await board.get('/v1/employers/jobs?limit=100', employer.key)).body.data)
    const mirrored = async () => {
      const text = await readFile(FILE, 'utf8').catch(() => '{"jobs":{}}')
      return byId(Object.values(JSON.parse(text).jobs))
    }
    await expect.poll(mirrored).toEqual(expected)
  }
  try {
    const kept = await board.job(employer, { title: 'Kept' })
    await caughtUp()
    for (let n = 0; n < 4; n++) {
      const { id } = await board.job(employer, { title: `Job ${n}` })
      if (n % 2) await kill()
      await board.put(`/v1/jobs/${kept.id}`, employer.key, { title: `Kept ${n}` })
      if (n === 2) await board.restart()
      if (n % 2) await board.delete(`/v1/jobs/${id}`, employer.key)
      if (n % 2) child = start()
    }
    await caughtUp()
    expect(output.match(/Copied/g)).toHaveLength(1)
    await kill()
    await board.job(employer, { title: 'Missed' })
    await board.database.inTx((tx) => tx.deleteFrom('event_position').execute())
    child = start()
    await caughtUp()
    await expect.poll(() => output.match(/Copied/g)).toHaveLength(2)
  } finally {
    await kill()
    front.close()
    await rm(folder, { recursive: true })
  }
})
