/** Dispatcher SQL: claims deliveries, records attempt results, recovers events, and purges old data. */
import { type RawBuilder, sql } from 'kysely'
import { notAfter } from '../../db/clock.ts'
import { isShownNowhere, notify, type Tx } from '../../db/database.ts'
import type { BatchRange, DeletedBatch } from '../../db/purge.ts'
import { statement } from '../../db/statement.ts'
import { isSuspended } from '../accounts/index.ts'
import type { ErrorClass } from './webhooks.contract.ts'
import { BREAKER, type Health, healthAfter, healthAfterSuccess } from './webhooks.health.ts'
import type { WebhookRow } from './webhooks.queries.ts'
import { deletingDeliveries, storeSettled } from './webhooks.settled-queries.ts'

type Trigger = 'scheduled' | 'manual'

/** `internal`: the attempt failed because of an internal error. */
export type AttemptError = ErrorClass | 'internal'

export interface Claimed
  extends Pick<WebhookRow, 'url' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_until'> {
  id: string
  webhook_id: string
  /**
   * Number of this attempt. A result is recorded only if its number is that of the delivery's latest attempt. Late
   * results of earlier attempts are therefore ignored.
   */
  number: number
  trigger: Trigger
  /** Number of scheduled attempts so far, including this one if it is scheduled. */
  scheduled_attempts: number
  event_id: string
  event_type: string
  event_at: Date
  body: string
  /** Number of further concurrent attempts that the webhook allowed before this claim. */
  room: number
}

interface ClaimOptions {
  now: Date
  leaseUntil: Date
  /** Webhook ID. The claim visits only the webhooks after this ID, in the order of their IDs. */
  after: string
  limit: number
  /**
   * Maximum number of concurrent attempts to a healthy webhook (`eachMax`), and to a webhook that is failing or has had
   * no successful delivery yet (`unprovenMax`).
   */
  eachMax: number
  unprovenMax: number
  /**
   * Attempts in progress and their maximum, by webhook ID. Contains only webhooks with attempts in progress or a
   * reduced limit.
   */
  lanes: Readonly<Record<string, { underWay: number; max: number }>>
}

/**
 * Leases due deliveries until `leaseUntil`. Visits each webhook once, and claims as many deliveries as the webhook
 * allows, up to `limit` in total. Jumps from webhook to webhook in the index of pending deliveries. A webhook without
 * due deliveries therefore costs one lookup, even if it has a large backlog.
 */
export function claimDeliveries(tx: Tx, options: ClaimOptions): Promise<Claimed[]> {
  isShownNowhere(tx)
  const { now, leaseUntil, after, limit, eachMax, unprovenMax } = options
  const lane = sql`${JSON.stringify(options.lanes)}::jsonb -> webhook.id`
  return statement<Claimed>`
    with recursive turn as (
      (select webhook_id, due_at from webhook_delivery
       where state = 'pending' and lease_until is null and webhook_id > ${after}
       order by webhook_id, due_at, id limit 1)
      union all
      select next.webhook_id, next.due_at from turn cross join lateral (
        select webhook_id, due_at from webhook_delivery
        where state = 'pending' and lease_until is null and webhook_id > turn.webhook_id
        order by webhook_id, due_at, id limit 1) as next
    ),
    picked as materialized (
      select due.id, served.room
      from turn
      cross join lateral (
        select webhook.id, least(
            case
              -- After repeated failures, one attempt at a time tests whether the receiver works again.
              when breaker_until is not null then 1
              when consecutive_failures > 0 or last_success_at is null then ${unprovenMax}::integer
              else ${eachMax}::integer
            end,
            (${lane} ->> 'max')::integer
          ) - coalesce((${lane} ->> 'underWay')::integer, 0) as room
        from webhook
        where webhook.id = turn.webhook_id and status = 'active' and (breaker_until is null or breaker_until <= ${now})
          -- Due deliveries wait while the account is suspended.
          and not ${isSuspended('webhook.owner_id')}
        offset 0
      ) as served
      cross join lateral (
        select delivery.id from webhook_delivery as delivery
        where delivery.webhook_id = served.id and state = 'pending' and lease_until is null and due_at <= ${now}
        order by due_at, delivery.id limit greatest(served.room, 0) for update skip locked
      ) as due
      where turn.due_at <= ${now}
      limit ${limit}
    )
    update webhook_delivery as delivery set
      attempts = delivery.attempts + 1,
      scheduled_attempts = delivery.scheduled_attempts + case when delivery.manual_wanted > 0 then 0 else 1 end,
      manual_wanted = greatest(delivery.manual_wanted - 1, 0),
      lease_until = ${leaseUntil},
      lease_trigger = case when delivery.manual_wanted > 0 then 'manual' else 'scheduled' end
    from picked, webhook, event
    where delivery.id = picked.id and webhook.id = delivery.webhook_id and event.id = delivery.event_id
    returning delivery.id, delivery.webhook_id, delivery.attempts as number, delivery.lease_trigger as trigger,
      delivery.scheduled_attempts, webhook.url, webhook.secret_sealed, webhook.previous_secret_sealed,
      webhook.previous_secret_until, event.id as event_id, event.type as event_type,
      event.created_at as event_at, event.body, picked.room`.all(tx)
}

