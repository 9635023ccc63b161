/**
 * Events, settled deliveries and attempts are partitioned by day, and views by month. Old partitions are dropped, and
 * no other data is lost.
 */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { listMigrations } from '../../src/db/migration-file.ts'
import { addPartitions, dropPartitions, type PartitionedTable, partitionedById } from '../../src/db/partitions.ts'
import { dailyTables } from '../../src/features/webhooks/webhook-retention.tasks.ts'
import { finishAttempts } from '../../src/features/webhooks/webhooks.dispatch-queries.ts'
import { moveSettled } from '../../src/features/webhooks/webhooks.settled-queries.ts'
import { firstId, newId } from '../../src/lib/ids.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { useBoard } from '../support/board.ts'
import { isOnPostgres, openTestDatabase } from '../support/database.ts'
import { createEmptyDatabase } from '../support/empty-database.ts'
import { runTask, runTogether, taskOf } from '../support/tasks.ts'
import { makeDelivery, successAt } from '../support/webhooks.ts'

const EVENTS = partitionedById('event', 'event')
const VIEWS: PartitionedTable = {
  name: 'job_view_day',
  period: 'month',
  keyAt: (time) => new Date(time).toISOString().slice(0, 10),
}
const BODY = 'x'.repeat(200)

const select = async <T>(database: Database, text: string, ...values: string[]): Promise<T[]> =>
  (await database.withClient((client) => client.query({ text, values }))).rows as T[]

const partitionsOf = async (database: Database, { name }: Pick<PartitionedTable, 'name'> = EVENTS) =>
  (
    await select<{ name: string }>(
      database,
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
      name,
    )
  ).map((partition) => partition.name)

const partitionOf = async (database: Database, id: string) =>
  (await select<{ name: string }>(database, 'select tableoid::regclass::text as name from event where id = $1', id))[0]
    ?.name

/** Inserts events with the time `at`, each with an attempted delivery to the webhook `wh`. */
const insertEvents = (database: Database, at: number, { count = 1, state = 'delivered' } = {}) =>
  database.withClient((client) =>
    client.query(
      `with written as (
        insert into event (id, type, subject_id, body, created_at)
        select typeid('evt', $1::timestamptz), 'job.created', 'job', $2, $1 from generate_series(1, $3) returning id
      ), delivery as (
        insert into webhook_delivery (id, event_id, webhook_id, event_type, state, attempts, created_at)
        select typeid('whd', $1::timestamptz), id, 'wh', 'job.created', $4, 1, $1 from written returning id
      )
      insert into webhook_attempt (delivery_id, number, trigger, started_at, duration_ms, response_excerpt)
      select id, 1, 'scheduled', $1, 1, $2 from delivery`,
      [new Date(at), BODY, count, state],
    ),
  )

/** Moves the deliveries that are not pending to the settled deliveries, as the service does. */
const settle = (database: Database) => database.inTx((tx) => moveSettled(tx, { from: '', limit: 10_000 }))

const insertWebhook = (database: Database) =>
  database.withClient((client) =>
    client.query(`
      insert into account (id, kind, name, created_at) values ('emp', 'employer', 'E', now());
      insert into webhook (id, owner_id, audience, url, events, secret_sealed, watched_from, created_at, updated_at)
      values ('wh', 'emp', '*', 'https://example.com', '{job.created}', '', now(), now(), now())`),
  )

/** Inserts one view of the job `job` on each day, as the service does. */
const insertViews = (database: Database, days: readonly string[]) =>
  database.withClient((client) =>
    client.query(
      `insert into job_view_day (job_id, day, views) select 'job', unnest($1::text[]), 1
      on conflict (job_id, day) do update set views = job_view_day.views + excluded.views`,
      [days],
    ),
  )

const insertJob = (database: Database) =>
  database.withClient((client) =>
    client.query(`
      insert into account (id, kind, name, created_at) values ('emp', 'employer', 'E', now()) on conflict do nothing;
      insert into employer (id, account_id, name, name_sort, location_words, created_at, updated_at)
      values ('emp', 'emp', 'E', 'e', '{}', now(), now());
      insert into job (id, employer_id, title, title_sort, company, company_sort, location, location_sort,
        location_words, description, category, type, custom_questions, search, created_at, updated_at, posted_at)
      values ('job', 'emp', '', '', '', '', '', '', '{}', '', 'x', 'x', '[]', '', now(), now(), now())`),
  )

