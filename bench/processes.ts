/** Child processes of the benchmark: servers under test and a throw-away PostgreSQL. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'

const repository = new URL('..', import.meta.url).pathname
const ENCRYPTION_KEY = '00'.repeat(32)
const running = new Set<ChildProcess>()

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

export interface Process {
  pid: number
  /** Resolves once it has ended: its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  signal(name: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /** See report-memory.ts; it must be started with `REPORTING_MEMORY`. */
  memory(): Promise<NodeJS.MemoryUsage>
}

export const REPORTING_MEMORY = ['--expose-gc', '--import', './bench/report-memory.ts']

/** Runs a script as a process of its own. What it prints goes nowhere, its errors to ours. */
export function startProcess(args: string[], environment: NodeJS.ProcessEnv): Process {
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ENCRYPTION_KEY, RATE_LIMIT: 'off', ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  running.add(child)
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('exit', (code, signal) => {
      running.delete(child)
      resolve(code ?? signal!)
    }),
  )
  return {
    pid: child.pid!,
    ended,
    signal(name) {
      child.kill(name)
      return ended
    },
    async memory() {
      child.send('memory')
      const [usage] = await once(child, 'message')
      return usage as NodeJS.MemoryUsage
    },
  }
}

export interface Server extends Process {
  origin: string
  stop(): Promise<number | NodeJS.Signals>
}

/** The same as a server; resolves once it answers at `probe`. */
export async function startServer(args: string[], environment: NodeJS.ProcessEnv, probe: string): Promise<Server> {
  const port = await freePort()
  const server = startProcess(args, { ...environment, PORT: String(port) })
  let hasEnded = false
  void server.ended.then(() => {
    hasEnded = true
  })
  const origin = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + 60_000; ; ) {
    const isUp = await fetch(origin + probe).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) break
    if (hasEnded || Date.now() > deadline) throw new Error(`${args.join(' ')} did not start`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { ...server, origin, stop: () => server.signal('SIGTERM') }
}

/** Runs a command of the service and shows what it prints. */
export function runCli(args: string[], environment: NodeJS.ProcessEnv): void {
  execFileSync(process.execPath, [join(repository, 'src/main/cli.ts'), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ENCRYPTION_KEY, RATE_LIMIT: 'off', ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

/** Ends what an exception left running. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL')
}

function postgresBinaries(): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    // Debian keeps them out of the PATH; the newest first.
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')))
}

export interface Postgres {
  url: string
  stop(): void
  /** As after a crash: nobody is waited for, and what is committed is found again in the log. */
  restartAtOnce(): Promise<void>
  /** Ends it as a crash would, until it is resumed. */
  halt(): Promise<void>
  resume(): Promise<void>
}

/** Starts a PostgreSQL with its default settings in `folder`, or answers why not. */
export async function startPostgres(folder: string): Promise<Postgres | { missing: string }> {
  const binaries = postgresBinaries()
  if (binaries === undefined) return { missing: 'no PostgreSQL found; give BENCH_DATABASE_URL' }
  mkdirSync(folder)
  let asPostgres = false
  if (process.getuid?.() === 0) {
    // PostgreSQL does not run as root.
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
      chownSync(folder, id('-u'), id('-g'))
      // Ours alone, but the way to it.
      chmodSync(dirname(folder), 0o711)
      asPostgres = true
    } catch {
      return { missing: 'PostgreSQL does not run as root and there is no user postgres; give BENCH_DATABASE_URL' }
    }
  }
  const [shell, flags] = asPostgres ? ['su', ['postgres', '-s', '/bin/sh']] : ['sh', []]
  const run = (command: string) =>
    void execFileSync(shell, [...flags, '-c', command], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const port = await freePort()
  const cluster = join(folder, 'cluster')
  run(`${binaries}/initdb -D ${cluster} -U bench -A trust -E UTF8 --no-locale`)
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`
  run(`${binaries}/pg_ctl -D ${cluster} -l ${folder}/log -o '${options}' -w start`)
  const control = async (action: string) => {
    const command = `${binaries}/pg_ctl -D ${cluster} -l ${folder}/log -w -t 600 ${action}`
    const child = spawn(shell, [...flags, '-c', command], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`PostgreSQL: ${action} failed`)
  }
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    stop: () => run(`${binaries}/pg_ctl -D ${cluster} -m fast -w stop`),
    restartAtOnce: () => control('-m immediate restart'),
    halt: () => control('-m immediate stop'),
    resume: () => control(`-o '${options}' start`),
  }
}