export interface Ending {
  id: string
  webhook_id: string
  number: number
  trigger: Trigger
  is_success: boolean
  /** True if the receiver responded with 410, which refuses all further deliveries. */
  is_gone: boolean
  /** False if an internal error of this service caused the result. */
  is_telling: boolean
  /** Time of the next scheduled attempt, if this attempt failed and was not the last. */
  retry_at: Date | null
  at: Date
  started_at: Date
  duration_ms: number
  status: number | null
  error_class: AttemptError | null
  reason: string | null
  response_excerpt: string | null
  address: string | null
}

type DisabledWebhook = Pick<WebhookRow, 'id' | 'owner_id'>

interface Finished {
  /** IDs of the updated deliveries. */
  finished: string[]
  /** Webhooks that the results disabled. */
  disabled: DisabledWebhook[]
}

/** Returns whether a result counts as a receiver failure. Receiver failures must be written in a transaction. */
export const isFailure = ({ is_success, is_telling }: Ending) => is_telling && !is_success

/**
 * Writes the results of attempts whose leases have not ended, and updates the deliveries and the webhooks' health.
 * Returns the IDs of the updated deliveries, and the disabled webhooks. Without receiver failures (`isFailure`), runs a
 * single statement, because a success erases earlier failures. With receiver failures, first locks the webhooks to
 * compute their health.
 */
export async function finishAttempts(tx: Tx, endings: readonly Ending[], hasBreaker: boolean): Promise<Finished> {
  isShownNowhere(tx)
  const told = endings.filter(({ is_telling }) => is_telling)
  if (!told.some(isFailure)) {
    const latest = Map.groupBy(told, ({ webhook_id }) => webhook_id)
    const health = latest.entries().map(([id, all]) => ({ id, ...healthAfterSuccess(all.at(-1)!.at) }))
    return storeEndings(tx, endings, [...health])
  }
  const held = await lockHealth(tx, endings)
  const standing = new Set(held.map(({ delivery_id }) => delivery_id))
  const results = Map.groupBy(told, ({ webhook_id }) => webhook_id)
  const health = new Map(held.map((webhook) => [webhook.id, webhook])).values().flatMap((before) => {
    const counted = (results.get(before.id) ?? []).filter(({ id }) => standing.has(id))
    return counted.length === 0 ? [] : [{ id: before.id, ...healthAfter(before, counted, { hasBreaker }) }]
  })
  return storeEndings(tx, endings, [...health])
}