/** Returns the partitions of the stored views, each with its days and counts. */
const daysOfViews = async (database: Database) =>
  (
    await select<{ place: string }>(
      database,
      `select tableoid::regclass || ' ' || string_agg(day || ' ' || views, ' ' order by day) as place
      from job_view_day group by tableoid order by 1`,
    )
  ).map(({ place }) => place)

/** Returns the day after the last day of the partition `job_view_day_former`, which is the first day of a month. */
const formerViewsEndOf = async (database: Database): Promise<string> => {
  const [{ bound }] = (await select<{ bound: string }>(
    database,
    `select pg_get_expr(relpartbound, oid) as bound from pg_class where relname = 'job_view_day_former'`,
  )) as [{ bound: string }]
  return /TO \('([\d-]+)'\)/.exec(bound)![1]!
}

/** Drops the partitions that end no later than a time, as the service does. */
const dropUntil = async (database: Database, before: number) => {
  for (const { table, drop } of dailyTables) await dropPartitions(database, table, before, drop)
}

/** Returns two numbers for each daily table: its partitions, including the default one, and its rows. */
const leftIn = async (database: Database) => {
  const counts: Record<string, number[]> = {}
  for (const { table } of dailyTables)
    counts[table.name] = [(await partitionsOf(database, table)).length, await countOf(database, table.name)]
  return counts
}

const endingOf = (id: string) => successAt(new Date(), { id, webhook_id: 'wh', number: 2 })

const countOf = async (database: Database, table: string) =>
  (await select<{ count: number }>(database, `select count(*)::int as count from ${table}`))[0]!.count

/**
 * Returns the end of the partition `event_former`: seven days after the start of the UTC day on which the migration
 * ran, which is today or yesterday.
 */
const formerEndOf = async (database: Database): Promise<number> => {
  const [{ bound }] = (await select<{ bound: string }>(
    database,
    `select pg_get_expr(relpartbound, oid) as bound from pg_class where relname = 'event_former'`,
  )) as [{ bound: string }]
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS
  return [6, 7].map((days) => midnight + days * DAY_MS).find((end) => bound.includes(firstId('event', end)))!
}
const dayOf = (at: number) => `event_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`

test('the first ID for a time sorts after all earlier IDs and before all later IDs', () => {
  const before = Date.now()
  const id = newId('event')
  expect(firstId('event', before) < id).toBe(true)
  expect(firstId('event', Date.now() + 1) > id).toBe(true)
})

