/** The command line as operators use it: real processes, real signals, the embedded database or PostgreSQL. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import PostalMime from 'postal-mime'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runBoardSet, runBoardShow } from '../../src/commands/board.ts'
import { runCreateKey } from '../../src/commands/create-key.ts'
import { runImportJobs } from '../../src/commands/import-jobs.ts'
import { UsageError } from '../../src/commands/run.ts'
import { runSeedDemo } from '../../src/commands/seed.ts'
import type { Database } from '../../src/db/database.ts'
import { jobBody } from '../support/board.ts'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { MailServer, mailsIn } from '../support/mails.ts'
import { freePort, runCli, ServiceProcess } from '../support/process.ts'

let folder: string
let environment: Record<string, string>
let database: (Database & { url?: string }) | undefined
let running: ServiceProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-cli-'))
  database = isOnPostgres ? await openTestDatabase() : undefined
  environment = {
    PORT: String(await freePort()),
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'info',
    ...(database?.url && { DATABASE_URL: database.url }),
  }
})

afterEach(async () => {
  for (const service of running) await service.signal('SIGKILL')
  running = []
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

async function start(...args: string[]): Promise<ServiceProcess> {
  const service = new ServiceProcess(args, environment)
  running.push(service)
  // The last line of a trial differs between its first start and later starts.
  await service.printed(
    args[0] === 'trial' ? /employers\/applications' -H .+\n|--name "My key"\n/ : /"msg":"listening"/,
  )
  return service
}

async function call(method: string, path: string, key: string, body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${environment.PORT}${path}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  return { status: response.status, body: (await response.json()) as any }
}

/** Runs a command in this process and returns its output. A new process would take a second longer. */
async function runHere(command: () => Promise<void>): Promise<string> {
  const settings = { ...environment, ...(isOnPostgres && { ENCRYPTION_KEY: 'ab'.repeat(32) }) }
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const error = vi.spyOn(console, 'error').mockReturnValue()
  try {
    await command()
    return log.mock.calls.map(([text]) => `${text}\n`).join('')
  } finally {
    log.mockRestore()
    error.mockRestore()
    vi.unstubAllEnvs()
  }
}

/** For commands that open a database. `migrate` creates one itself. */
const copyDatabase = () => copyMigratedDatabase(environment.DATA_DIR!)

const keysIn = (output: string) => output.match(/jm_[a-z]+_\w{38}/g) ?? []

