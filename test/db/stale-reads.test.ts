/**
 * While PostgreSQL is down, the service returns data from memory for a limited time, and refuses everything else
 * immediately.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { jobPath } from '../../src/features/jobs/index.ts'
import { type Account, ADMIN_KEY, type Answer, Board, expectStatus, jobBody } from '../support/board.ts'
import { type Cut, Way } from '../support/cut.ts'
import { isOnPostgres, openTestDatabase, poolMode } from '../support/database.ts'

const DAY_MS = 86_400_000

/** A board whose database connection the test can break. */
class CutBoard extends Board {
  direct!: Database & { url?: string }
  way!: Way
  employer1!: Account
  jobs: { id: string; title: string }[] = []

  async open(environment: Record<string, string> = {}): Promise<void> {
    this.direct = await openTestDatabase()
    const url = new URL(this.direct.url!)
    this.way = await Way.open({ host: url.hostname, port: Number(url.port || 5432) })
    url.hostname = '127.0.0.1'
    url.port = String(this.way.port)
    this.database = await openDatabase({ url: url.href, poolMode, poolSize: 4, onPresence: () => {} })
    this.database.presence!.begin()
    await this.start(environment)
    this.employer1 = await this.employer()
    for (const [title, days] of [
      ['Battery engineer', 20],
      ['Chassis engineer', 1],
    ] as const) {
      const expires_at = new Date(this.clock.time + days * DAY_MS).toISOString()
      this.jobs.push(await this.activeJob(this.employer1, { title, expires_at }))
    }
  }

  async shut(): Promise<void> {
    await this.stop()
    await this.way.close()
    await this.direct.close()
  }

  /** Sends a request and returns the response with its duration. */
  async timed(method: string, path: string, key?: string, body?: unknown): Promise<Answer & { ms: number }> {
    const start = performance.now()
    const answer = await this.call(method, path, { key, body, headers: { accept: '*/*' } })
    return { ...answer, ms: performance.now() - start }
  }

  titles = async (key = this.employer1.key) => {
    const { body, headers } = expectStatus(await this.get('/v1/jobs', key), 200)
    const titles = body.data.map(({ title }: { title: string }) => title).toSorted()
    return { titles, stale: body.meta.stale, age: headers.get('age') }
  }

  async isBack(): Promise<void> {
    await expect.poll(() => this.database.presence!.isAway, { timeout: 10_000, interval: 20 }).toBe(false)
  }

  async isAway(): Promise<void> {
    await expect.poll(() => this.database.presence!.isAway, { timeout: 10_000, interval: 20 }).toBe(true)
  }
}

