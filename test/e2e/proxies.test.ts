/** Real proxies in front of real processes, with the configuration in ops/, and nginx also with its defaults. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, type ReverseProxy, startHaproxy, startNginx } from '../../bench/proxies.ts'
import type { Database } from '../../src/db/database.ts'
import { newApiKey } from '../../src/lib/api-keys.ts'
import { jobBody } from '../support/board.ts'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'

const isInstalled = { nginx: findProgram('nginx') !== undefined, haproxy: findProgram('haproxy') !== undefined }
for (const [name, isThere] of Object.entries(isInstalled)) {
  if (!isThere) console.warn(`SKIPPED: ${name} is not installed, so its tests do not run.`)
}

/** The proxies: name, program, and a function that starts the proxy in front of these origins. */
const proxies = [
  ['nginx, as shipped', 'nginx', startNginx],
  ['nginx, with its defaults', 'nginx', (folder, origins) => startNginx(folder, origins, { isBare: true })],
  ['HAProxy, as shipped', 'haproxy', startHaproxy],
] as const satisfies [string, keyof typeof isInstalled, (folder: string, origins: string[]) => Promise<ReverseProxy>][]
const shipped = proxies.filter(([name]) => name.endsWith('as shipped'))

let folder: string
let database: (Database & { url?: string }) | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-proxies-'))
  await chmod(folder, 0o755)
  database = isOnPostgres ? await openTestDatabase() : undefined
})
afterAll(async () => {
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

interface Running {
  port: number
  process: ServiceProcess
}

/** Starts a process of the service. Without PostgreSQL, each process has its own board. */
async function startService(port: number, environment: Record<string, string> = {}): Promise<Running> {
  const dataDir = join(folder, String(port))
  copyMigratedDatabase(dataDir)
  const process = new ServiceProcess(['serve'], {
    ...{ PORT: String(port), DATA_DIR: dataDir, PAYMENTS: 'free' },
    ...(database?.url && { DATABASE_URL: database.url }),
    ...environment,
  })
  await process.printed(/"msg":"working"/)
  return { port, process }
}

const originOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}`
const pathOf = () => join(folder, `proxy-${Math.random().toString(36).slice(2)}`)

let proxy: ReverseProxy | undefined
afterEach(async () => {
  await proxy?.signal('SIGTERM')
  proxy = undefined
})

async function register(origin: string, path: string, body: object): Promise<string> {
  const response = await fetch(`${origin}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { data: { api_key: string } }
  if (response.status !== 201) throw new Error(JSON.stringify(answer))
  return answer.data.api_key
}

