/** Webhook deliveries, from the event to the last attempt. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { appendEvent, appendEvents } from '../../src/events/outbox.ts'
import type { WebhookParts } from '../../src/features/webhooks/index.ts'
import { finishAttempts } from '../../src/features/webhooks/webhooks.dispatch-queries.ts'
import { Dispatcher, type DispatcherDeps } from '../../src/features/webhooks/webhooks.dispatcher.ts'
import { standardSchedule } from '../../src/features/webhooks/webhooks.schedule.ts'
import { webhookTasks } from '../../src/features/webhooks/webhooks.tasks.ts'
import { AppError } from '../../src/lib/errors.ts'
import { createWebhookParts } from '../../src/main/webhook-parts.ts'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import type { Reply } from '../support/receiver.ts'
import { runTask, taskOf } from '../support/tasks.ts'
import {
  deliveriesOf,
  deliveryOf,
  dispatch,
  hookUrl,
  makeDelivery,
  makeWebhook,
  successAt,
  WEBHOOKS,
} from '../support/webhooks.ts'

const board = useBoard()
const { receiver, clock } = board
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

beforeEach(() => {
  receiver.reply = () => 200
})

/** Makes the receiver respond with `reply` at this URL. Other URLs are unaffected. */
function answering(url: string, reply: (number: number) => Reply): void {
  const others = receiver.reply
  receiver.reply = (attempt) => (attempt.url === url ? reply(attempt.number) : others(attempt))
}

const silent = { warn: () => {}, error: () => {} }

let parts: WebhookParts
beforeAll(async () => {
  parts = await createWebhookParts(board.config, clock)
})

/** Creates a separate worker, as in another process, with average jitter. */
function anotherWorker(): Dispatcher {
  return new Dispatcher({
    ...parts,
    database: board.database,
    clock,
    log: silent,
    client: receiver,
    schedule: standardSchedule,
    random: () => 0.5,
  })
}

/** Writes `count` events in one statement, each about a different deleted job. */
async function publish(account: Account, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => {
    const job = {
      id: `job_${n}`,
      title: 't',
      company: 'c',
      employer_id: account.id,
      deleted_at: clock.now().toISOString(),
    }
    return {
      type: 'job.deleted',
      subjectId: job.id,
      employerId: account.id,
      at: clock.now(),
      data: { job },
    } as const
  })
  await board.database.inTx((tx) => appendEvents(tx, events))
}

async function drain(worker: Dispatcher): Promise<void> {
  for (let outcome = 'more'; outcome !== 'done'; ) {
    outcome = await worker.round()
    await worker.idle()
  }
}

const webhookRow = (id: string) =>
  board.database.read((db) => db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirstOrThrow())