const ofEndings = (endings: readonly Ending[]) => sql`
  ending as materialized (
    select * from json_to_recordset(${JSON.stringify(endings)}::json) as ending (
      id text, webhook_id text, number integer, trigger text, is_success boolean, is_gone boolean,
      is_telling boolean, retry_at timestamptz, at timestamptz, started_at timestamptz, duration_ms integer,
      status integer, error_class text, reason text, response_excerpt text, address text)
  ),
  held as materialized (
    -- Locks webhooks first and in the order of their IDs, like all other code, to avoid deadlocks.
    select * from webhook where id in (select webhook_id from ending) order by id for no key update
  ),
  -- Reads the current rows, because a person may have requested a retry during the attempt.
  standing as materialized (
    select ending.*, delivery.scheduled_at, delivery.settled_as, delivery.manual_wanted,
      ending.is_gone or held.status <> 'active' as is_over
    from ending
    join held on held.id = ending.webhook_id
    join webhook_delivery as delivery
      on delivery.id = ending.id and delivery.attempts = ending.number and delivery.lease_until is not null
    order by delivery.id for update of delivery
  )`

/** Locks the webhooks of attempts whose leases have not ended. Returns one row per attempt. */
function lockHealth(tx: Tx, endings: readonly Ending[]) {
  return statement<WebhookRow & { delivery_id: string }>`
    with ${ofEndings(endings)}
    select held.*, standing.id as delivery_id from standing join held on held.id = standing.webhook_id`.all(tx)
}

function storeEndings(
  tx: Tx,
  endings: readonly Ending[],
  health: readonly (Partial<Health> & { id: string })[],
): Promise<Finished> {
  return statement<Finished>`
    with ${ofEndings(endings)},
    health as (
      select * from json_to_recordset(${JSON.stringify(health)}::json) as health (
        id text, consecutive_failures integer, first_failure_at timestamptz, last_success_at timestamptz,
        breaker_trips integer, breaker_until timestamptz, status text, disabled_reason text, disabled_at timestamptz)
    ),
    planned as (
      select standing.*,
        case
          when is_success or is_over then null
          when trigger = 'scheduled' then retry_at
          else scheduled_at
        end as next_scheduled_at,
        case
          when is_success or settled_as = 'delivered' then 'delivered'
          when is_over then 'canceled'
          when trigger = 'scheduled' and retry_at is null then 'exhausted'
          else settled_as
        end as next_settled_as,
        case when is_over then 0 else manual_wanted end as next_manual_wanted
      from standing
    ),
    next as (
      select planned.*, case when next_manual_wanted > 0 then at else next_scheduled_at end as next_due_at from planned
    ),
    rescheduled as (
      update webhook_delivery as delivery set
        lease_until = null,
        lease_trigger = null,
        scheduled_at = next_scheduled_at,
        due_at = next_due_at,
        manual_wanted = next_manual_wanted,
        settled_as = next_settled_as,
        last_status = next.status,
        last_reason = next.reason
      from next where delivery.id = next.id and next_due_at is not null
      returning delivery.id
    ),
    settled as (
      delete from webhook_delivery as delivery using next where delivery.id = next.id and next_due_at is null
      returning delivery.id, delivery.event_id, delivery.webhook_id, delivery.event_type, next_settled_as as state,
        delivery.attempts, delivery.scheduled_attempts, next.status as last_status, next.reason as last_reason,
        delivery.created_at, next.at as settled_at
    ),
    stored as (${storeSettled(sql`settled`)}),
    attempted as (
      insert into webhook_attempt
        (delivery_id, number, trigger, started_at, duration_ms, status, error_class, reason, response_excerpt, address)
      select id, number, trigger, started_at, duration_ms, status, error_class, reason, response_excerpt, address
      from standing
    ),
    judged as (
      update webhook set
        consecutive_failures = health.consecutive_failures,
        first_failure_at = health.first_failure_at,
        last_success_at = greatest(held.last_success_at, health.last_success_at),
        breaker_trips = health.breaker_trips,
        breaker_until = health.breaker_until,
        status = coalesce(health.status, held.status),
        disabled_reason = coalesce(health.disabled_reason, held.disabled_reason),
        disabled_at = coalesce(health.disabled_at, held.disabled_at),
        updated_at = case when health.status <> held.status then health.disabled_at else held.updated_at end
      from health join held on held.id = health.id
      where webhook.id = health.id and exists (select from standing where webhook_id = health.id and is_telling)
      returning webhook.id, webhook.owner_id, health.status <> held.status as is_disabled
    )
    select array(select id from rescheduled union all select id from settled) as finished, array(
      select json_build_object('id', id, 'owner_id', owner_id) from judged where is_disabled) as disabled`.one(tx)
}