describe('attacks without a valid key', () => {
  let processes: Running[]
  beforeAll(async () => {
    processes = await Promise.all([startService(await freePort()), startService(await freePort())])
  })
  afterAll(async () => {
    for (const { process } of processes) await process.signal('SIGKILL')
  })

  describe.each(proxies)('behind %s,', (_name, program, start) => {
    test.runIf(isInstalled[program])('long URLs do not make a process unavailable', async () => {
      proxy = await start(pathOf(), processes.map(originOf))
      const { origin } = proxy
      const get = async (path: string) => {
        const response = await fetch(origin + path, { redirect: 'manual' })
        await response.text()
        return response.status
      }
      const lengths = [900, 1_500, 2_500, 4_000, 7_500]
      const attacks = lengths.flatMap((length) => {
        const search = `search=${'x'.repeat(length)}`
        return [
          ...[`/jobs?${search}`, `/jobs?location=&${search}`, `/companies?location=${'x'.repeat(length)}`],
          ...[`/me/saved-jobs?${search}`, `/desk/payments?${search}`, `/sign-in?return_to=/jobs?${search}`],
          ...[`/v1/jobs?${search}`, `/${'x'.repeat(length)}`, `/jobs?page=1&search=${'%3C'.repeat(length / 3)}`],
        ]
      })
      const statuses = new Set<number>()
      for (let round = 0; round < 4; round++) {
        for (const path of attacks) statuses.add(await get(path))
        expect(await get('/healthz')).toBe(200)
        expect(await get('/v1')).toBe(200)
      }
      expect([...statuses].filter((status) => status >= 500)).toEqual([])
    })

    test.runIf(isInstalled[program])('invalid keys do not block other clients of the same proxy', async () => {
      proxy = await start(pathOf(), processes.map(originOf))
      const { origin } = proxy
      const get = async (key: string, to = origin) => {
        const response = await fetch(`${to}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
        await response.text()
        return response.status
      }
      // Neither process has seen the other's key.
      const keys = await Promise.all(
        processes.map((one, n) =>
          register(originOf(one), '/employers', { name: 'E', email: `${Math.random()}-${n}@e.example` }),
        ),
      )
      const guesses: number[] = []
      // The service delays each refusal by half a second.
      while (guesses.length < 200) {
        guesses.push(...(await Promise.all(Array.from({ length: 100 }, () => get(newApiKey('employer'))))))
      }
      expect(guesses.filter((status) => status !== 401 && status !== 429)).toEqual([])
      expect(guesses).toContain(429)
      if (isOnPostgres) {
        for (let n = 0; n < 4; n++) for (const key of keys) expect(await get(key)).toBe(200)
      } else {
        // The proxy may choose either process, and only one of the boards has the key.
        const answers = await Promise.all(Array.from({ length: 8 }, () => get(keys[0]!)))
        expect(answers).toContain(200)
      }
      for (const { process } of processes) expect(process.stdout).toContain('TRUST_PROXY does not list this proxy')
    })
  })
})

/** A client's pause between two requests, in milliseconds. Leaves the machine time for the other processes. */
const PAUSE_MS = 10

/** Clients that alternate between writes and reads, and record every unexpected response. */
class Load {
  readonly failures: string[] = []
  readonly acknowledged: string[] = []
  reads = 0
  readonly #origin: string
  readonly #key: string
  readonly #agent = new Agent({ keepAlive: true })
  readonly #clients: Promise<void>[]
  #isOver = false

  constructor(origin: string, key: string, clients: number) {
    this.#origin = origin
    this.#key = key
    this.#clients = Array.from({ length: clients }, (_, n) => this.#run(n))
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
    this.#agent.destroy()
  }

  async #run(client: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++, await pause(PAUSE_MS)) {
      if (n % 2 === 0) {
        const title = `Job ${client}-${n}`
        if (await this.#ask('POST', '/v1/jobs', 201, jobBody({ title }))) this.acknowledged.push(title)
      } else if (await this.#ask('GET', n % 4 === 1 ? '/v1/jobs' : '/jobs', 200)) this.reads++
    }
  }

  /** Sends a request, and returns whether the response had the expected status. Records a line for each failure. */
  #ask(method: string, path: string, expected: number, body?: object): Promise<boolean> {
    const begun = new Date().toISOString()
    const text = body && JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(text && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    }
    return new Promise((resolve) => {
      const fail = (what: unknown) => {
        this.failures.push(`${begun} ${method} ${path}: ${what}`)
        resolve(false)
      }
      httpRequest(this.#origin + path, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          if (response.statusCode === expected) resolve(true)
          else fail(`${response.statusCode} ${Buffer.concat(chunks)}`)
        })
      })
        .on('error', fail)
        .end(text)
    })
  }
}

describe.runIf(isOnPostgres)('a rolling restart', () => {
  test.each(shipped)('completes every request behind %s', async (_name, program, start) => {
    if (!isInstalled[program]) return
    const environment = { RATE_LIMIT: 'off', TRUST_PROXY: '127.0.0.1', STOP_DELAY_S: '3', LOG_LEVEL: 'info' }
    const processes = await Promise.all([
      startService(await freePort(), environment),
      startService(await freePort(), environment),
    ])
    try {
      proxy = await start(pathOf(), processes.map(originOf))
      const { origin } = proxy
      const key = await register(origin, '/employers', { name: 'E', email: `${Math.random()}@e.example` })
      const load = new Load(origin, key, 8)
      for (const [n, { port, process }] of processes.entries()) {
        const ended = await process.signal('SIGTERM')
        expect(ended.code, ended.stdout.slice(-2_000)).toBe(0)
        processes[n] = await startService(port, environment)
        while (!(await fetch(`${originOf({ port })}/readyz`)).ok);
        // The proxy uses only the other process until its next health check of this process.
        await processes[n]!.process.printed(/"route":"\/v1\/jobs"/)
      }
      await load.end()
      expect(load.failures).toEqual([])
      expect(load.reads).toBeGreaterThan(100)
      expect(load.acknowledged.length).toBeGreaterThan(100)
      const { rows } = await database!.withClient((client) =>
        client.query<{ title: string }>(
          "select title from job where title like 'Job %' and employer_id = (select account_id from api_key where last4 = $1 order by created_at desc limit 1)",
          [key.slice(-4)],
        ),
      )
      // Every acknowledged write exists exactly once, and no other write exists.
      expect(rows.map(({ title }) => title).sort()).toEqual(load.acknowledged.toSorted())
    } finally {
      for (const { process } of processes) await process.signal('SIGKILL')
    }
  })
})
