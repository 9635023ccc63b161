/** Disk usage of writes: each byte is stored once where possible, and no account exceeds its budget. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { IdempotentAnswers } from '../../src/db/idempotent-answers.ts'
import { SecretBox } from '../../src/lib/secret-box.ts'
import { type Account, ADMIN_KEY, expectStatus, jobBody, useBoard } from '../support/board.ts'
import { type Fields, visitor } from '../support/pages.ts'
import { isReplay, sendWith } from '../support/posts.ts'
import { runTask } from '../support/tasks.ts'
import { dispatch, makeWebhook } from '../support/webhooks.ts'

const board = useBoard({ RATE_LIMIT: 'on' })
const HOUR_MS = 3_600_000

/** Incompressible text without repeated words. */
const noise = (length: number) =>
  Array.from({ length: Math.ceil(length / 9) }, () => randomBytes(4).toString('hex')).join(' ')

/** Returns the IDs of the TOAST values of jobs. An update that rewrites a value creates a new TOAST value. */
async function storedValues(): Promise<string[]> {
  const { rows: tables } = await board.database.read((db) =>
    sql<{ name: string }>`select reltoastrelid::regclass::text as name from pg_class where relname = 'job'`.execute(db),
  )
  const { rows } = await board.database.read((db) =>
    sql<{ id: string }>`select distinct chunk_id::text as id from ${sql.raw(tables[0]!.name)} order by 1`.execute(db),
  )
  return rows.map(({ id }) => id)
}

const chargedTo = ({ id }: Account) => board.service.budgets.usesOf(id).find(({ name }) => name === 'storage')!.used

const spendAll = ({ id }: Account) => board.service.budgets.charge('storage', id, 131_072)

describe('an update of a job', () => {
  const long = { description: noise(20_000), requirements: Array.from({ length: 20 }, () => noise(300)) }

  test('does not store unchanged text again', async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer, long)
    const before = await storedValues()
    expect(before.length).toBeGreaterThanOrEqual(3)
    const change = async (body: object) => expectStatus(await board.put(`/v1/jobs/${id}`, employer.key, body), 200)
    await change({ location: 'Oslo' })
    await change({ salary: { min: 1 }, remote: true })
    for (const action of ['close', 'reopen'])
      expectStatus(await board.post(`/v1/jobs/${id}/${action}`, employer.key), 200)
    expect(await storedValues()).toEqual(before)
    await change({ title: 'Other' })
    const after = await storedValues()
    // Only the value with the search words changed.
    expect(before.filter((value) => !after.includes(value))).toHaveLength(1)
  })

  test('keeps the job findable by its unchanged words', async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer, { description: 'Zirconium.' })
    expectStatus(await board.put(`/v1/jobs/${id}`, employer.key, { location: 'Oslo' }), 200)
    for (const action of ['close', 'reopen']) await board.post(`/v1/jobs/${id}/${action}`, employer.key)
    for (const path of ['/v1/jobs', '/v1/employers/jobs']) {
      const { body } = await board.get(`${path}?search=zirconium`, employer.key)
      expect(body.data.map((job: { id: string }) => job.id)).toEqual([id])
    }
  })
})

describe('a stored response', () => {
  const storedLength = async (account: Account) => {
    const { rows } = await board.database.read((db) =>
      sql<{ length: number }>`
        select length(answer_sealed) as length from idempotent_answer where account_id = ${account.id}
        order by created_at desc limit 1`.execute(db),
    )
    return rows[0]!.length
  }
  const posting = (employer: Account) => ({
    path: '/v1/jobs',
    key: employer.key,
    body: jobBody({ description: noise(40_000) }),
  })

  test('refers to its event if the event contains the same resource', async () => {
    const employer = await board.employer()
    const [key, post] = [randomUUID(), posting(employer)]
    const first = expectStatus(await sendWith(board, key, post), 201)
    expect(await storedLength(employer)).toBeLessThan(600)
    const again = await sendWith(board, key, post)
    expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true])
  })

  test('becomes a conflict if its event was changed or deleted', async () => {
    const employer = await board.employer()
    const [key, post] = [randomUUID(), posting(employer)]
    expectStatus(await sendWith(board, key, post), 201)
    const changeEvent = (change: ReturnType<typeof sql>) =>
      board.database.inTx((tx) => sql`${change} where employer_id = ${employer.id}`.execute(tx))
    await changeEvent(sql`update event set body = replace(body, 'powertrain', 'x')`)
    expect((await sendWith(board, key, post)).body.code).toBe('conflict')
    await changeEvent(sql`delete from event`)
    const gone = await sendWith(board, key, post)
    expect([gone.status, gone.body.detail]).toEqual([
      409,
      'The first request succeeded, but its response can no longer be read.',
    ])
  })

  test('is compressed if it is long and in no event', async () => {
    const answers = new IdempotentAnswers(board.database, board.clock, new SecretBox(new Uint8Array(32)))
    const body = JSON.stringify({
      data: Array.from({ length: 500 }, (_, n) => ({ number: n, text: 'The same again.' })),
    })
    const account = await board.employer()
    const kept = { fingerprint: 'f', status: 200, headers: {}, body, apiKeyId: null }
    await board.database.inTx((tx) => answers.keep(tx, 'long', account.id, kept))
    expect(await storedLength(account)).toBeLessThan(body.length / 5)
    expect(await answers.find('long')).toEqual(kept)
  })
})