/**
 * Marks up to `limit` active webhooks that have been failing since `before` or earlier, and returns them. Returns each
 * webhook only once per series of failures.
 */
export function markFailing(tx: Tx, before: Date, limit: number) {
  return statement<{ id: string; owner_id: string; first_failure_at: Date }>`
    update webhook set failing_mailed_for = first_failure_at
    where id = any(array(
      select id from webhook
      where status = 'active' and failing_mailed_for is distinct from first_failure_at and first_failure_at <= ${before}
      order by first_failure_at limit ${limit} for no key update skip locked))
    returning id, owner_id, first_failure_at`.all(tx)
}

const INACTIVE = 'The webhook was paused or disabled.'

/**
 * Disables up to `limit` webhooks whose key was deleted or has expired. `cancelInactive` cancels their pending
 * deliveries later.
 */
export function disableKeyless(tx: Tx, now: Date, limit: number): Promise<DisabledWebhook[]> {
  return statement<DisabledWebhook>`
    update webhook set status = 'disabled', disabled_reason = 'key_revoked', disabled_at = ${now}, updated_at = ${now}
    where id = any(array(
      select id from webhook
      where status <> 'disabled' and (ends_with_key and key_id is null or key_expires_at <= ${now})
      limit ${limit} for no key update skip locked))
    returning id, owner_id`.all(tx)
}

/** Cancels a webhook's pending deliveries, except those with an attempt in progress. */
export async function cancelPending(tx: Tx, webhookId: string, now: Date): Promise<void> {
  await sql`
    update webhook_delivery set ${canceled(now)}
    where webhook_id = ${webhookId} and state = 'pending' and lease_until is null`.execute(tx)
}

const canceled = (now: Date) => sql`
  state = coalesce(settled_as, 'canceled'), settled_as = coalesce(settled_as, 'canceled'), due_at = null,
  scheduled_at = null, manual_wanted = 0, settled_at = ${now}, last_reason = ${INACTIVE}`

/**
 * Cancels up to `limit` pending deliveries of inactive webhooks, except those with an attempt in progress. A disabled
 * webhook may have a million deliveries, and canceling all of them together would block the results of other attempts.
 * Also cancels deliveries that were queued while the webhook was being paused.
 */
export function cancelInactive(tx: Tx, now: Date, limit: number): Promise<number> {
  return statement`
    update webhook_delivery set ${canceled(now)}
    where id = any(array(
      select delivery.id from webhook
      join webhook_delivery as delivery on delivery.webhook_id = webhook.id
      where webhook.status <> 'active' and delivery.state = 'pending' and delivery.lease_until is null
      limit ${limit} for update of delivery skip locked))`.affected(tx)
}

/** Returns deliveries whose attempt did not finish within its lease. */
export function listLost(tx: Tx, now: Date, limit: number) {
  return statement<Pick<Claimed, 'id' | 'webhook_id' | 'number' | 'trigger' | 'scheduled_attempts'>>`
    select id, webhook_id, attempts as number, lease_trigger as trigger, scheduled_attempts
    from webhook_delivery where lease_until <= ${now} order by lease_until limit ${limit}`.all(tx)
}

/**
 * Corrects times after the clock has been set back. Afterward, no lease ends later than a new lease would, and no
 * attempt waits longer than its longest possible pause. The first entry of `pausesMs` is the pause after the first
 * attempt.
 */
export async function bringDeliveriesBack(
  tx: Tx,
  now: Date,
  { leaseUntil, pausesMs }: { leaseUntil: Date; pausesMs: readonly number[] },
): Promise<void> {
  await sql`update webhook_delivery set lease_until = ${leaseUntil} where lease_until > ${leaseUntil}`.execute(tx)
  const after = (attempts: RawBuilder<unknown>) =>
    sql`${now}::timestamptz + coalesce((${pausesMs}::bigint[])[${attempts}], 0) * interval '1 ms'`
  const scheduled = after(sql`scheduled_attempts`)
  const latest = sql`case when manual_wanted > 0 then ${now}::timestamptz else ${scheduled} end`
  await sql`
    update webhook_delivery set due_at = ${notAfter('due_at', latest)}, scheduled_at = ${notAfter('scheduled_at', scheduled)}
    where state = 'pending' and lease_until is null and (due_at > ${latest} or scheduled_at > ${scheduled})`.execute(tx)
  const breakerUntil = new Date(now.getTime() + BREAKER.pauseMaxMs)
  await sql`update webhook set breaker_until = ${breakerUntil} where breaker_until > ${breakerUntil}`.execute(tx)
}

