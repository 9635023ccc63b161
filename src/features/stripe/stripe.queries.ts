import { type Selectable, sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { StripeCheckoutTable } from '../../db/schema.ts'

export type CheckoutRow = Selectable<StripeCheckoutTable>

export function findCheckout(reader: Reader, paymentId: string): Promise<CheckoutRow | undefined> {
  return reader.selectFrom('stripe_checkout').selectAll().where('payment_id', '=', paymentId).executeTakeFirst()
}

/** Notes that a session is about to be asked for; an attempt from before `staleBefore` that came to nothing is over. */
export async function beginCheckout(tx: Tx, paymentId: string, now: Date, staleBefore: Date): Promise<CheckoutRow> {
  await sql`
    insert into stripe_checkout (payment_id, begun_at) values (${paymentId}, ${now})
    on conflict (payment_id) do update set begun_at = excluded.begun_at
    where stripe_checkout.session_id is null and stripe_checkout.begun_at <= ${staleBefore}`.execute(tx)
  return (await findCheckout(tx, paymentId))!
}

/** Gives up an attempt that Stripe refused: the next one asks anew. */
export async function dropCheckout(tx: Tx, { payment_id, begun_at }: CheckoutRow): Promise<void> {
  await tx
    .deleteFrom('stripe_checkout')
    .where('payment_id', '=', payment_id)
    .where('begun_at', '=', begun_at)
    .where('session_id', 'is', null)
    .execute()
}

/**
 * Writes down the session of a payment and answers the one that counts: the first that was written. The attempt itself
 * may be gone, as another one at the same time was refused.
 */
export async function keepSession(
  tx: Tx,
  { payment_id, begun_at }: CheckoutRow,
  sessionId: string,
  checkAt: Date,
): Promise<string> {
  const { rows } = await sql<{ session_id: string }>`
    insert into stripe_checkout (payment_id, begun_at, session_id, check_at)
    values (${payment_id}, ${begun_at}, ${sessionId}, ${checkAt})
    on conflict (payment_id) do update set
      session_id = coalesce(stripe_checkout.session_id, excluded.session_id),
      check_at = case when stripe_checkout.session_id is null then excluded.check_at else stripe_checkout.check_at end
    returning session_id`.execute(tx)
  return rows[0]!.session_id
}

export async function markSubmitted(tx: Tx, paymentId: string, now: Date): Promise<void> {
  await tx
    .updateTable('stripe_checkout')
    .set({ submitted_at: now })
    .where('payment_id', '=', paymentId)
    .where('submitted_at', 'is', null)
    .execute()
}

/** What became of the session is known for good. */
export async function endChecks(tx: Tx, paymentId: string): Promise<void> {
  await tx.updateTable('stripe_checkout').set({ check_at: null }).where('payment_id', '=', paymentId).execute()
}

/**
 * Takes sessions that are due and says when they are due next: after as long as they are old, and `minimumMs` at least.
 * Whoever takes one has it until then.
 */
export async function claimChecks(tx: Tx, now: Date, minimumMs: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ payment_id: string }>`
    update stripe_checkout
    set check_at = ${now}::timestamptz + greatest(${now}::timestamptz - begun_at, ${minimumMs} * interval '1 millisecond')
    where payment_id in (
      select payment_id from stripe_checkout where check_at <= ${now} order by check_at limit ${limit}
      for update skip locked
    )
    returning payment_id`.execute(tx)
  return rows.map(({ payment_id }) => payment_id)
}

/** Whether the event is news; noted as received with that. */
export async function insertEvent(tx: Tx, id: string, now: Date): Promise<boolean> {
  const row = await tx
    .insertInto('stripe_event')
    .values({ id, received_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Those of the events that had their effect already. */
export async function listKnownEvents(reader: Reader, ids: readonly string[]): Promise<Set<string>> {
  const rows = await reader.selectFrom('stripe_event').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Forgets up to `limit` events from before a time; answers how many. */
export async function purgeEvents(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from stripe_event where id in (
      select id from stripe_event where received_at < ${before} order by received_at limit ${limit} for update skip locked
    ) returning id`.execute(tx)
  return rows.length
}

/** Takes the reading of Stripe's events, and answers from when on; undefined while another process is at it. */
export async function claimReading(tx: Tx, now: Date, until: Date): Promise<Date | undefined> {
  // The first to come begins with now: nothing of ours was there before.
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

/** Gives the reading back, as far as it got; whoever lost the lease changes nothing. */
export async function finishReading(tx: Tx, until: Date, readUntil: Date): Promise<void> {
  await tx
    .updateTable('stripe_reading')
    .set({ leased_until: null, read_until: readUntil })
    .where('leased_until', '=', until)
    .execute()
}
