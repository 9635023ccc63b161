/** The findings of `doctor` for working and broken setups. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { examine, type Finding } from '../../src/commands/doctor.ts'
import { replaceRates } from '../../src/features/currency-rates/currency-rates.queries.ts'
import type { StripeApi } from '../../src/features/stripe/index.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { readConfig } from '../../src/main/config.ts'
import { openConfiguredDatabase } from '../../src/main/databases.ts'
import { ADMIN_KEY, Board } from '../support/board.ts'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { createEmptyDatabase } from '../support/empty-database.ts'
import { useMailServer } from '../support/mails.ts'
import { freePort, runCli } from '../support/process.ts'
import { TestS3 } from '../support/s3.ts'
import { STRIPE_ENVIRONMENT, TestStripe } from '../support/stripe.ts'
import { makeWebhook } from '../support/webhooks.ts'

const KEY = 'ab'.repeat(32)
let folder: string
let environment: Record<string, string>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'board-doctor-'))
  environment = { DATA_DIR: join(folder, 'data'), PORT: String(await freePort()), ENCRYPTION_KEY: KEY }
})
afterEach(() => rm(folder, { recursive: true }))

const ask = async (more: Record<string, string> = {}) =>
  Array.fromAsync(examine(readConfig({ ...environment, ...more })))
const of = (findings: readonly Finding[], about: string) =>
  findings.filter((finding) => finding.about === about).map(({ level, text }) => `${level} ${text}`)
const levels = (findings: readonly Finding[], about: string) =>
  findings.filter((finding) => finding.about === about).map(({ level }) => level)

describe('before the board exists', () => {
  test('reports what the service will create, and creates nothing', async () => {
    const { code, stdout } = await runCli(['doctor'], environment)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^warn {2}database: {7}No database exists yet/m)
    expect(stdout).toMatch(/^ok {4}data folder: /m)
    expect(await readdir(folder)).toEqual([])
  })

  test('names invalid variables and exits with code 78', async () => {
    const { code, stderr } = await runCli(['doctor'], { ...environment, PORT: 'http', MAIL_URL: 'imap://x' })
    expect(code).toBe(78)
    expect(stderr).toMatch(/^Invalid configuration:\nPORT must .+\nMAIL_URL must .+\n$/)
  })

  test('reports an unreachable database, and continues', async () => {
    const url = `postgres://127.0.0.1:${await freePort()}/board`
    const { code, stdout } = await runCli(['doctor'], { ...environment, DATABASE_URL: url })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^FAIL {2}database: .+ECONNREFUSED/m)
    expect(stdout).toMatch(/^ok {4}payments: /m)
  })
})

describe('with URLs', () => {
  test('warns about local, unencrypted and unreachable URLs', async () => {
    const texts = of(await ask(), 'addresses')
    expect(texts[0]).toMatch(/^warn .+ which only this machine can open$/)
    expect(texts[1]).toMatch(/^warn .+does not respond as expected.+ECONNREFUSED/)
    const open = of(await ask({ PUBLIC_BASE_URL: 'http://board.invalid' }), 'addresses')
    expect(open[0]).toBe('warn http://board.invalid is not https: keys are sent unencrypted')
    expect(of(await ask({ HOST: '0.0.0.0' }), 'addresses')[0]).toMatch(/^warn PUBLIC_BASE_URL is not set/)
  })

  test('warns about a proxy that TRUST_PROXY omits', async () => {
    const board = new Board()
    await board.start({ RATE_LIMIT: 'on' })
    const { port } = new URL(board.address)
    const proxy = createServer((request, response) => {
      const headers = { ...request.headers, 'x-forwarded-for': '203.0.113.9' }
      const onward = httpRequest({ port, path: request.url, method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, { ...answer.headers, via: '1.1 proxy' })
        answer.pipe(response)
      })
      request.pipe(onward)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const behind = { PORT: String((proxy.address() as AddressInfo).port) }
    const key = { ADMIN_API_KEY: ADMIN_KEY }
    const aboutProxy = async (more: Record<string, string>) => of(await ask(more), 'proxy')
    expect(await aboutProxy({ PORT: port, ...key })).toEqual([
      'ok TRUST_PROXY lists all proxies that the board detects',
    ])
    expect(await aboutProxy({ ...behind, ...key })).toEqual([
      expect.stringMatching(/^warn .+TRUST_PROXY does not list/),
    ])
    expect(board.log).toContain('"proxy":"127.0.0.1","msg":"TRUST_PROXY does not list this proxy')
    expect(board.log.match(/TRUST_PROXY does not list/g)).toHaveLength(1)
    // Without an API key, only the headers that a proxy adds reveal the proxy.
    expect(await aboutProxy(behind)).toEqual([expect.stringMatching(/^warn A proxy responds \(1\.1 proxy\)/)])
    expect(await aboutProxy({ ...behind, TRUST_PROXY: '1' })).toEqual([])
    proxy.close()
    await board.stop()
  })

  test('finds a running board', async () => {
    const board = new Board()
    await board.start()
    const { port } = new URL(board.address)
    expect(of(await ask({ PORT: port }), 'addresses')).toContain(`ok http://127.0.0.1:${port} responds`)
    await board.stop()
  })
})

describe('with an SMTP server', async () => {
  const server = await useMailServer()

  test('logs in to the server, and reports a server that is unreachable or not configured', async () => {
    const from = { MAIL_FROM: 'jobs@board.example' }
    await server.restart()
    const there = `127.0.0.1:${server.port}`
    expect(of(await ask({ ...from, MAIL_URL: `smtp://${there}` }), 'email')[0]).toMatch(
      /^ok 127\.0\.0\.1:\d+ accepts the login/,
    )
    const gone = `smtp://127.0.0.1:${await freePort()}`
    expect(of(await ask({ ...from, MAIL_URL: gone }), 'email')[0]).toMatch(/^fail .*ECONNREFUSED/)
    expect(of(await ask(), 'email')[0]).toMatch(/^warn MAIL_URL is not set/)
  })
})

describe('with Stripe payments', () => {
  const askWith = async (stripe: StripeApi) => {
    const config = readConfig({ ...environment, ...STRIPE_ENVIRONMENT })
    return of(await Array.fromAsync(examine(config, { stripe })), 'payments')
  }

  test('checks the permissions of the Stripe key', async () => {
    const stripe = await TestStripe.start({ now: () => new Date() })
    const api = await stripe.api()
    const [first, second] = await askWith(api)
    expect(first).toMatch(/^ok The Stripe key can read sessions and events; /)
    expect(second).toMatch(/^warn STRIPE_SECRET_KEY is a test-mode key/)
    expect(stripe.asked).toEqual(['GET /v1/checkout/sessions', 'GET /v1/events'])
    stripe.trouble = 'unauthorized'
    expect(await askWith(api)).toEqual(['fail StripeAuthenticationError 401 req_test: the key is not valid'])
    stripe.stop()
    expect((await askWith(api))[0]).toMatch(/^fail .*Stripe/)
  })

  test('reports that the callback secret is missing', async () => {
    const { STRIPE_WEBHOOK_SECRET: _secret, ...without } = STRIPE_ENVIRONMENT
    const { code, stderr } = await runCli(['doctor'], { ...environment, ...without })
    expect(code).toBe(78)
    expect(stderr).toContain('STRIPE_WEBHOOK_SECRET is required with PAYMENTS=stripe')
  })
})

describe('with a file store', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await TestS3.start()
  })
  afterAll(() => s3.stop())

  test('writes, reads and deletes an object, and reports a refusal', async () => {
    expect(of(await ask({ FILES_URL: s3.url() }), 'files')[0]).toMatch(/^ok .+ works$/)
    expect(s3.seen.map((line) => line.split(' ')[0])).toEqual(['PUT', 'GET', 'DELETE'])
    expect(of(await ask({ FILES_URL: s3.url('wrong') }), 'files')[0]).toMatch(/^fail PUT .+ 403 /)
  })
})

describe('with a data folder', () => {
  test.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
    'reports that the disk is nearly full',
    async () => {
      const full = join(folder, 'full')
      mkdirSync(full)
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', full], { stdio: 'ignore' })
      } catch {
        // In a container, even root may lack the permission to mount.
        return
      }
      try {
        expect(of(await ask({ DATA_DIR: full }), 'data folder')[0]).toMatch(/^fail .+ has 0\.0 GiB free$/)
      } finally {
        execFileSync('umount', [full])
      }
    },
  )

  test('reports a data folder that would be inside a file', async () => {
    await writeFile(join(folder, 'file'), '')
    expect(levels(await ask({ DATA_DIR: join(folder, 'file', 'data') }), 'data folder')).toEqual(['fail'])
  })
})

describe.runIf(isOnPostgres)('with PostgreSQL', () => {
  test('finds no error in an empty database, and warns that no admin key exists', async () => {
    const database = await openTestDatabase()
    const findings = await ask({ DATABASE_URL: database.url! })
    expect(of(findings, 'database')[0]).toMatch(/^ok PostgreSQL \d+/)
    expect(levels(findings, 'migrations')).toEqual(['ok'])
    expect(levels(findings, 'encryption key')).toEqual(['ok'])
    expect(levels(findings, 'operator')).toEqual(['warn'])
    expect(findings.map(({ level }) => level)).not.toContain('fail')
    await database.close()
  })

  test('finds a wrong or missing encryption key, and pending migrations', async () => {
    const board = new Board()
    await board.start()
    await makeWebhook(board, await board.employer())
    const DATABASE_URL = board.database.url!
    expect(levels(await ask({ DATABASE_URL }), 'encryption key')).toEqual(['ok'])
    const other = randomBytes(32).toString('base64')
    expect(of(await ask({ DATABASE_URL, ENCRYPTION_KEY: other }), 'encryption key')[1]).toBe(
      'fail ENCRYPTION_KEY lacks the key for 1 webhook secret (key unnamed)',
    )
    expect(of(await ask({ DATABASE_URL, ENCRYPTION_KEY: '' }), 'encryption key')[0]).toMatch(/^fail .+ is required/)
    await board.database.inTx((tx) =>
      sql`update schema_migration set name = '9999_future.sql' where name like '0003%'`.execute(tx),
    )
    expect(of(await ask({ DATABASE_URL }), 'migrations')).toEqual([
      'warn The next start applies 0003_payments.sql',
      'warn A newer release applied 9999_future.sql',
    ])
    await board.stop()
  })

  test('reports a clock difference between the server and this machine', async () => {
    const database = await openTestDatabase()
    await database.inTx(async (tx) => {
      await sql`create function public.clock_timestamp() returns timestamptz language sql
        as 'select pg_catalog.clock_timestamp() + interval ''1 minute'''`.execute(tx)
    })
    const DATABASE_URL = `${database.url}?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`
    expect(of(await ask({ DATABASE_URL }), 'database').join('\n')).toMatch(
      /^fail The clocks of the server and this machine differ by 60\.\d s$/m,
    )
    await database.close()
  })

  test('finds that sessions behind a pooler lack the planner settings and lock_timeout', async () => {
    const database = await openTestDatabase()
    const ofPooler = async () =>
      of(await ask({ DATABASE_URL: database.url!, DATABASE_POOL_MODE: 'transaction' }), 'database').join('\n')
    expect(await ofPooler()).toMatch(/^warn The planner settings from .+ are missing/m)
    expect(await ofPooler()).toMatch(/^warn lock_timeout is not set/m)
    await database.inTx(async (tx) => {
      const name = sql.id(new URL(database.url!).pathname.slice(1))
      await sql`alter database ${name} set enable_seqscan = off`.execute(tx)
      await sql`alter database ${name} set plan_cache_mode = force_generic_plan`.execute(tx)
      await sql`alter database ${name} set lock_timeout = '5s'`.execute(tx)
    })
    expect(await ofPooler()).not.toMatch(/planner|lock_timeout/)
    await database.close()
  })

  test('does not run migrations', async () => {
    const { database, remove } = await createEmptyDatabase()
    const { rows } = await database.withClient((client) => client.query('select current_database() as name'))
    const url = new URL(process.env.TEST_DATABASE_URL!)
    url.pathname = `/${rows[0].name}`
    const findings = await ask({ DATABASE_URL: url.href })
    expect(of(findings, 'migrations')[0]).toMatch(/^warn The next start applies 0001_accounts\.sql, /)
    const { rows: tables } = await database.withClient((client) =>
      client.query("select from information_schema.tables where table_schema = 'public'"),
    )
    expect(tables).toEqual([])
    await remove()
  })
})

describe.runIf(!isOnPostgres)('with the embedded database', () => {
  beforeEach(() => copyMigratedDatabase(environment.DATA_DIR!))

  test('reports exchange rates that are more than 60 days old', async () => {
    const ratesOf = async (days: number) => {
      const database = await openConfiguredDatabase(readConfig(environment))
      const as_of = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
      await database.inTx((tx) => replaceRates(tx, { base: 'EUR', as_of, rates: { USD: 1.25 } }))
      await database.close()
      return of(await ask(), 'currency rates')
    }
    const [old, recent] = [await ratesOf(61), await ratesOf(59)]
    expect(old).toEqual([
      expect.stringMatching(/^warn The exchange rates are from \d{4}-\d\d-\d\d, more than 60 days old/),
    ])
    expect(recent).toEqual([expect.stringMatching(/^ok The exchange rates are from \d{4}-\d\d-\d\d$/)])
  })

  test('names the kind of database, and reports that another process is using the database', async () => {
    const made = await runCli(['keys', 'create', '--kind', 'admin', '--name', 'Test'], environment)
    expect(made.code).toBe(0)
    const findings = await ask()
    expect(of(findings, 'database')[0]).toMatch(/^warn Embedded/)
    expect(of(findings, 'operator')).toEqual(['ok Admin keys: 1'])
    expect(of(findings, 'currency rates')[0]).toMatch(/^(?:ok|warn) The exchange rates are from \d{4}-\d\d-\d\d/)
    const holder = 1
    await writeFile(join(environment.DATA_DIR!, 'db', 'process.pid'), String(holder))
    expect(of(await ask(), 'database')[0]).toMatch(/^fail .+ is in use by process 1: /)
    await rm(join(environment.DATA_DIR!, 'db', 'process.pid'))
  })
})