describe('an event', () => {
  test('is sent once, signed, exactly as it was written', async () => {
    const employer = await board.employer()
    const webhook = await makeWebhook(board, employer)
    const { id } = await board.job(employer, { title: 'Héritage \u{1F697} </script>' })
    await dispatch(board)
    const row = await board.database.read((db) =>
      db.selectFrom('event').selectAll().where('subject_id', '=', id).executeTakeFirstOrThrow(),
    )
    const [delivery] = await deliveriesOf(board, employer, webhook.id)
    expect(receiver.to(webhook.url)).toEqual([
      {
        url: webhook.url,
        body: row.body,
        secrets: [webhook.secret],
        eventId: row.id,
        eventType: 'job.created',
        deliveryId: delivery.id,
        number: 1,
      },
    ])
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 1, next_attempt_at: null })
    await dispatch(board)
    expect(receiver.to(webhook.url)).toHaveLength(1)
  })

  test('is sent to the accounts that it concerns, and to admins and integrators, if they subscribed', async () => {
    const [employer, otherEmployer] = [await board.employer(), await board.employer()]
    const [candidate, otherCandidate] = [await board.candidate(), await board.candidate()]
    const events = ['application.submitted', 'application.withdrawn']
    const make = async (account: Account, subscribed = events) =>
      (await makeWebhook(board, account, { events: subscribed })).url
    const entitled = [
      await make(employer),
      await make(candidate),
      await make(await board.integrator()),
      await make(await board.account('admin')),
    ]
    const others = [await make(otherEmployer), await make(otherCandidate), await make(employer, ['job.deleted'])]
    const job = await board.activeJob(employer)
    await board.post('/v1/candidates/resume', candidate.key, {
      filename: 'me.txt',
      content_base64: Buffer.from('My resume').toString('base64'),
    })
    await board.post(`/v1/candidates/jobs/${job.id}/apply`, candidate.key, { cover_letter: 'Dear all' })
    await dispatch(board)
    for (const url of entitled) expect(receiver.to(url).map(({ eventType }) => eventType)).toEqual([events[0]])
    for (const url of others) expect(receiver.to(url)).toEqual([])
  })

  test('wakes a worker only if the event has deliveries, and leaves no delivery if its transaction is rolled back', async () => {
    const employer = await board.employer()
    const { id } = await makeWebhook(board, employer, { events: ['job.deleted'] })
    let woken = 0
    board.database.listen('webhook-deliveries', () => void woken++)
    const failure = board.database.inTx(async (tx) => {
      await appendEvent(tx, {
        type: 'job.deleted',
        subjectId: 'job_x',
        employerId: employer.id,
        at: clock.now(),
        data: { job: { id: 'x', title: 't', company: 'c', employer_id: employer.id, deleted_at: '' } },
      })
      throw new Error('taken back')
    })
    await expect(failure).rejects.toThrow('taken back')
    expect([await deliveriesOf(board, employer, id), woken]).toEqual([[], 0])
    await publish(employer, 1)
    expect([(await deliveriesOf(board, employer, id)).length, woken]).toEqual([1, 1])
    await publish(await board.employer(), 1)
    expect(woken).toBe(1)
  })

  test('is not sent if it exceeds the delivery size limit, even on a retry or a recovery', async () => {
    const employer = await board.employer()
    const webhook = await makeWebhook(board, employer)
    await board.job(employer, {
      description: '\u{1F697}'.repeat(50_000),
      requirements: Array(50).fill('\u{1F697}'.repeat(450)),
    })
    await dispatch(board)
    expect(receiver.to(webhook.url)).toEqual([])
    const [delivery] = await deliveriesOf(board, employer, webhook.id)
    expect(delivery).toMatchObject({ status: 'canceled', last_error: 'The event is larger than 256 KiB.' })
    const path = `${WEBHOOKS}/${webhook.id}`
    expect((await board.post(`${path}/deliveries/${delivery.id}/retry`, employer.key)).status).toBe(409)
    await board.post(`${path}/recover`, employer.key, { since: '2026-01-01' })
    await runTask(board, 'webhook-recoveries')
    expect((await deliveriesOf(board, employer, webhook.id))[0].status).toBe('canceled')
  })
})

