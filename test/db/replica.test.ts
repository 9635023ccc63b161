/**
 * A primary with a streaming replica: reads while the replica lags, is down, returns, is promoted or follows another
 * primary. Skipped unless the PostgreSQL programs are installed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort, type Postgres, postgresBinaries, startPostgres, startReplica } from '../../bench/processes.ts'
import { examine } from '../../src/commands/doctor.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { Replica } from '../../src/db/replica.ts'
import { readConfig } from '../../src/main/config.ts'
import { type Account, Board, expectStatus, jobBody } from '../support/board.ts'

const ENCRYPTION_KEY = 'ab'.repeat(32)
const logger = pino({ level: 'silent' })
const folder = mkdtempSync(join(tmpdir(), 'board-replica-'))
const running: Postgres[] = []
const opened: Database[] = []

const started = (server: Postgres | { missing: string }): Postgres => {
  if ('missing' in server) throw new Error(server.missing)
  running.push(server)
  return server
}
const open = async (url: string, poolSize = 4): Promise<Database> => {
  const database = await openDatabase({ url, poolSize, answerMaxMs: 60_000 })
  opened.push(database)
  return database
}
const openPlain = (url: string) => open(url.replace('bench@', 'plain@'))
const ask = async <Row>(database: Database, text: string): Promise<Row[]> =>
  (await database.read((db) => sql.raw<Row>(text).execute(db))).rows

/** Returns the server that responds to a read. */
const answers = async (reads: Pick<Database, 'read'>): Promise<'replica' | 'primary'> => {
  const { rows } = await reads.read((db) =>
    sql<{ is_standby: boolean }>`select pg_is_in_recovery() as is_standby`.execute(db),
  )
  return rows[0]!.is_standby ? 'replica' : 'primary'
}
const untilAnswers = (reads: Pick<Database, 'read'>, server: 'replica' | 'primary') =>
  vi.waitFor(async () => expect(await answers(reads)).toBe(server), { timeout: 60_000, interval: 20 })