describe.runIf(isOnPostgres).each(['hang', 'reset', 'refuse'] as Cut[])('while the simulated fault is `%s`', (how) => {
  const board = new CutBoard()
  beforeAll(() => board.open())
  afterAll(() => board.shut())
  let former: string
  let gone: { since: number; keptSince: string }

  test('99% of reads from memory take less than 250 ms, and outdated responses report their age', async () => {
    const { key } = board.employer1
    former = await board.keyWith(board.employer1, ['jobs:read'])
    const paths = ['/v1/jobs', '/v1/jobs?limit=1', `/v1/jobs/${board.jobs[0]!.id}`, '/v1/jobs/categories', '/jobs', '/']
    const pages = [jobPath(board.jobs[0]!)]
    const read = (path: string) => board.timed('GET', path, path.startsWith('/v1') ? key : undefined)
    for (const path of [...paths, ...pages]) expect((await read(path)).headers.get('age')).toBe(null)
    // This process caches the key, and then revokes it.
    expect((await board.get('/v1/jobs', former)).status).toBe(200)
    const keys = (await board.get('/v1/api-keys', key)).body.data
    const { id } = keys.find(({ name }: { name: string }) => name === 'Limited')
    expectStatus(await board.delete(`/v1/api-keys/${id}`, key), 204)
    expectStatus(await board.get('/v1/jobs', key), 200)

    const cutAt = performance.now()
    board.way.cut(how)
    const write = board.timed('POST', '/v1/jobs', key, jobBody())
    const took: number[] = []
    let stale = 0
    while (performance.now() - cutAt < 4_000) {
      for (const path of [...paths, ...pages]) {
        const answer = await read(path)
        expect(`${path} ${answer.status}`).toBe(`${path} 200`)
        took.push(answer.ms)
        if (answer.headers.has('age')) stale++
        if (path.startsWith('/v1/jobs?') && answer.headers.has('age')) {
          expect(Object.keys(answer.body.meta.stale)).toEqual(['since'])
        }
      }
    }
    expect(stale).toBeGreaterThan(took.length / 2)
    // Ignores the slowest 1% of responses, because other tests run on the same machine.
    expect(took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)]).toBeLessThan(250)
    // Requests in progress are aborted as soon as the outage is certain.
    const { status, ms } = await write
    expect([status, ms < 3_000]).toEqual([503, true])
    const { titles, stale: since, age } = await board.titles()
    expect(titles).toEqual(['Battery engineer', 'Chassis engineer'])
    expect(since).toEqual({ since: board.clock.now().toISOString() })
    expect(Number(age)).toBeGreaterThanOrEqual(3)
    gone = { since: cutAt, keptSince: since.since }
  })

  test('writes, and reads of data that is not in memory, are refused immediately', async () => {
    await board.isAway()
    const { key } = board.employer1
    for (const [method, path, body] of [
      ['POST', '/v1/jobs', jobBody()],
      ['PUT', `/v1/jobs/${board.jobs[0]!.id}`, { title: 'Other' }],
      ['DELETE', `/v1/jobs/${board.jobs[0]!.id}`, undefined],
      ['GET', '/v1/me', undefined],
      ['GET', '/v1/employers/jobs', undefined],
      ['GET', '/v1/jobs?search=unasked', undefined],
      ['GET', '/v1/jobs?updated_since=2026-01-01', undefined],
    ] as const) {
      const answer = await board.timed(method, path, key, body)
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 503`)
      expect([answer.body.code, answer.headers.get('retry-after')]).toEqual(['unavailable', '2'])
      // Waiting for a connection would take 10 s. The limit of 2 s leaves room for a busy machine.
      expect(answer.ms).toBeLessThan(2_000)
    }
  })

  test('revoked and unknown keys are refused, and the admin key works', async () => {
    expect((await board.get('/v1/jobs', former)).status).toBe(503)
    expect((await board.get('/v1/jobs', ADMIN_KEY)).status).toBe(200)
    expect((await board.get('/v1/jobs', 'jm_emp_00000000000000000000000000000000000000')).status).toBe(401)
  })

  test('the process stays ready, and visitors see a notice', async () => {
    for (const path of ['/readyz', '/jobs.atom', '/sitemap.xml', '/docs']) {
      expect(`${path} ${(await board.timed('GET', path)).status}`).toBe(`${path} 200`)
    }
    const page = await board.call('GET', '/jobs', { headers: { cookie: `__Host-session=${'x'.repeat(43)}` } })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Parts of this page may be a few minutes old')
    // The session cannot be verified during the outage, so its cookie must stay.
    expect(page.headers.get('set-cookie') ?? '').not.toContain('session=')
  })

  test('jobs still expire', async () => {
    board.clock.advance(2 * DAY_MS)
    expect(await board.titles()).toMatchObject({ titles: ['Battery engineer'], stale: { since: gone.keptSince } })
    expect((await board.get(`/v1/jobs/${board.jobs[1]!.id}`, board.employer1.key)).status).toBe(503)
  })

  test('the service recovers automatically, and every outdated response is marked', async () => {
    await board.direct.inTx((tx) =>
      sql`update job set title = 'Axle engineer', title_sort = 'axle engineer' where title = 'Battery engineer'`.execute(
        tx,
      ),
    )
    await board.way.mend()
    const start = performance.now()
    for (;;) {
      const { titles, stale } = await board.titles()
      if (stale === undefined) {
        expect(titles).toEqual(['Axle engineer'])
        break
      }
      expect(titles).toEqual(['Battery engineer'])
      expect(performance.now() - start).toBeLessThan(10_000)
    }
    await board.isBack()
    const made = expectStatus(await board.post('/v1/jobs', board.employer1.key, jobBody()), 201)
    expectStatus(await board.get(`/v1/jobs/${made.body.data.id}`, board.employer1.key), 200)
    expect((await board.get('/v1/jobs', former)).status).toBe(401)
    expect((await board.titles()).age).toBe(null)
  })
})

describe.runIf(isOnPostgres)('after STALE_MAX_S', () => {
  const board = new CutBoard()
  beforeAll(() => board.open({ STALE_MAX_S: '3' }))
  afterAll(() => board.shut())

  test('reads are refused too, and the process is not ready, until the database server returns', async () => {
    const { key } = board.employer1
    await board.titles()
    board.way.cut('refuse')
    await board.isAway()
    expect((await board.titles()).titles).toHaveLength(2)
    const status = async (path: string) => (await board.timed('GET', path, key)).status
    await expect.poll(() => status('/v1/jobs'), { timeout: 5_000 }).toBe(503)
    const answer = await board.timed('GET', '/v1/jobs', key)
    expect([answer.body.code, answer.headers.get('retry-after'), answer.ms < 2_000]).toEqual(['unavailable', '2', true])
    expect(await status(`/v1/jobs/${board.jobs[0]!.id}`)).toBe(503)
    expect(await status('/jobs')).toBe(503)
    expect(await status('/readyz')).toBe(503)
    expect(await status('/healthz')).toBe(200)
    await board.way.mend()
    await board.isBack()
    expect(await status('/v1/jobs')).toBe(200)
    expect(await status('/readyz')).toBe(200)
  })
})

describe.runIf(isOnPostgres)('a database server that is up', () => {
  const board = new CutBoard()
  beforeAll(() => board.open())
  afterAll(() => board.shut())

  test('is not considered down when all connections wait for a lock', async () => {
    const { presence } = board.database
    const busy = () => board.database.connections.open - board.database.connections.idle
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holder = board.direct.inTx(async (tx) => {
      await sql`lock table job in access exclusive mode`.execute(tx)
      locked.resolve()
      await held
    })
    await locked.promise
    const answers = Array.from({ length: 6 }, () => board.post('/v1/jobs', board.employer1.key, jobBody()))
    await expect.poll(busy).toBe(4)
    const seen = new Set<boolean>()
    for (const start = performance.now(); performance.now() - start < 2_500; ) {
      await board.call('GET', '/healthz')
      seen.add(presence!.isAway)
    }
    release()
    await holder
    expect(seen).toEqual(new Set([false]))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(6).fill(201))
  })

  test('is not considered down after it closes connections', async () => {
    const { presence } = board.database
    await board.direct.inTx((tx) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(tx),
    )
    // A write on a connection that the pool still considers open would get a 503.
    await expect.poll(() => board.database.connections.open).toBe(0)
    await expect.poll(async () => (await board.get('/v1/jobs', board.employer1.key)).body.meta?.stale).toBeUndefined()
    expect(presence!.isAway).toBe(false)
    expectStatus(await board.post('/v1/jobs', board.employer1.key, jobBody()), 201)
  })
})

test.runIf(!isOnPostgres)('an embedded database is never considered down', async () => {
  const database = await openTestDatabase()
  expect(database.presence).toBeUndefined()
  await database.close()
})