describe('partitions', () => {
  let database: Database
  beforeEach(async () => {
    database = await openTestDatabase()
    await insertWebhook(database)
  })
  afterEach(() => database.close())

  test('exist three days ahead, one per day, even with simultaneous calls', async () => {
    expect(await partitionsOf(database)).toEqual(['event_default', 'event_former'])
    const start = await formerEndOf(database)
    await addPartitions(database, EVENTS, start - 3 * DAY_MS)
    expect(await partitionsOf(database)).toHaveLength(3)
    for (let now = start - 3 * DAY_MS; now < start + 2 * DAY_MS; now += 7 * 3_600_000) {
      const calls = await Promise.allSettled([1, 2].map(() => addPartitions(database, EVENTS, now)))
      // A call that times out waiting for the lock leaves the work to the other call.
      const refused = calls.filter((call) => call.status === 'rejected').map(({ reason }) => reason.code)
      expect(refused.length).toBeLessThan(2)
      expect(refused.every((code) => code === 'unavailable')).toBe(true)
    }
    const days = [0, 1, 2, 3, 4].map((day) => dayOf(start + day * DAY_MS))
    expect(await partitionsOf(database)).toEqual([...days, 'event_default', 'event_former'])
    const times = [start - 1, start, start + DAY_MS - 1, start + DAY_MS, start + 9 * DAY_MS]
    const homes: (string | undefined)[] = []
    for (const time of times) {
      await insertEvents(database, time)
      const [{ id }] = (await select<{ id: string }>(
        database,
        'select id from event order by created_at desc, id desc limit 1',
      )) as [{ id: string }]
      homes.push(await partitionOf(database, id))
    }
    expect(homes).toEqual(['event_former', days[0], days[0], days[1], 'event_default'])
  })

  test('are created again after weeks without a worker, and the default partition covers the gap', async () => {
    const later = (await formerEndOf(database)) + 30 * DAY_MS
    await insertEvents(database, later + 1_000)
    await addPartitions(database, EVENTS, later + 2_000)
    const days = [1, 2, 3].map((day) => dayOf(later + day * DAY_MS))
    expect(await partitionsOf(database)).toEqual([...days, 'event_default', 'event_former'])
    expect(await countOf(database, 'event_default')).toBe(1)
  })

  test('are dropped with their rows once their day is over, unless a delivery of the day is pending', async () => {
    const start = await formerEndOf(database)
    for (const { table } of dailyTables) await addPartitions(database, table, start - 1)
    for (const day of [0, 1, 2]) await insertEvents(database, start + day * DAY_MS, { count: 20 })
    await insertEvents(database, start + DAY_MS, { state: 'pending' })
    await settle(database)
    const drop = () => dropUntil(database, start + 2 * DAY_MS)
    const left = () => leftIn(database)
    await drop()
    // The partitions of two days and the default partition are left.
    expect(await left()).toEqual({ event: [3, 41], webhook_delivery_settled: [3, 40], webhook_attempt: [3, 41] })
    await database.withClient((client) => client.query(`update webhook_delivery set state = 'exhausted'`))
    await drop()
    expect((await left()).event).toEqual([3, 41])
    await settle(database)
    await drop()
    expect(await left()).toEqual({ event: [2, 20], webhook_delivery_settled: [2, 20], webhook_attempt: [2, 20] })
    // The foreign key of deliveries is still enforced.
    await expect(
      database.withClient((client) =>
        client.query(`insert into webhook_delivery (id, event_id, webhook_id, event_type, created_at)
          values ('whd', 'evt', 'wh', 'job.created', now())`),
      ),
    ).rejects.toThrow('webhook_delivery_event_fkey')
  })

  test('of later days are dropped while a delivery of an earlier day is pending', async () => {
    const start = await formerEndOf(database)
    for (const { table } of dailyTables) await addPartitions(database, table, start - 1)
    await insertEvents(database, start, { state: 'pending' })
    await insertEvents(database, start + DAY_MS, { count: 20 })
    await settle(database)
    await dropUntil(database, start + 2 * DAY_MS)
    expect(await leftIn(database)).toEqual({ event: [3, 1], webhook_delivery_settled: [3, 0], webhook_attempt: [3, 1] })
  })

  test('keep settled deliveries as long as their events, which are kept while many deliveries are pending', async () => {
    const start = await formerEndOf(database)
    for (const { table } of dailyTables) await addPartitions(database, table, start - 1)
    await insertEvents(database, start, { count: 20 })
    await settle(database)
    await insertEvents(database, start + 2 * DAY_MS, { count: 2_381, state: 'pending' })
    // With 20 further deliveries of each event, 50,001 are pending.
    await database.withClient((client) =>
      client.query(`
        insert into webhook (id, owner_id, audience, url, events, secret_sealed, watched_from, created_at, updated_at)
        select 'wh_' || n, owner_id, audience, url, events, '', now(), now(), now() from webhook, generate_series(1, 20) n;
        insert into webhook_delivery (id, event_id, webhook_id, event_type, created_at)
        select id || n, event_id, 'wh_' || n, event_type, created_at from webhook_delivery, generate_series(1, 20) n`),
    )
    await dropUntil(database, start + 2 * DAY_MS)
    // The second day contains no rows, so it is dropped anyway.
    expect(await leftIn(database)).toMatchObject({ event: [3, 2_401], webhook_delivery_settled: [3, 20] })
    await database.withClient((client) => client.query('delete from webhook_delivery'))
    await dropUntil(database, start + 2 * DAY_MS)
    expect(await leftIn(database)).toMatchObject({ event: [2, 2_381], webhook_delivery_settled: [2, 0] })
  })

  test.runIf(isOnPostgres)('are dropped while results of attempts are written', async () => {
    const start = await formerEndOf(database)
    for (const { table } of dailyTables) await addPartitions(database, table, start - 1)
    await insertEvents(database, start + 2 * DAY_MS, { state: 'pending' })
    const [{ id }] = (await select<{ id: string }>(database, 'select id from webhook_delivery')) as [{ id: string }]
    let isDropping = true
    const writers = [0, 1].map(async () => {
      // Results that arrive too late lock the same tables as the first result.
      while (isDropping) await database.inTx((tx) => finishAttempts(tx, [endingOf(id)], true))
    })
    // On a busy machine, a writer may pause while it holds a lock. The service tries again after an hour.
    for (let attempt = 0; attempt < 10 && (await leftIn(database)).webhook_delivery_settled![0]! > 2; attempt++) {
      await dropUntil(database, start + 2 * DAY_MS).catch((error) => expect(error.code).toBe('unavailable'))
    }
    isDropping = false
    await Promise.all(writers)
    expect(await leftIn(database)).toEqual({ event: [2, 1], webhook_delivery_settled: [2, 0], webhook_attempt: [2, 1] })
  })

  test.runIf(isOnPostgres)('are neither added nor dropped during a backup, and other reads continue', async () => {
    const start = await formerEndOf(database)
    await database.read((db) =>
      // Starts a read on its own connection, in one transaction, like a backup.
      database.withClient(async (client) => {
        await client.query('start transaction isolation level repeatable read read only')
        await client.query('select count(*) from event')
        await expect(addPartitions(database, EVENTS, start - 1)).rejects.toMatchObject({ code: 'unavailable' })
        await expect(dropPartitions(database, EVENTS, start + DAY_MS)).rejects.toMatchObject({
          code: 'unavailable',
        })
        await sql`select count(*) from event`.execute(db)
        await client.query('rollback')
      }),
    )
    expect(await partitionsOf(database)).toEqual(['event_default', 'event_former'])
    await addPartitions(database, EVENTS, start - 1)
    expect(await partitionsOf(database)).toHaveLength(5)
  })
})

