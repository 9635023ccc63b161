/**
 * `node bench/hostile.ts [--only NAME,…] [--jobs 2000] [--previous FOLDER] [--embedded] [--short]`: starts a service,
 * replays every known attack from `bench/hostile/` and prints whether the service withstood it. With `--previous`, also
 * attacks an earlier checkout (with its packages installed) for comparison. `--short` loads 500 jobs and sends fewer,
 * larger requests. `--short --embedded` takes less than a minute on two cores. Exits with code 1 if an attack still
 * works.
 *
 * `node bench/hostile.ts --beside [--jobs 20000] [--seconds 60]`: measures 16 honest clients while a hostile account
 * runs each attack of group A at its full quota. Exits with code 1 if their p99 more than triples, if the service
 * refuses one of their requests, if an attack adds more than 200 MB to the database, or if memory grows to more than
 * 1.3 times its size.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import {
  type Answer,
  type Attack,
  call,
  type Outcome,
  quantile,
  RECEIVER_ADDRESS,
  register,
  residentOf,
  send,
  type Target,
} from './hostile/attack.ts'
import type { Assignment } from './hostile-worker.ts'
import { jobLines } from './make-jobs.ts'
import { killServers, runCli, SERVE, type Server, startPostgres, startServer } from './processes.ts'
import { filteredLists, newJobs, searches } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    jobs: { type: 'string' },
    /** Folder of an earlier release with its packages installed. */
    previous: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    beside: { type: 'boolean', default: false },
    /** Duration of each attack with `--beside`, in seconds. */
    seconds: { type: 'string', default: '60' },
  },
})

const ADMIN_API_KEY = 'bench-operator-key-0123456789'
const ATTACK_MS = 300_000
const jobCount = Number(options.jobs ?? (options.beside ? 20_000 : options.short ? 500 : 2_000))
const folder = mkdtempSync(join(tmpdir(), 'job-hostile-'))
const breaches: string[] = []

/** An attack, and the module that exports it. */
type Loaded = Attack & { module: string }

async function loadAttacks(): Promise<Loaded[]> {
  const files = globSync('hostile/*.ts', { cwd: import.meta.dirname })
    .filter((file) => basename(file) !== 'attack.ts')
    .sort()
  const urls = files.map((file) => new URL(file, import.meta.url).href)
  const modules: { attacks: Attack[] }[] = await Promise.all(urls.map((url) => import(url)))
  const wanted = options.only?.split(',')
  return modules
    .flatMap(({ attacks }, n) => attacks.map((attack) => ({ ...attack, module: urls[n]! })))
    .filter(({ name, finding }) => !wanted || wanted.some((part) => name.includes(part) || finding.startsWith(part)))
    .sort((a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false) || a.finding.localeCompare(b.finding))
}

interface Service extends Server {
  dataDir: string
}

/** Starts a service with generated jobs on a separate database. */
async function serve(databaseUrl: string | undefined, name: string, repository?: string): Promise<Service> {
  const dataDir = join(folder, name)
  const environment = {
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    DATA_DIR: dataDir,
    ADMIN_API_KEY,
    PAYMENTS: 'free',
    RATE_LIMIT: 'on',
    LOG_LEVEL: 'fatal',
    STOP_DELAY_S: '0',
    WEBHOOK_ALLOW_CIDRS: `${RECEIVER_ADDRESS}/32`,
  }
  const file = join(folder, 'jobs.ndjson')
  writeFileSync(file, [...jobLines(jobCount)].join(''))
  const cli = repository && join(repository, 'src/main/cli.ts')
  runCli(['import', 'jobs', file], environment, cli)
  const args = cli ? [...SERVE.filter((arg) => !arg.endsWith('cli.ts') && arg !== 'serve'), cli, 'serve'] : SERVE
  return { ...(await startServer(args, environment, '/readyz')), dataDir }
}

/** Registers new accounts, so that each attack starts with unused quotas. */
async function freshKeys(baseUrl: string): Promise<Target['keys']> {
  const origin = { baseUrl, signal: new AbortController().signal }
  const keyOf = async (kind: 'employer' | 'candidate') => (await register(origin, kind, ADMIN_API_KEY)).key
  return { admin: ADMIN_API_KEY, employer: await keyOf('employer'), candidate: await keyOf('candidate') }
}

const targetOf = ({ origin, dataDir, pid }: Service, keys: Target['keys'], signal: AbortSignal): Target => ({
  ...{ baseUrl: origin, dataDir, pid, keys, signal },
  isShort: options.short,
  isBeside: options.beside,
})

