/**
 * A running board for tests: the composed service on a real database and a real port, with a manual clock. Checks every
 * response against the OpenAPI document.
 */
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { pino } from 'pino'
import { type Dispatcher, request } from 'undici'
import { afterAll, beforeAll, inject } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { confirmAddress, openAccount } from '../../src/features/accounts/index.ts'
import type { Feature } from '../../src/features/feature.ts'
import type { StripeApi } from '../../src/features/stripe/index.ts'
import type { WebhookParts } from '../../src/features/webhooks/index.ts'
import type { Line } from '../../src/http/request-log.ts'
import type { UploadLimits } from '../../src/http/upload-memory.ts'
import type { Actor } from '../../src/lib/scopes.ts'
import { composeService, type Service } from '../../src/main/compose.ts'
import { type Config, readConfig } from '../../src/main/config.ts'
import { Contract } from './contract.ts'
import { openTestDatabase } from './database.ts'
import { Receiver, webhookGuard } from './receiver.ts'

export const ORIGIN = 'https://board.example'
export const ADMIN_KEY = 'operator-key-of-the-tests-0001'
export const ENCRYPTION_KEY = 'ab'.repeat(32)
export const START = new Date('2026-03-02T09:00:00.000Z')

/** Whether the boards in this run use the fast path. `FAST_PATH=off npm test` runs all tests without it. */
export const hasFastPath = process.env.FAST_PATH !== 'off'

/** Whether lists of the boards in this run come from a search engine. `TEST_LISTS=engine npm test` starts one. */
const hasEngine = process.env.TEST_LISTS === 'engine'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  body: any
  text: string
  bytes: Buffer
}