describe('months of views', () => {
  let database: Database
  /** The first days of the first month with its own partition, and of the three following months. */
  let months: [string, string, string, string]
  beforeEach(async () => {
    database = await openTestDatabase()
    await insertJob(database)
    const [year, month] = (await formerViewsEndOf(database)).split('-').map(Number) as [number, number]
    months = [0, 1, 2, 3].map((n) =>
      new Date(Date.UTC(year, month - 1 + n)).toISOString().slice(0, 10),
    ) as typeof months
  })
  afterEach(() => database.close())

  const at = (day: string) => Date.parse(`${day}T12:00:00Z`)
  const nameOf = (day: string) => `job_view_day_${day.replaceAll('-', '')}`

  test('get a partition three days before they begin, and rows of later months go to the default partition', async () => {
    const known = ['job_view_day_default', 'job_view_day_former']
    await addPartitions(database, VIEWS, at(months[0]) - 5 * DAY_MS)
    expect(await partitionsOf(database, VIEWS)).toEqual(known)
    for (const day of [-2, -1, 0, 20]) await addPartitions(database, VIEWS, at(months[0]) + day * DAY_MS)
    expect(await partitionsOf(database, VIEWS)).toEqual([nameOf(months[0]), ...known])
    await addPartitions(database, VIEWS, at(months[1]) - DAY_MS)
    expect(await partitionsOf(database, VIEWS)).toEqual([nameOf(months[0]), nameOf(months[1]), ...known])
    await insertViews(database, ['2020-01-31', months[0], months[1], months[2]])
    await insertViews(database, [months[1]])
    expect(await daysOfViews(database)).toEqual([
      `${nameOf(months[0])} ${months[0]} 1`,
      `${nameOf(months[1])} ${months[1]} 2`,
      `job_view_day_default ${months[2]} 1`,
      'job_view_day_former 2020-01-31 1',
    ])
    // Deleting the job deletes its views in all months.
    await database.withClient((client) => client.query('delete from job'))
    expect(await daysOfViews(database)).toEqual([])
  })

  test('get partitions again after months without a worker', async () => {
    await insertViews(database, [months[1]])
    await addPartitions(database, VIEWS, at(months[1]) + DAY_MS)
    await addPartitions(database, VIEWS, at(months[2]) - DAY_MS)
    await insertViews(database, [months[2]])
    expect(await daysOfViews(database)).toEqual([
      `${nameOf(months[2])} ${months[2]} 1`,
      `job_view_day_default ${months[1]} 1`,
    ])
  })

  test('are dropped with their rows once their last day is old enough, and later months are kept', async () => {
    for (const month of months) await addPartitions(database, VIEWS, at(month) - 2 * DAY_MS)
    await insertViews(database, months)
    const drop = (before: number) => dropPartitions(database, VIEWS, before)
    await drop(at(months[1]) - DAY_MS)
    expect(await countOf(database, 'job_view_day')).toBe(4)
    await drop(at(months[1]))
    expect(await partitionsOf(database, VIEWS)).toEqual([...months.slice(1).map(nameOf), 'job_view_day_default'])
    expect(await countOf(database, 'job_view_day')).toBe(3)
  })
})