describe('the schedule', () => {
  test('has ten attempts, each at its scheduled time plus or minus jitter, before the delivery fails', async () => {
    const { webhook, read } = await makeDelivery(board)
    answering(webhook.url, () => 500)
    for (const [index, pause] of [...standardSchedule.pausesMs, null].entries()) {
      await dispatch(board)
      const delivery = await read()
      expect(delivery).toMatchObject({ attempt_count: index + 1, last_response_status: 500 })
      if (pause === null) {
        expect(delivery).toMatchObject({ status: 'exhausted', next_attempt_at: null })
        break
      }
      const wait = Date.parse(delivery.next_attempt_at) - clock.time
      expect(wait).toBeGreaterThanOrEqual(pause * 0.8)
      expect(wait).toBeLessThanOrEqual(pause * 1.2)
      clock.advance(wait - 1)
      await dispatch(board)
      expect((await read()).attempt_count).toBe(index + 1)
      clock.advance(1)
    }
    clock.advance(200 * HOUR)
    await dispatch(board)
    const sent = receiver.to(webhook.url)
    expect(sent.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
  })

  test.each<[Reply, number]>([
    [{ status: 503 }, MINUTE],
    [{ status: 502 }, MINUTE],
    [{ status: 504 }, MINUTE],
    [{ status: 429 }, MINUTE],
    [{ status: null, errorClass: 'timeout' }, MINUTE],
    [{ status: 429, retryAfterMs: 90 * SECOND }, 90 * SECOND],
    [{ status: 500, retryAfterMs: 10 * MINUTE }, 10 * MINUTE],
    [{ status: 500, retryAfterMs: 5 * HOUR }, HOUR],
  ])('waits as long as documented after %o', async (reply, wait) => {
    const { webhook, read } = await makeDelivery(board)
    answering(webhook.url, () => reply)
    await dispatch(board)
    expect(Date.parse((await read()).next_attempt_at) - clock.time).toBe(wait)
  })

  test.each([200, 201, 204, 299])('treats %i as a success', async (status) => {
    const { webhook, read } = await makeDelivery(board)
    answering(webhook.url, () => status)
    await dispatch(board)
    expect((await read()).status).toBe('delivered')
  })

  test.each([300, 302, 304, 400, 401, 404, 408, 413, 500])('treats %i as a failure', async (status) => {
    const { webhook, read } = await makeDelivery(board)
    answering(webhook.url, () => status)
    await dispatch(board)
    expect(await read()).toMatchObject({ status: 'pending', attempt_count: 1 })
  })
})

describe('a webhook', () => {
  test('is disabled, and its backlog canceled, when its receiver responds 410', async () => {
    const { account, webhook, read } = await makeDelivery(board)
    for (let n = 0; n < 9; n++) await board.job(account)
    answering(webhook.url, () => 410)
    await dispatch(board)
    const { data } = (await board.get(`${WEBHOOKS}/${webhook.id}`, account.key)).body
    expect(data).toMatchObject({ status: 'disabled', disabled_reason: 'gone', disabled_at: clock.now().toISOString() })
    await runTask(board, 'webhook-leases')
    expect((await read()).status).toBe('canceled')
    const states = (await deliveriesOf(board, account, webhook.id)).map(({ status }: { status: string }) => status)
    expect(states).toEqual(Array(10).fill('canceled'))
    const sent = receiver.to(webhook.url).length
    await board.job(account)
    await dispatch(board)
    expect(receiver.to(webhook.url)).toHaveLength(sent)
    expect(await deliveriesOf(board, account, webhook.id)).toHaveLength(10)
  })

  test('gets earlier events only through a recovery if it is enabled right after a 410', async () => {
    const { account, webhook } = await makeDelivery(board)
    for (let n = 0; n < 9; n++) await board.job(account)
    answering(webhook.url, () => 410)
    await dispatch(board)
    const sent = receiver.to(webhook.url).length
    answering(webhook.url, () => 200)
    const path = `${WEBHOOKS}/${webhook.id}`
    await board.put(path, account.key, { status: 'active' })
    await dispatch(board)
    expect([sent < 10, receiver.to(webhook.url).length]).toEqual([true, sent])
    expectStatus(await board.post(`${path}/recover`, account.key, { since: '2026-01-01' }), 202)
    await runTask(board, 'webhook-recoveries')
    await dispatch(board)
    const states = (await deliveriesOf(board, account, webhook.id)).map(({ status }: { status: string }) => status)
    expect(states).toEqual(Array(10).fill('delivered'))
  })

  test('is disabled after 20 failures and 120 hours without success, not an hour earlier', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    await publish(account, 1)
    await dispatch(board)
    const success = clock.time
    answering(webhook.url, () => 500)
    clock.advance(HOUR)
    await publish(account, 3)
    const status = async () => (await webhookRow(webhook.id)).status
    while (clock.time < success + 119 * HOUR) {
      await dispatch(board)
      clock.advance(30 * MINUTE)
      await publish(account, 1)
    }
    expect([await status(), (await webhookRow(webhook.id)).consecutive_failures > 20]).toEqual(['active', true])
    clock.advance(2 * HOUR)
    await dispatch(board)
    expect(await webhookRow(webhook.id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
    await runTask(board, 'webhook-leases')
    const pending = (await deliveriesOf(board, account, webhook.id)).filter(
      (delivery: { status: string }) => delivery.status === 'pending',
    )
    expect(pending).toEqual([])
  })

  test.each<[string, { failures?: number; overMs?: number; silentMs?: number }, string]>([
    ['exactly at all three', {}, 'disabled'],
    ['one failure too few', { failures: 19 }, 'active'],
    ['failures over slightly less than 12 hours', { overMs: 12 * HOUR - 1 }, 'active'],
    ['a success slightly less than 120 hours ago', { silentMs: 120 * HOUR - 1 }, 'active'],
  ])('is disabled exactly at its limits: %s', async (_what, bounds, status) => {
    const { failures = 20, overMs = 12 * HOUR, silentMs = 120 * HOUR } = bounds
    const { webhook } = await makeDelivery(board)
    answering(webhook.url, () => 500)
    const ago = (ms: number) => new Date(clock.time - ms)
    // The next failure brings the count to `failures`.
    await board.database.inTx((tx) =>
      sql`update webhook set consecutive_failures = ${failures - 1}, first_failure_at = ${ago(overMs)},
        last_success_at = ${ago(silentMs)}, watched_from = ${ago(silentMs)} where id = ${webhook.id}`.execute(tx),
    )
    await dispatch(board)
    expect((await webhookRow(webhook.id)).status).toBe(status)
  })

  test('is not disabled 119 hours after it was enabled, although its last success was 500 hours ago', async () => {
    const { webhook } = await makeDelivery(board)
    answering(webhook.url, () => 500)
    const ago = (ms: number) => new Date(clock.time - ms)
    await board.database.inTx((tx) =>
      sql`update webhook set consecutive_failures = 100, first_failure_at = ${ago(119 * HOUR)},
        last_success_at = ${ago(500 * HOUR)}, watched_from = ${ago(119 * HOUR)} where id = ${webhook.id}`.execute(tx),
    )
    await dispatch(board)
    expect((await webhookRow(webhook.id)).status).toBe('active')
  })

  test('gets neither due deliveries nor deliveries that wait for a slot while it is paused', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    await publish(account, 6)
    const first = Promise.withResolvers<number>()
    answering(webhook.url, () => first.promise)
    const worker = anotherWorker()
    await worker.round()
    const underWay = receiver.to(webhook.url).length
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { status: 'paused' })
    first.resolve(200)
    await worker.idle()
    await drain(worker)
    expect([underWay, receiver.to(webhook.url).length]).toEqual([2, 2])
    const states = (await deliveriesOf(board, account, webhook.id)).map(({ status }: { status: string }) => status)
    expect(states.sort()).toEqual([...Array(4).fill('canceled'), ...Array(2).fill('delivered')])
  })

  test('is not disabled if deliveries succeed every fourth day', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    let isWell = false
    answering(webhook.url, () => (isWell ? 200 : 500))
    for (let day = 0; day < 8; day++) {
      isWell = day % 4 === 3
      await publish(account, 10)
      await dispatch(board)
      clock.advance(24 * HOUR)
    }
    expect((await webhookRow(webhook.id)).status).toBe('active')
  })

  test('starts with a clean history after its URL changes', async () => {
    const { account, webhook } = await makeDelivery(board)
    answering(webhook.url, () => 500)
    await dispatch(board)
    expect(await webhookRow(webhook.id)).toMatchObject({ consecutive_failures: 1, first_failure_at: clock.now() })
    await board.put(`${WEBHOOKS}/${webhook.id}`, account.key, { url: hookUrl() })
    expect(await webhookRow(webhook.id)).toMatchObject({ consecutive_failures: 0, first_failure_at: null })
  })

  test('gets one attempt at a time, with pauses, after repeated failures and until a success', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    let isWell = false
    answering(webhook.url, () => (isWell ? 200 : 500))
    await publish(account, 12)
    await dispatch(board)
    clock.advance(10 * MINUTE)
    await dispatch(board)
    const { breaker_until } = await webhookRow(webhook.id)
    expect(breaker_until).toEqual(new Date(clock.time + MINUTE))
    const sent = () => receiver.to(webhook.url).length
    const before = sent()
    await publish(account, 5)
    await dispatch(board)
    expect(sent()).toBe(before)
    clock.advance(MINUTE)
    await dispatch(board)
    expect([sent(), (await webhookRow(webhook.id)).breaker_until]).toEqual([
      before + 1,
      new Date(clock.time + 2 * MINUTE),
    ])
    clock.advance(2 * MINUTE)
    isWell = true
    await dispatch(board)
    expect(sent()).toBeGreaterThan(before + 5)
    expect((await webhookRow(webhook.id)).breaker_until).toBeNull()
  })
})

