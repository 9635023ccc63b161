/** The in-memory board equals the database after any writes, in any order, with any clock. */
import fc from 'fast-check'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { countOf, slotsOf } from '../../src/search/memory/bits.ts'
import { Board } from '../../src/search/memory/board.ts'
import { findChanges, findPosition } from '../../src/search/memory/queries.ts'
import { useBoard } from '../support/board.ts'
import { isOnPostgres, openTestDatabase, poolMode } from '../support/database.ts'
import { administrate } from '../support/global-setup.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { useSteadyTime } from '../support/monotonic.ts'

const board = useBoard()
useSteadyTime()

async function idsOf(followed: Board): Promise<string[]> {
  const { live, columns } = await followed.current()
  return [...slotsOf(live)].map((slot) => columns.ids.get(slot)).sort()
}

async function idsInDatabase(): Promise<string[]> {
  const { rows } = await board.database.read((db) =>
    sql<{ id: string }>`
      select id from job where state = 'active' and expires_at > ${board.clock.now()} order by id`.execute(db),
  )
  return rows.map(({ id }) => id)
}

/** Returns active jobs whose rows in the search tables differ from `job`, and the search rows of other jobs. */
async function wrongWords(): Promise<unknown[]> {
  const { rows } = await board.database.read((db) =>
    sql`
      with active as (select number, search, ts_filter(search, '{a,b}') as headings from job where state = 'active'),
        kept as (select number, search, headings from job_search full join job_headings using (number))
      (table active except table kept) union all (table kept except table active)`.execute(db),
  )
  return rows
}

test('the board contains exactly the visible jobs after any writes by this process', async () => {
  const followed = new Board(board.database, board.clock)
  const step = fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constantFrom('close', 'delete', 'remove', 'expire', 'rename', 'touch'), at: fc.nat(1_000) }),
    fc.record({ kind: fc.constant('later' as const), hours: fc.integer({ min: 1, max: 100 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await removeJobs(board)
      for (const one of steps) {
        const ids = await idsInDatabase()
        if (one.kind === 'later') board.clock.advance(one.hours * 3_600_000)
        else if (one.kind === 'insert') {
          const expiry = (n: number) => new Date(board.clock.time + (n + 1) * 7_200_000).toISOString()
          await insertJobs(
            board,
            Array.from({ length: one.count }, (_, n) => ({ expires_at: expiry(n), application_count: n % 3 })),
          )
        } else if ('at' in one && ids.length > 0) {
          const id = ids[one.at % ids.length]!
          const change = {
            close: sql`update job set state = 'closed' where id = ${id}`,
            delete: sql`update job set state = 'deleted' where id = ${id}`,
            remove: sql`delete from job where id = ${id}`,
            expire: sql`update job set expires_at = ${board.clock.now()} where id = ${id}`,
            rename: sql`update job set search = '''word'':1A'::tsvector || search where id >= ${id}`,
            touch: sql`update job set title_sort = title_sort || 'x', application_count = application_count + 1
              where id >= ${id}`,
          }[one.kind as 'close']
          await board.database.inTx((tx) => change.execute(tx))
        }
        expect(await idsOf(followed)).toEqual(await idsInDatabase())
        expect(await wrongWords()).toEqual([])
      }
    }),
    { numRuns: 40 },
  )
})

test('the board shows expired jobs again when the clock is set back', async () => {
  await removeJobs(board)
  const expires_at = new Date(board.clock.time + 3_600_000).toISOString()
  const ids = await insertJobs(board, [{ expires_at }, {}])
  const followed = new Board(board.database, board.clock)
  expect(await idsOf(followed)).toEqual(ids)
  board.clock.advance(3_600_000)
  expect(await idsOf(followed)).toEqual([ids[1]])
  board.clock.advance(-1_800_000)
  expect(await idsOf(followed)).toEqual(ids)
})

test('each of ten simultaneous readers sees its own write', async () => {
  await removeJobs(board)
  const followed = new Board(board.database, board.clock)
  const seen = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const [id] = await insertJobs(board, [{}])
      return (await idsOf(followed)).includes(id!)
    }),
  )
  expect(seen).toEqual(Array(10).fill(true))
})

test('a write is acknowledged only after the board shows it, and readers do not wait for it', async () => {
  await removeJobs(board)
  const gate = Promise.withResolvers<void>()
  let isClosed = false
  const read: typeof board.database.read = async (question) => {
    if (isClosed) await gate.promise
    return board.database.read(question)
  }
  const followed = new Board({ ...board.database, read }, board.clock, { ageMaxMs: 60_000 })
  expect(await idsOf(followed)).toEqual([])
  isClosed = true
  let isTold = false
  const writing = insertJobs(board, [{}]).finally(() => {
    isTold = true
  })
  while ((await idsInDatabase()).length === 0);
  expect(slotsOf(followed.now!.live)).toHaveLength(0)
  expect(isTold).toBe(false)
  gate.resolve()
  const ids = await writing
  expect([...slotsOf(followed.now!.live)].map((slot) => followed.now!.columns.ids.get(slot))).toEqual(ids)
})

test('the board prefetches responses for a few changed jobs before it shows those jobs', async () => {
  await removeJobs(board)
  const followed = new Board(board.database, board.clock, { ageMaxMs: 60_000 })
  const told: [string, ...unknown[]][] = []
  followed.listen({
    jobsChanged: (ids) => told.push(['changed', ...ids]),
    employersChanged: () => {},
    async readAhead(ids) {
      const shown = followed.now
      told.push(['ahead', ...ids, shown && countOf(shown.live)])
      return () => told.push(['taken in', ...ids, countOf(followed.now!.live)])
    },
  })
  expect(await idsOf(followed)).toEqual([])
  const [one] = await insertJobs(board, [{}])
  expect(told).toEqual([
    ['ahead', one, 0],
    ['changed', one],
    ['taken in', one, 1],
  ])
  told.length = 0
  // Responses for many changed jobs, as in an import, are not prefetched: most of these jobs are never requested.
  await insertJobs(
    board,
    Array.from({ length: 21 }, () => ({})),
  )
  expect(await idsOf(followed)).toHaveLength(22)
  expect(told.map(([what]) => what)).toEqual(['changed'])
})