/**
 * Deletes events created before a given time, except those with a pending delivery. The database also deletes the rows
 * of these events in `webhook_delivery`. `purgeSettled` deletes their other deliveries, and `purgeLeftAttempts` the
 * attempts.
 */
export function purgeEvents(tx: Tx, before: Date, { from, limit }: BatchRange<Date>): Promise<DeletedBatch<Date>> {
  return statement<DeletedBatch<Date>>`
    with deleted as (
      delete from event where id = any(array(
        select id from event
        where created_at >= ${from} and created_at < ${before}
          and not exists (select from webhook_delivery where event_id = event.id and state = 'pending')
        order by created_at, id limit ${limit} for update skip locked))
      returning created_at)
    select count(*)::int as count, max(created_at) as last from deleted`.one(tx)
}

/**
 * Event types that describe a subject's current state. A later event about the same subject makes an earlier one
 * obsolete.
 */
const UPDATES = ['job.updated', 'candidate.profile_updated', 'employer.profile_updated']
/** An update is superseded if at least this many updates of the same subject followed within a day. */
const LATER_MAX = 100
/**
 * A subject is busy if it has at least this many updates in an hour. If a day has 101 updates, at least one of its
 * hours has this many.
 */
const BUSY_HOUR_UPDATES = 5

/**
 * Purges superseded updates that were created before `before` and whose deliveries are all settled. Examines only
 * subjects that were busy in at least one hour since `since`.
 */
export function purgeSuperseded(tx: Tx, since: Date, before: Date, limit: number): Promise<number> {
  return statement<{ count: number }>`
    with deleted_event as (
      delete from event where id = any(array(
        select superseded.id from (
          select distinct subject_id from event
          where created_at >= ${since} and created_at < ${before} and type = any(${UPDATES}::text[])
          group by subject_id, date_trunc('hour', created_at) having count(*) >= ${BUSY_HOUR_UPDATES}
        ) as busy
        cross join lateral (
          select id from (
            select id, created_at, lead(created_at, ${LATER_MAX}) over (order by created_at, id) as last_of_later_at
            from event where subject_id = busy.subject_id and type = any(${UPDATES}::text[])
          ) as update
          where created_at < ${before} and last_of_later_at <= created_at + interval '1 day'
            and not exists (select from webhook_delivery where event_id = update.id and state = 'pending')
        ) as superseded
        limit ${limit}))
      returning id
    ), ${deletingDeliveries(sql`deleted_event`)}
    select count(*)::int as count from deleted_event`.oneValue(tx)
}

export const purgeRecoveries = (tx: Tx, before: Date) =>
  sql`delete from webhook_recovery where finished_at < ${before}`.execute(tx)

/**
 * Locks and returns a recovery that is in progress, and its webhook. Results of attempts wait for the lock on the
 * webhook, so that a delivery does not settle while the recovery looks for it. Skips recoveries that another process
 * has locked, and those whose webhook is locked.
 */
export function lockRecovery(tx: Tx) {
  return statement<{ id: string; webhook_id: string; is_active: boolean }>`
    select recovery.id, recovery.webhook_id, webhook.status = 'active' as is_active
    from webhook_recovery as recovery join webhook on webhook.id = recovery.webhook_id
    where recovery.state = 'running' order by recovery.created_at, recovery.id
    limit 1 for no key update skip locked`.first(tx)
}

export const cancelRecovery = (tx: Tx, id: string, now: Date) =>
  sql`update webhook_recovery set state = 'canceled', finished_at = ${now} where id = ${id}`.execute(tx)