describe('a manual retry', () => {
  const triggers = ({ attempts }: { attempts: { trigger: string; number: number }[] }) =>
    attempts.map(({ trigger, number }) => `${number} ${trigger}`)

  test('leaves the schedule unchanged if it fails before a scheduled attempt, and ends the schedule if it succeeds', async () => {
    const { account, webhook, path, read } = await makeDelivery(board)
    answering(webhook.url, (number) => (number < 3 ? 500 : 200))
    await dispatch(board)
    const { next_attempt_at } = await read()
    await board.post(`${path}/retry`, account.key)
    await dispatch(board)
    expect(await read()).toMatchObject({ status: 'pending', next_attempt_at, attempt_count: 2 })
    await board.post(`${path}/retry`, account.key)
    await dispatch(board)
    clock.advance(HOUR)
    await dispatch(board)
    const delivery = await read()
    expect(delivery.status).toBe('delivered')
    expect(triggers(delivery)).toEqual(['1 scheduled', '2 manual', '3 manual'])
  })

  test('waits for the attempt in progress, and makes one attempt for each request', async () => {
    const { account, webhook, path, read } = await makeDelivery(board)
    const first = Promise.withResolvers<number>()
    answering(webhook.url, (number) => (number === 1 ? first.promise : 200))
    const worker = anotherWorker()
    await worker.round()
    await board.post(`${path}/retry`, account.key)
    await board.post(`${path}/retry`, account.key)
    expect([await worker.round(), receiver.to(webhook.url).length]).toEqual(['done', 1])
    first.resolve(200)
    await worker.idle()
    await drain(worker)
    const delivery = await read()
    expect(delivery.status).toBe('delivered')
    expect(triggers(delivery)).toEqual(['1 scheduled', '2 manual', '3 manual'])
  })

  test('after the last scheduled attempt decides whether the delivery succeeds or fails', async () => {
    const { account, webhook, path, read } = await makeDelivery(board)
    answering(webhook.url, (number) => (number < 12 ? 500 : 200))
    for (const pause of standardSchedule.pausesMs) {
      await dispatch(board)
      clock.advance(pause * 1.2)
    }
    await dispatch(board)
    expect((await read()).status).toBe('exhausted')
    await board.post(`${path}/retry`, account.key)
    expect((await read()).status).toBe('pending')
    await dispatch(board)
    expect(await read()).toMatchObject({ status: 'exhausted', attempt_count: 11, next_attempt_at: null })
    await board.post(`${path}/retry`, account.key)
    await dispatch(board)
    expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 12 })
  })

  test('leaves a delivered event delivered, even if the retry fails', async () => {
    const { account, webhook, path, read } = await makeDelivery(board)
    answering(webhook.url, (number) => (number === 1 ? 200 : 500))
    await dispatch(board)
    await board.post(`${path}/retry`, account.key)
    await dispatch(board)
    expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 2, next_attempt_at: null })
  })
})