afterAll(async () => {
  for (const database of opened) await database.close()
  // Stops standbys first, because a primary waits for them.
  for (const server of running.reverse()) server.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.runIf(postgresBinaries())("with PostgreSQL's programs", () => {
  let primary: Postgres
  let standby: Postgres
  let [database, other, server] = [] as unknown as [Database, Database, Database]
  /** Two processes. */
  let [here, there] = [] as unknown as [Replica, Replica]
  beforeAll(async () => {
    primary = started(await startPostgres(join(folder, 'primary')))
    database = await open(primary.url)
    await migrate(database)
    await ask(database, 'create table thing (id integer primary key, changes integer not null)')
    await ask(database, 'create role plain login')
    await ask(database, 'grant select on all tables in schema public to plain')
    standby = started(await startReplica(primary, join(folder, 'standby')))
    other = await open(primary.url)
    server = await open(standby.url)
    here = new Replica(database, server, logger)
    there = new Replica(other, await open(standby.url), logger)
    await untilAnswers(here, 'replica')
    await untilAnswers(there, 'replica')
  })

  /** Writes a new value through one database, reads it with each reader, and returns whether all read this value. */
  const isReadAtOnce = async (id: number, through: Database, readers: readonly Replica[]) => {
    const write = sql<{ changes: number }>`
      insert into thing values (${id}, 1) on conflict (id) do update set changes = thing.changes + 1 returning changes`
    const written = (await through.inStatement((tx) => write.execute(tx))).rows[0]!.changes
    const seen = await Promise.all(
      readers.map(async (reads) => {
        const found = await reads.read((db) =>
          sql<{ changes: number }>`select changes from thing where id = ${id}`.execute(db),
        )
        return found.rows[0]?.changes
      }),
    )
    return seen.every((changes) => changes === written)
  }

  test.each([0, 5, 200])('both processes read each acknowledged write while replay is delayed by %i ms', async (ms) => {
    await ask(server, `alter system set recovery_min_apply_delay = ${ms}`)
    await ask(server, 'select pg_reload_conf()')
    const client = async (id: number) => {
      for (let round = 0; round < 25; round++) {
        expect(await isReadAtOnce(id, round % 2 ? database : other, [here, there])).toBe(true)
      }
    }
    await Promise.all([1, 2, 3, 4, 5, 6].map(client))
    await ask(server, 'alter system reset recovery_min_apply_delay')
    await ask(server, 'select pg_reload_conf()')
    await untilAnswers(here, 'replica')
    await untilAnswers(there, 'replica')
  })

  test('reads after a write use the primary while replay is paused, and the replica again once replay has resumed', async () => {
    await ask(server, 'select pg_wal_replay_pause()')
    const state = async () =>
      (await ask<{ state: string }>(server, 'select pg_get_wal_replay_pause_state() as state'))[0]
    await expect.poll(state).toEqual({ state: 'paused' })
    expect(await isReadAtOnce(1, other, [here])).toBe(true)
    expect(here.isUsed).toBe(false)
    expect(await answers(here)).toBe('primary')
    await ask(server, 'select pg_wal_replay_resume()')
    await untilAnswers(here, 'replica')
    expect(here.lagBytes).toBe(0)
  })

  test('a statement that replay cancels is repeated on the primary', async () => {
    await ask(server, 'alter system set max_standby_streaming_delay = 0')
    await ask(server, 'select pg_reload_conf()')
    await ask(database, 'insert into thing select n, 1 from generate_series(1000, 1100) as n')
    await untilAnswers(here, 'replica')
    const long = here.read(async (db) => {
      const { rows } = await sql<{ is_standby: boolean; count: number }>`
        select pg_is_in_recovery() as is_standby, count(*) from thing,
          (select case when pg_is_in_recovery() then pg_sleep(600) end) as sleep where id >= 1000`.execute(db)
      return rows[0]
    })
    const asleep = "select 1 from pg_stat_activity where wait_event = 'PgSleep'"
    await expect.poll(() => ask(server, asleep), { timeout: 20_000 }).toHaveLength(1)
    await ask(database, 'delete from thing where id > 1000')
    await database.withClient((client) => client.query('vacuum thing'))
    expect(await long).toEqual({ is_standby: false, count: 1 })
    await ask(server, 'alter system reset max_standby_streaming_delay')
    await ask(server, 'select pg_reload_conf()')
  })

  test('when the replica is killed, reads continue without it until the replica is back', async () => {
    await untilAnswers(here, 'replica')
    await standby.halt()
    for (let round = 0; round < 5; round++) expect(await isReadAtOnce(2, database, [here, there])).toBe(true)
    expect(here.isUsed).toBe(false)
    await standby.resume()
    await untilAnswers(here, 'replica')
    expect(await isReadAtOnce(2, database, [here, there])).toBe(true)
  })

  test('a role that may only read tables can use the replica', async () => {
    const reads = new Replica(await openPlain(primary.url), await openPlain(standby.url), logger)
    await untilAnswers(reads, 'replica')
  })

  test('another database on the same server is not used', async () => {
    const wrong = new Replica(database, await open(standby.url.replace('/postgres', '/template1')), logger)
    // The first connections may time out.
    await vi.waitFor(
      async () => {
        expect(await answers(wrong)).toBe('primary')
        expect(wrong.reads.failed).toBeGreaterThan(0)
      },
      { timeout: 60_000, interval: 100 },
    )
    expect(wrong.reads.served).toBe(0)
  })

  describe('doctor', () => {
    const examined = async (url: string) => {
      const environment = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: url, DATA_DIR: folder, ENCRYPTION_KEY }
      const findings = await Array.fromAsync(examine(readConfig(environment)))
      return findings.filter(({ about }) => about === 'replica').map(({ level, text }) => `${level} ${text}`)
    }

    test('accepts a replica that keeps up, and warns that hot_standby_feedback is off', async () => {
      const [standing, feedback, ...others] = await examined(standby.url)
      expect(standing).toMatch(/^ok The replica caught up in \d+ ms$/)
      expect(feedback).toMatch(/^warn hot_standby_feedback is off/)
      expect(others).toEqual([])
    })

    test('explains why a server is not used', async () => {
      const gone = standby.url.replace(`:${standby.port}/`, `:${await freePort()}/`)
      expect(await examined(gone)).toEqual([expect.stringMatching(/^warn Reads go to the primary: .*ECONNREFUSED/)])
      expect(await examined(primary.url)).toEqual(['warn Reads go to the primary: the replica is not a standby'])
      expect(await examined(standby.url.replace('/postgres', '/template1'))).toEqual([
        'warn Reads go to the primary: DATABASE_REPLICA_URL names the database template1',
      ])
    })

    test('reports how far the replica lags', async () => {
      await ask(server, 'select pg_wal_replay_pause()')
      await ask(database, 'insert into thing values (77, 1)')
      expect((await examined(standby.url))[0]).toMatch(/^warn The replica was still \d+ bytes behind after \d+ ms: /)
      await ask(server, 'select pg_wal_replay_resume()')
    })
  })

  describe('one of two processes', () => {
    const boards = [new Board(), new Board()] as const
    const [one, two] = boards
    let employer: Account
    let job: { id: string }
    beforeAll(async () => {
      for (const board of boards) {
        board.database = await openDatabase({ url: primary.url, poolSize: 4 })
        board.replica = await open(standby.url)
        await board.start()
      }
      employer = await one.employer()
      job = await one.activeJob(employer)
    })
    afterAll(async () => {
      for (const board of boards) await board.stop()
    })

    const served = async (board: Board) => {
      const { text } = await board.get('/metrics', board.config.adminApiKeys[0])
      return Number(/database_replica_reads_total\{outcome="served"\} (\d+)/.exec(text)![1])
    }

    test("reads the other process's writes", async () => {
      for (let round = 0; round < 30; round++) {
        const website = `https://employer.example/${round}`
        expectStatus(await one.put('/v1/employers/profile', employer.key, { website }), 200)
        expect((await two.get('/v1/employers/profile', employer.key)).body.data.website).toBe(website)
      }
    })

    test.each([
      '/v1/me',
      '/v1/api-keys',
      '/v1/employers',
      '/v1/employers/jobs',
      '/v1/employers/profile',
      '/v1/employers/products',
      '/v1/employers/payments',
      '/v1/employers/applications',
      '/v1/candidates',
      '/v1/events',
      '/v1/webhooks',
      '/v1/jobs?updated_since=2026-01-01',
    ])('serves GET %s from the replica', async (path) => {
      await expect
        .poll(
          async () => {
            const before = await served(two)
            expectStatus(await two.get(path, employer.key), 200)
            return (await served(two)) > before
          },
          { timeout: 60_000 },
        )
        .toBe(true)
    })

    test('uses only the primary for writes, and still advances updated_until for mirrors', async () => {
      const before = await served(two)
      expectStatus(await two.put(`/v1/jobs/${job.id}`, employer.key, { title: 'Another' }), 200)
      expectStatus(await two.post('/v1/jobs', employer.key, jobBody()), 201)
      expect(await served(two)).toBe(before)
      two.clock.time = one.clock.time = Date.now() + 60_000
      const mirrored = async () =>
        (await two.get('/v1/jobs?updated_since=2026-01-01', employer.key)).body.meta.updated_until
      await expect.poll(mirrored, { timeout: 20_000 }).not.toBe('2026-01-01T00:00:00.000Z')
    })

    test('is ready, and serves reads, while the replica is down', async () => {
      await standby.halt()
      expect((await two.get('/readyz')).status).toBe(200)
      expectStatus(await two.get('/v1/employers/profile', employer.key), 200)
      await standby.resume()
    })
  })

  describe('after a promotion', () => {
    let second: Postgres
    let following: Database
    beforeAll(async () => {
      second = started(await startReplica(primary, join(folder, 'second')))
      following = await open(second.url)
      // This server replicates from the standby, so it lacks the primary's log from after the standby's promotion.
      const source = `host=127.0.0.1 port=${standby.port} user=bench`
      await ask(following, `alter system set primary_conninfo = '${source}'`)
      await ask(following, 'select pg_reload_conf()')
    })

    test('neither the promoted server nor its follower is used until the promoted server is configured as the database', async () => {
      const follower = new Replica(database, following, logger)
      await untilAnswers(follower, 'replica')
      await untilAnswers(here, 'replica')
      await standby.promote()
      expect(await isReadAtOnce(3, database, [here, there])).toBe(true)
      expect([here.isUsed, there.isUsed]).toEqual([false, false])

      // The promoted server's log is longer than the old primary's log, although it lacks the old primary's last
      // commits.
      await ask(server, 'create table filling as select n, md5(n::text) from generate_series(1, 20000) as n')
      const promoted = new Replica(server, following, logger)
      await untilAnswers(promoted, 'replica')
      expect(await isReadAtOnce(4, database, [new Replica(database, following, logger)])).toBe(true)
      expect(await answers(new Replica(database, following, logger))).toBe('primary')
      expect(await isReadAtOnce(5, server, [promoted])).toBe(true)

      // A role that cannot see the received log position reads the timeline from a restart point.
      const plain = new Replica(await openPlain(standby.url), await openPlain(second.url), logger)
      await ask(server, 'checkpoint')
      await vi.waitFor(
        async () => {
          await ask(following, 'checkpoint')
          expect(await answers(plain)).toBe('replica')
        },
        { timeout: 40_000, interval: 100 },
      )
    })
  })
})
