import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { UNPREPARED } from '../../src/db/statement-names.ts'
import { isOnPostgres, openTestDatabase, poolMode } from '../support/database.ts'

let database: Database & { url?: string }
/** The same database with a pool of one connection, to observe the state of that connection. */
let single: Database
beforeAll(async () => {
  database = await openTestDatabase()
  single = database.url === undefined ? database : await openDatabase({ url: database.url, poolSize: 1 })
  await database.withClient((client) => client.query('create table thing (id integer primary key, name text)'))
})
afterAll(async () => {
  if (single !== database) await single.close()
  await database.close()
})

const insert = (id: number) => sql`insert into thing (id, name) values (${id}, ${`thing ${id}`})`
const idsOf = async (from: Database = database) => {
  const { rows } = await from.read((db) => sql<{ id: number }>`select id from thing order by id`.execute(db))
  return rows.map(({ id }) => id)
}

describe('while a transaction is open,', () => {
  const attempts: [string, () => Promise<unknown>][] = [
    ['a read', () => database.read((db) => sql`select 1`.execute(db))],
    ['a read in a session', () => database.readInSession((db) => sql`select 1`.execute(db))],
    ['another transaction', () => database.inTx((tx) => sql`select 1`.execute(tx))],
    ['a separate connection', () => database.withClient((client) => client.query('select 1'))],
  ]
  test.each(attempts)('%s inside it throws immediately instead of hanging', async (_what, attempt) => {
    const failure = database.inTx(async (tx) => {
      await insert(100).execute(tx)
      // The attempt runs in nested asynchronous code, where the transaction is not obvious.
      await new Promise((resolve) => setImmediate(resolve))
      return Promise.resolve().then(attempt)
    })
    await expect(failure).rejects.toThrow('A transaction is already open: use its tx')
    expect(await idsOf()).not.toContain(100)
  })

  test.each(attempts)('%s beside it works, and so does one after it', async (_what, attempt) => {
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const transaction = database.inTx(() => held)
    const beside = attempt()
    letGo()
    await transaction
    await expect(beside).resolves.toBeDefined()
    await expect(attempt()).resolves.toBeDefined()
  })
})

describe('when the server cannot continue because', () => {
  test.each([
    ['the disk is full', '53100'],
    ['memory is exhausted', '53200'],
    ['there are too many connections', '53300'],
    ['a pooler does not reach the server', '08P01'],
    ['it is a read-only standby', '25006'],
  ])('%s: transactions, statements and reads fail with unavailable', async (_what, code) => {
    const raised = sql.raw(`do $$ begin raise exception 'not now' using errcode = '${code}'; end $$`)
    const unavailable = { code: 'unavailable', status: 503, cause: { code } }
    await expect(database.inTx((tx) => raised.execute(tx))).rejects.toMatchObject(unavailable)
    await expect(database.inStatement((tx) => raised.execute(tx))).rejects.toMatchObject(unavailable)
    await expect(database.read((db) => raised.execute(db))).rejects.toMatchObject(unavailable)
  })
})

describe('a transaction', () => {
  test('commits its writes and returns the result of its work', async () => {
    const answer = await database.inTx(async (tx) => {
      await insert(1).execute(tx)
      return 'done'
    })
    expect([answer, await idsOf()]).toEqual(['done', [1]])
  })

  test('rolls back and rethrows the error if its work throws', async () => {
    const error = new Error('changed my mind')
    const failure = database.inTx(async (tx) => {
      await insert(2).execute(tx)
      throw error
    })
    await expect(failure).rejects.toBe(error)
    expect(await idsOf()).toEqual([1])
  })

  test('rolls back if a statement fails', async () => {
    const failure = single.inTx(async (tx) => {
      await insert(3).execute(tx)
      await insert(1).execute(tx)
    })
    await expect(failure).rejects.toMatchObject({ code: '23505' })
    expect(await idsOf(single)).toEqual([1])
  })

  test('reads its own uncommitted writes', async () => {
    await database.inTx(async (tx) => {
      await insert(4).execute(tx)
      const { rows } = await sql`select id from thing where id = 4`.execute(tx)
      expect(rows).toEqual([{ id: 4 }])
    })
  })

  test('commits while many others run at once', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => 1_000 + i)
    await Promise.all(ids.map((id) => database.inTx((tx) => insert(id).execute(tx))))
    expect((await idsOf()).filter((id) => id >= 1_000)).toEqual(ids)
  })
})