describe('a worker', () => {
  test('and another worker together send each of 2,000 deliveries once', async () => {
    const account = await board.employer()
    const webhooks: { id: string }[] = []
    for (let n = 0; n < 8; n++) webhooks.push(await makeWebhook(board, account, { events: ['job.deleted'] }))
    await publish(account, 250)
    const sent = receiver.sent.length
    await Promise.all([drain(anotherWorker()), drain(anotherWorker())])
    const ids = receiver.sent.slice(sent).map(({ deliveryId }) => deliveryId)
    expect([ids.length, new Set(ids).size]).toEqual([2_000, 2_000])
    const { rows } = await board.database.read((db) =>
      sql<{ state: string; count: number }>`
        select state, count(*) from webhook_delivery_settled where webhook_id = any(${webhooks.map(({ id }) => id)}::text[])
          and attempts = 1 group by state`.execute(db),
    )
    expect(rows).toEqual([{ state: 'delivered', count: 2_000 }])
  })

  test('is not blocked by a receiver that hangs', async () => {
    const account = await board.employer()
    const hanging = await makeWebhook(board, account, { events: ['job.deleted'] })
    const healthy: { url: string }[] = []
    for (let n = 0; n < 4; n++) healthy.push(await makeWebhook(board, account, { events: ['job.deleted'] }))
    // Gives each receiver a first success.
    await publish(account, 1)
    await dispatch(board)
    await publish(account, 99)
    const end = Promise.withResolvers<number>()
    answering(hanging.url, () => end.promise)
    const worker = anotherWorker()
    const delivered = () => healthy.reduce((sum, { url }) => sum + receiver.to(url).length, 0)
    const room = Promise.withResolvers<void>()
    worker.onRoom = () => room.resolve()
    while (delivered() < 400) {
      await worker.round()
      // By then, every receiver that does not hang has responded.
      await new Promise(setImmediate)
    }
    expect(receiver.to(hanging.url)).toHaveLength(1 + 8)
    end.resolve(200)
    await worker.idle()
    await room.promise
    await drain(worker)
    expect(receiver.to(hanging.url)).toHaveLength(100)
  })

  test('is not blocked by sixty receivers that hang', async () => {
    const ends = Promise.withResolvers<Exclude<Reply, Promise<unknown>>>()
    const hanging = new Set<string>()
    const accounts = [await board.employer(), await board.employer(), await board.employer()]
    for (const account of accounts) {
      for (let n = 0; n < 20; n++) hanging.add((await makeWebhook(board, account, { events: ['job.deleted'] })).url)
    }
    const account = await board.employer()
    const healthy = await makeWebhook(board, account, { events: ['job.deleted'] })
    for (const one of [...accounts, account]) await publish(one, 30)
    receiver.reply = ({ url }) => (hanging.has(url) ? ends.promise : 200)
    const worker = anotherWorker()
    for (let round = 0; round < 30; round++) {
      await worker.round()
      await new Promise(setImmediate)
    }
    expect(receiver.to(healthy.url)).toHaveLength(30)
    // A receiver without history gets two deliveries at a time.
    for (const url of hanging) expect(receiver.to(url)).toHaveLength(2)
    ends.resolve(200)
    await drain(worker)
  })

  test('sends one delivery at a time after a timeout, and one more after every twenty successes', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    await publish(account, 1)
    await dispatch(board)
    await publish(account, 200)
    let answer = Promise.withResolvers<Exclude<Reply, Promise<unknown>>>()
    answering(webhook.url, () => answer.promise)
    const worker = anotherWorker()
    /** Sends a round of deliveries, responds to all of them, and returns how many were in flight at once. */
    const atOnce = async (reply: Exclude<Reply, Promise<unknown>>) => {
      const before = receiver.to(webhook.url).length
      await worker.round()
      const count = receiver.to(webhook.url).length - before
      answer.resolve(reply)
      await worker.idle()
      answer = Promise.withResolvers()
      return count
    }
    const timeout = { status: null, errorClass: 'timeout' } as const
    expect([await atOnce(timeout), await atOnce(timeout), await atOnce(200)]).toEqual([8, 1, 1])
    const counts: number[] = []
    while (counts.at(-1) !== 8 && counts.length < 60) counts.push(await atOnce(200))
    // The limit increases after every twenty successes.
    expect(counts).toEqual(
      [19, 10, 7, 5, 4, 4, 3].flatMap((times, index) => Array<number>(times).fill(index + 1)).concat(8),
    )
    answer.resolve(200)
    await drain(worker)
  })

  test('that dies loses its lease after 35 seconds: the attempt counts, and another worker sends the delivery', async () => {
    const { webhook, read } = await makeDelivery(board)
    const never = Promise.withResolvers<number>()
    answering(webhook.url, (number) => (number === 1 ? never.promise : 200))
    const lost = anotherWorker()
    await lost.round()
    clock.advance(35 * SECOND - 1)
    await runTask(board, 'webhook-leases')
    await dispatch(board)
    expect(receiver.to(webhook.url)).toHaveLength(1)
    clock.advance(1)
    await runTask(board, 'webhook-leases')
    await dispatch(board)
    const delivery = await read()
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 2 })
    expect(delivery.attempts.map(({ error_class }: { error_class: string }) => error_class)).toEqual(['internal', null])
    expect((await webhookRow(webhook.id)).consecutive_failures).toBe(0)
    // The first worker returns, but its late result is ignored.
    never.resolve(500)
    await lost.idle()
    expect(await read()).toEqual(delivery)
  })

  test('leaves the delivery leased until the lease expires if it must stop before the response', async () => {
    const { webhook, read } = await makeDelivery(board)
    const never = Promise.withResolvers<number>()
    answering(webhook.url, (number) => (number === 1 ? never.promise : 200))
    const stopped = anotherWorker()
    const [task] = webhookTasks(board.database, clock, stopped)
    await task!.once()
    await task!.finish!(AbortSignal.abort())
    // The connection closes when the process exits, so it is unknown whether the receiver got the request.
    never.resolve(500)
    await stopped.idle()
    expect(await read()).toMatchObject({ status: 'pending', attempt_count: 1, attempts: [] })
    clock.advance(35 * SECOND)
    await runTask(board, 'webhook-leases')
    await dispatch(board)
    expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 2 })
  })

  test('waits for responses while it is stopping', async () => {
    const { webhook, read } = await makeDelivery(board)
    const answer = Promise.withResolvers<number>()
    answering(webhook.url, () => answer.promise)
    const [task] = webhookTasks(board.database, clock, anotherWorker())
    await task!.once()
    const finished = task!.finish!(new AbortController().signal)
    answer.resolve(200)
    await finished
    expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 1 })
  })

  test('can complete only the current attempt of a delivery, and only once', async () => {
    const { webhook, id, read } = await makeDelivery(board)
    const held = Promise.withResolvers<number>()
    answering(webhook.url, () => held.promise)
    const worker = anotherWorker()
    await worker.round()
    const before = await read()
    const ending = (number: number) => successAt(clock.now(), { id, webhook_id: webhook.id, number })
    for (const number of [0, 2]) {
      const { finished } = await board.database.inTx((tx) => finishAttempts(tx, [ending(number)], true))
      expect(finished).toEqual([])
    }
    expect(await read()).toEqual(before)
    held.resolve(200)
    await worker.idle()
    expect((await read()).status).toBe('delivered')
    expect((await board.database.inTx((tx) => finishAttempts(tx, [ending(1)], true))).finished).toEqual([])
  })

  test('stores the other results if it cannot store one result, and sends the affected delivery again', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    await publish(account, 1)
    await dispatch(board)
    await publish(account, 5)
    // No column can store this value. Only a faulty webhook client would return such a value.
    const bad = { status: 200, excerpt: 'a\0b' }
    const isThird = () => receiver.to(webhook.url).length === 4
    answering(webhook.url, () => (isThird() ? bad : 200))
    const worker = anotherWorker()
    await worker.round()
    await worker.idle()
    const states = async () =>
      (await deliveriesOf(board, account, webhook.id)).map(({ status }: { status: string }) => status).sort()
    expect(await states()).toEqual([...Array(5).fill('delivered'), 'pending'])
    clock.advance(35 * SECOND)
    await runTask(board, 'webhook-leases')
    await dispatch(board)
    expect([await states(), receiver.to(webhook.url).length]).toEqual([Array(6).fill('delivered'), 7])
  })

  test('uses up an attempt each time it dies, until the delivery fails', async () => {
    const { webhook, read } = await makeDelivery(board)
    answering(webhook.url, () => new Promise(() => {}))
    for (let n = 0; n < 10; n++) {
      await anotherWorker().round()
      clock.advance(MINUTE)
      await runTask(board, 'webhook-leases')
    }
    await dispatch(board)
    expect(await read()).toMatchObject({ status: 'exhausted', attempt_count: 10 })
  })

  test.each(['delete', 'pause', 'update'])('respects a change of the webhook during an attempt: %s', async (change) => {
    const { account, webhook, read } = await makeDelivery(board)
    const answer = Promise.withResolvers<number>()
    answering(webhook.url, () => answer.promise)
    const worker = anotherWorker()
    await worker.round()
    const path = `${WEBHOOKS}/${webhook.id}`
    const url = hookUrl()
    if (change === 'delete') await board.delete(path, account.key)
    else await board.put(path, account.key, change === 'pause' ? { status: 'paused' } : { url })
    answer.resolve(500)
    await worker.idle()
    if (change === 'delete') return expect((await board.get(path, account.key)).status).toBe(404)
    expect((await read()).status).toBe(change === 'pause' ? 'canceled' : 'pending')
    clock.advance(MINUTE)
    await dispatch(board)
    expect(receiver.to(url)).toHaveLength(change === 'pause' ? 0 : 1)
  })

  test('does not send deliveries that were queued while their webhook was being paused; they are canceled', async () => {
    const { account, webhook, id } = await makeDelivery(board)
    await board.database.inTx((tx) => sql`update webhook set status = 'paused' where id = ${webhook.id}`.execute(tx))
    await dispatch(board)
    await runTask(board, 'webhook-leases')
    expect((await deliveryOf(board, account, webhook.id, id)).status).toBe('canceled')
    expect(receiver.to(webhook.url)).toEqual([])
  })
})

