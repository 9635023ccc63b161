/** Settled and pending deliveries have separate tables. Deliveries move between them without loss or duplication. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { claimDeliveries, finishAttempts } from '../../src/features/webhooks/webhooks.dispatch-queries.ts'
import { deleteWebhookRows } from '../../src/features/webhooks/webhooks.queries.ts'
import { moveSettled } from '../../src/features/webhooks/webhooks.settled-queries.ts'
import { firstId } from '../../src/lib/ids.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { runTask } from '../support/tasks.ts'
import { deliveriesOf, dispatch, makeDelivery, makeWebhook, successAt, WEBHOOKS } from '../support/webhooks.ts'

const board = useBoard()
const { receiver, clock } = board

const write = (act: (tx: Tx) => Promise<unknown>) => board.database.inTx(act)
const count = async (table: 'webhook_attempt' | 'webhook_delivery' | 'webhook_delivery_settled', id: string) => {
  const column = sql.ref(table === 'webhook_attempt' ? 'delivery_id' : 'id')
  const { rows } = await board.database.read((db) =>
    sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)} where ${column} = ${id}`.execute(db),
  )
  return rows[0]!.count
}
/** Returns a delivery's row counts: pending deliveries, settled deliveries and attempts. */
const rowsOf = async (id: string) => [
  await count('webhook_delivery', id),
  await count('webhook_delivery_settled', id),
  await count('webhook_attempt', id),
]
const recover = async (key: string, webhookId: string) => {
  const begun = expectStatus(await board.post(`${WEBHOOKS}/${webhookId}/recover`, key, { since: '2026-01-01' }), 202)
  return async () => (await board.get(begun.headers.get('location')!, key)).body.data
}

/** Returns the beginning of an ID, which contains the time. */
const timeIn = (id: string) => id.slice(0, firstId('webhookDelivery', 0).length)

describe('a delivery', () => {
  test('moves to a separate table once it is delivered, and moves back for a requested attempt', async () => {
    const { account, webhook, id, read } = await makeDelivery(board)
    expect(await rowsOf(id)).toEqual([1, 0, 0])
    await dispatch(board)
    expect(await rowsOf(id)).toEqual([0, 1, 1])
    const settled = await read()
    expect(settled).toMatchObject({ status: 'delivered', attempt_count: 1, settled_at: clock.now().toISOString() })
    const requested = await board.post(`${WEBHOOKS}/${webhook.id}/deliveries/${id}/retry`, account.key)
    expect(requested.body.data).toMatchObject({ id, status: 'pending', attempt_count: 1, last_response_status: 200 })
    expect(await rowsOf(id)).toEqual([1, 0, 1])
    receiver.reply = () => 500
    await dispatch(board)
    receiver.reply = () => 200
    // A failed extra attempt does not change the earlier result.
    expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 2, last_response_status: 500 })
    expect(await rowsOf(id)).toEqual([0, 1, 2])
    expect(await deliveriesOf(board, account, webhook.id)).toHaveLength(1)
  })

  test('is moved after it was canceled', async () => {
    const { account, webhook, id, read } = await makeDelivery(board)
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
    const canceled = await read()
    expect([canceled.status, await rowsOf(id)]).toEqual(['canceled', [1, 0, 0]])
    await runTask(board, 'settled-deliveries')
    expect([await read(), await rowsOf(id)]).toEqual([canceled, [0, 1, 0]])
  })

  // Only the previous release queues a second delivery of an event.
  test('replaces an earlier delivery of the same event to the same webhook', async () => {
    const { account, webhook, id } = await makeDelivery(board)
    await dispatch(board)
    await write((tx) =>
      sql`insert into webhook_delivery (id, event_id, webhook_id, event_type, due_at, scheduled_at, created_at)
        select typeid('whd', ${clock.now()}), event_id, webhook_id, event_type, ${clock.now()}, ${clock.now()}, created_at
        from webhook_delivery_settled where id = ${id}`.execute(tx),
    )
    await dispatch(board)
    const [kept, ...others] = await deliveriesOf(board, account, webhook.id)
    expect(others).toEqual([])
    expect(kept).toMatchObject({ status: 'delivered', attempt_count: 1 })
    expect(kept.id).not.toBe(id)
  })

  test('is deleted with its attempts when its webhook is deleted', async () => {
    const { account, webhook, id } = await makeDelivery(board)
    await dispatch(board)
    expectStatus(await board.delete(`${WEBHOOKS}/${webhook.id}`, account.key), 204)
    expect(await rowsOf(id)).toEqual([0, 0, 0])
  })

  test.each(['candidate', 'employer', 'integrator'] as const)(
    'is deleted with its attempts when its %s is deleted',
    async (kind) => {
      const account = await board[kind]()
      const webhook = await makeWebhook(board, account, { events: ['candidate.profile_updated', 'job.created'] })
      await (kind === 'candidate'
        ? board.put('/v1/candidates/profile', account.key, { last_name: 'Changed' })
        : board.job(kind === 'employer' ? account : await board.employer()))
      await dispatch(board)
      const [{ id }] = await deliveriesOf(board, account, webhook.id)
      expect(await rowsOf(id)).toEqual([0, 1, 1])
      expectStatus(await board.delete(`/v1/admin/accounts/${account.id}`, ADMIN_KEY), 204)
      expect(await rowsOf(id)).toEqual([0, 0, 0])
    },
  )
})