describe('the partition task', () => {
  const board = useBoard()

  test('can run twice at once, and keeps the partition of a pending delivery', async () => {
    const { read } = await makeDelivery(board)
    await runTogether([taskOf(board, 'event-partitions'), taskOf(board, 'event-partitions')])
    await runTask(board, 'event-purge')
    expect((await read()).status).toBe('pending')
    board.clock.advance(Date.now() - board.clock.time + 60 * DAY_MS)
    await runTask(board, 'event-partitions')
    expect(await partitionsOf(board.database)).toContain('event_former')
    expect(await partitionsOf(board.database)).toHaveLength(5)
  })
})

describe('a database of an earlier release', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>
  beforeAll(async () => {
    empty = await createEmptyDatabase()
  })
  afterAll(() => empty.remove())

  test('keeps its events, deliveries and attempts in one partition per table', async () => {
    const { database } = empty
    const names = await listMigrations()
    await migrate(database, { only: names.filter((name) => name < '0036') })
    await insertWebhook(database)
    await insertEvents(database, Date.now() - DAY_MS, { count: 50 })
    const all = (deliveries = 'webhook_delivery') =>
      select(
        database,
        `select event.*, delivery.state, attempt.number, attempt.response_excerpt from event
        join ${deliveries} as delivery on delivery.event_id = event.id
        join webhook_attempt as attempt on attempt.delivery_id = delivery.id order by event.id`,
      )
    const before = await all()
    expect(before).toHaveLength(50)
    // After the first step, `event` still accepts rows of the next seven days, enough time for the other steps.
    await migrate(database, { only: ['0036_days_of_events.sql'] })
    await insertEvents(database, Date.now())
    await migrate(database)
    expect((await all()).slice(0, 50)).toEqual(before)
    expect(await countOf(database, 'event_former')).toBe(51)
    expect(await countOf(database, 'webhook_attempt_former')).toBe(51)
    await database.inTx((tx) => moveSettled(tx, { from: '', limit: 20 }))
    expect(await countOf(database, 'webhook_delivery')).toBe(31)
    await settle(database)
    expect(await countOf(database, 'webhook_delivery')).toBe(0)
    expect(await countOf(database, 'webhook_delivery_settled_former')).toBe(51)
    expect((await all('webhook_delivery_settled')).slice(0, 50)).toEqual(before)
  })

  test('keeps its views in one partition, including views written between the steps of the migration', async () => {
    const views = await createEmptyDatabase()
    try {
      const { database } = views
      const names = await listMigrations()
      await migrate(database, { only: names.filter((name) => name < '0099') })
      await insertJob(database)
      const dayOf = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
      const days = [-400, -1, 0].map(dayOf)
      await insertViews(database, days)
      for (const name of names.filter((name) => name >= '0099' && name < '0102')) {
        await migrate(database, { only: [name] })
        await insertViews(database, [days[2]!, dayOf(35)])
      }
      await migrate(database)
      expect(await daysOfViews(database)).toEqual([
        `job_view_day_former ${days[0]} 1 ${days[1]} 1 ${days[2]} 4 ${dayOf(35)} 3`,
      ])
      // The previous release can write for at least 34 days before rows go to the default partition.
      const end = Date.parse(await formerViewsEndOf(database))
      expect(end).toBeGreaterThan(Date.now() + 34 * DAY_MS)
      expect(await countOf(database, 'job_view_day_default')).toBe(0)
    } finally {
      await views.remove()
    }
  })
})