describe('the storage budget', () => {
  test('is charged per write, and refuses further writes that day once it is spent', async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer)
    const before = chargedTo(employer)
    expectStatus(await board.put(`/v1/jobs/${id}`, employer.key, { description: noise(40_000) }), 200)
    // The charge covers the job, its words and the event, with their indexes.
    expect(chargedTo(employer) - before).toBeGreaterThan(160)
    expect(chargedTo(employer) - before).toBeLessThan(500)
    spendAll(employer)
    const refused = await board.put(`/v1/jobs/${id}`, employer.key, { title: 'Other' })
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.body.detail).toContain('"storage"')
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    board.clock.advance(24 * HOUR_MS)
    expectStatus(await board.put(`/v1/jobs/${id}`, employer.key, { title: 'Other' }), 200)
  })

  test('also limits writes per minute', async () => {
    const employer = await board.employer()
    board.service.budgets.charge('storage-burst', employer.id, 16_384)
    const refused = await board.post('/v1/jobs', employer.key, jobBody())
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.body.detail).toContain('"storage-burst"')
    board.clock.advance(60_000)
    expectStatus(await board.post('/v1/jobs', employer.key, jobBody()), 201)
  })

  test('also limits simultaneous uploads', async () => {
    const candidate = await board.candidate()
    const body = { filename: 'cv.txt', content_base64: Buffer.alloc(5_000_000, 'Engineer. ').toString('base64') }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => board.post('/v1/candidates/resume', candidate.key, body)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([201, 429]))
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(4)
    const { body: list } = await board.get('/v1/candidates/resumes', candidate.key)
    expect(list.data.length).toBe(statuses.filter((status) => status === 201).length)
  })

  test('does not prevent reading, deleting or signing out', async () => {
    const employer = await board.employer()
    const { id } = await board.job(employer)
    const person = await visitor(board, employer)
    spendAll(employer)
    expectStatus(await board.get(`/v1/jobs/${id}`, employer.key), 200)
    expectStatus(await board.delete(`/v1/jobs/${id}`, employer.key), 204)
    const page = await person.get('/employer/jobs/new')
    expect((await person.submit(page, '/employer/jobs/new', jobBody() as Fields)).status).toBe(429)
    const home = await person.get('/')
    expect((await person.submit(home, '/sign-out')).status).toBe(200)
  })

  test("does not limit admins, and does not charge an account for an admin's changes", async () => {
    const employer = await board.employer()
    const { id } = await board.job(employer)
    spendAll(employer)
    const before = chargedTo(employer)
    expectStatus(await board.put(`/v1/jobs/${id}`, ADMIN_KEY, { title: 'By the operator' }), 200)
    expect(chargedTo(employer)).toBe(before)
  })

  test('is charged for files', async () => {
    const candidate = await board.candidate()
    const before = chargedTo(candidate)
    const body = { filename: 'cv.txt', content_base64: Buffer.from(noise(60_000)).toString('base64') }
    expectStatus(await board.post('/v1/candidates/resume', candidate.key, body), 201)
    expect(chargedTo(candidate) - before).toBeGreaterThan(110)
  })
})

describe('superseded job.updated events', () => {
  const updatesOf = async (id: string) => {
    const { rows } = await board.database.read((db) =>
      sql<{ id: string; title: string }>`
        select id, body::json -> 'data' -> 'job' ->> 'title' as title from event
        where subject_id = ${id} and type = 'job.updated' order by created_at, id`.execute(db),
    )
    return rows
  }
  const change = async (employer: Account, id: string, count: number, pauseMs: number) => {
    for (let n = 0; n < count; n++) {
      board.clock.advance(pauseMs)
      expectStatus(await board.put(`/v1/jobs/${id}`, employer.key, { title: `Engineer ${n}` }), 200)
    }
  }

  test('are deleted after a day with their deliveries and attempts, while the latest 100 updates of the job are kept', async () => {
    const employer = await board.employer()
    const { id } = await board.job(employer)
    await makeWebhook(board, employer, { events: ['job.updated'] })
    await change(employer, id, 104, 1_000)
    await dispatch(board)
    const rowsLeft = async () => {
      const { rows } = await board.database.read((db) =>
        sql<{ deliveries: number; attempts: number }>`
          select (select count(*)::int from webhook_delivery_settled) as deliveries,
            (select count(*)::int from webhook_attempt) as attempts`.execute(db),
      )
      return rows[0]
    }
    const before = await rowsLeft()
    board.clock.advance(24 * HOUR_MS)
    await runTask(board, 'superseded-events')
    expect(await updatesOf(id)).toHaveLength(104)
    board.clock.advance(2 * HOUR_MS)
    await runTask(board, 'superseded-events')
    const left = await updatesOf(id)
    expect(left).toHaveLength(100)
    expect([left[0]!.title, left.at(-1)!.title]).toEqual(['Engineer 4', 'Engineer 103'])
    expect(await rowsLeft()).toEqual({ deliveries: before!.deliveries - 4, attempts: before!.attempts - 4 })
    await runTask(board, 'superseded-events')
    expect(await updatesOf(id)).toHaveLength(100)
  })

  test('exclude events that fewer than 100 updates follow within a day, and events that await delivery', async () => {
    const employer = await board.employer()
    const slow = await board.job(employer)
    await change(employer, slow.id, 104, HOUR_MS / 4)
    await makeWebhook(board, employer, { events: ['job.updated'] })
    const waiting = await board.job(employer)
    await change(employer, waiting.id, 102, 1_000)
    const late = [...(await updatesOf(waiting.id))].slice(2).map((event) => event.id)
    await board.database.inTx((tx) =>
      sql`update webhook_delivery set state = 'delivered', due_at = null where event_id = any(${late}::text[])`.execute(
        tx,
      ),
    )
    board.clock.advance(26 * HOUR_MS)
    await runTask(board, 'superseded-events')
    expect(await updatesOf(slow.id)).toHaveLength(104)
    expect(await updatesOf(waiting.id)).toHaveLength(102)
  })
})