describe('a connection', () => {
  test.each([
    ['a syntax error', sql`selec ${1}::int`],
    ['an unknown table', sql`select ${1}::int from nowhere`],
    ['a value of the wrong type', sql`select ${'x'}::int`],
    ['a division by zero', sql`select ${1}::int / 0`],
    ['a NUL in a text', sql`select ${'\0'}::text`],
  ])('stays usable after %s, in a read and in a transaction', async (_what, broken) => {
    for (let round = 0; round < 2; round++) {
      await expect(single.read((db) => broken.execute(db))).rejects.toThrow()
      await expect(single.inTx((tx) => broken.execute(tx))).rejects.toThrow()
      const { rows } = await single.read((db) => sql`select ${round}::int as round`.execute(db))
      expect(rows).toEqual([{ round }])
    }
  })

  test('prepares a statement with parameters once, wherever and however often it runs', async () => {
    const marked = (n: number) => sql`select ${n}::int as marked_statement`
    for (let n = 0; n < 3; n++) {
      await single.read((db) => marked(n).execute(db))
      await single.inTx((tx) => marked(n).execute(tx))
    }
    const { rows } = await single.read((db) =>
      sql`select count(*) from pg_prepared_statements where statement like '%as marked_statement%'`.execute(db),
    )
    expect(rows).toEqual([{ count: 1 }])
  })

  test('does not prepare a statement marked as unprepared', async () => {
    const { rows } = await single.read((db) => sql`${sql.raw(UNPREPARED)} select ${1}::int as not_prepared`.execute(db))
    expect(rows).toEqual([{ not_prepared: 1 }])
    const prepared = await single.read((db) =>
      sql`select count(*) from pg_prepared_statements where statement like '%as not_prepared%'`.execute(db),
    )
    expect(prepared.rows).toEqual([{ count: 0 }])
  })

  test('prepares at most five hundred statements, and runs all others unprepared', async () => {
    for (let n = 0; n < 600; n++) {
      const { rows } = await single.read((db) => sql`select ${n}::int as ${sql.ref(`column_${n}`)}`.execute(db))
      expect(rows).toEqual([{ [`column_${n}`]: n }])
    }
    const { rows } = await single.read((db) =>
      sql<{ count: number }>`select count(*) from pg_prepared_statements`.execute(db),
    )
    expect(rows[0]!.count).toBeGreaterThan(400)
    expect(rows[0]!.count).toBeLessThanOrEqual(500)
  })

  test('returns integers, times, arrays and JSON as native types', async () => {
    const { rows } = await database.read((db) =>
      sql`select 9007199254740991::bigint as big, timestamptz '2026-03-02T10:00:00.123+01:00' as at,
        array['a', null] as texts, '{"a": [1]}'::jsonb as json, '\\x00ff'::bytea as bytes`.execute(db),
    )
    expect(rows).toEqual([
      {
        big: 9_007_199_254_740_991,
        at: new Date('2026-03-02T09:00:00.123Z'),
        texts: ['a', null],
        json: { a: [1] },
        bytes: Buffer.from([0, 255]),
      },
    ])
  })
})

describe('the database', () => {
  test('calls a follower after each commit until it stops following', async () => {
    let commits = 0
    const stop = database.follow(async () => {
      commits += 1
    })
    await database.inTx((tx) => insert(200).execute(tx))
    await database.inTx((tx) => insert(201).execute(tx))
    stop()
    await database.inTx((tx) => sql`delete from thing where id in (200, 201)`.execute(tx))
    expect(commits).toBe(2)
  })

  test('reports whether it is embedded', () => {
    expect(database.isEmbedded).toBe(!isOnPostgres)
  })

  test('refuses queries after it was closed', async () => {
    const closed = await openTestDatabase()
    await closed.close()
    await expect(closed.read((db) => sql`select 1`.execute(db))).rejects.toThrow(/end/)
    await expect(closed.inTx((tx) => sql`select 1`.execute(tx))).rejects.toThrow(/end/)
    await expect(closed.withClient((client) => client.query('select 1'))).rejects.toThrow(/end/)
  })
})

describe.runIf(isOnPostgres)('on PostgreSQL', () => {
  test('closing also ends connections that only withClient used', async () => {
    const url = new URL(database.url!)
    url.searchParams.set('application_name', 'closing')
    const connections = async () => {
      const { rows } = await database.read((db) =>
        sql<{ count: number }>`select count(*) from pg_stat_activity where application_name = 'closing'`.execute(db),
      )
      return rows[0]!.count
    }
    const opened = await openDatabase({ url: url.href })
    await opened.withClient((client) => client.query('select 1'))
    expect(await connections()).toBe(1)
    await opened.close()
    // The server notices a moment later that the connections ended.
    await expect.poll(connections).toBe(0)
  })
})