describe('trial', () => {
  beforeEach(copyDatabase)

  /** Tries the commands that the trial prints, and returns the responses. */
  async function tryCommands(printed: string) {
    const requests = /curl -s '([^']+)' -H 'Authorization: Bearer (\w+)'(?:[^\n]*\\\n[^\n]* -d '([^']+)')?/g
    const answers = []
    for (const [, url, key, body] of printed.matchAll(requests)) {
      const { pathname, search } = new URL(url!)
      answers.push(await call(body ? 'POST' : 'GET', pathname + search, key!, body && JSON.parse(body)))
    }
    return answers
  }

  async function expectFilledBoard(employer: string, candidate: string): Promise<void> {
    const get = async (path: string, key = candidate) => (await call('GET', path, key)).body.data
    const profile = await get('/v1/candidates/profile')
    expect(profile).toMatchObject({ first_name: 'Robin', is_searchable: true })
    expect(profile.experience.length * profile.education.length * profile.skills.length).toBeGreaterThan(0)
    expect((await get('/v1/candidates/resume')).filename).toBe('robin-demo.txt')
    expect(await get('/v1/candidates/applications')).toMatchObject([{ status: 'pending' }])
    const [alert] = await get('/v1/candidates/job-alerts')
    expect((await get(`/v1/candidates/job-alerts/${alert.id}/matches`)).length).toBeGreaterThan(5)
    const received = await get('/v1/employers/applications', employer)
    expect(received.map(({ status }: { status: string }) => status).toSorted()).toEqual([
      'contacted',
      'hired',
      'pending',
      'pending',
      'rejected',
      'reviewed',
    ])
    expect(received[0]).toMatchObject({ candidate: { name: 'Robin Demo' }, custom_questions: { license_years: 12 } })
    expect(await get('/v1/candidates/jobs/saved')).toHaveLength(2)
    const statistics = await get(`/v1/employers/jobs/${received[0].job.id}/statistics`, employer)
    expect(statistics.views).toBeGreaterThan(50)
    expect(await get('/v1/employers/payments', employer)).toMatchObject([{ status: 'paid', products: ['highlighted'] }])
    // Only the extracted resume text contains this word.
    await expect.poll(() => get('/v1/candidates?search=finnish', employer), { timeout: 20_000 }).toHaveLength(1)
  }

  async function expectFirstEmails(printed: string): Promise<void> {
    const [, mails] = /Emails are written to (.+)/.exec(printed)!
    expect(mails).toBe(join(environment.DATA_DIR!, 'mail'))
    // Emails are sent immediately; jobs that match later appear in the next email.
    const told = async () => {
      const sent = (await mailsIn(environment.DATA_DIR!).catch(() => [])).map(({ subject }) => subject!)
      const found = sent.flatMap(
        (subject) => /^(One|\d+) new jobs? for “Testing and workshop”$/.exec(subject)?.[1] ?? [],
      )
      const applications = sent.filter((subject) => subject.startsWith('New application: ')).length
      const confirmations = sent.filter((subject) => subject.startsWith('Application sent: ')).length
      const others = sent.length - found.length - applications - confirmations
      return {
        jobs: found.reduce((sum, count) => sum + (count === 'One' ? 1 : Number(count)), 0),
        applications,
        confirmations,
        others,
      }
    }
    await expect.poll(told, { timeout: 20_000 }).toEqual({ jobs: 14, applications: 6, confirmations: 1, others: 0 })
    const text = (await mailsIn(environment.DATA_DIR!)).map((mail) => mail.text).join()
    expect(text).toContain('GBP 13 to 15 an hour')
  }

  async function expectJobCanBeActivated(employer: string): Promise<void> {
    const { id } = (await call('POST', '/v1/jobs', employer, jobBody())).body.data
    const refused = await call('POST', `/v1/jobs/${id}/activate`, employer)
    expect([refused.status, refused.body.code]).toEqual([402, 'payment_required'])
    const payment = await call('POST', '/v1/employers/payments', employer, { job_id: id, products: ['job-post'] })
    const page = await (await fetch(payment.body.data.checkout_url)).text()
    expect(page).toContain('Pay (test)')
    await fetch(payment.body.data.checkout_url, { method: 'POST' })
    expect((await call('POST', `/v1/jobs/${id}/activate`, employer)).body.data.is_active).toBe(true)
  }

  // One test, because each start of a filled board takes seconds.
  test('fills a demo board and prints three keys with working requests, but only on the first successful start', async () => {
    // If the port is in use, the start fails without printing keys, and the next start prints them.
    const other = createServer().listen(Number(environment.PORT), '127.0.0.1')
    await once(other, 'listening')
    const failed = await runCli(['trial'], environment)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/EADDRINUSE.*\n$/)
    expect(keysIn(failed.stdout)).toEqual([])
    other.close()

    const first = await start('trial')
    const [operator, employer, candidate] = keysIn(first.stdout) as [string, string, string]
    const kinds = await Promise.all(
      [operator, employer, candidate].map(async (key) => (await call('GET', '/v1/me', key)).body.data.kind),
    )
    expect(kinds).toEqual(['admin', 'employer', 'candidate'])
    await expectFilledBoard(employer, candidate)
    await expectFirstEmails(first.stdout)
    const answers = await tryCommands(first.stdout)
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 200])
    expect(answers.map(({ body }) => body.data.length)).toEqual([3, undefined, 7])
    await expectJobCanBeActivated(employer)
    const { total } = (await call('GET', '/v1/jobs', candidate)).body.meta.pagination
    expect(total).toBeGreaterThan(60)
    const employers = (await call('GET', '/v1/employers', candidate)).body.meta.pagination.total
    expect(employers).toBeGreaterThanOrEqual(12)
    expect(await first.signal('SIGTERM')).toMatchObject({ code: 0 })

    expect(first.stdout).toContain(`Set up your board: http://127.0.0.1:${environment.PORT}/desk/board`)
    await runCli(['board', 'set', 'name=Gearwright'], environment)

    const second = await start('trial')
    expect(second.stdout).not.toContain('/desk/board')
    expect(keysIn(second.stdout)).toEqual([])
    expect((await call('GET', '/v1/jobs', candidate)).body.meta.pagination.total).toBe(total)
    expect(await second.signal('SIGINT')).toMatchObject({ code: 0 })
  })
})

