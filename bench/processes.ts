/** Child processes of the benchmarks: servers under test and temporary PostgreSQL servers. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { serviceEnvironment, serviceFlags } from '../bin/launch.js'

const repository = new URL('..', import.meta.url).pathname
const ENCRYPTION_KEY = '00'.repeat(32)
const running = new Set<ChildProcess>()

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
  /** Resolves to the exit code or the signal when the process ends. */
  ended: Promise<number | NodeJS.Signals>
  signal(name: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /** Returns the memory usage. Requires the flags in `REPORTING_MEMORY`; see report-memory.ts. */
  memory(): Promise<NodeJS.MemoryUsage>
}

/** Arguments that start the service in the same way as bin/job-marketplace.js. */
export const SERVE: readonly string[] = [...serviceFlags, 'src/main/cli.ts', 'serve']

export const REPORTING_MEMORY = ['--expose-gc', '--import', './bench/report-memory.ts']

/** Runs a script in a process. Discards its standard output and forwards its standard error. */
export function startProcess(args: readonly string[], environment: NodeJS.ProcessEnv): Process {
  return watch(
    spawn(process.execPath, args, {
      cwd: repository,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ...serviceEnvironment,
        ENCRYPTION_KEY,
        RATE_LIMIT: 'off',
        STOP_DELAY_S: '0',
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  )
}

/** Returns the processor time that a process has used, in milliseconds. */
export function processorMs(pid: number): number {
  // Fields are separated by spaces, except for the name of the program in parentheses.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** Runs a program that stays in the foreground, and discards its output. */
export function startProgram(command: string, args: string[], account: { uid?: number; gid?: number } = {}): Process {
  return watch(spawn(command, args, { stdio: 'ignore', ...account }))
}

function watch(child: ChildProcess): Process {
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

/** Starts a server, by default on a free port. Resolves when the server responds at `probe`. */
export async function startServer(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  probe: string,
  at?: number,
): Promise<Server> {
  const port = at ?? (await freePort())
  // A worker listens only on METRICS_PORT.
  const server = startProcess(args, { ...environment, PORT: String(port), METRICS_PORT: String(port) })
  let hasEnded = false
  void server.ended.then(() => {
    hasEnded = true
  })
  const origin = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + 180_000; ; ) {
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

/** Runs a command of the service, or of the earlier release in `cli`, and shows its output. */
export function runCli(
  args: string[],
  environment: NodeJS.ProcessEnv,
  cli: string = join(repository, 'src/main/cli.ts'),
): void {
  execFileSync(process.execPath, [cli, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ENCRYPTION_KEY, RATE_LIMIT: 'off', ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

/** Kills all servers that are still running, for example after an exception. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Returns the folder of PostgreSQL's programs, or undefined if they are not installed. */
export function postgresBinaries(): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    // Debian does not add these folders to PATH. The newest version comes first.
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
  ]
  const needed = ['initdb', 'pg_ctl', 'pg_basebackup']
  return folders.find((folder) => needed.every((name) => existsSync(join(folder, name))))
}

/** Returns whether a process is running. A zombie does not count. */
function isThere(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0] !== 'Z'
  } catch {
    return false
  }
}

export interface Postgres {
  url: string
  port: number
  stop(): void
  /** Restarts without waiting for clients, and recovers from the log as after a crash. */
  restartAtOnce(): Promise<void>
  /** Stops as in a crash and stays down until `resume`. */
  halt(): Promise<void>
  resume(): Promise<void>
  /** Kills all PostgreSQL processes at once, as if the machine failed. Resolves when all of them have ended. */
  kill(): Promise<void>
  /** Promotes a replica, which then accepts writes. */
  promote(): Promise<void>
}

/** Returns PostgreSQL's system user if this process runs as root, because PostgreSQL refuses to run as root. */
export function postgresAccount(): { uid: number; gid: number } | Record<never, never> {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Starts a PostgreSQL server with default settings in `folder`, or returns why it cannot. */
export const startPostgres = (folder: string): Promise<Postgres | { missing: string }> =>
  startCluster(folder, (binaries, cluster) => `${binaries}/initdb -D ${cluster} -U bench -A trust -E UTF8 --no-locale`)

/** Starts a streaming replica of the primary. */
export const startReplica = (primary: Postgres, folder: string): Promise<Postgres | { missing: string }> =>
  startCluster(folder, (binaries, cluster) => `${binaries}/pg_basebackup -D ${cluster} -d ${primary.url} -R -c fast`)

/** Creates a cluster in `folder` with a command and starts it, or returns why it cannot. */
export async function startCluster(
  folder: string,
  create: (binaries: string, cluster: string) => string,
): Promise<Postgres | { missing: string }> {
  const binaries = postgresBinaries()
  if (binaries === undefined) return { missing: 'PostgreSQL is not installed. Install it, or set BENCH_DATABASE_URL.' }
  mkdirSync(folder)
  let account: ReturnType<typeof postgresAccount>
  try {
    account = postgresAccount()
  } catch {
    return { missing: 'PostgreSQL cannot run as root, and the user postgres does not exist. Set BENCH_DATABASE_URL.' }
  }
  if ('uid' in account) {
    chownSync(folder, account.uid, account.gid)
    // Lets PostgreSQL's system user traverse the parent folder, but not list it.
    chmodSync(dirname(folder), 0o711)
  }
  const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit']
  const run = (command: string) => void execFileSync('sh', ['-c', command], { cwd: folder, stdio, ...account })
  const port = await freePort()
  const cluster = join(folder, 'cluster')
  run(create(binaries, cluster))
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`
  run(`${binaries}/pg_ctl -D ${cluster} -l ${folder}/log -o '${options}' -w start`)
  const control = async (action: string) => {
    const command = `${binaries}/pg_ctl -D ${cluster} -l ${folder}/log -w -t 600 ${action}`
    const child = spawn('sh', ['-c', command], { cwd: folder, stdio, ...account })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`PostgreSQL: ${action} failed`)
  }
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    port,
    stop: () => run(`${binaries}/pg_ctl -D ${cluster} -m fast -w stop`),
    restartAtOnce: () => control('-m immediate restart'),
    halt: () => control('-m immediate stop'),
    resume: () => control(`-o '${options}' start`),
    async kill() {
      const main = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
      // Suspends the main process first, to prevent it from reacting when its children die.
      process.kill(main, 'SIGSTOP')
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(main)], { encoding: 'utf8' })
      const all = [...children.trim().split(/\s+/).map(Number), main]
      for (const pid of all) process.kill(pid, 'SIGKILL')
      for (const deadline = Date.now() + 10_000; all.some(isThere) && Date.now() < deadline; ) await pause(10)
      // A dead process exists until its parent reaps it, so a new server would mistake these files for valid locks.
      rmSync(join(cluster, 'postmaster.pid'))
      rmSync(join(folder, `.s.PGSQL.${port}.lock`))
    },
    promote: () => control('promote'),
  }
}
