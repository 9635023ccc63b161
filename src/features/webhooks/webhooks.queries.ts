import { type Insertable, sql, type Updateable } from 'kysely'
import { countRows, findSamplePercent } from '../../db/backlog.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row, Schema } from '../../db/schema.ts'
import type { SealedColumn } from '../../db/sealed.ts'
import { statement } from '../../db/statement.ts'
import { NAMED_PREFIX } from '../../lib/secret-box.ts'
import type { QueryOf } from '../../lists/query.ts'
import { comparing, comparingColumns, listPage, type Page, sortKey } from '../../lists/sql-page.ts'
import { isSuspended, lockAccountRow } from '../accounts/index.ts'
import { secretContext } from './webhooks.contract.ts'
import { HOUR_MS, RECENT_HOURS } from './webhooks.schedule.ts'
import type { deliveryList, webhookList } from './webhooks.schemas.ts'
import { allDeliveries } from './webhooks.settled-queries.ts'

export type WebhookRow = Row<'webhook'>
export type DeliveryRow = Row<'webhook_delivery'>
export type AttemptRow = Row<'webhook_attempt'>
export type RecoveryRow = Row<'webhook_recovery'>

export const sealedWebhookSecrets: readonly SealedColumn[] = ['secret_sealed', 'previous_secret_sealed'].map(
  (column) => ({ table: 'webhook', column, contextOf: secretContext, isVital: true }),
)

const ofOwner = (reader: Reader, ownerId: string, id: string) =>
  reader.selectFrom('webhook').selectAll().where('id', '=', id).where('owner_id', '=', ownerId)

export const findWebhook = (reader: Reader, ownerId: string, id: string) =>
  ofOwner(reader, ownerId, id).executeTakeFirst()

export const lockWebhook = (tx: Tx, ownerId: string, id: string) =>
  ofOwner(tx, ownerId, id).forNoKeyUpdate().executeTakeFirst()

export const findLatestWebhook = (reader: Reader) =>
  reader.selectFrom('webhook').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()

/** Returns whether a secret in use is encrypted with a key that is not in `keyIds`. */
export function namesOtherKey(reader: Reader, keyIds: readonly string[]): Promise<boolean> {
  const names = (column: string) => sql`
    starts_with(${sql.ref(column)}, ${NAMED_PREFIX}) and split_part(${sql.ref(column)}, '.', 2) <> all(${keyIds}::text[])`
  return statement<{ is_there: boolean }>`
    select exists (
      select from webhook where ${names('secret_sealed')}
        or (previous_secret_until > now() and ${names('previous_secret_sealed')})) as is_there`.oneValue(reader)
}

const countWebhooks = (reader: Reader, ownerId: string) => countRows(reader, sql`webhook where owner_id = ${ownerId}`)

/** Locks the account, which blocks new webhooks until the transaction ends, and returns the number of its webhooks. */
export async function countWebhooksLocked(tx: Tx, ownerId: string): Promise<number> {
  await lockAccountRow(tx, sql`${ownerId}`, 'no key update')
  return countWebhooks(tx, ownerId)
}

export const insertWebhook = (tx: Tx, row: Insertable<Schema['webhook']>) =>
  tx.insertInto('webhook').values(row).returningAll().executeTakeFirstOrThrow()

export const updateWebhookRow = (tx: Tx, id: string, change: Updateable<Schema['webhook']>) =>
  tx.updateTable('webhook').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Deletes locked webhooks with their deliveries and attempts. */
export async function deleteWebhookRows(tx: Tx, ids: readonly string[]): Promise<void> {
  // Deletes deliveries before attempts, like the purges.
  await sql`
    with pending as (delete from webhook_delivery where webhook_id = any(${ids}::text[]) returning id),
    settled as (delete from webhook_delivery_settled where webhook_id = any(${ids}::text[]) returning id)
    delete from webhook_attempt using (select id from pending union all select id from settled) as delivery
    where delivery_id = delivery.id`.execute(tx)
  await tx.deleteFrom('webhook').where('id', 'in', ids).execute()
}

export async function deleteWebhooksOf(tx: Tx, ownerId: string): Promise<void> {
  const webhooks = await tx
    .selectFrom('webhook')
    .select('id')
    .where('owner_id', '=', ownerId)
    .orderBy('id')
    .forUpdate()
    .execute()
  const ids = webhooks.map(({ id }) => id)
  if (ids.length > 0) await deleteWebhookRows(tx, ids)
}

