import { sql } from 'kysely'
import { type Backlog, findBacklog } from '../../db/backlog.ts'
import { notAfter } from '../../db/clock.ts'
import type { Reader, Tx } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import { statement } from '../../db/statement.ts'

export type CheckoutRow = Row<'stripe_checkout'>

export function findCheckout(reader: Reader, paymentId: string): Promise<CheckoutRow | undefined> {
  return reader.selectFrom('stripe_checkout').selectAll().where('payment_id', '=', paymentId).executeTakeFirst()
}

/**
 * Records an attempt to create a session. Replaces an earlier attempt if it began at or before `staleBefore`
 * and has no session.
 */
export async function beginCheckout(tx: Tx, paymentId: string, now: Date, staleBefore: Date): Promise<CheckoutRow> {
  await sql`
    insert into stripe_checkout (payment_id, begun_at) values (${paymentId}, ${now})
    on conflict (payment_id) do update set begun_at = excluded.begun_at
    where stripe_checkout.session_id is null and stripe_checkout.begun_at <= ${staleBefore}`.execute(tx)
  return (await findCheckout(tx, paymentId))!
}

/** Deletes an attempt that Stripe refused. The next attempt then starts over. */
export async function dropCheckout(tx: Tx, { payment_id, begun_at }: CheckoutRow): Promise<void> {
  await sql`
    delete from stripe_checkout
    where payment_id = ${payment_id} and begun_at = ${begun_at} and session_id is null`.execute(tx)
}

/** Deletes the record of a session that does not exist at Stripe, unless the payer has completed the checkout. */
export async function forgetSession(tx: Tx, paymentId: string, sessionId: string): Promise<void> {
  await sql`
    delete from stripe_checkout
    where payment_id = ${paymentId} and session_id = ${sessionId} and submitted_at is null`.execute(tx)
}

/**
 * Stores a payment's session, unless one is already stored. Returns the ID of the stored session. If a concurrent
 * refused attempt has deleted the row, inserts the row again.
 */
export function keepSession(
  tx: Tx,
  { payment_id, begun_at }: CheckoutRow,
  sessionId: string,
  checkAt: Date,
): Promise<string> {
  return statement<{ session_id: string }>`
    insert into stripe_checkout (payment_id, begun_at, session_id, check_at)
    values (${payment_id}, ${begun_at}, ${sessionId}, ${checkAt})
    on conflict (payment_id) do update set
      session_id = coalesce(stripe_checkout.session_id, excluded.session_id),
      check_at = case when stripe_checkout.session_id is null then excluded.check_at else stripe_checkout.check_at end
    returning session_id`.oneValue(tx)
}

export async function markSubmitted(tx: Tx, paymentId: string, now: Date): Promise<void> {
  await sql`
    update stripe_checkout set submitted_at = ${now}
    where payment_id = ${paymentId} and submitted_at is null`.execute(tx)
}

/** Stops checking a payment's session, because the session's status is final. */
export async function endChecks(tx: Tx, paymentId: string): Promise<void> {
  await tx.updateTable('stripe_checkout').set({ check_at: null }).where('payment_id', '=', paymentId).execute()
}

/** Moves the next check of a payment's session to now, if the check is due later. */
export async function hastenCheck(tx: Tx, paymentId: string, now: Date): Promise<void> {
  await sql`
    update stripe_checkout set check_at = ${now} where payment_id = ${paymentId} and check_at > ${now}`.execute(tx)
}

/**
 * Claims the session whose check has been due longest, and returns the ID of its payment. If the worker dies, the check
 * is due again at `until`.
 */
export function claimCheck(tx: Tx, now: Date, until: Date): Promise<string | undefined> {
  return statement<{ payment_id: string }>`
    update stripe_checkout set check_at = ${until}
    where payment_id = (
      select payment_id from stripe_checkout where check_at <= ${now} order by check_at limit 1
      for update skip locked
    )
    returning payment_id`.firstValue(tx)
}

/** Selects the time of a session's next check. The interval is the session's age, but at least `minimumMs`. */
const nextCheck = (now: Date, minimumMs: number) =>
  sql`${now}::timestamptz + greatest(${now}::timestamptz - begun_at, ${minimumMs} * interval '1 millisecond')`

/**
 * Schedules the next check of a session that was claimed until `until`, unless its check has since been moved or ended.
 */
export async function planCheck(
  tx: Tx,
  paymentId: string,
  until: Date,
  { now, minimumMs }: { now: Date; minimumMs: number },
): Promise<void> {
  await sql`
    update stripe_checkout set check_at = ${nextCheck(now, minimumMs)}
    where payment_id = ${paymentId} and check_at = ${until}`.execute(tx)
}

/** Corrects check times after the clock has been set back. No check is then due later than a new check would be. */
export async function bringChecksBack(tx: Tx, now: Date, minimumMs: number): Promise<void> {
  const latest = nextCheck(now, minimumMs)
  await sql`update stripe_checkout set check_at = ${latest} where check_at > ${latest}`.execute(tx)
}

export async function insertEvent(tx: Tx, id: string, now: Date): Promise<boolean> {
  const row = await tx
    .insertInto('stripe_event')
    .values({ id, received_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function listKnownEvents(reader: Reader, ids: readonly string[]): Promise<Set<string>> {
  const rows = await reader.selectFrom('stripe_event').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Deletes up to `limit` events that were received before a given time. Returns their number. */
export function purgeEvents(tx: Tx, before: Date, limit: number): Promise<number> {
  return statement`
    delete from stripe_event where id in (
      select id from stripe_event where received_at < ${before} order by received_at limit ${limit} for update skip locked
    )`.affected(tx)
}

/**
 * Claims the lease for reading events. Returns the time to read from, or undefined if another process holds the lease.
 */
export async function claimReading(tx: Tx, now: Date, until: Date): Promise<Date | undefined> {
  // The first reading starts at the current time, because a new installation has no earlier sessions.
  await tx
    .insertInto('stripe_reading')
    .values({ read_until: now, leased_until: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const row = await tx
    .updateTable('stripe_reading')
    .set({ leased_until: until })
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]))
    .returning('read_until')
    .executeTakeFirst()
  return row?.read_until
}

/**
 * Records how far events have been read, and extends the lease to `next` or ends it. Returns false if the lease was
 * lost.
 */
export async function noteReading(tx: Tx, until: Date, readUntil: Date, next: Date | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('stripe_reading')
    .set({ leased_until: next, read_until: readUntil })
    .where('leased_until', '=', until)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Corrects the progress and the lease of reading after the clock has been set back. If the progress lies in the future,
 * reading restarts from `again`.
 */
export async function bringReadingBack(tx: Tx, ahead: Date, leaseUntil: Date, again: Date): Promise<void> {
  await sql`
    update stripe_reading set
      read_until = case when read_until > ${ahead} then ${again} else read_until end,
      leased_until = ${notAfter('leased_until', leaseUntil)}
    where read_until > ${ahead} or leased_until > ${leaseUntil}`.execute(tx)
}

export function findDueChecks(reader: Reader, now: Date): Promise<Backlog> {
  return findBacklog(reader, { since: 'check_at', from: sql`stripe_checkout where check_at <= ${now}` })
}