async function attackOnce(attack: Attack, service: Service): Promise<Outcome> {
  try {
    return await attack.run(targetOf(service, await freshKeys(service.origin), AbortSignal.timeout(ATTACK_MS)))
  } catch (error) {
    return { held: false, figures: `failed: ${error}` }
  }
}

async function replay(attacks: readonly Attack[], databases: () => Promise<string | undefined>): Promise<void> {
  const now = await serve(await databases(), 'now')
  const before = options.previous ? await serve(await databases(), 'before', options.previous) : undefined
  for (const attack of attacks) {
    console.log(`${attack.finding}  ${attack.name}`)
    const show = (when: string, { held, figures }: Outcome) =>
      console.log(`    ${when.padEnd(7)}${held ? 'held  ' : 'BROKEN'}  ${figures}`)
    if (before) show('before', await attackOnce(attack, before))
    const outcome = await attackOnce(attack, now)
    show('now', outcome)
    if (!outcome.held) breaches.push(`${attack.finding} ${attack.name}: ${outcome.figures}`)
  }
  await now.stop()
  await before?.stop()
}

type Kind = 'list' | 'search' | 'post'
const kinds: readonly Kind[] = ['list', 'search', 'post']

interface Measured {
  latencies: Record<Kind, number[]>
  refused: number
  requests: number
}

/** Returns the CPU time that the service and the whole machine have used, in milliseconds. */
function processorMs(pid: number): { service: number; machine: number } {
  const ticks = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const machine = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
  // The kernel reports a hundred ticks per second.
  return { service: (Number(ticks[11]) + Number(ticks[12])) * 10, machine }
}

/** Honest clients. Twelve of them read and search, and four create jobs. */
class Honest {
  latencies: Record<Kind, number[]> = { list: [], search: [], post: [] }
  refused = 0
  requests = 0
  #isOver = false
  #clients: Promise<void>[] = []
  readonly #target: Pick<Target, 'baseUrl' | 'signal'>
  readonly #lists = filteredLists(400)
  /** Varied searches. None repeats within a measurement, so no response is cached. */
  readonly #searches = searches(20_000)
  readonly #jobs = newJobs(400, jobCount)
  #next = 0

  constructor(baseUrl: string) {
    this.#target = { baseUrl, signal: new AbortController().signal }
  }

  async #ask(kind: Kind, method: string, path: string, key: string, body?: string) {
    const answer: Answer = await send(this.#target, method, path, { key, ...(body !== undefined && { body }) })
    this.requests++
    if (answer.status !== 200 && answer.status !== 201) this.refused++
    this.latencies[kind].push(answer.ms)
  }

  start(accounts: readonly Target['keys'][]): void {
    this.#isOver = false
    const reader = async ({ candidate }: Target['keys']) => {
      while (!this.#isOver) {
        const n = this.#next++
        if (n % 3 === 0) await this.#ask('search', 'GET', this.#searches[n % this.#searches.length]!, candidate)
        else await this.#ask('list', 'GET', this.#lists[n % this.#lists.length]!, candidate)
        await pause(40)
      }
    }
    const poster = async ({ employer }: Target['keys']) => {
      while (!this.#isOver) {
        await this.#ask('post', 'POST', '/v1/jobs', employer, this.#jobs[this.#next++ % this.#jobs.length]!)
        await pause(200)
      }
    }
    this.#clients = accounts.map((keys, n) => (n < 12 ? reader(keys) : poster(keys)))
  }