describe('a recovery', () => {
  test('sends each of 1,200 failed deliveries exactly once, with retries in between', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    await publish(account, 1_200)
    const path = `${WEBHOOKS}/${webhook.id}`
    await board.database.inTx((tx) =>
      sql`update webhook_delivery set state = 'exhausted', settled_as = 'exhausted', due_at = null, scheduled_at = null,
        attempts = 10, scheduled_attempts = 10 where webhook_id = ${webhook.id}`.execute(tx),
    )
    // Moves 1,000 of these deliveries to the settled deliveries.
    await taskOf(board, 'settled-deliveries').once()
    const failed = await deliveriesOf(board, account, webhook.id)
    const retry = ({ id }: { id: string }) => board.post(`${path}/deliveries/${id}/retry`, account.key)
    await retry(failed[0])
    await retry(failed[99])
    const begun = await board.post(`${path}/recover`, account.key, { since: '2026-01-01' })
    const step = () => board.service.tasks.find(({ name }) => name === 'webhook-recoveries')!.once()
    await step()
    const worker = anotherWorker()
    await worker.round()
    await worker.idle()
    await retry((await board.get(`${path}/deliveries?status=exhausted&limit=1`, account.key)).body.data[0])
    await runTask(board, 'webhook-recoveries')
    await dispatch(board)
    const ids = receiver.to(webhook.url).map(({ deliveryId }) => deliveryId)
    expect([ids.length, new Set(ids).size]).toEqual([1_200, 1_200])
    const { data } = (await board.get(begun.headers.get('location')!, account.key)).body
    expect(data).toMatchObject({ status: 'done', examined: 1_200, created: 0 })
    expect([data.requeued + data.unchanged, data.unchanged]).toEqual([1_200, 3])
  })

  test('stops when its webhook is paused', async () => {
    const account = await board.employer()
    const { id } = await makeWebhook(board, account)
    const begun = await board.post(`${WEBHOOKS}/${id}/recover`, account.key, { since: '2026-01-01' })
    await board.put(`${WEBHOOKS}/${id}`, account.key, { status: 'paused' })
    await runTask(board, 'webhook-recoveries')
    expect((await board.get(begun.headers.get('location')!, account.key)).body.data.status).toBe('canceled')
  })

  test('queues only events that the account may see and the webhook subscribes to', async () => {
    const [account, other] = [await board.employer(), await board.candidate()]
    const since = clock.now().toISOString()
    await publish(account, 2)
    await board.job(account)
    const own = await makeWebhook(board, account, { events: ['job.deleted'] })
    const foreign = await makeWebhook(board, other, { events: ['job.deleted', 'job.created'] })
    const all = await makeWebhook(board, await board.integrator(), { events: ['job.deleted'] })
    await board.database.inTx((tx) =>
      sql`insert into webhook_recovery (id, webhook_id, since, until, reached_at, created_at)
        select 'whr_' || id, id, ${since}, ${clock.now()}, ${since}, ${clock.now()} from webhook
        where id = any(${[own.id, foreign.id, all.id]}::text[])`.execute(tx),
    )
    await runTask(board, 'webhook-recoveries')
    await dispatch(board)
    expect([own, foreign, all].map(({ url }) => receiver.to(url).length)).toEqual([2, 0, expect.any(Number)])
    expect(receiver.to(all.url).length).toBeGreaterThanOrEqual(2)
  })
})