/** Records a test, unless a test was recorded after `since`. Returns whether the test was recorded. */
export function noteTest(tx: Tx, id: string, since: Date, now: Date): Promise<boolean> {
  return statement`
    update webhook set tested_at = ${now}
    where id = ${id} and (tested_at is null or tested_at <= ${since})`.changed(tx)
}

export function listWebhooks(
  reader: Reader,
  ownerId: string,
  query: QueryOf<typeof webhookList>,
): Promise<Page<WebhookRow>> {
  return listPage(reader, query, {
    table: 'webhook',
    where: [sql`webhook.owner_id = ${ownerId}`],
    filters: comparingColumns('webhook', ['status', 'created_at']),
    sorts: { created_at: sortKey.time('webhook.created_at'), updated_at: sortKey.time('webhook.updated_at') },
  })
}

export function listDeliveries(
  reader: Reader,
  webhookId: string,
  query: QueryOf<typeof deliveryList>,
): Promise<Page<DeliveryRow>> {
  return listPage(reader, query, {
    table: 'webhook_delivery',
    from: sql`${allDeliveries} as webhook_delivery`,
    where: [sql`webhook_delivery.webhook_id = ${webhookId}`],
    filters: {
      status: comparing('webhook_delivery.state'),
      type: comparing('webhook_delivery.event_type'),
      created_at: comparing('webhook_delivery.created_at'),
    },
    sorts: {
      created_at: sortKey.time('webhook_delivery.created_at'),
      settled_at: sortKey.nullableTime('webhook_delivery.settled_at'),
    },
  })
}

export function findDelivery(reader: Reader, ownerId: string, params: { id: string; delivery_id: string }) {
  return statement<DeliveryRow>`
    select delivery.* from webhook join ${allDeliveries} as delivery on delivery.webhook_id = webhook.id
    where delivery.id = ${params.delivery_id} and webhook.id = ${params.id} and webhook.owner_id = ${ownerId}`.first(
    reader,
  )
}

/** Locks an event against deletion. Returns false if it was deleted. */
export function lockEvent(tx: Tx, id: string): Promise<boolean> {
  return statement`select from event where id = ${id} for key share`.exists(tx)
}

export const listAttempts = (reader: Reader, deliveryId: string) =>
  reader.selectFrom('webhook_attempt').selectAll().where('delivery_id', '=', deliveryId).orderBy('number').execute()

export const insertRecovery = (tx: Tx, row: Insertable<Schema['webhook_recovery']>) =>
  tx.insertInto('webhook_recovery').values(row).returningAll().executeTakeFirstOrThrow()

export function findRecovery(reader: Reader, ownerId: string, params: { id: string; recovery_id: string }) {
  return reader
    .selectFrom('webhook_recovery')
    .innerJoin('webhook', 'webhook.id', 'webhook_recovery.webhook_id')
    .selectAll('webhook_recovery')
    .where('webhook_recovery.id', '=', params.recovery_id)
    .where('webhook.id', '=', params.id)
    .where('webhook.owner_id', '=', ownerId)
    .executeTakeFirst()
}

/** Returns the number of unsettled deliveries. */
export function countPending(reader: Reader): Promise<number> {
  // Uses two subqueries, each of which can use its own index.
  return statement<{ count: number }>`
    select (select count(*) from webhook_delivery where state = 'pending' and lease_until is null)
      + (select count(*) from webhook_delivery where lease_until is not null) as count`.oneValue(reader)
}

/**
 * Returns the earliest due time of an unblocked delivery, or null if there is none. A delivery is unblocked if no
 * attempt is in progress, its webhook is active with a closed breaker, and the account is not suspended.
 */
export function findOldestDue(reader: Reader) {
  return statement<{ due_at: Date | null }>`
    select min(first.due_at) as due_at
    from webhook cross join lateral (
      select due_at from webhook_delivery as delivery
      where delivery.webhook_id = webhook.id and state = 'pending' and lease_until is null
      order by due_at, delivery.id limit 1
    ) as first
    where webhook.status = 'active' and breaker_until is null
      and not ${isSuspended('webhook.owner_id')}`.one(reader)
}

