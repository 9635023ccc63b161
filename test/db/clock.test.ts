/** The clock that all processes share, which follows the database clock even when that clock steps. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DatabaseClock } from '../../src/db/clock.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { isOnPostgres, openTestDatabase } from '../support/database.ts'

const HOUR = 3_600_000

let database: Database & { url?: string }
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const databaseTime = async (from: Database = database) => {
  const { rows } = await from.read((db) => sql<{ at: Date }>`select clock_timestamp() as at`.execute(db))
  return rows[0]!.at.getTime()
}

test('the time equals the database time, within the duration of the queries and 50 ms', async () => {
  const clock = await DatabaseClock.open(database)
  const before = await databaseTime()
  const first = clock.now().getTime()
  const after = await databaseTime()
  const askedMs = after - before + 50
  expect(first).toBeGreaterThanOrEqual(before - askedMs)
  expect(first).toBeLessThanOrEqual(after + askedMs)
  await clock.compare()
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(first - askedMs)
})

describe.runIf(isOnPostgres)('when the database clock steps', () => {
  test.each([
    ['forward', '5 hours', 5 * HOUR],
    ['back', '-5 hours', -5 * HOUR],
  ])(
    '%s, a comparison follows the step, and a comparison after the correction restores the time',
    async (_way, step, stepMs) => {
      // Sessions with this search_path see the stepped clock.
      await database.inTx((tx) =>
        sql`create or replace function public.clock_timestamp() returns timestamptz language sql as
        ${sql.lit(`select pg_catalog.clock_timestamp() + interval '${step}'`)}`.execute(tx),
      )
      const url = `${database.url}?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`
      const stepped = await openDatabase({ url, poolSize: 1 })
      try {
        let asked = database
        const clock = await DatabaseClock.open({ withClient: (work) => asked.withClient(work) })
        const right = clock.now().getTime()
        asked = stepped
        await clock.compare()
        expect(Math.round((clock.now().getTime() - right) / HOUR)).toBe(stepMs / HOUR)
        asked = database
        await clock.compare()
        expect(Math.round((clock.now().getTime() - right) / HOUR)).toBe(0)
      } finally {
        await stepped.close()
        await database.inTx((tx) => sql`drop function public.clock_timestamp()`.execute(tx))
      }
    },
  )
})