test('stored responses about an erased candidate are deleted, even those of settled deliveries', async () => {
  const webhook = await makeWebhook(board, await board.integrator(), { events: ['candidate.registered'] })
  receiver.reply = ({ url }) => (url === webhook.url ? { status: 200, excerpt: 'Thanks, Settled Forgotten' } : 200)
  const candidate = await board.candidate({ first_name: 'Settled', last_name: 'Forgotten' })
  await dispatch(board)
  receiver.reply = () => 200
  const kept = async () => {
    const { rows } = await board.database.read((db) =>
      sql`select 1 from webhook_attempt where response_excerpt like '%Settled Forgotten%'`.execute(db),
    )
    return rows.length
  }
  expect(await kept()).toBe(1)
  expectStatus(await board.delete('/v1/candidates/profile', candidate.key), 204)
  expect(await kept()).toBe(0)
})

describe('a recovery', () => {
  test('does not resend delivered events, and requeues canceled deliveries from both tables', async () => {
    const { account, webhook } = await makeDelivery(board)
    await dispatch(board)
    await board.job(account)
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
    await runTask(board, 'settled-deliveries')
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'active' })
    await board.job(account)
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'active' })
    const read = await recover(account.key, webhook.id)
    await runTask(board, 'webhook-recoveries')
    expect(await read()).toMatchObject({ status: 'done', examined: 3, created: 0, requeued: 2, unchanged: 1 })
    await dispatch(board)
    const deliveries = await deliveriesOf(board, account, webhook.id)
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('delivered'))
    expect(receiver.to(webhook.url)).toHaveLength(3)
  })

  test.runIf(isOnPostgres)('waits for the results of attempts, and does not queue their events again', async () => {
    const { account, webhook, id } = await makeDelivery(board)
    const [claimed] = (await write((tx) =>
      claimDeliveries(tx, {
        now: clock.now(),
        leaseUntil: new Date(clock.time + 60_000),
        after: '',
        limit: 512,
        eachMax: 8,
        unprovenMax: 2,
        lanes: {},
      }),
    )) as [{ id: string }]
    expect(claimed.id).toBe(id)
    const read = await recover(account.key, webhook.id)
    const ending = successAt(clock.now(), { id, webhook_id: webhook.id, number: 1 })
    const other = await makeDelivery(board)
    await write((tx) => sql`delete from webhook_delivery where id = ${other.id}`.execute(tx))
    const readOther = await recover(other.account.key, other.webhook.id)
    const commit = await hold((tx) => finishAttempts(tx, [ending], true))
    await runTask(board, 'webhook-recoveries')
    expect((await read()).status).toBe('running')
    // Recoveries of other webhooks do not wait.
    expect(await readOther()).toMatchObject({ status: 'done', examined: 1, created: 1 })
    await commit()
    await runTask(board, 'webhook-recoveries')
    expect(await read()).toMatchObject({ status: 'done', examined: 1, created: 0, requeued: 0, unchanged: 1 })
    expect(await deliveriesOf(board, account, webhook.id)).toHaveLength(1)
    expect(await rowsOf(id)).toEqual([0, 1, 1])
  })

  test('queues a delivery whose ID contains the time of its event, so that its attempts are dropped with the event', async () => {
    const { account, webhook, id } = await makeDelivery(board)
    await write((tx) => sql`delete from webhook_delivery where id = ${id}`.execute(tx))
    clock.time += 10 * DAY_MS
    const read = await recover(account.key, webhook.id)
    await runTask(board, 'webhook-recoveries')
    expect(await read()).toMatchObject({ status: 'done', created: 1 })
    const [delivery] = await deliveriesOf(board, account, webhook.id)
    expect(delivery.created_at).toBe(clock.now().toISOString())
    expect(timeIn(delivery.id)).toBe(timeIn(id))
  })

  test.runIf(isOnPostgres)('leaves out an event that is purged at the same time', async () => {
    const { account, webhook, id } = await makeDelivery(board)
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
    await runTask(board, 'settled-deliveries')
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'active' })
    const read = await recover(account.key, webhook.id)
    const commit = await hold((tx) =>
      sql`delete from event where id = (select event_id from webhook_delivery_settled where id = ${id})`.execute(tx),
    )
    const recovery = runTask(board, 'webhook-recoveries')
    await untilSomebodyWaits()
    await commit()
    await recovery
    expect(await read()).toMatchObject({ status: 'done', examined: 1, created: 0, requeued: 0, unchanged: 1 })
    expect(await rowsOf(id)).toEqual([0, 1, 0])
  })
})