describe.runIf(isOnPostgres && poolMode === 'session')('a lock held by another session', () => {
  test('delays requests for at most the configured time, but migrations until the lock is released', async () => {
    const serving = await openDatabase({ url: database.url!, lockWaitMaxMs: 50 })
    const holder = new pg.Client({ connectionString: database.url! })
    await holder.connect()
    try {
      await holder.query('begin; lock table thing in access exclusive mode; select pg_advisory_xact_lock(4171902311)')
      const unavailable = { code: 'unavailable', cause: { code: '55P03' } }
      await expect(serving.read((db) => sql`select from thing`.execute(db))).rejects.toMatchObject(unavailable)
      await expect(serving.inTx((tx) => insert(2_000).execute(tx))).rejects.toMatchObject(unavailable)
      await expect(serving.inStatement((tx) => insert(2_000).execute(tx))).rejects.toMatchObject(unavailable)
      const migrating = migrate(serving)
      const isWaiting = sql`
        select 1 from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      const waiters = async () => (await database.read((db) => isWaiting.execute(db))).rows.length
      await expect.poll(waiters).toBe(1)
      // Waits for twice the limit, measured by the server's clock.
      await database.read((db) => sql`select pg_sleep(0.1)`.execute(db))
      expect(await waiters()).toBe(1)
      await holder.query('commit')
      expect(await migrating).toEqual([])
      await serving.inTx((tx) => insert(2_000).execute(tx))
    } finally {
      await holder.end()
      await serving.close()
    }
  })

  test('delays requests behind a pooler for at most the lock_timeout of the session, but commands without limit', async () => {
    const name = sql.id(new URL(database.url!).pathname.slice(1))
    await database.inTx((tx) => sql`alter database ${name} set lock_timeout = 50`.execute(tx))
    const boundOf = async (options: { lockWaitMaxMs?: number }) => {
      const opened = await openDatabase({ url: database.url!, poolMode: 'transaction', ...options })
      const { rows } = await opened.inTx((tx) =>
        sql<{ bound: string }>`select current_setting('lock_timeout') as bound`.execute(tx),
      )
      await opened.close()
      return rows[0]!.bound
    }
    expect([await boundOf({ lockWaitMaxMs: 5_000 }), await boundOf({})]).toEqual(['50ms', '0'])
    await database.inTx((tx) => sql`alter database ${name} reset lock_timeout`.execute(tx))
  })

  test('is released if a process stalls inside a transaction', async () => {
    const serving = await openDatabase({ url: database.url!, lockWaitMaxMs: 50 })
    const cut = serving.inTx(async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 50`.execute(tx)
      await insert(2_001).execute(tx)
      // This insert with the same ID waits until the transaction is terminated.
      await database.inStatement((other) => insert(2_001).execute(other))
      await sql`select 1`.execute(tx)
    })
    await expect(cut).rejects.toMatchObject({ code: 'unavailable' })
    const { rows } = await serving.read((db) =>
      sql<{ bound: string }>`select current_setting('idle_in_transaction_session_timeout') as bound`.execute(db),
    )
    expect(rows).toEqual([{ bound: '1min' }])
    await serving.close()
  })
})

describe.runIf(isOnPostgres)('when PostgreSQL terminates the connections', () => {
  test('a transaction fails with unavailable, even at a second statement', async () => {
    const cut = database.inTx(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await single.read((db) => sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(db))
      const ask = () => sql`select 1`.execute(tx)
      await expect(ask()).rejects.toThrow()
      return ask()
    })
    await expect(cut).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('running queries fail with unavailable, and later queries use new connections', async () => {
    const url = database.url!
    const victim = await openDatabase({ url, poolSize: 3 })
    try {
      const pids = await Promise.all(
        [1, 2, 3].map(() =>
          victim.read(
            async (db) =>
              (await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`.execute(db)).rows[0]!.pid,
          ),
        ),
      )
      const running = victim.read((db) => sql`select pg_sleep(30)`.execute(db)).catch((error) => error)
      const kill = () =>
        database.read((db) =>
          sql<{ query: string }>`
            select query, pg_terminate_backend(pid) from pg_stat_activity where pid = any(${pids}::int[])`.execute(db),
        )
      // Waits until the query is running.
      const isRunning = async () =>
        (
          await database.read((db) =>
            sql`select 1 from pg_stat_activity where pid = any(${pids}::int[]) and wait_event = 'PgSleep'`.execute(db),
          )
        ).rows.length > 0
      while (!(await isRunning())) await new Promise((resolve) => setImmediate(resolve))
      await kill()
      expect(await running).toMatchObject({ code: 'unavailable' })
      // Each dead connection may cause one more failure, always `unavailable`, before it is detected.
      const ask = () =>
        victim
          .read((db) => sql`select 1`.execute(db))
          .then(
            () => 'works',
            ({ code }) => code,
          )
      const heard: string[] = []
      while (heard.at(-1) !== 'works') heard.push(await ask())
      expect(new Set(heard.slice(0, -1)).difference(new Set(['unavailable']))).toEqual(new Set())
      expect(heard.length).toBeLessThanOrEqual(4)
    } finally {
      await victim.close()
    }
  })
})