describe('serve', () => {
  beforeEach(copyDatabase)

  test('locks the embedded database against other processes, and keeps an acknowledged payment if it is killed', async () => {
    environment.PAYMENTS = 'test'
    const first = await start('serve')
    const registered = await call('POST', '/v1/employers', '', { name: 'E', email: 'e@e.example' })
    const employer = registered.body.data.api_key
    const { id } = (await call('POST', '/v1/jobs', employer, jobBody())).body.data
    const payment = await call('POST', '/v1/employers/payments', employer, { job_id: id, products: ['job-post'] })
    expect((await call('POST', `/v1/employers/payments/${payment.body.data.id}/confirm`, employer)).status).toBe(200)
    if (!isOnPostgres) {
      const other = await runCli(['keys', 'create', '--kind', 'admin', '--name', 'Test'], environment)
      expect(other).toMatchObject({ code: 1, stdout: '' })
      expect(other.stderr).toMatch(/^The embedded database in .+ is in use by process \d+: .+\n$/)
    }
    await first.signal('SIGKILL')

    const second = await start('serve')
    const activated = await call('POST', `/v1/jobs/${id}/activate`, employer)
    expect([activated.status, activated.body.data.is_active]).toEqual([200, true])
    await second.signal('SIGTERM')
  })

  /** Sends the start of a registration, and resolves when the server has read it. */
  async function beginRequest(body: string): Promise<Socket> {
    const socket = connect(Number(environment.PORT), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      'POST /v1/employers HTTP/1.1\r\nHost: board\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    )
    // Once this response arrives, the server has read the earlier bytes on the other connection.
    expect((await fetch(`http://127.0.0.1:${environment.PORT}/healthz`)).status).toBe(200)
    return socket
  }

  test('completes a request and an email in progress after SIGTERM, refuses new connections, and keeps pending work', async () => {
    const server = new MailServer()
    const arrived = Promise.withResolvers<() => void>()
    const subjects: (string | undefined)[] = []
    await server.start({
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk) => chunks.push(chunk))
        stream.on('end', async () => {
          subjects.push((await PostalMime.parse(Buffer.concat(chunks))).subject)
          // The test delays the first response.
          if (subjects.length === 1) arrived.resolve(() => done())
          else done()
        })
      },
    })
    Object.assign(environment, {
      PAYMENTS: 'free',
      MAIL_URL: `smtp://127.0.0.1:${server.port}`,
      MAIL_FROM: 'jobs@board.example',
    })
    const first = await start('serve')
    const register = async (path: string, body: object) => (await call('POST', path, '', body)).body.data.api_key
    const candidate = await register('/v1/candidates', { first_name: 'A', last_name: 'K', email: 'a@mail.example' })
    const employer = await register('/v1/employers', { name: 'E', email: 'e@e.example' })
    const { id } = (await call('POST', '/v1/jobs', employer, jobBody())).body.data
    await call('POST', `/v1/jobs/${id}/activate`, employer)
    const apply = `/v1/candidates/jobs/${id}/apply`
    const applied = await call('POST', apply, candidate, { cover_letter: 'Hello.' })
    const answer = await arrived.promise
    const path = `/v1/employers/applications/${applied.body.data.id}`
    expect((await call('PUT', path, employer, { status: 'reviewed' })).status).toBe(200)
    const file = { filename: 'cv.txt', content_base64: Buffer.from('Welder of hulls').toString('base64') }
    expect((await call('POST', '/v1/candidates/resume', candidate, file)).status).toBe(201)
    const body = JSON.stringify({ name: 'Slow', email: 'slow@e.example' })
    const socket = await beginRequest(body)
    const finished = first.signal('SIGTERM')
    await first.printed(/"msg":"stopping"/)
    socket.write(body.slice(5))
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 201 /)
    socket.destroy()
    answer()
    expect(await finished).toMatchObject({ code: 0 })
    await expect(fetch(`http://127.0.0.1:${environment.PORT}/healthz`)).rejects.toThrow()

    const second = await start('serve')
    await expect
      .poll(() => subjects.toSorted(), { timeout: 20_000 })
      .toEqual(['Application sent', 'New application', 'Update on one of your applications'])
    const find = async () => (await call('GET', '/v1/candidates?search=hulls', employer)).body.data.length
    await expect.poll(find, { timeout: 20_000 }).toBe(1)
    expect(await second.signal('SIGTERM')).toMatchObject({ code: 0 })
    await server.stop()
  })

  test.runIf(isOnPostgres)('runs the HTTP server and the workers as separate processes', async () => {
    const http = await start('serve', '--only', 'http')
    const work = new ServiceProcess(['serve', '--only', 'work'], environment)
    running.push(work)
    expect((await fetch(`http://127.0.0.1:${environment.PORT}/readyz`)).status).toBe(200)
    expect(await http.signal('SIGTERM')).toMatchObject({ code: 0 })
    await expect(fetch(`http://127.0.0.1:${environment.PORT}/healthz`)).rejects.toThrow()
    await work.printed(/"tasks":\[.*"mail".*"msg":"working"/)
    // The HTTP process also runs tasks, for example to record key uses and to update the in-memory board.
    const [, tasks] = await http.printed(/"tasks":(\[[^\]]*\]),"msg":"working"/)
    expect(JSON.parse(tasks!).sort()).toEqual(
      'authorities board board-snapshot board-words clock desk job-views key-uses quotas task-health'.split(' '),
    )
    expect(await work.signal('SIGTERM')).toMatchObject({ code: 0 })
  })
})