test.runIf(isOnPostgres)('a requested attempt waits while its canceled delivery is moved', async () => {
  const { account, webhook, id, read } = await makeDelivery(board)
  await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
  await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'active' })
  const commit = await hold((tx) => moveSettled(tx, { from: '', limit: 1_000 }))
  const requested = board.post(`${WEBHOOKS}/${webhook.id}/deliveries/${id}/retry`, account.key)
  await untilSomebodyWaits()
  await commit()
  expectStatus(await requested, 202)
  expect(await rowsOf(id)).toEqual([1, 0, 0])
  await dispatch(board)
  expect((await read()).status).toBe('delivered')
})

test.runIf(isOnPostgres)('a delivery whose webhook is locked is moved later', async () => {
  const { account, webhook, id } = await makeDelivery(board)
  await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
  const commit = await hold((tx) => sql`select from webhook where id = ${webhook.id} for no key update`.execute(tx))
  await runTask(board, 'settled-deliveries')
  await commit()
  expect(await rowsOf(id)).toEqual([1, 0, 0])
  await runTask(board, 'settled-deliveries')
  expect(await rowsOf(id)).toEqual([0, 1, 0])
})

test.runIf(isOnPostgres)('a purge does not wait for the deletion of a webhook', async () => {
  const { webhook, id } = await makeDelivery(board)
  await dispatch(board)
  const commit = await hold((tx) => deleteWebhookRows(tx, [webhook.id]))
  clock.time = Date.now() + 40 * DAY_MS
  await runTask(board, 'event-purge')
  await commit()
  expect(await rowsOf(id)).toEqual([0, 0, 0])
})

test('a requested attempt is refused with a reason if the event was deleted', async () => {
  const { account, webhook, id } = await makeDelivery(board)
  await dispatch(board)
  await write((tx) =>
    sql`delete from event where id = (select event_id from webhook_delivery_settled where id = ${id})`.execute(tx),
  )
  const answer = await board.post(`${WEBHOOKS}/${webhook.id}/deliveries/${id}/retry`, account.key)
  expect([answer.status, answer.body.detail]).toEqual([
    409,
    'The event was deleted. Events are kept for 30 days, and superseded updates for about a day.',
  ])
  expect(await rowsOf(id)).toEqual([0, 1, 1])
})

/** Runs statements in a transaction that stays open. Returns the function that commits it. */
async function hold(act: (tx: Tx) => Promise<unknown>): Promise<() => Promise<unknown>> {
  const written = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const transaction = write(async (tx) => {
    await act(tx)
    written.resolve()
    await released.promise
  })
  await Promise.race([written.promise, transaction])
  return () => {
    released.resolve()
    return transaction
  }
}

/** Resolves when a connection of this database waits for a lock. */
const untilSomebodyWaits = () =>
  expect
    .poll(async () => {
      const { rows } = await board.database.read((db) =>
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db),
      )
      return rows.length
    })
    .toBeGreaterThan(0)
