/** The clock jumps hours ahead and back. Nothing is lost or repeated, and the jump delays nothing. */
import { rmSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { clockWatch } from '../../src/background/clock-steps.ts'
import type { Database } from '../../src/db/database.ts'
import { claimExtraction } from '../../src/features/resumes/resumes.queries.ts'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { jobBody, useBoard } from '../support/board.ts'
import { mailsIn, newDataFolder, runAlerts } from '../support/mails.ts'
import { upload } from '../support/resumes.ts'
import { runTask, taskOf } from '../support/tasks.ts'
import { dispatch, makeDelivery } from '../support/webhooks.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEP = 5 * HOUR

const folder = newDataFolder()
const board = useBoard({ DATA_DIR: folder })
const { clock, receiver } = board
afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(async () => {
  receiver.reply = () => 200
  await runTask(board, 'clock-steps')
  clock.advance(STEP)
  await runTask(board, 'clock-steps')
})
/** Corrects the clock and runs the task that detects the step. */
const stepBack = async () => {
  clock.advance(-STEP)
  await runTask(board, 'clock-steps')
}
afterEach(() => clock.advance(DAY))

test('a delivery queued while the clock is wrong is sent immediately, and only once', async () => {
  const { webhook, read } = await makeDelivery(board)
  await stepBack()
  await dispatch(board)
  clock.advance(STEP)
  await dispatch(board)
  expect(receiver.to(webhook.url)).toHaveLength(1)
  expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 1 })
})

test('a delivery queued by a process that has not detected the step yet is sent immediately, too', async () => {
  await stepBack()
  clock.advance(STEP)
  const { read } = await makeDelivery(board)
  clock.advance(-STEP)
  await runTask(board, 'clock-steps')
  await dispatch(board)
  expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 1 })
})

test('a step during the correction of an earlier step is corrected, too', async () => {
  let now = 10 * HOUR
  const corrected: number[] = []
  let during = async () => {}
  const database = { inTx: (work: (tx: never) => Promise<void>) => work(undefined as never) } as unknown as Database
  const task = clockWatch(database, { now: () => new Date(now) }, [
    async (_tx, at) => {
      await during()
      corrected.push(at.getTime())
    },
  ])
  for (let round = 0; round < 12; round++) await task.once()
  corrected.length = 0
  await task.once()
  expect(corrected).toEqual([])
  now -= 2 * HOUR
  during = async () => {
    during = async () => {}
    now -= 3 * HOUR
  }
  for (let round = 0; round < 20; round++) await task.once()
  expect(corrected).toEqual([8 * HOUR, ...Array(12).fill(5 * HOUR)])
})

test('a failed correction is repeated in the next round', async () => {
  let fails = true
  const database = { inTx: (work: (tx: never) => Promise<void>) => work(undefined as never) } as unknown as Database
  let times = 0
  const task = clockWatch(database, { now: () => new Date(0) }, [
    async () => {
      if (fails) throw new Error('the database is away')
      times++
    },
  ])
  for (let round = 0; round < 20; round++) await expect(task.once()).rejects.toThrow()
  fails = false
  for (let round = 0; round < 20; round++) await task.once()
  expect(times).toBe(12)
})

test('a delivery that fails while the clock is wrong is retried within an hour, not hours later', async () => {
  receiver.reply = ({ number }) => (number === 1 ? 500 : 200)
  const { read } = await makeDelivery(board)
  await dispatch(board)
  await stepBack()
  await dispatch(board)
  expect(await read()).toMatchObject({ status: 'pending', attempt_count: 1 })
  clock.advance(HOUR)
  await dispatch(board)
  expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 2 })
})

test('a delivery whose worker dies while the clock is wrong is sent again after a normal lease', async () => {
  const { id, read } = await makeDelivery(board)
  const left = Promise.withResolvers<200>()
  receiver.reply = () => left.promise
  await taskOf(board, 'webhooks').once()
  // The lease was calculated with the wrong clock.
  const { rows } = await board.database.read((db) =>
    sql<{ lease_until: Date }>`select lease_until from webhook_delivery where id = ${id}`.execute(db),
  )
  expect(rows[0]!.lease_until.getTime()).toBeGreaterThan(clock.time)
  await stepBack()
  clock.advance(MINUTE)
  receiver.reply = () => 200
  await runTask(board, 'webhook-leases')
  left.resolve(200)
  await dispatch(board)
  expect(await read()).toMatchObject({ status: 'delivered', attempt_count: 2 })
})

