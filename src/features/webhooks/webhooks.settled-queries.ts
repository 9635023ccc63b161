/**
 * SQL for settled deliveries. `webhook_delivery` contains the pending deliveries, and settled ones that have not been
 * moved yet. `webhook_delivery_settled` contains all other settled deliveries, in one partition per day of their
 * events. A purge drops whole partitions (decision 0144).
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { BatchRange, DeletedBatch } from '../../db/purge.ts'
import { statement } from '../../db/statement.ts'
import type { DeliveryRow } from './webhooks.queries.ts'

/**
 * All deliveries, as the rows of a `from` clause. Columns that only pending deliveries have are null or 0 in settled
 * ones.
 */
export const allDeliveries = sql`(
  select id, event_id, webhook_id, event_type, state, settled_as, due_at, scheduled_at, attempts, scheduled_attempts,
    manual_wanted, lease_until, lease_trigger, last_status, last_reason, created_at, settled_at
  from webhook_delivery
  union all
  select id, event_id, webhook_id, event_type, state, state, null::timestamptz(3), null::timestamptz(3), attempts,
    scheduled_attempts, 0, null::timestamptz(3), null::text collate "C", last_status, last_reason, created_at, settled_at
  from webhook_delivery_settled)`

const columns = sql`id, event_id, webhook_id, event_type, state, attempts, scheduled_attempts, last_status, last_reason,
  created_at, settled_at`

/**
 * Returns a statement that stores the settled deliveries of a `from` clause. Only the previous release can requeue an
 * event whose delivery is already stored. The later delivery then replaces the earlier one.
 */
export const storeSettled = (from: RawBuilder<unknown>) => sql`
  insert into webhook_delivery_settled as settled (${columns}) select ${columns} from ${from}
  on conflict (event_id, webhook_id) do update set
    id = excluded.id, state = excluded.state, attempts = excluded.attempts,
    scheduled_attempts = excluded.scheduled_attempts, last_status = excluded.last_status,
    last_reason = excluded.last_reason, created_at = excluded.created_at, settled_at = excluded.settled_at`

/**
 * Moves up to `limit` settled deliveries, starting at the ID `from`: canceled ones, and those that the previous release
 * settled. Skips deliveries whose webhook is locked. Returns the number of deliveries examined, and the greatest of
 * their IDs.
 */
export function moveSettled(tx: Tx, { from, limit }: { from: string; limit: number }) {
  return statement<DeletedBatch<string>>`
    with found as materialized (
      select id, webhook_id from webhook_delivery where state <> 'pending' and id >= ${from} order by id limit ${limit}
    ),
    held as materialized (
      -- Excludes concurrent retry requests, which lock the webhook first, like all other code.
      select id from webhook where id in (select webhook_id from found) order by id for no key update skip locked
    ),
    moved as (
      delete from webhook_delivery as delivery using found, held
      where delivery.id = found.id and held.id = found.webhook_id and delivery.state <> 'pending'
      returning delivery.*
    ),
    stored as (${storeSettled(sql`moved`)})
    select count(*)::int as count, max(id) as last from found`.one(tx)
}

/**
 * Requests one attempt in addition to the schedule. A settled delivery is pending until this attempt has ended. The
 * caller must have locked the webhook. Returns undefined if the delivery was deleted.
 */
export function requestAttempt(tx: Tx, { id, event_id }: DeliveryRow, now: Date): Promise<DeliveryRow | undefined> {
  return statement<DeliveryRow>`
    with reopened as (
      delete from webhook_delivery_settled where event_id = ${event_id} and id = ${id} returning *
    ),
    returned as (
      insert into webhook_delivery (id, event_id, webhook_id, event_type, state, settled_as, due_at, attempts,
        scheduled_attempts, manual_wanted, last_status, last_reason, created_at)
      select id, event_id, webhook_id, event_type, 'pending', state, ${now}, attempts, scheduled_attempts, 1, last_status,
        last_reason, created_at
      from reopened
      on conflict on constraint webhook_delivery_event_webhook_key do nothing
      returning *
    ),
    updated as (
      update webhook_delivery set state = 'pending', due_at = ${now}, manual_wanted = manual_wanted + 1, settled_at = null
      where id = ${id} returning *
    )
    select * from returned union all select * from updated`.first(tx)
}

/**
 * The IDs of the deliveries of each row of `event`. `offset 0` prevents PostgreSQL from reading all deliveries for a
 * join.
 */
export const deliveriesOfEvent = sql`lateral (
  select id from webhook_delivery where event_id = event.id
  union all select id from webhook_delivery_settled where event_id = event.id offset 0)`

/**
 * Returns clauses that delete the settled deliveries of the given events, and the attempts of all their deliveries,
 * settled or not. `events` is a clause with the IDs of the events. Skips settled deliveries that another transaction
 * has locked.
 */
export const deletingDeliveries = (events: RawBuilder<unknown>) => sql`
  gone as materialized (
    select settled.event_id, settled.webhook_id from ${events} as event
    join webhook_delivery_settled as settled on settled.event_id = event.id for update of settled skip locked
  ),
  deleted_delivery as (
    delete from webhook_delivery_settled as settled using gone
    where settled.event_id = gone.event_id and settled.webhook_id = gone.webhook_id
    returning settled.id
  ),
  deleted_attempt as (
    delete from webhook_attempt using (
      select id from deleted_delivery
      union all select delivery.id from ${events} as event join webhook_delivery as delivery on delivery.event_id = event.id
    ) as delivery where delivery_id = delivery.id
  )`

/** Deletes up to `limit` settled deliveries of deleted events with IDs less than `before`. */
export function purgeSettled(tx: Tx, before: string, { from, limit }: BatchRange<string>) {
  // The upper bound on the ID excludes the partitions of later days from the deletion.
  return statement<DeletedBatch<string>>`
    with old as materialized (
      select event_id, webhook_id from webhook_delivery_settled as settled
      where event_id >= ${from} and event_id < ${before} and not exists (select from event where id = settled.event_id)
      order by event_id, webhook_id limit ${limit} for update skip locked
    ),
    deleted as (
      delete from webhook_delivery_settled as settled using old
      where settled.event_id >= ${from} and settled.event_id <= (select max(event_id) from old)
        and settled.event_id = old.event_id and settled.webhook_id = old.webhook_id
      returning settled.event_id
    )
    select count(*)::int as count, max(event_id) as last from deleted`.one(tx)
}

/** Deletes up to `limit` attempts whose deliveries have IDs less than `before` and are not in `webhook_delivery`. */
export function purgeLeftAttempts(tx: Tx, before: string, { from, limit }: BatchRange<string>) {
  // The upper bound on the ID excludes the partitions of later days from the deletion.
  return statement<DeletedBatch<string>>`
    with old as materialized (
      select delivery_id, number from webhook_attempt as attempt
      where delivery_id >= ${from} and delivery_id < ${before}
        and not exists (select from webhook_delivery where id = attempt.delivery_id)
      order by delivery_id, number limit ${limit} for update skip locked
    ),
    deleted as (
      delete from webhook_attempt as attempt using old
      where attempt.delivery_id >= ${from} and attempt.delivery_id <= (select max(delivery_id) from old)
        and attempt.delivery_id = old.delivery_id and attempt.number = old.number
      returning attempt.delivery_id
    )
    select count(*)::int as count, max(delivery_id) as last from deleted`.one(tx)
}
