/**
 * `node bench/purge.ts [300000]`: purges the first of two months of events, with daily partitions and with the tables
 * as they were before migration 0036. Prints the sizes on disk, the duration of the longest concurrent write, and the
 * time to write an event.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Database, openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { listMigrations } from '../src/db/migration-file.ts'
import { addPartitions, dropPartitions } from '../src/db/partitions.ts'
import { EPOCH, purgeInOrder } from '../src/db/purge.ts'
import { appendEvent } from '../src/events/outbox.ts'
import { dailyTables } from '../src/features/webhooks/webhook-retention.tasks.ts'
import { purgeEvents } from '../src/features/webhooks/webhooks.dispatch-queries.ts'
import { moveSettled } from '../src/features/webhooks/webhooks.settled-queries.ts'
import { DAY_MS } from '../src/lib/time.ts'
import { startPostgres } from './processes.ts'

const EVENTS = Number(process.argv[2] ?? 300_000)
const DAYS = 60
const MIB = 1_048_576
/** Migrated tables keep the next week in one partition, so this board's events start after that week. */
const start = (Math.floor(Date.now() / DAY_MS) + 8) * DAY_MS
const end = start + DAYS * DAY_MS
const query = (database: Database, text: string, values: unknown[] = []) =>
  database.withClient((client) => client.query({ text, values }))

async function fill(database: Database): Promise<void> {
  await query(database, `insert into account (id, kind, name, created_at) values ('emp', 'employer', 'E', now())`)
  await query(
    database,
    `insert into webhook (id, owner_id, audience, url, events, secret_sealed, watched_from, created_at, updated_at)
     values ('wh', 'emp', '*', 'https://example.com', '{job.created}', '', now(), now(), now())`,
  )
  for (let day = 0; day < DAYS; day++) {
    await query(
      database,
      `with written as (
        insert into event (id, type, subject_id, employer_id, body, created_at)
        select typeid('evt', at), 'job.created', 'job_' || n, 'emp', repeat(md5(n::text), 40), at
        from (select n, $1::timestamptz + n * $2 * interval '1 ms' as at from generate_series(1, $3) as n) as moments
        returning id, created_at
      ), delivery as (
        insert into webhook_delivery (id, event_id, webhook_id, event_type, state, settled_as, attempts, created_at, settled_at)
        select typeid('whd', created_at), id, 'wh', 'job.created', 'delivered', 'delivered', 1, created_at, created_at
        from written returning id, created_at
      )
      insert into webhook_attempt (delivery_id, number, trigger, started_at, duration_ms, status, response_excerpt)
      select id, 1, 'scheduled', created_at, 12, 200, repeat('ok ', 60) from delivery`,
      [new Date(start + day * DAY_MS), Math.floor(DAY_MS / (EVENTS / DAYS + 1)), Math.floor(EVENTS / DAYS)],
    )
  }
  await query(database, 'vacuum (analyze)')
}

/** Moves all deliveries to the table of settled ones. */
async function settle(database: Database): Promise<void> {
  const begun = performance.now()
  let moved = 0
  for (let from = ''; ; ) {
    const { count, last } = await database.inTx((tx) => moveSettled(tx, { from, limit: 1_000 }))
    if (count === 0) break
    moved += count
    from = last!
  }
  console.log(`moved ${Math.round((1_000 * moved) / (performance.now() - begun))} deliveries/s`)
  await query(database, 'vacuum (full, analyze) webhook_delivery')
}

async function sizes(database: Database): Promise<string> {
  const { rows } = await query(
    database,
    `select coalesce(pg_partition_root(oid), oid)::regclass::text as name, sum(pg_total_relation_size(oid)) as bytes
     from pg_class where relkind = 'r' and coalesce(pg_partition_root(oid), oid)::regclass::text
       in ('event', 'webhook_attempt', 'webhook_delivery', 'webhook_delivery_settled') group by 1 order by 1`,
  )
  return rows.map(({ name, bytes }) => `${name} ${Math.round(bytes / MIB)} MiB`).join(', ')
}

const write = (database: Database) =>
  database.inTx((tx) =>
    appendEvent(tx, {
      type: 'job.deleted',
      subjectId: 'job_1',
      employerId: 'emp',
      at: new Date(end),
      data: { job: { id: 'job_1' } } as never,
    }),
  )

/** Returns the mean time to write an event, in milliseconds. */
async function costOfEvent(database: Database): Promise<number> {
  const begun = performance.now()
  for (let n = 0; n < 2_000; n++) await write(database)
  return (performance.now() - begun) / 2_000
}

async function purge(database: Database, isPartitioned: boolean): Promise<void> {
  const before = end - 30 * DAY_MS
  let isPurging = true
  let longest = 0
  const writer = (async () => {
    while (isPurging) {
      const begun = performance.now()
      await write(database)
      longest = Math.max(longest, performance.now() - begun)
    }
  })()
  const begun = performance.now()
  if (isPartitioned) for (const { table, drop } of dailyTables) await dropPartitions(database, table, before, drop)
  const dropped = performance.now()
  const purge = purgeInOrder(EPOCH, (until, range) => database.inTx((tx) => purgeEvents(tx, until, range)))
  while ((await purge(new Date(before))) === 'more');
  const deleted = performance.now()
  isPurging = false
  await writer
  await query(database, 'vacuum')
  console.log(
    `  dropped in ${Math.round(dropped - begun)} ms, purged in ${((deleted - dropped) / 1_000).toFixed(1)} s; ` +
      `longest concurrent write: ${Math.round(longest)} ms`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'job-purge-'))
try {
  const postgres = await startPostgres(join(folder, 'postgres'))
  if ('missing' in postgres) throw new Error(postgres.missing)
  const open: { name: string; database: Database; isPartitioned: boolean }[] = []
  for (const isPartitioned of [false, true]) {
    const name = isPartitioned ? 'partitioned' : 'plain'
    const admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query(`create database ${name}`)
    await admin.end()
    const database = await openDatabase({ url: postgres.url.replace(/postgres$/, name) })
    const names = await listMigrations()
    await migrate(database, isPartitioned ? {} : { only: names.filter((one) => one < '0036') })
    if (isPartitioned) {
      for (const { table } of dailyTables)
        for (let now = start - 1; now < end; now += DAY_MS) await addPartitions(database, table, now)
    }
    await fill(database)
    if (isPartitioned) await settle(database)
    open.push({ name, database, isPartitioned })
  }
  for (let turn = 0; turn < 3; turn++) {
    const costs: string[] = []
    for (const { name, database } of open) costs.push(`${name} ${(await costOfEvent(database)).toFixed(3)} ms`)
    console.log(`writing an event: ${costs.join(', ')}`)
  }
  for (const { name, database, isPartitioned } of open) {
    console.log(`${name}: ${await sizes(database)}`)
    await purge(database, isPartitioned)
    console.log(`  after the purge: ${await sizes(database)}`)
    await database.close()
  }
  postgres.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