/**
 * Runs one step of a recovery: queues the next events without a delivery, and requeues failed or canceled deliveries.
 * An event has one delivery row per webhook, so even concurrent requests queue it only once.
 */
export async function recoverStep(
  tx: Tx,
  { id, limit, bodyBytesMax, now }: { id: string; limit: number; bodyBytesMax: number; now: Date },
): Promise<void> {
  const page = (whose: 'employer_id' | 'candidate_id' | undefined) => sql`
    (select event.id, event.type, event.created_at from event
     where ${whose ? sql`recovery.audience <> '*' and ${sql.ref(`event.${whose}`)} = recovery.audience` : sql`recovery.audience = '*'`}
       and (event.created_at, event.id) > (recovery.reached_at, recovery.reached_id)
       and event.created_at <= recovery.until and event.type = any(recovery.events)
       and octet_length(event.body) <= ${bodyBytesMax}
     order by event.created_at, event.id limit ${limit})`
  await sql`
    with recovery as materialized (
      select webhook_recovery.*, webhook.audience, webhook.events
      from webhook_recovery join webhook on webhook.id = webhook_recovery.webhook_id where webhook_recovery.id = ${id}
    ),
    page as materialized (
      select event.*
      from recovery cross join lateral (
        ${page(undefined)} union all ${page('employer_id')} union all ${page('candidate_id')}
        order by created_at, id limit ${limit}
      ) as event
    ),
    -- Locks the events against a purge. Omits events that have been purged since the statement began.
    present as materialized (
      select event.id, event.type, event.created_at from page join event on event.id = page.id order by page.created_at, page.id
      for key share of event
    ),
    created as (
      insert into webhook_delivery (id, event_id, webhook_id, event_type, created_at, due_at, scheduled_at)
      -- The ID contains the event's time, so the delivery's attempts are dropped with the event.
      select typeid('whd', present.created_at), present.id, recovery.webhook_id, present.type, ${now}, ${now}, ${now}
      from present, recovery
      where not exists (
        select from webhook_delivery_settled where event_id = present.id and webhook_id = recovery.webhook_id)
      on conflict on constraint webhook_delivery_event_webhook_key do nothing
      returning 1
    ),
    reopened as (
      delete from webhook_delivery_settled as settled using present, recovery
      where settled.event_id = present.id and settled.webhook_id = recovery.webhook_id
        and settled.state in ('exhausted', 'canceled')
      returning settled.*
    ),
    requeued as (
      insert into webhook_delivery (id, event_id, webhook_id, event_type, created_at, due_at, scheduled_at, attempts,
        last_status, last_reason)
      select id, event_id, webhook_id, event_type, created_at, ${now}, ${now}, attempts, last_status, last_reason
      from reopened
      on conflict on constraint webhook_delivery_event_webhook_key do nothing
      returning 1
    ),
    requeued_in_place as (
      -- Requeues settled deliveries that have not been moved to webhook_delivery_settled yet.
      update webhook_delivery as delivery set state = 'pending', settled_as = null, due_at = ${now}, scheduled_at = ${now},
        scheduled_attempts = 0, settled_at = null
      from page, recovery
      where delivery.event_id = page.id and delivery.webhook_id = recovery.webhook_id
        and delivery.state in ('exhausted', 'canceled')
      returning 1
    ),
    counted as (
      select (select count(*) from page) as examined, (select count(*) from created) as created,
        (select count(*) from requeued) + (select count(*) from requeued_in_place) as requeued
    )
    update webhook_recovery as recovery set
      examined = recovery.examined + counted.examined,
      created = recovery.created + counted.created,
      requeued = recovery.requeued + counted.requeued,
      unchanged = recovery.unchanged + counted.examined - counted.created - counted.requeued,
      reached_at = coalesce((select created_at from page order by created_at desc, id desc limit 1), recovery.reached_at),
      reached_id = coalesce((select id from page order by created_at desc, id desc limit 1), recovery.reached_id),
      state = case when counted.examined < ${limit} then 'done' else 'running' end,
      finished_at = case when counted.examined < ${limit} then ${now}::timestamptz end
    from counted where recovery.id = ${id}`.execute(tx)
  notify(tx, 'webhook-deliveries')
}
