/** Notifications to systemd that the service is ready, that its event loop is running, or that it is stopping. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'

const SUPERVISOR = fileURLToPath(new URL('../../src/main/supervisor.ts', import.meta.url))
const hasPython = await promisify(execFile)('python3', ['--version']).then(
  () => true,
  () => false,
)

let folder: string
let environment: Record<string, string>
const heard = async () => (await readFile(join(folder, 'heard'), 'utf8').catch(() => '')).trimEnd().split('\n')

/** Installs a `systemd-notify` that records its arguments. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'systemd-'))
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${folder}/heard'\n`)
  await chmod(join(folder, 'systemd-notify'), 0o755)
  environment = {
    PATH: `${folder}:${process.env.PATH}`,
    NOTIFY_SOCKET: '/run/systemd/notify',
    WATCHDOG_USEC: '300000',
  }
})

afterEach(() => rm(folder, { recursive: true }))

test('the service sends watchdog signals from its start, and reports when it is ready and when it stops', async () => {
  const database = isOnPostgres ? await openTestDatabase() : undefined
  copyMigratedDatabase(join(folder, 'data'))
  const port = await freePort()
  const service = new ServiceProcess(['serve'], {
    ...environment,
    PORT: String(port),
    DATA_DIR: join(folder, 'data'),
    ...(database?.url && { DATABASE_URL: database.url }),
  })
  await service.printed(/"msg":"working"/)
  await expect.poll(heard).toContain('/run/systemd/notify READY=1')
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  const before = await heard()
  expect(before[0]).toBe('/run/systemd/notify WATCHDOG=1 EXTEND_TIMEOUT_USEC=300000')
  await expect.poll(async () => (await heard()).length).toBeGreaterThan(before.length + 2)
  expect(await service.signal('SIGTERM')).toMatchObject({ code: 0 })
  await expect.poll(heard).toContain('/run/systemd/notify STOPPING=1')
  expect((await heard()).at(-1)).toBe('/run/systemd/notify STOPPING=1')
  await database?.close()
})

/** Runs a program with a supervisor. The program evaluates each line from its standard input. */
function startProgram(settings: NodeJS.ProcessEnv) {
  const program = `
    import { watchedBySystemd } from ${JSON.stringify(SUPERVISOR)}
    const supervisor = watchedBySystemd(process.env)
    supervisor.ready()
    process.stdin.on('data', (text) => eval(String(text)))`
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: settings,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
}

test('the service does not send watchdog signals while its event loop is blocked', async () => {
  const child = startProgram(environment)
  await expect.poll(async () => (await heard()).length).toBeGreaterThan(3)
  // Signals that were already sent may still arrive for a few rounds. An unblocked event loop would send three per
  // round.
  child.stdin.write(`
    const { readFileSync } = process.getBuiltinModule('fs')
    const count = () => readFileSync(${JSON.stringify(join(folder, 'heard'))}).length
    for (let round = 0; round < 60; round++) {
      const before = count()
      for (const end = Date.now() + 300; Date.now() < end; );
      if (count() === before) process.exit(7)
    }`)
  expect((await once(child, 'exit'))[0]).toBe(7)
})

test('without systemd, the service starts no notification process', async () => {
  const child = startProgram({ PATH: environment.PATH })
  child.stdin.end('process.exit(process.getActiveResourcesInfo().includes("ProcessWrap") ? 1 : 0)')
  expect((await once(child, 'exit'))[0]).toBe(0)
  expect(await heard()).toEqual([''])
})

test.runIf(hasPython && existsSync('/usr/bin/systemd-notify'))('notifications reach a datagram socket', async () => {
  const socket = join(folder, 'socket')
  const receiver = spawn('python3', [
    '-c',
    `import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind('${socket}'); print('bound', flush=True)
while True: print(s.recv(4096).decode().replace('\\n', ' '), flush=True)`,
  ])
  let received = ''
  receiver.stdout.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  await expect.poll(() => received).toContain('bound')
  const child = startProgram({ PATH: process.env.PATH, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' })
  await expect.poll(() => received.match(/^WATCHDOG=1 EXTEND_TIMEOUT_USEC=300000\s*$/gm)?.length).toBeGreaterThan(2)
  expect(received).toMatch(/^READY=1\s*$/m)
  child.kill('SIGKILL')
  receiver.kill('SIGKILL')
})
