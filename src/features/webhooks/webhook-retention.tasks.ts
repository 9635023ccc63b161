import { sql } from 'kysely'
import { batchTask, periodicTask, type Task } from '../../background/loop.ts'
import type { Database } from '../../db/database.ts'
import {
  addPartitions,
  type DropOptions,
  dropPartitions,
  type PartitionedTable,
  partitionedById,
} from '../../db/partitions.ts'
import { EPOCH, purgeInOrder } from '../../db/purge.ts'
import { type Clock, DAY_MS } from '../../lib/time.ts'
import { purgeEvents, purgeRecoveries, purgeSuperseded } from './webhooks.dispatch-queries.ts'
import { moveSettled, purgeLeftAttempts, purgeSettled } from './webhooks.settled-queries.ts'

/**
 * Retention of events and their deliveries, in milliseconds. The service drops whole days, so it keeps rows up to one
 * day longer.
 */
const KEPT_MS = 30 * DAY_MS
/** Maximum number of rows that one round changes or deletes. */
const BATCH = 1_000
/**
 * Retention of superseded updates, in milliseconds. Responses that are stored for idempotency keys can refer to these
 * updates, but are deleted an hour earlier.
 */
const SUPERSEDED_KEPT_MS = DAY_MS + 3_600_000
/**
 * How far the hourly purge looks back for busy subjects, in milliseconds. Covers several hours, in case the purge was
 * not running.
 */
const SUPERSEDED_LOOKBACK_MS = 6 * 3_600_000

const events = partitionedById('event', 'event')
const attempts = partitionedById('webhook_attempt', 'webhookDelivery')
const settledDeliveries = partitionedById('webhook_delivery_settled', 'event')
/**
 * Maximum number of pending deliveries at which a day of events may be dropped. PostgreSQL checks the foreign key of
 * each one, and nobody can write events in the meantime. With more pending deliveries, `event-purge` deletes the events
 * instead.
 */
const CHECKED_MAX = 50_000
const hasRows = (table: string, key: string, { start, end }: { start: string; end: string }) =>
  sql<boolean>`exists (select from ${sql.table(table)} where ${sql.ref(key)} >= ${start} and ${sql.ref(key)} < ${end})`
/** The tables with one partition per day, in the order in which old partitions are dropped. */
export const dailyTables: readonly { table: PartitionedTable; drop: DropOptions }[] = [
  { table: attempts, drop: { isNeeded: (day) => hasRows('webhook_delivery', 'id', day) } },
  {
    table: events,
    drop: {
      locked: ['event', 'webhook_delivery'],
      isNeeded: (day) => sql`${hasRows('webhook_delivery', 'event_id', day)} or (${hasRows('event', 'id', day)}
        and (select count(*) > ${CHECKED_MAX} from (select from webhook_delivery limit ${CHECKED_MAX + 1}) as pending))`,
    },
  },
  {
    table: settledDeliveries,
    drop: {
      locked: ['webhook', 'webhook_delivery_settled'],
      // Without an event's settled delivery, a recovery would send the event again.
      isNeeded: (day) => hasRows('event', 'id', day),
    },
  },
]

/** Returns the tasks that move settled deliveries, manage partitions, and purge old events. */
export function webhookRetentionTasks(database: Database, clock: Clock): Task[] {
  let unmovedFrom = ''
  const purge = purgeInOrder(EPOCH, (before, range) => database.inStatement((tx) => purgeEvents(tx, before, range)))
  const purgeDeliveries = purgeInOrder('', (before, range) =>
    database.inStatement((tx) => purgeSettled(tx, settledDeliveries.keyAt(+before), range)),
  )
  const purgeAttempts = purgeInOrder('', (before, range) =>
    database.inStatement((tx) => purgeLeftAttempts(tx, attempts.keyAt(+before), range)),
  )
  return [
    // One batch per second, because a database of the previous release may contain many millions of settled
    // deliveries.
    periodicTask('settled-deliveries', 1_000, async () => {
      const { count, last } = await database.inStatement((tx) => moveSettled(tx, { from: unmovedFrom, limit: BATCH }))
      unmovedFrom = count === BATCH ? last! : ''
    }),
    periodicTask('event-partitions', 3_600_000, async () => {
      const now = clock.now().getTime()
      for (const { table } of dailyTables) await addPartitions(database, table, now)
      for (const { table, drop } of dailyTables) await dropPartitions(database, table, now - KEPT_MS, drop)
    }),
    {
      name: 'event-purge',
      everyMs: 3_600_000,
      // Deletes the rows that no dropped partition contained, for example those of partitions with pending deliveries.
      async once() {
        const before = new Date(clock.now().getTime() - KEPT_MS - DAY_MS)
        const outcomes = [await purge(before), await purgeDeliveries(before), await purgeAttempts(before)]
        await database.inStatement((tx) => purgeRecoveries(tx, before))
        return outcomes.includes('more') ? 'more' : 'done'
      },
    },
    batchTask('superseded-events', 3_600_000, BATCH, (limit) => {
      const before = clock.now().getTime() - SUPERSEDED_KEPT_MS
      const since = new Date(before - SUPERSEDED_LOOKBACK_MS)
      return database.inStatement((tx) => purgeSuperseded(tx, since, new Date(before), limit))
    }),
  ]
}