export interface CallOptions {
  key?: string | undefined
  /** Sent as JSON, except strings, bytes and streams, which are sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
}

export interface Account {
  id: string
  key: string
}

export class Board {
  readonly clock = {
    time: START.getTime(),
    now(): Date {
      return new Date(this.time)
    },
    /** Moves the clock forward. */
    advance(ms: number): void {
      this.time += ms
    },
  }
  /** Whether the process is overloaded. A fixed value, which does not depend on the load of the test machine. */
  readonly pressure = { isHigh: false, stop() {} }
  /** Receives all webhooks. */
  readonly receiver = new Receiver(this.clock)
  /** The Stripe API to use with PAYMENTS=stripe. */
  stripe: StripeApi | undefined
  /** Everything that the service logged. */
  log = ''
  /** `operationId status` of every response. */
  readonly seen = new Set<string>()
  /** The secrets in the configuration, and every key and secret that was sent or returned. */
  readonly #secrets = new Set<string>([ADMIN_KEY, ENCRYPTION_KEY])
  database!: Database & { url?: string }
  /** Default: every feature. */
  features: readonly Feature[] | undefined
  /** Overrides how the service reaches other hosts. */
  network: Partial<WebhookParts> | undefined
  /** Overrides the default upload limits. */
  uploadLimits: UploadLimits | undefined
  /** The replica of the board's database, if any. A test that sets the replica must also close it. */
  replica: Database | undefined
  service!: Service
  contract!: Contract
  config!: Config
  #address = ''
  /** The prefix of the names of the engine's indexes. */
  readonly #index = `board-${randomUUID()}`
  /** Whether the index was brought up to date before the last request. */
  #isUpToDate = false
  /** The folder for emails, which the service uses without an SMTP server. */
  readonly #dataDir = join(tmpdir(), `board-${randomUUID()}`)
  #count = 0

  /** Starts the service. `environment` overrides the test configuration. */
  async start(environment: Record<string, string> = {}): Promise<void> {
    this.database ??= await openTestDatabase()
    this.config = readConfig({
      PUBLIC_BASE_URL: ORIGIN,
      ADMIN_API_KEY: ADMIN_KEY,
      PAYMENTS: 'test',
      DATA_DIR: this.#dataDir,
      ENCRYPTION_KEY,
      RATE_LIMIT: 'off',
      FAST_PATH: hasFastPath ? 'on' : 'off',
      ...(hasEngine && { SEARCH_URL: inject('searchUrl')!, SEARCH_INDEX: this.#index }),
      ...environment,
    })
    const logLines = {
      write: (line: Line) => {
        this.log += line
      },
    }
    const logger = pino({ level: 'info' }, logLines)
    const webhooks = { guard: webhookGuard, client: this.receiver, texts: async () => [], ...this.network }
    const { database, replica, clock, pressure, stripe, uploadLimits } = this
    for (const secret of Object.values(this.config.stripe ?? {})) this.#secrets.add(secret)
    const features = this.features && { features: this.features }
    const parts = { database, replica, logger, logLines, clock, webhooks, pressure, stripe, uploadLimits, ...features }
    // The index is empty at the start. With the default, most test files would end before the service reads it again.
    const keptMs = 0
    this.service = await composeService(this.config, { ...parts, keptMs })
    this.#isUpToDate = false
    await this.alternate()
    await this.service.app.listen({ host: '127.0.0.1', port: 0 })
    this.#address = `http://127.0.0.1:${(this.service.app.server.address() as AddressInfo).port}`
    this.contract ??= await this.#findContract(this.features ? undefined : JSON.stringify(environment))
  }

  /** Returns the contract of a service with these settings. Without settings, always reads the document. */
  async #findContract(settings: string | undefined): Promise<Contract> {
    const known = settings && contracts.get(settings)
    if (known) return known
    const document = await (await fetch(`${this.#address}/v1/openapi.json`)).text()
    const contract = contracts.get(document) ?? new Contract(JSON.parse(document))
    contracts.set(document, contract)
    if (settings) contracts.set(settings, contract)
    return contract
  }

  /** Stops the service and starts it again on the same database. */
  async restart(environment: Record<string, string> = {}): Promise<void> {
    await this.service.app.close()
    await this.service.close()
    await this.start(environment)
  }

  async stop(): Promise<void> {
    await this.service?.app.close()
    if (hasEngine) await fetch(`${inject('searchUrl')}/${this.#index}-*`, { method: 'DELETE' })
    this.#expectLogClean()
    await this.database?.close()
    // Vitest keeps a file's modules until the worker ends. They must not keep the database in memory.
    Object.assign(this, { database: undefined, service: undefined })
    rmSync(this.#dataDir, { recursive: true, force: true })
  }

  /** Asserts that the service logged no secret, and sent no response twice. */
  #expectLogClean(): void {
    if (this.log.includes('Reply was already sent')) throw new Error('A response was sent twice')
    for (const secret of this.#secrets) {
      // Also finds a secret that is truncated or lacks its prefix.
      if (this.log.includes(secret.slice(8, -6))) throw new Error(`The log contains the secret ${secret}`)
    }
  }

  #noteSecrets(data: Record<string, unknown> | undefined, key: string | undefined): void {
    const checkout = String(data?.checkout_url ?? '')
      .split('/')
      .at(-1)
    for (const secret of [key, data?.api_key, data?.key, data?.secret, checkout]) {
      if (typeof secret === 'string' && secret.length >= 24) this.#secrets.add(secret)
    }
  }

  /**
   * With a search engine, brings the index up to date before every second request. Lists then come alternately from the
   * index alone, and from the index and newer changes.
   */
  async alternate(): Promise<void> {
    if (!hasEngine) return
    this.#isUpToDate = !this.#isUpToDate
    const task = this.#isUpToDate && this.service.tasks.find(({ name }) => name === 'search-index')
    if (task) while ((await task.once()) === 'more');
  }

  /** Runs work while the index and its point in time stay the same. */
  async withoutAlternating<T>(work: () => Promise<T>): Promise<T> {
    const { alternate } = this
    this.alternate = async () => {}
    try {
      return await work()
    } finally {
      this.alternate = alternate
    }
  }

  /** Sends one request and checks that the OpenAPI document describes the response. */
  async call(method: string, path: string, { key, body, headers = {} }: CallOptions = {}): Promise<Answer> {
    await this.alternate()
    // Takes a third of the CPU time of `fetch`, and copies no bodies.
    const response = await request(`${this.#address}${path}`, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        'accept-encoding': 'gzip, deflate',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isSentAsItIs(body) ? (body as Buffer) : (JSON.stringify(body) ?? null),
    })
    const sent = Buffer.from(await response.body.arrayBuffer())
    const decode = sent.length > 0 && decoders[String(response.headers['content-encoding'])]
    const bytes = decode ? decode(sent) : sent
    const text = bytes.toString()
    const isJson = /json/.test(String(response.headers['content-type']))
    const answer = {
      status: response.statusCode,
      headers: new Headers(
        Object.entries(response.headers).flatMap(([name, values]) =>
          [values].flat().map((value): [string, string] => [name, value!]),
        ),
      ),
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      text,
      bytes,
    }
    this.#noteSecrets(answer.body?.data, key)
    const operationId = this.contract.check(method, path, answer)
    if (operationId) this.seen.add(`${operationId} ${answer.status}`)
    return answer
  }

  /** Sends a body of bytes, labeled as JSON. */
  async callRaw(method: string, path: string, key: string, bytes: Uint8Array): Promise<Answer> {
    return this.call(method, path, { key, body: bytes })
  }

  get = (path: string, key?: string) => this.call('GET', path, { key })
  post = (path: string, key?: string, body?: unknown) => this.call('POST', path, { key, body })
  put = (path: string, key?: string, body?: unknown) => this.call('PUT', path, { key, body })
  delete = (path: string, key?: string) => this.call('DELETE', path, { key })

  get address(): string {
    return this.#address
  }

  /** Registers an employer over HTTP, and confirms the email address. */
  async employer(overrides: Record<string, unknown> = {}): Promise<Account> {
    const n = ++this.#count
    const body = { name: `Employer ${n}`, email: `jobs@employer-${n}.example`, ...overrides }
    return this.confirmed(toAccount(await this.post('/v1/employers', undefined, body)))
  }

  /** Registers a candidate over HTTP, and confirms the email address. */
  async candidate(overrides: Record<string, unknown> = {}): Promise<Account> {
    const n = ++this.#count
    const body = { first_name: 'Ada', last_name: `Number ${n}`, email: `ada-${n}@candidate.example`, ...overrides }
    return this.confirmed(toAccount(await this.post('/v1/candidates', undefined, body)))
  }

  /** Confirms an account's email address, as the link in the email would. */
  async confirmed(account: Account): Promise<Account> {
    await this.database.inTx((tx) => confirmAddress(tx, account.id))
    return account
  }

  /** Creates an integrator that sees all events. */
  async integrator(): Promise<Account> {
    const name = `Integrator ${++this.#count}`
    const account = { kind: 'integrator', name, email: null } as const
    const { id, apiKey } = await this.database.inTx((tx) => openAccount(tx, account, this.clock.now()))
    return { id, key: apiKey }
  }

  /** Returns a new account of this kind, or the built-in admin account. */
  async account(kind: Actor['kind']): Promise<Account> {
    if (kind === 'admin') return { id: 'adm_00000000000000000000000000', key: ADMIN_KEY }
    return this[kind]()
  }

  /** Creates another key for an account, with only these scopes. */
  async keyWith(account: Account, scopes: string[]): Promise<string> {
    const answer = await this.post('/v1/api-keys', account.key, { name: 'Limited', scopes })
    return expectStatus(answer, 201).body.data.key
  }

  /** Creates an inactive job over HTTP and returns it. */
  async job(employer: Account, overrides: Record<string, unknown> = {}) {
    return expectStatus(await this.post('/v1/jobs', employer.key, jobBody(overrides)), 201).body.data
  }

  /** Pays for products of a job. Payment for a post puts the job on the board. */
  async pay(employer: Account, jobId: string, products: string[] = ['job-post']) {
    const begun = await this.post('/v1/employers/payments', employer.key, { job_id: jobId, products })
    const { id } = expectStatus(begun, 201).body.data
    return expectStatus(await this.post(`/v1/employers/payments/${id}/confirm`, employer.key), 200).body.data
  }

  /** Creates, pays for and activates a job over HTTP, and returns it. */
  async activeJob(employer: Account, overrides: Record<string, unknown> = {}) {
    const { id } = await this.job(employer, overrides)
    await this.pay(employer, id)
    return expectStatus(await this.post(`/v1/jobs/${id}/activate`, employer.key), 200).body.data
  }

  /** Returns all events or those of one type, oldest first, as webhooks receive them. */
  async events(
    type?: string,
  ): Promise<{ id: string; type: string; created_at: string; data: Record<string, never> }[]> {
    const rows = await this.database.read((db) =>
      db.selectFrom('event').select('body').orderBy('created_at').orderBy('id').execute(),
    )
    return rows.map(({ body }) => JSON.parse(body)).filter((event) => type === undefined || event.type === type)
  }
}

const isSentAsItIs = (body: unknown) =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
}

/**
 * The contracts of this worker's boards, by settings and by document. Writing the document takes a service 0.2 s, and
 * compiling its schemas takes longer.
 */
const contracts = new Map<string, Contract>()

/** Returns a valid body for POST /jobs. */
export function jobBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    title: 'Battery engineer',
    description: 'Design battery packs for electric vans.',
    location: 'Gothenburg, Sweden',
    category: 'powertrain-battery',
    type: 'full-time',
    ...overrides,
  }
}

/** Returns the response if it has the expected status, and throws otherwise. */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${answer.text}`)
  return answer
}

function toAccount(answer: Answer): Account {
  const { id, api_key } = expectStatus(answer, 201).body.data
  return { id, key: api_key }
}

/** Starts a board for the tests in a file or a describe block. */
export function useBoard(environment: Record<string, string> = {}): Board {
  const board = new Board()
  beforeAll(() => board.start(environment))
  afterAll(() => board.stop())
  return board
}