describe('the service', () => {
  test('deletes events with their deliveries after 31 days, except events that must still be sent', async () => {
    const account = await board.employer()
    const webhook = await makeWebhook(board, account, { events: ['job.deleted'] })
    // The IDs of events contain the real time.
    clock.time = Date.now()
    await publish(account, 2)
    await dispatch(board)
    const [kept] = await deliveriesOf(board, account, webhook.id)
    await board.post(`${WEBHOOKS}/${webhook.id}/deliveries/${kept.id}/retry`, account.key)
    clock.advance(31 * 24 * HOUR)
    await runTask(board, 'event-purge')
    expect(await deliveriesOf(board, account, webhook.id)).toHaveLength(2)
    clock.advance(MINUTE)
    await runTask(board, 'event-purge')
    const left = await deliveriesOf(board, account, webhook.id)
    expect(left.map(({ id }: { id: string }) => id)).toEqual([kept.id])
    const { rows } = await board.database.read((db) =>
      sql<{ id: string }>`select id from event where employer_id = ${account.id} and type = 'job.deleted'`.execute(db),
    )
    expect(rows.map(({ id }) => id)).toEqual([kept.event_id])
  })

  test('removes the data of an erased candidate from later deliveries and from stored responses', async () => {
    const { url } = await makeWebhook(board, await board.integrator(), { events: ['candidate.registered'] })
    answering(url, (number) => (number === 1 ? { status: 500, excerpt: 'Thanks, Erasmus Forgotten' } : 200))
    const candidate = await board.candidate({ first_name: 'Erasmus', last_name: 'Forgotten' })
    await makeWebhook(board, candidate)
    await dispatch(board)
    await board.delete('/v1/candidates/profile', candidate.key)
    clock.advance(MINUTE)
    await dispatch(board)
    const [first, second] = receiver.to(url)
    expect(first!.body).toContain('Forgotten')
    expect(second!.body).not.toContain('Forgotten')
    expect(JSON.parse(second!.body).data.candidate).toMatchObject({ id: candidate.id, name: '', email: '' })
    const { rows } = await board.database.read((db) =>
      sql`select 1 from webhook_attempt where response_excerpt like '%Forgotten%'
        union all select 1 from webhook where owner_id = ${candidate.id}`.execute(db),
    )
    expect(rows).toEqual([])
  })
})