  async stop(): Promise<Measured> {
    this.#isOver = true
    await Promise.all(this.#clients)
    const { latencies, refused, requests } = this
    this.latencies = { list: [], search: [], post: [] }
    this.refused = 0
    this.requests = 0
    return { latencies, refused, requests }
  }
}

/** Starts an attack with fresh accounts, at the lowest priority, because real attackers use their own machines. */
async function startAttack({ module, name }: Loaded, service: Service): Promise<ChildProcess> {
  const { signal: _, ...target } = targetOf(service, await freshKeys(service.origin), AbortSignal.timeout(ATTACK_MS))
  const args = ['-n', '19', process.execPath, join(import.meta.dirname, 'hostile-worker.ts')]
  const worker = spawn('nice', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  worker.send({ module, name, target } satisfies Assignment)
  return worker
}

async function besideHonest(attacks: readonly Loaded[], databaseUrl: string): Promise<void> {
  const server = await serve(databaseUrl, 'beside')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const databaseBytes = async () =>
    Number((await client.query('select pg_database_size(current_database()) as bytes')).rows[0].bytes)
  const freshAccounts = () => Promise.all(Array.from({ length: 16 }, () => freshKeys(server.origin)))
  let accounts = await freshAccounts()
  const honest = new Honest(server.origin)
  const seconds = Number(options.seconds)
  /** Runs the honest clients for this duration, optionally during an attack. */
  const measure = async (ms: number, attack?: Loaded) => {
    let resident = 0
    const sampler = setInterval(() => {
      resident = Math.max(resident, residentOf(server.pid))
    }, 250)
    const before = await databaseBytes()
    const begun = processorMs(server.pid)
    honest.start(accounts)
    const worker = attack && (await startAttack(attack, server))
    await pause(ms)
    const ended = processorMs(server.pid)
    const cores = {
      service: (ended.service - begun.service) / ms,
      machine: (ended.machine - begun.machine) / ms,
    }
    const figures = await honest.stop()
    worker?.send('stop')
    const outcome = worker && ((await once(worker, 'message'))[0] as Outcome)
    clearInterval(sampler)
    return { ...figures, cores, resident, grownBytes: (await databaseBytes()) - before, outcome }
  }
  // Warms up caches and V8's optimized code, and starts the worker that extracts text from resumes.
  const resume = { filename: 'cv', content_base64: Buffer.alloc(5_000_000, 'Engineer. ').toString('base64') }
  await call(
    targetOf(server, accounts[0]!, AbortSignal.timeout(ATTACK_MS)),
    'POST',
    '/v1/candidates/resume',
    accounts[0]!.candidate,
    resume,
  )
  await measure(20_000)
  const mib = (bytes: number) => Math.round(bytes / 1_048_576)
  console.log('p99 in ms without and during the attack; database growth by the attacker; resident memory')
  for (const attack of attacks) {
    // Uses new accounts for each attack, because posting uses up an account's daily storage.
    accounts = await freshAccounts()
    // Also measures before and after the attack, so vacuums and checkpoints affect both measurements.
    const first = await measure((seconds * 1_000) / 2)
    const beside = await measure(seconds * 1_000, attack)
    const last = await measure((seconds * 1_000) / 2)
    const p99 = kinds.map((kind) => ({
      kind,
      without: quantile([...first.latencies[kind], ...last.latencies[kind]], 0.99),
      beside: quantile(beside.latencies[kind], 0.99),
    }))
    const grownMb = Math.max(0, beside.grownBytes - first.grownBytes - last.grownBytes) / 1_048_576
    const worst = Math.max(...p99.map((one) => one.beside / one.without))
    const memory = beside.resident / first.resident
    const times = p99.map((one) => `${one.kind} ${one.without.toFixed(1)} → ${one.beside.toFixed(1)}`).join(', ')
    console.log(
      `${attack.finding}  ${attack.name}\n    ${times} (× ${worst.toFixed(2)}), ${beside.refused} of ${beside.requests} refused, ` +
        `+${grownMb.toFixed(1)} MB in ${seconds} s, memory ${mib(first.resident)} → ${mib(beside.resident)} MiB (× ${memory.toFixed(2)}), service cores ${first.cores.service.toFixed(2)} → ${beside.cores.service.toFixed(2)}, machine cores ${first.cores.machine.toFixed(2)} → ${beside.cores.machine.toFixed(2)}\n    attack: ${beside.outcome?.figures}`,
    )
    if (worst > 3) breaches.push(`${attack.name}: honest p99 × ${worst.toFixed(2)}`)
    if (beside.refused > 0) breaches.push(`${attack.name}: ${beside.refused} honest requests refused`)
    // The quota is daily, so an account that exhausts it here cannot write more during the rest of the day.
    if (grownMb > 200) breaches.push(`${attack.name}: the database grew by ${grownMb.toFixed(0)} MB`)
    if (memory > 1.3) breaches.push(`${attack.name}: memory × ${memory.toFixed(2)}`)
  }
  await client.end()
  await server.stop()
}

let stopPostgres = () => {}
try {
  const attacks = await loadAttacks()
  let databases = 0
  let createDatabase = async (): Promise<string | undefined> => undefined
  if (!options.embedded) {
    const postgres = await startPostgres(join(folder, 'postgres'))
    if ('missing' in postgres) throw new Error(postgres.missing)
    stopPostgres = postgres.stop
    createDatabase = async () => {
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      const name = `hostile_${++databases}`
      await client.query(`create database ${name}`)
      await client.end()
      return postgres.url.replace(/\/postgres$/, `/${name}`)
    }
  }
  if (options.beside) {
    const group = attacks.filter(({ finding }) => finding.startsWith('A'))
    await besideHonest(group, (await createDatabase())!)
  } else await replay(attacks, createDatabase)
} finally {
  killServers()
  stopPostgres()
  rmSync(folder, { recursive: true, force: true })
}
for (const breach of breaches) console.error(`BROKEN ${breach}`)
if (breaches.length > 0) process.exitCode = 1