describe('the program', () => {
  test('prints one line if the database is unreachable', async () => {
    const unreachable = { ...environment, DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/board` }
    const { code, stderr } = await runCli(['serve'], unreachable)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The database is unavailable: .*ECONNREFUSED.*\n$/)
  })

  test('names every invalid variable, exits with code 78 and creates no data folder', async () => {
    const bad = {
      ...environment,
      PORT: 'http',
      PAYMENTS: 'gold',
      DATABASE_URL: 'mysql://user:hunter2@host/db',
      ADMIN_API_KEY: 'short',
      DATA_DIR: join(folder, 'nothing'),
    }
    const { code, stdout, stderr } = await runCli(['serve'], bad)
    expect(code).toBe(78)
    expect(stdout).toBe('')
    expect(stderr.split('\n')).toEqual([
      'Invalid configuration:',
      'PORT must be a whole number from 1 to 65535, not "http"',
      'DATABASE_URL must start with postgres:// or postgresql://',
      'ADMIN_API_KEY must be one or two comma-separated keys, each 24 to 256 printable characters without spaces',
      'PAYMENTS must be one of manual, test, free, stripe, not "gold"',
      '',
    ])
    await expect(access(bad.DATA_DIR)).rejects.toThrow()
  })

  test('shows help for itself and for its commands', async () => {
    const commands = [
      ...['', 'serve', 'keys create', 'import jobs', 'export jobs', 'backup', 'restore', 'doctor', 'seed demo'],
      ...['migrate', 'trial'],
    ]
    await Promise.all(
      commands.map(async (command) => {
        const { code, stdout } = await runCli([...command.split(' ').filter(Boolean), '--help'], environment)
        expect([code, stdout.split(' [')[0]]).toEqual([0, `Usage: job-marketplace ${command}`.trim()])
      }),
    )
  })

  test('refuses an unknown command or an invalid option value', async () => {
    const refused = [['frobnicate'], ['serve', '--only', 'half']].map((args) => runCli(args, environment))
    expect((await Promise.all(refused)).map(({ code }) => code)).toEqual([1, 1])
  })
})

describe('migrate and keys', () => {
  test('`migrate` applies each migration once', async () => {
    environment.DATA_DIR = join(folder, 'nothing')
    const first = await runCli(['migrate'], environment)
    expect(first.code).toBe(0)
    if (!isOnPostgres) expect(first.stdout).toMatch(/^Applied 0001_accounts\.sql, /)
    expect(await runCli(['migrate'], environment)).toMatchObject({ code: 0, stdout: 'No migrations to apply\n' })
  })

  test('`keys create` creates another key for an account, and refuses an unknown account, or both `--account` and `--kind`', async () => {
    copyDatabase()
    const made = await runCli(['keys', 'create', '--kind', 'integrator', '--name', 'Sync'], environment)
    const account = /int_\w+/.exec(made.stderr)![0]
    const further = await runHere(() => runCreateKey({ account, name: 'Second' }))
    expect(further).toMatch(/^jm_int_\w{38}\n$/)
    const unknown = await runCli(['keys', 'create', '--account', 'int_unknown', '--name', 'x'], environment)
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: 'Unknown account int_unknown.\n' })
    await expect(runHere(() => runCreateKey({ account, kind: 'admin', name: 'x' }))).rejects.toThrow(UsageError)
  })
})

describe('during a rotation, the service', () => {
  beforeEach(copyDatabase)

  // One test, because each start of a process takes seconds.
  test('accepts both admin keys while they are set, and reads the secrets that `secrets rotate` has re-encrypted', async () => {
    const [formerAdmin, nextAdmin] = ['the-former-key-of-the-operator', 'the-next-key-of-the-operator']
    const adminFile = join(folder, 'admin-key')
    await writeFile(adminFile, `${nextAdmin},${formerAdmin}\n`)
    environment.ADMIN_API_KEY_FILE = adminFile
    const file = join(environment.DATA_DIR!, 'encryption.key')
    /** Configures these keys in the environment or, for the embedded database, in the file. */
    const give = async (...keys: string[]) => {
      if (isOnPostgres) environment.ENCRYPTION_KEY = keys.join()
      else await writeFile(file, `${keys.join('\n')}\n`)
    }
    const made = await start('serve')
    for (const key of [formerAdmin, nextAdmin]) {
      const { data } = (await call('GET', '/v1/me', key)).body
      expect(data).toMatchObject({ kind: 'admin', key: { name: 'ADMIN_API_KEY', last4: key.slice(-4) } })
    }
    const { api_key } = (await call('POST', '/v1/employers', '', { name: 'A', email: 'a@mail.example' })).body.data
    const webhook = { url: 'https://93.184.216.34/in', events: ['job.created'] }
    expect((await call('POST', '/v1/webhooks', api_key, webhook)).status).toBe(201)
    await made.signal('SIGTERM')
    delete environment.ADMIN_API_KEY_FILE
    environment.ADMIN_API_KEY = nextAdmin
    const former = isOnPostgres ? 'ab'.repeat(32) : (await readFile(file, 'utf8')).trim()
    expect(await runCli(['secrets', 'rotate'], environment)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/contains one key\. Add the new key before it/),
    })
    const next = randomBytes(32).toString('base64')
    await give(next, former)
    const rotated = await runCli(['secrets', 'rotate'], environment)
    expect(rotated).toMatchObject({ code: 0, stderr: '' })
    expect(rotated.stdout).toMatch(
      /^Re-encrypted 1 value; key [0-9a-f]{8} now encrypts 1 value\nKey [0-9a-f]{8} is unused: remove it from .+\n$/,
    )
    await give(next)
    const after = await start('serve')
    const statusOf = async (key: string) => (await call('GET', '/v1/me', key)).status
    expect([await statusOf(formerAdmin), await statusOf(nextAdmin)]).toEqual([401, 200])
    expect((await call('GET', '/v1/webhooks', api_key)).body.data).toHaveLength(1)
    await after.signal('SIGTERM')
    await give(former)
    expect(await runCli(['serve'], environment)).toMatchObject({ code: 78 })
  })
})

describe('import jobs', () => {
  beforeEach(copyDatabase)

  const line = (job: object) => JSON.stringify(job)
  const good = { id: 'a-1', title: 'Mechanic', company: 'Garage Uno', location: 'Turin, Italy', type: 'full-time' }
  const lines = [
    line({ ...good, category: 'vehicle-service', description: 'Repairs.', posted_at: '2024-05-06T07:08:09Z' }),
    'not json',
    '[]',
    '',
    line({
      ...good,
      id: 'a-2',
      company: 'GARAGE UNO',
      experience_level: 'guru',
      language: 'German',
      source: 'elsewhere',
    }),
    line({ ...good, id: 'a-3', title: '' }),
    line({ ...good, id: 'a-4', location: null }),
    line({ ...good, id: 'a-5', salary: { min: 9, max: 1, currency: 'EUR', period: 'year' } }),
    line({ ...good, id: 'a-1' }),
    line({ title: '漢字のエンジニア', company: 'Kaisha', location: '東京', posted_at: null, salary: null }),
  ]

  test('reports a missing file, every refusal and omission, is safe to repeat, and leaves inactive jobs off the board', async () => {
    const file = join(folder, 'jobs.ndjson')
    await writeFile(file, `${lines.join('\n')}\n`)
    const first = await runCli(['import', 'jobs', file], environment)
    expect(first.code).toBe(0)
    expect(first.stderr.trimEnd().split('\n')).toEqual([
      'line 2 refused: The line is not valid JSON.',
      'line 3 refused: The line is not a JSON object.',
      'line 6 refused: #/title: title must not be empty.',
      'line 7 refused: #/location: location is required.',
      'line 8 refused: #/salary/min: min must not be greater than max.',
    ])
    expect(first.stdout).toMatch(
      /^10 lines read in [\d.]+ s \(\d+ per second\)\n3 imported, 1 already existed, 5 refused\n/,
    )
    expect(first.stdout.split('\n').slice(2).sort()).toEqual(
      [
        '',
        '1 × unknown experience_level "guru" ignored',
        '1 × invalid language "German" ignored',
        '1 × unknown field "source" ignored',
        '1 × type missing, stored as other',
        '3 × category missing, stored as other',
        '3 × description missing, stored as empty text',
        '3 × posted_at missing, stored as the time of the import',
        '4 × expires_at missing, stored as 30 days after the import',
      ].sort(),
    )

    const zipped = join(folder, 'jobs.ndjson.gz')
    await writeFile(zipped, gzipSync(lines.join('\n')))
    const second = await runHere(() => runImportJobs(zipped, {}))
    expect(second).toContain('0 imported, 4 already existed, 5 refused')

    await writeFile(file, line({ ...good, id: 'a-6' }))
    const inactive = await runCli(['import', 'jobs', file, '--inactive'], environment)
    expect(inactive.stdout).toContain('1 imported, 0 already existed, 0 refused')

    const missing = await runCli(['import', 'jobs', join(folder, 'nothing.ndjson')], environment)
    expect(missing.code).toBe(1)
    expect(missing.stderr).toMatch(/^ENOENT: .+\n$/)

    const key = 'an-operator-key-of-the-environment'
    environment.ADMIN_API_KEY = key
    const service = await start('serve')
    const list = await call('GET', '/v1/jobs?sort=posted_at:asc', key)
    expect(list.body.meta.pagination.total).toBe(3)
    expect(list.body.data[0]).toMatchObject({ title: 'Mechanic', posted_at: '2024-05-06T07:08:09.000Z' })
    expect((await call('GET', '/v1/jobs?company=garage%20uno', key)).body.data).toHaveLength(2)
    expect((await call('GET', `/v1/jobs?search=${encodeURIComponent('漢字')}`, key)).body.data).toHaveLength(1)
    expect((await call('GET', '/v1/employers/jobs?state=inactive', key)).body.data).toHaveLength(1)
    await service.signal('SIGTERM')
  })
})

describe('seed demo, backup, restore and export', () => {
  beforeEach(copyDatabase)

  test('move a demo board to an embedded database in another folder, with the same jobs', async () => {
    const seeded = await runCli(['seed', 'demo'], environment)
    expect(seeded.code).toBe(0)
    expect(new Set(keysIn(seeded.stdout)).size).toBe(3)
    const [, , candidate] = keysIn(seeded.stdout) as [string, string, string]
    const refusal = new UsageError('The demo board requires an empty database.')
    await expect(runHere(runSeedDemo)).rejects.toEqual(refusal)
    const [file, jobs] = [join(folder, 'board.ndjson.gz'), join(folder, 'jobs.ndjson')]
    const exported = await runCli(['export', 'jobs', jobs], environment)
    const openJobs = /Demo board: (\d+) open jobs\./.exec(seeded.stdout)?.[1]
    expect(exported.stdout).toMatch(new RegExp(`^${openJobs} jobs written to .+jobs\\.ndjson\n$`))
    const written = await runCli(['backup', file], environment)
    expect(written).toMatchObject({ code: 0, stderr: '' })
    expect(written.stdout).toMatch(
      /^Backup written to .+\n.+ also keep (?:ENCRYPTION_KEY|.+encryption\.key), in a separate place\.\n$/,
    )
    const verified = await runCli(['backup', '--verify', file], environment)
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(verified.stdout).toMatch(
      /^.+board\.ndjson\.gz can be restored: created .+, \d+ rows in \d+ tables, 0 separate files\n$/,
    )
    delete environment.DATABASE_URL
    environment.DATA_DIR = join(folder, 'elsewhere')
    copyMigratedDatabase(environment.DATA_DIR)
    const restored = await runCli(['restore', file], environment)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout).toMatch(/^Restored the backup from [\dT:.-]+Z: \d+ rows and 0 separate files\n$/)

    const second = await start('serve')
    const { data, meta } = (await call('GET', '/v1/jobs?limit=100', candidate)).body
    const titles = (await readFile(jobs, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).title)
    expect(meta.pagination.total).toBe(data.length)
    expect(data.map(({ title }: { title: string }) => title).toSorted()).toEqual(titles.toSorted())
    await second.signal('SIGTERM')
  })

  test.runIf(isOnPostgres)('report a missing encryption key after a restore', async () => {
    const made = await start('serve')
    const { api_key } = (await call('POST', '/v1/employers', '', { name: 'A', email: 'a@mail.example' })).body.data
    const webhook = { url: 'https://93.184.216.34/in', events: ['job.created'] }
    expect((await call('POST', '/v1/webhooks', api_key, webhook)).status).toBe(201)
    await made.signal('SIGTERM')
    const file = join(folder, 'board.ndjson.gz')
    await runCli(['backup', file], environment)
    delete environment.DATABASE_URL
    environment.DATA_DIR = join(folder, 'elsewhere')
    const restored = await runCli(['restore', file], environment)
    expect(restored.code).toBe(78)
    expect(restored.stderr).toMatch(/^The service cannot start yet: .+encryption\.key lacks the key .+\n$/)
  })
})

describe('board', () => {
  beforeEach(copyDatabase)

  test('shows and changes settings, and refuses values that the API would refuse', async () => {
    const run = (...args: string[]) => runCli(['board', ...args], environment)
    expect(JSON.parse(await runHere(runBoardShow))).toMatchObject({ name: 'Job Marketplace', accent_color: null })
    const set = await run('set', 'name=Gearwright', 'accent_color=#8A1C5B', 'tagline=')
    expect(set.code).toBe(0)
    expect(JSON.parse(set.stdout)).toMatchObject({ name: 'Gearwright', accent_color: '#8a1c5b', tagline: null })
    await expect(runHere(() => runBoardSet(['Gearwright']))).rejects.toThrow('name=value')
    const refused = await run('set', 'name=Other', 'accent_color=red', 'color=#000000', 'legal=x')
    expect(refused.code).toBe(1)
    for (const why of [
      'accent_color must be a color such as #0b6472.',
      '"color" is not a known field.',
      'legal is read-only.',
    ])
      expect(refused.stderr).toContain(why)
    expect((await run('show')).stdout).toBe(set.stdout)
  })
})

describe('tasks', () => {
  beforeEach(copyDatabase)

  test.runIf(isOnPostgres)('are listed, and run on request, once a worker process has started', async () => {
    environment.ADMIN_API_KEY = 'operator-key-of-the-tests-0001'
    await start('serve', '--only', 'http')
    const asked = await runCli(['tasks', 'run', 'mail-purge', '--wait', '0'], environment)
    expect([asked.code, asked.stdout]).toEqual([1, expect.stringContaining('Unknown task mail-purge.')])
    const worker = new ServiceProcess(['serve', '--only', 'work'], environment)
    running.push(worker)
    await worker.printed(/"msg":"working"/)
    const listed = async () => (await runCli(['tasks', 'list'], environment)).stdout
    let list = await listed()
    for (let n = 0; n < 50 && !list.includes('mail-purge'); n++) list = await listed()
    expect(list).toMatch(/^TASK +LAST ROUND/)
    const ran = await runCli(['tasks', 'run', 'mail-purge'], environment)
    expect([ran.code, ran.stdout]).toEqual([0, 'Done.\n'])
    const own = await runCli(['tasks', 'run', 'key-uses'], environment)
    expect([own.code, own.stdout]).toEqual([1, expect.stringContaining('It cannot be run on request.')])
    // The HTTP process forwards the run to the worker process.
    const { status } = await call('POST', '/v1/admin/tasks/event-purge/runs', environment.ADMIN_API_KEY, {})
    expect(status).toBe(202)
    const isDone = async () => {
      const { body } = await call('GET', '/v1/admin/tasks', environment.ADMIN_API_KEY!)
      return body.data.find(({ name }: { name: string }) => name === 'event-purge').run.state === 'done'
    }
    await expect.poll(isDone, { timeout: 10_000 }).toBe(true)
  })

  test('are refused if their name is unknown', async () => {
    const { code, stdout } = await runCli(['tasks', 'run', 'no-such-task'], environment)
    expect([code, stdout]).toEqual([1, expect.stringContaining('Unknown task no-such-task.')])
  })
})