describe('during a database outage', () => {
  /** Creates a worker whose writes fail while `isAway` returns true. */
  function workerWithout(isAway: () => boolean, log: DispatcherDeps['log'] = silent): Dispatcher {
    const { database } = board
    const failing =
      <A extends unknown[], T>(write: (...args: A) => Promise<T>) =>
      async (...args: A) => {
        if (isAway()) throw new AppError('unavailable')
        return write(...args)
      }
    return new Dispatcher({
      ...parts,
      database: { ...database, inTx: failing(database.inTx), inStatement: failing(database.inStatement) } as Database,
      clock,
      log,
      client: receiver,
      schedule: standardSchedule,
    })
  }
  const roundOf = async (worker: Dispatcher) => {
    await worker.round()
    await worker.idle()
  }

  test("an attempt's result is kept in memory, and stored later", async () => {
    const { webhook, read } = await makeDelivery(board)
    let failures = 0
    receiver.reply = () => {
      failures = 2
      return 200
    }
    await roundOf(workerWithout(() => failures-- > 0))
    clock.advance(MINUTE)
    await anotherWorker().reap()
    await drain(anotherWorker())
    expect(receiver.to(webhook.url)).toHaveLength(1)
    expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 1 })
  })

  test("an attempt's result is dropped if the outage lasts too long, and the delivery is sent again after its lease expires", async () => {
    const { webhook, read } = await makeDelivery(board)
    const logged: string[] = []
    let isAway = false
    receiver.reply = () => {
      isAway = true
      return 200
    }
    const real = performance.now.bind(performance)
    let ahead = 0
    const monotonic = vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
    const away = () => {
      if (isAway) ahead += 30 * SECOND
      return isAway
    }
    await roundOf(workerWithout(away, { warn: () => {}, error: (_details, message) => void logged.push(message) }))
    monotonic.mockRestore()
    expect(logged).toEqual(['could not store the result of an attempt'])
    clock.advance(MINUTE)
    await anotherWorker().reap()
    await drain(anotherWorker())
    expect(receiver.to(webhook.url).map(({ number }) => number)).toEqual([1, 2])
    expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 2 })
  })
})