/** Returns the number of webhooks by status. Counts active webhooks with an open breaker separately. */
export function countWebhooksByState(reader: Reader) {
  return statement<Record<'active' | 'breaker' | 'paused' | 'disabled', number>>`
    select count(*) filter (where status = 'active' and breaker_until is null) as active,
      count(*) filter (where status = 'active' and breaker_until is not null) as breaker,
      count(*) filter (where status = 'paused') as paused, count(*) filter (where status = 'disabled') as disabled
    from webhook`.one(reader)
}

/** The results of one webhook's deliveries that were queued in a given hour. */
export interface HourOfDeliveries {
  webhook_id: string
  /** 0 means the last 60 minutes. */
  hours_ago: number
  delivered: number
  failed: number
}

/** Maximum number of deliveries to count per webhook. Keeps the page of a busy webhook fast. */
const RECENT_MAX = 1_000

/** Returns the results of each webhook's latest deliveries in the last day, by hour. */
export function listRecentDeliveries(reader: Reader, webhookIds: readonly string[], now: Date) {
  const since = new Date(now.getTime() - RECENT_HOURS * HOUR_MS)
  return statement<HourOfDeliveries>`
    select webhook.id as webhook_id,
      floor(extract(epoch from (${now}::timestamptz - delivery.created_at)) / 3600)::int as hours_ago,
      count(*) filter (where state = 'delivered') as delivered, count(*) filter (where state = 'exhausted') as failed
    from unnest(${webhookIds}::text[]) as webhook (id) cross join lateral (
      select state, created_at from ${allDeliveries} as delivery
      where webhook_id = webhook.id and created_at > ${since} and created_at <= ${now}
      order by created_at desc, id desc limit ${RECENT_MAX}) as delivery
    group by 1, 2`.all(reader)
}

/** The latest failed attempt of a webhook. */
interface LastFailure {
  webhook_id: string
  started_at: Date
  /** Null if the receiver returned no response. */
  status: number | null
}

/** Number of recent deliveries per webhook to search for the latest failure. Each may need an index lookup. */
const FAILURES_MAX = 100

/** Returns the latest failed attempt of each webhook among its latest deliveries, if any. */
export function listLastFailures(reader: Reader, webhookIds: readonly string[]): Promise<LastFailure[]> {
  return statement<LastFailure>`
    select webhook.id as webhook_id, failure.started_at, failure.status
    from unnest(${webhookIds}::text[]) as webhook (id) cross join lateral (
      select attempt.started_at, attempt.status
      from (
        select id, attempts from ${allDeliveries} as delivery where webhook_id = webhook.id
        order by created_at desc, id desc limit ${FAILURES_MAX}
      ) as delivery join webhook_attempt as attempt on attempt.delivery_id = delivery.id
      where delivery.attempts > 0 and attempt.error_class is not null
      order by attempt.started_at desc limit 1) as failure`.all(reader)
}

/** Returns the number of deliveries that failed since a time. */
export const countExhausted = (reader: Reader, since: Date): Promise<number> =>
  countRows(reader, sql`${allDeliveries} as delivery where state = 'exhausted' and settled_at >= ${since}`)

/**
 * Returns the numbers of delivered and failed deliveries that were queued since a given time, by UTC day. Estimates the
 * numbers from a sample if the table is large.
 */
export async function countDeliveriesByDay(
  reader: Reader,
  since: Date,
): Promise<{ isEstimated: boolean; rows: { day: string; delivered: number; failed: number }[] }> {
  const percent = await findSamplePercent(reader, 'webhook_delivery_settled')
  const scaled = (state: string) =>
    sql`round(count(*) filter (where state = ${state}) * 100 / ${percent}::float8)::int8`
  const rows = await statement<{ day: string; delivered: number; failed: number }>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
      ${scaled('delivered')} as delivered, ${scaled('exhausted')} as failed
    from webhook_delivery_settled tablesample system (${percent}::float8) repeatable (1)
    where created_at >= ${since} and state <> 'canceled' group by 1`.all(reader)
  return { isEstimated: percent < 100, rows }
}

export const countWebhookHoldings = async (reader: Reader, ownerId: string) => ({
  webhooks: await countWebhooks(reader, ownerId),
})