test('the first round of a new process changes no due time', async () => {
  receiver.reply = () => ({ status: 503, headers: { 'retry-after': '3000' } })
  const { id } = await makeDelivery(board)
  await dispatch(board)
  const dueAt = async () => {
    const { rows } = await board.database.read((db) =>
      sql<{ due_at: Date }>`select due_at from webhook_delivery where id = ${id}`.execute(db),
    )
    return rows[0]!.due_at
  }
  const before = await dueAt()
  // A new process has no earlier time to compare with.
  await board.restart({ DATA_DIR: folder })
  await runTask(board, 'clock-steps')
  expect(await dueAt()).toEqual(before)
  clock.advance(-STEP)
})

test('emails queued while the clock is wrong are sent immediately, each only once, and alerts find later jobs', async () => {
  const [reader, employer] = [await board.candidate(), await board.employer()]
  const instant = await makeAlert(board, reader, { name: 'Instant', frequency: 'instant' })
  const daily = await makeAlert(board, reader, { name: 'Daily', frequency: 'daily' })
  await board.activeJob(employer, { title: 'Van driver' })
  await runTask(board, 'job-alerts-instant')
  await stepBack()
  await runTask(board, 'mail')
  expect((await mailsIn(folder)).map(({ subject }) => subject)).toEqual(['One new job for “Instant”'])

  const alertOf = async (id: string) => (await board.get(`${ALERTS}/${id}`, reader.key)).body.data
  expect(Date.parse((await alertOf(daily.id)).next_run_at)).toBeLessThanOrEqual(clock.time + DAY)
  await board.activeJob(employer, { title: 'Van builder' })
  clock.advance(DAY)
  await runAlerts(board)
  await runAlerts(board)
  expect((await mailsIn(folder)).map(({ subject }) => subject).sort()).toEqual([
    '2 new jobs for “Daily”',
    'One new job for “Instant”',
    'One new job for “Instant”',
  ])
  expect((await alertOf(instant.id)).is_active).toBe(true)
})

test('a resume whose worker dies while the clock is wrong is extracted after a normal lease', async () => {
  const candidate = await board.candidate()
  const { id } = await upload(board, candidate)
  await board.database.inStatement((tx) =>
    claimExtraction(
      tx,
      new Date(clock.time + MINUTE),
      new Date(clock.time),
      board.service.budgets.windowOf('extraction-time'),
    ),
  )
  await stepBack()
  clock.advance(MINUTE)
  await runTask(board, 'resume-extraction')
  const { rows } = await board.database.read((db) => sql`select extraction from resume where id = ${id}`.execute(db))
  expect(rows).toEqual([{ extraction: 'done' }])
})

test('keys and jobs that expired too early are valid again, and a stored response is replayed', async () => {
  clock.advance(-STEP)
  const employer = await board.employer()
  const expires_at = new Date(clock.time + HOUR).toISOString()
  const made = (await board.post('/v1/api-keys', employer.key, { name: 'Short', expires_at })).body.data
  const job = await board.activeJob(employer, { expires_at, title: 'Steplader' })
  const headers = { 'idempotency-key': 'across-the-step' }
  const post = () => board.call('POST', '/v1/jobs', { key: employer.key, headers, body: jobBody({ title: 'Once' }) })
  const first = await post()
  await runTask(board, 'clock-steps')

  clock.advance(STEP)
  const listed = async () =>
    (await board.get(`/v1/jobs?search=steplader`, employer.key)).body.data.map(({ id }: { id: string }) => id)
  expect((await board.get('/v1/me', made.key)).status).toBe(401)
  expect(await listed()).toEqual([])
  await runTask(board, 'job-expiry')
  expect((await post()).body).toEqual(first.body)

  await stepBack()
  expect((await board.get('/v1/me', made.key)).status).toBe(200)
  expect(await listed()).toEqual([job.id])
  expect((await post()).body).toEqual(first.body)
})