test('many changes are applied at once without reloading the board', async () => {
  await removeJobs(board)
  const ids = await insertJobs(
    board,
    Array.from({ length: 450 }, () => ({})),
  )
  const followed = new Board(board.database, board.clock)
  const index = await followed.current()
  await board.database.inTx(async (tx) => {
    await sql`update job set remote = true`.execute(tx)
    await sql`update job set state = 'closed' where id = ${ids[0]!}`.execute(tx)
  })
  const more = await insertJobs(
    board,
    Array.from({ length: 450 }, () => ({ remote: true })),
  )
  expect(await idsOf(followed)).toEqual([...ids.slice(1), ...more].sort())
  expect(await followed.current()).toBe(index)
  expect(slotsOf(index.live).every((slot) => index.columns.remote[slot] === 1)).toBe(true)
})

test('rows from another server’s dump are not mistaken for changes', async () => {
  await removeJobs(board)
  const [dumped] = await insertJobs(board, [{}])
  // The dump's server had higher transaction IDs than this server.
  await board.database.inTx(async (tx) => {
    await sql`alter table job disable trigger job_changed`.execute(tx)
    await sql`update job set changed_xid = '900000000000' where id = ${dumped}`.execute(tx)
    await sql`alter table job enable trigger job_changed`.execute(tx)
  })
  const position = await board.database.read(findPosition)
  const [changed] = await insertJobs(board, [{}])
  const { jobs } = await board.database.read((db) => findChanges(db, position, [], board.clock.now()))
  expect(jobs.map(({ id }) => id)).toEqual([changed])
  expect(await idsOf(new Board(board.database, board.clock))).toEqual([dumped, changed])
})

describe.skipIf(!isOnPostgres)('a board with a second process', () => {
  /** Calls `work` with a second connection, and with a board that checks for changes before every response. */
  async function withOther<T>(work: (other: pg.Client, followed: Board) => Promise<T>): Promise<T> {
    const other = new pg.Client({ connectionString: board.database.url! })
    await other.connect()
    const database = await openDatabase({ url: board.database.url!, poolMode })
    try {
      return await work(other, new Board(database, board.clock, { ageMaxMs: -1 }))
    } finally {
      await other.end()
      await database.close()
    }
  }

  test("shows the other process's commits, including late transactions", async () => {
    await removeJobs(board)
    const [first, second] = await insertJobs(board, [{}, {}])
    await withOther(async (late, followed) => {
      await late.query('begin')
      await late.query("update job set state = 'closed' where id = $1", [first])
      // This transaction started later but committed earlier.
      await board.database.inTx((tx) => sql`update job set remote = true where id = ${second}`.execute(tx))
      const { columns, live } = await followed.current()
      expect([countOf(live), columns.remote[slotsOf(live).find((slot) => columns.ids.get(slot) === second)!]]).toEqual([
        2, 1,
      ])
      await late.query('commit')
      expect(await idsOf(followed)).toEqual([second])
    })
  })

  test('abandons a hanging comparison, and repeats the comparison later', async () => {
    await removeJobs(board)
    const [id] = await insertJobs(board, [{}])
    await withOther(async (other) => {
      const database = await openDatabase({ url: board.database.url!, poolMode })
      const followed = new Board(database, board.clock, { ageMaxMs: -1, readMaxMs: 500 })
      expect(await idsOf(followed)).toEqual([id])
      await other.query('begin')
      await other.query('lock table job in access exclusive mode')
      await expect(followed.current()).rejects.toMatchObject({ code: 'unavailable' })
      await other.query('commit')
      expect(await idsOf(followed)).toEqual([id])
      await database.close()
    })
  })

  test.runIf(poolMode === 'session')('detects that an earlier copy replaced the database', async () => {
    const server = process.env.TEST_DATABASE_URL!
    const own = await openTestDatabase()
    const name = new URL(own.url!).pathname.slice(1)
    const world = { database: own, clock: board.clock } as typeof board
    const followed = new Board(own, board.clock, { ageMaxMs: -1 })
    const [before] = await insertJobs(world, [{}])
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
    await administrate(server, cut)
    await administrate(server, `create database ${name}_earlier template ${name}`)
    // A dead connection may cause one more failure before it is detected.
    const again = async <T>(ask: () => Promise<T>): Promise<T> =>
      ask().catch((error) => {
        if (error.code !== 'unavailable') throw error
        return again(ask)
      })
    const [after] = await again(() => insertJobs(world, [{}]))
    expect((await again(() => idsOf(followed))).sort()).toEqual([before, after].sort())
    await administrate(server, `drop database ${name} with (force)`)
    await administrate(server, `alter database ${name}_earlier rename to ${name}`)
    expect(await again(() => idsOf(followed))).toEqual([before])
    await own.close()
  })

  test('ignores writes that the other process rolled back', async () => {
    await removeJobs(board)
    const [id] = await insertJobs(board, [{}])
    await withOther(async (other, followed) => {
      await other.query('begin')
      await other.query("update job set state = 'closed' where id = $1", [id])
      expect(await idsOf(followed)).toEqual([id])
      await other.query('rollback')
      expect(await idsOf(followed)).toEqual([id])
    })
  })
})
