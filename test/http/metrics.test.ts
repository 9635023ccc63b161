/** `GET /metrics` is open only to admin keys with the scope `admin:read`, and identifies nobody. */
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { ADMIN_KEY, Board, jobBody, useBoard } from '../support/board.ts'
import { isOnPostgres, openTestDatabase } from '../support/database.ts'
import { runTask, taskOf } from '../support/tasks.ts'
import { dispatch, makeDelivery, makeWebhook } from '../support/webhooks.ts'

const board = useBoard()
const { receiver, clock } = board

/** Returns the samples by name and labels. */
async function read(from: Board = board): Promise<Record<string, number>> {
  const { status, headers, text } = await from.get('/metrics', ADMIN_KEY)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

describe('the metrics', () => {
  test('are refused without a valid key', async () => {
    const { status, body } = await board.get('/metrics')
    expect([status, body.code]).toEqual([401, 'unauthorized'])
    expect((await board.get('/metrics', 'wrong')).status).toBe(401)
  })

  test.each(['candidate', 'employer', 'integrator'] as const)(
    'are refused to the key of a %s account',
    async (kind) => {
      const { status, body } = await board.get('/metrics', (await board.account(kind)).key)
      expect([status, body.code]).toEqual([403, 'admin_account_required'])
    },
  )

  test('accept an admin key only if it has the scope admin:read', async () => {
    const operator = await board.account('admin')
    expect((await board.get('/metrics', await board.keyWith(operator, ['admin:read']))).status).toBe(200)
    const answer = await board.get('/metrics', await board.keyWith(operator, ['jobs:read']))
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope'])
  })

  test('report pending, running and finished deliveries', async () => {
    receiver.reply = () => 500
    const before = await read()
    await makeDelivery(board)
    clock.advance(3_000)
    expect(await read()).toMatchObject({ webhook_deliveries_pending: 1, webhook_oldest_pending_age_seconds: 3 })
    const { promise: answered, resolve: answer } = Promise.withResolvers<number>()
    receiver.reply = () => answered
    await taskOf(board, 'webhooks').once()
    expect(await read()).toMatchObject({
      webhook_deliveries_pending: 1,
      webhook_oldest_pending_age_seconds: 0,
      webhook_attempts_in_flight: 1,
    })
    answer(500)
    await taskOf(board, 'webhooks').finish!()
    expect(await read()).toMatchObject({
      webhook_deliveries_pending: 1,
      webhook_attempts_in_flight: 0,
      'webhook_attempts_total{class="http_status"}': 1,
      webhook_first_attempt_delay_seconds_count: before.webhook_first_attempt_delay_seconds_count! + 1,
      webhook_first_attempt_delay_seconds_sum: before.webhook_first_attempt_delay_seconds_sum! + 3,
    })
    receiver.reply = () => 200
    clock.advance(10_000)
    await dispatch(board)
    const after = await read()
    expect(after).toMatchObject({ webhook_deliveries_pending: 0, 'webhook_attempts_total{class="delivered"}': 1 })
    expect(after.webhook_first_attempt_delay_seconds_count).toBe(before.webhook_first_attempt_delay_seconds_count! + 1)
  })

  test('report attempts whose process died', async () => {
    const { id } = await makeDelivery(board)
    const expired = (await read()).webhook_leases_expired_total!
    await board.database.inTx((tx) =>
      tx
        .updateTable('webhook_delivery')
        .set({ attempts: 1, scheduled_attempts: 1, lease_trigger: 'scheduled', lease_until: clock.now() })
        .where('id', '=', id)
        .execute(),
    )
    await runTask(board, 'webhook-leases')
    expect((await read()).webhook_leases_expired_total).toBe(expired + 1)
    await dispatch(board)
  })

  test('report webhooks by status, and how many were disabled', async () => {
    const before = await read()
    const count = (samples: Record<string, number>, status: string) => samples[`webhooks{status="${status}"}`]!
    const gone = await makeDelivery(board)
    await makeWebhook(board, gone.account)
    const held = await makeDelivery(board)
    const setBreaker = (breaker_until: Date | null) =>
      board.database.inTx((tx) =>
        tx.updateTable('webhook').set({ breaker_until }).where('id', '=', held.webhook.id).execute(),
      )
    await setBreaker(new Date(clock.time + 1_000))
    receiver.reply = ({ url }) => (url === gone.webhook.url ? 410 : 200)
    await dispatch(board)
    const after = await read()
    expect(after.webhooks_disabled_total).toBe(before.webhooks_disabled_total! + 1)
    expect(count(after, 'disabled')).toBe(count(before, 'disabled') + 1)
    expect(count(after, 'breaker')).toBe(1)
    expect(count(after, 'active')).toBe(count(before, 'active') + 1)
    // Deliveries that the circuit breaker delays do not increase the backlog age.
    clock.advance(500)
    expect(await read()).toMatchObject({ webhook_deliveries_pending: 1, webhook_oldest_pending_age_seconds: 0 })
    await setBreaker(null)
    receiver.reply = () => 200
    await dispatch(board)
  })

  test('do not name webhooks, accounts or secrets, and gain no series with another webhook', async () => {
    // The first garbage collection of each kind adds series at any time.
    const readSeries = async () => Object.keys(await read()).filter((name) => !name.startsWith('nodejs_gc_'))
    // Each operation's first responses add its series.
    await makeDelivery(board)
    await dispatch(board)
    await board.get('/metrics', ADMIN_KEY)
    const series = await readSeries()
    const { account, webhook, id } = await makeDelivery(board)
    await dispatch(board)
    const { text } = await board.get('/metrics', ADMIN_KEY)
    for (const told of [account.id, account.key, webhook.id, webhook.url, webhook.secret, id, ADMIN_KEY]) {
      expect(text).not.toContain(told)
    }
    expect(await readSeries()).toEqual(series)
  })

  test('count requests by operation and status, with their durations', async () => {
    const before = await read()
    const key = (await board.account('employer')).key
    for (let n = 0; n < 3; n++) await board.get('/v1/jobs', key)
    await board.get('/v1/jobs?limit=0', key)
    await board.get('/v1/jobs/job_unknown', key)
    await board.get('/nowhere/at/all')
    const after = await read()
    const grown = (name: string) => after[name]! - (before[name] ?? 0)
    expect(grown('http_requests_total{operation="listJobs",status="200"}')).toBe(3)
    expect(grown('http_requests_total{operation="listJobs",status="400"}')).toBe(1)
    expect(grown('http_requests_total{operation="getJob",status="404"}')).toBe(1)
    expect(grown('http_requests_total{operation="none",status="404"}')).toBe(1)
    expect(grown('http_request_duration_seconds_count{operation="listJobs"}')).toBe(4)
    expect(grown('http_request_duration_seconds_bucket{operation="listJobs",le="+Inf"}')).toBe(4)
    expect(grown('http_request_duration_seconds_bucket{operation="listJobs",le="10"}')).toBe(4)
    expect(grown('http_request_duration_seconds_sum{operation="listJobs"}')).toBeGreaterThan(0)
  })

  test('count registrations by account kind and payments by status, after they are committed', async () => {
    const before = await read()
    const refused = { name: 'Again', email: 'twice@employer.example' }
    const employer = await board.employer(refused)
    await board.account('candidate')
    expect((await board.post('/v1/employers', undefined, refused)).status).toBe(409)
    const job = (await board.post('/v1/jobs', employer.key, jobBody())).body.data
    const payment = await board.post('/v1/employers/payments', employer.key, { job_id: job.id, products: ['job-post'] })
    await board.post(`/v1/employers/payments/${payment.body.data.id}/confirm`, employer.key)
    const after = await read()
    const grown = (name: string) => after[name]! - before[name]!
    expect(grown('registrations_total{kind="employer"}')).toBe(1)
    expect(grown('registrations_total{kind="candidate"}')).toBe(1)
    expect(grown('payments_total{status="pending"}')).toBe(1)
    expect(grown('payments_total{status="paid"}')).toBe(1)
    expect(grown('payments_total{status="failed"}')).toBe(0)
  })

  test('report the number of jobs on the board, and the time since the last comparison with the database', async () => {
    const fresh = new Board()
    fresh.database = await openTestDatabase()
    await fresh.start()
    try {
      expect(await read(fresh)).toMatchObject({ board_jobs: Number.NaN, board_age_seconds: Number.NaN })
      const employer = await fresh.account('employer')
      await fresh.activeJob(employer)
      await fresh.activeJob(employer)
      await fresh.get('/v1/jobs', employer.key)
      const first = await read(fresh)
      expect(first.board_jobs).toBe(2)
      expect(first.board_age_seconds).toBeGreaterThan(0)
      // Until the next comparison, the age grows.
      expect((await read(fresh)).board_age_seconds).toBeGreaterThan(first.board_age_seconds!)
      await runTask(fresh, 'board')
      expect((await read(fresh)).board_age_seconds).toBeLessThan(60)
    } finally {
      await fresh.stop()
    }
  })

  test('report the release, the Node version and the heap limit', async () => {
    const samples = await read()
    expect(samples[`build_info{version="${packageJson.version}",node="${process.versions.node}"}`]).toBe(1)
    expect(samples.nodejs_heap_limit_bytes).toBeGreaterThan(samples.nodejs_heap_size_used_bytes!)
  })

  test('report the process and its database connections', async () => {
    const samples = await read()
    expect(samples).toMatchObject({
      database_pool_waiting: expect.any(Number),
      database_away: 0,
      'database_pool_connections{state="busy"}': expect.any(Number),
      database_pool_size: isOnPostgres ? 8 : 1,
      nodejs_eventloop_lag_p99_seconds: expect.any(Number),
      process_resident_memory_bytes: expect.any(Number),
    })
  })

  test('report the backlog of each task, its age and the results of its rounds', async () => {
    // Sends the emails of earlier tests.
    await runTask(board, 'mail')
    const candidate = await board.account('candidate')
    const resume = { filename: 'cv.txt', content_base64: Buffer.from('Welder').toString('base64') }
    expect((await board.post('/v1/candidates/resume', candidate.key, resume)).status).toBe(201)
    clock.advance(90_000)
    expect(await read()).toMatchObject({
      'task_waiting{task="resume-extraction"}': 1,
      'task_oldest_waiting_age_seconds{task="resume-extraction"}': 90,
      'task_waiting{task="mail"}': 0,
      'task_oldest_waiting_age_seconds{task="mail"}': 0,
    })
    await runTask(board, 'resume-extraction')
    const after = await read()
    expect(after['task_waiting{task="resume-extraction"}']).toBe(0)
    expect(after['task_rounds_total{task="resume-extraction",outcome="done"}']).toBeGreaterThan(0)
  })

  test('count emails by result', async () => {
    const before = (await read())['mails_total{kind="application-received",outcome="sent"}']!
    const employer = await board.account('employer')
    const { id } = await board.activeJob(employer)
    const candidate = await board.account('candidate')
    await board.post(`/v1/candidates/jobs/${id}/apply`, candidate.key, { cover_letter: 'Hello.' })
    await runTask(board, 'mail')
    expect((await read())['mails_total{kind="application-received",outcome="sent"}']).toBe(before + 1)
  })

  test('include the process metrics even while the database is down', async () => {
    const broken = new Board()
    broken.database = await openTestDatabase()
    await broken.start()
    await broken.database.close()
    try {
      expect(await read(broken)).toMatchObject({
        webhook_deliveries_pending: Number.NaN,
        webhook_oldest_pending_age_seconds: Number.NaN,
        'webhooks{status="active"}': Number.NaN,
        webhook_attempts_in_flight: 0,
        'task_waiting{task="mail"}': Number.NaN,
        'task_oldest_waiting_age_seconds{task="mail"}': Number.NaN,
      })
      const mail = broken.service.tasks.find(({ name }) => name === 'mail')!
      await expect(mail.once()).rejects.toThrow()
      expect((await read(broken))['task_rounds_total{task="mail",outcome="failed"}']).toBe(1)
    } finally {
      await broken.service.app.close()
    }
  })
})
