import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { ALERTS, alertBody } from '../support/alerts.ts'
import { apply } from '../support/applications.ts'
import { type Account, ADMIN_KEY, type Answer, Board, expectStatus, jobBody, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { pdf } from '../support/documents.ts'
import { holdTransactions, isReplay, posts, replayOf, sendWith } from '../support/posts.ts'
import { formOf, RESUME } from '../support/resumes.ts'
import { runTask } from '../support/tasks.ts'
import { makeWebhook, WEBHOOKS } from '../support/webhooks.ts'
import { wholeDatabase } from '../support/whole-database.ts'

const DAY_MS = 86_400_000
const board = useBoard()
let employer: Account
beforeAll(async () => {
  employer = await board.employer()
})

const newJob = (overrides = {}) => ({ path: '/v1/jobs', key: employer.key, body: jobBody(overrides) })
const countOf = async (table: 'job' | 'account' | 'resume' | 'application' | 'idempotent_answer') =>
  (await board.database.read((db) => db.selectFrom(table).select('id').execute())).length

describe('an idempotency key', () => {
  test.each([
    ['one character', 'x'],
    ['255 characters', 'k'.repeat(255)],
    ['a UUID in quotes', `"${randomUUID()}"`],
    ['text with an escaped quote', '"a \\"b\\" \\\\c"'],
    ['punctuation', "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"],
  ])('may be %s', async (_what, key) => {
    const first = expectStatus(await sendWith(board, key, newJob()), 201)
    const again = await sendWith(board, key, newJob())
    expect([again.text, isReplay(again)]).toEqual([first.text, true])
  })

  test('has the same meaning with and without quotes', async () => {
    const key = randomUUID()
    const first = await sendWith(board, key, newJob())
    expect((await sendWith(board, `"${key}"`, newJob())).text).toBe(first.text)
  })

  test.each([
    ['empty', ''],
    ['empty quoted text', '""'],
    ['256 characters', 'k'.repeat(256)],
    ['256 characters in quotes', `"${'k'.repeat(256)}"`],
    ['a space', 'a b'],
    ['two keys', 'a, b'],
    ['one quote', '"a'],
    ['a parameter', '"a";b=1'],
    ['a non-ASCII letter', 'schl\xfcssel'],
    ['an unnecessary escape', '"\\a"'],
  ])('is refused: %s', async (_what, key) => {
    const jobs = await countOf('job')
    const answer = await sendWith(board, key, newJob())
    expect([answer.status, answer.body.code]).toEqual([400, 'bad_request'])
    expect(answer.body.detail).toContain('Idempotency-Key')
    expect(await countOf('job')).toBe(jobs)
  })

  test('reveals nothing that the caller may not see, even if invalid', async () => {
    const { id } = await board.job(employer)
    const other = await board.employer()
    const request = { path: `/v1/jobs/${id}/activate`, key: other.key, body: {} }
    expect((await sendWith(board, '', request)).status).toBe(404)
    expect((await sendWith(board, '', { ...request, key: 'x' })).status).toBe(401)
  })

  test('belongs to one account: two accounts may use the same key', async () => {
    const other = await board.employer()
    const key = randomUUID()
    const [one, two] = [
      await sendWith(board, key, newJob()),
      await sendWith(board, key, { ...newJob(), key: other.key }),
    ]
    expect([one.status, two.status, isReplay(two)]).toEqual([201, 201, false])
    expect([one.body.data.employer_id, two.body.data.employer_id]).toEqual([employer.id, other.id])
  })

  test('is shared by all API keys of the account, but a secret is replayed only to the API key that requested it', async () => {
    const further = await board.keyWith(employer, ['jobs:write', 'profile:write'])
    const key = randomUUID()
    const first = await sendWith(board, key, newJob())
    const again = await sendWith(board, key, { ...newJob(), key: further })
    expect([again.text, isReplay(again)]).toEqual([first.text, true])

    const request = { path: '/v1/api-keys', key: employer.key, body: { name: 'Strong' } }
    const made = expectStatus(await sendWith(board, key.replace(/^./, 'x'), request), 201)
    expect(isReplay(await sendWith(board, key.replace(/^./, 'x'), request))).toBe(true)
    const weaker = await sendWith(board, key.replace(/^./, 'x'), { ...request, key: further })
    expect([weaker.status, weaker.body.code]).toEqual([422, 'idempotency_key_reuse'])
    expect(weaker.text).not.toContain(made.body.data.key)
  })

  test('belongs to the email address of an open registration', async () => {
    const request = await posts.registerCandidate!(board)
    const key = randomUUID()
    const first = expectStatus(await sendWith(board, key, request), 201)
    const replay = await sendWith(board, key, request)
    expect([replay.status, isReplay(replay)]).toEqual([201, true])
    // The replay omits the secret, because anyone could repeat the request with a guessed key.
    expect(replay.body.data).toEqual({ ...first.body.data, api_key: null })
    const other = await sendWith(board, key, await posts.registerCandidate!(board))
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reuse'])
    // The admin is a different caller.
    const operator = await sendWith(board, key, { ...request, key: ADMIN_KEY })
    expect([operator.status, operator.body.code]).toEqual([409, 'email_taken'])
    expect((await board.get('/v1/me', first.body.data.api_key)).status).toBe(200)
  })

  test("shows the API key from an admin's registration again only to the same admin key", async () => {
    const { path, body } = await posts.registerEmployer!(board)
    const key = randomUUID()
    const first = expectStatus(await sendWith(board, key, { path, body, key: ADMIN_KEY }), 201)
    expect((await sendWith(board, key, { path, body, key: ADMIN_KEY })).text).toBe(first.text)
    const further = await board.keyWith({ id: '', key: ADMIN_KEY }, ['profile:write'])
    const other = await sendWith(board, key, { path, body, key: further })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reuse'])
  })

  test('shows the API key from an open registration once, even to simultaneous requests', async () => {
    const request = await posts.registerEmployer!(board)
    const key = randomUUID()
    const answers = await Promise.all([1, 2, 3, 4].map(() => sendWith(board, key, request)))
    const keys = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.api_key)
    expect(keys.filter((shown) => shown !== null)).toHaveLength(1)
  })

  test('has no effect on PUT', async () => {
    const { id } = await board.job(employer)
    const headers = { 'idempotency-key': 'a b' }
    const put = (title: string) => board.call('PUT', `/v1/jobs/${id}`, { key: employer.key, body: { title }, headers })
    expect([(await put('One')).body.data.title, (await put('Two')).body.data.title]).toEqual(['One', 'Two'])
  })
})

describe('another request with the same key', () => {
  test.each([
    ['another value', { title: 'Another' }],
    ['an additional member', { benefits: [] }],
    ['a space at the end', { title: 'Battery engineer ' }],
  ])('is refused: %s', async (_what, overrides) => {
    const key = randomUUID()
    expectStatus(await sendWith(board, key, newJob()), 201)
    const jobs = await countOf('job')
    const answer = await sendWith(board, key, newJob(overrides))
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reuse'])
    expect(await countOf('job')).toBe(jobs)
  })

  test('is refused if its path differs', async () => {
    const [one, two] = [await board.activeJob(employer), await board.activeJob(employer)]
    const key = randomUUID()
    const close = (id: string, action: string) =>
      sendWith(board, key, { path: `/v1/jobs/${id}/${action}`, key: employer.key, body: {} })
    expectStatus(await close(one.id, 'close'), 200)
    expect([(await close(two.id, 'close')).status, (await close(one.id, 'reopen')).status]).toEqual([422, 422])
    expect((await board.get(`/v1/jobs/${two.id}`, employer.key)).body.data.is_active).toBe(true)
  })

  test('is a repetition if only white space differs, or if one body is an empty object and the other is absent', async () => {
    const key = randomUUID()
    const headers = { 'idempotency-key': key }
    await board.call('POST', '/v1/jobs', { key: employer.key, headers, body: JSON.stringify(jobBody()) })
    const spaced = JSON.stringify(jobBody(), null, 2)
    expect(isReplay(await board.call('POST', '/v1/jobs', { key: employer.key, headers, body: spaced }))).toBe(true)

    const { path } = await posts.activateJob!(board)
    const owner = { key: ADMIN_KEY, headers: { 'idempotency-key': randomUUID() } }
    expect((await board.call('POST', path, owner)).status).toBe(200)
    expect(isReplay(await board.call('POST', path, { ...owner, body: {} }))).toBe(true)
  })
})

describe('a refused request', () => {
  test('does not consume its key, so a corrected request may use the key', async () => {
    const key = randomUUID()
    expect((await sendWith(board, key, newJob({ title: '' }))).status).toBe(422)
    expect((await sendWith(board, key, newJob({ expires_at: '2020-01-01' }))).status).toBe(422)
    const mended = await sendWith(board, key, newJob())
    expect([mended.status, isReplay(mended)]).toEqual([201, false])
  })

  test('is evaluated again each time it is repeated', async () => {
    const { id } = await board.job(employer)
    const request = { path: `/v1/jobs/${id}/activate`, key: employer.key, body: {} }
    const key = randomUUID()
    for (let time = 0; time < 2; time++) {
      const unpaid = await sendWith(board, key, request)
      expect([unpaid.status, isReplay(unpaid)]).toEqual([402, false])
    }
    await board.pay(employer, id)
    expect((await sendWith(board, key, request)).status).toBe(200)
  })

  test('is rolled back completely if the refusal happens inside the transaction', async () => {
    const candidate = await board.candidate()
    const { id } = await board.activeJob(employer)
    await apply(board, candidate, id)
    const request = { path: `/v1/candidates/jobs/${id}/apply`, key: candidate.key, body: { cover_letter: 'Again.' } }
    const answers = await countOf('idempotent_answer')
    const answer = await sendWith(board, randomUUID(), request)
    expect([answer.status, answer.body.code]).toEqual([409, 'already_applied'])
    expect(answer.body.application_id).toMatch(/^app_/)
    expect(await countOf('idempotent_answer')).toBe(answers)
  })
})

describe('simultaneous requests', () => {
  test('with one key have one effect, and their successful responses are the same', async () => {
    const jobs = await countOf('job')
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendWith(board, key, newJob())))
    const good = answers.filter(({ status }) => status === 201)
    expect(new Set(good.map(({ text }) => text)).size).toBe(1)
    expect(good.filter((answer) => !isReplay(answer))).toHaveLength(1)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.filter(({ body }) => body.code !== 'idempotency_in_progress')).toEqual([])
    expect(await countOf('job')).toBe(jobs + 1)
  })

  test('create one application per candidate for the same job, and fail only with 409', async () => {
    const { id } = await board.activeJob(employer)
    const candidates = await Promise.all(Array.from({ length: 15 }, () => board.candidate()))
    const applied = await Promise.all(
      candidates.flatMap(({ key }) => {
        const request = { path: `/v1/candidates/jobs/${id}/apply`, key, body: { cover_letter: 'I build batteries.' } }
        const same = randomUUID()
        // The last request has another idempotency key, so it is a second application and not a repetition.
        return [same, same, randomUUID()].map((own) => sendWith(board, own, request))
      }),
    )
    expect(applied.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    const rows = await board.database.read((db) =>
      db.selectFrom('application').select('id').where('job_id', '=', id).execute(),
    )
    expect(rows).toHaveLength(15)
  })

  test('finish while their candidates are erased, and leave no stored responses', async () => {
    const { id } = await board.activeJob(employer)
    const candidates = await Promise.all(Array.from({ length: 8 }, () => board.candidate()))
    const answers = await Promise.all(
      candidates.flatMap(({ key }) => [
        sendWith(board, randomUUID(), {
          path: `/v1/candidates/jobs/${id}/apply`,
          key,
          body: { cover_letter: 'I build batteries.' },
        }),
        sendWith(board, randomUUID(), { path: ALERTS, key, body: alertBody() }),
        sendWith(board, randomUUID(), { path: '/v1/api-keys', key, body: { name: 'Further' } }),
        board.delete('/v1/candidates/profile', key),
        sendWith(board, randomUUID(), { path: `/v1/candidates/jobs/${id}/save`, key, body: {} }),
      ]),
    )
    expect(answers.map(({ status }) => status).filter((status) => ![201, 204, 401].includes(status))).toEqual([])
    const kept = await board.database.read((db) =>
      db
        .selectFrom('idempotent_answer')
        .select('account_id')
        .where(
          'account_id',
          'in',
          candidates.map((candidate) => candidate.id),
        )
        .execute(),
    )
    expect(kept).toEqual([])
  })

  test('with one key get the stored response if the first client disconnects before its response', async () => {
    const key = randomUUID()
    const held = holdTransactions(board)
    const gone = new AbortController()
    const first = fetch(`${board.address}/v1/jobs`, {
      method: 'POST',
      signal: gone.signal,
      headers: {
        authorization: `Bearer ${employer.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(jobBody()),
    })
    await held.arrived
    gone.abort()
    await expect(first).rejects.toThrow()
    held.release()
    // The request completes although its client has disconnected.
    const again = () => sendWith(board, key, newJob())
    await expect.poll(async () => (await again()).status).toBe(201)
    expect(isReplay(await again())).toBe(true)
  })
})

describe('repeated uploads', () => {
  const send = async (key: string, idempotencyKey: string, form: FormData) => {
    const encoded = new Response(form)
    const headers = { 'content-type': encoded.headers.get('content-type')!, 'idempotency-key': idempotencyKey }
    return board.call('POST', RESUME, { key, headers, body: Buffer.from(await encoded.arrayBuffer()) })
  }

  test('may differ in the form boundary, but not in the file, name or field', async () => {
    const { key } = await board.candidate()
    const same = randomUUID()
    const first = expectStatus(await send(key, same, formOf(pdf('One'))), 201)
    const again = await send(key, same, formOf(pdf('One')))
    expect([again.text, isReplay(again)]).toEqual([first.text, true])
    for (const other of [formOf(pdf('Two')), formOf(pdf('One'), 'other.pdf'), formOf(pdf('One'), 'cv.pdf', 'resume')]) {
      expect((await send(key, same, other)).body.code).toBe('idempotency_key_reuse')
    }
    expect((await board.get('/v1/candidates/resumes', key)).body.data).toHaveLength(1)
  })

  test('may not differ in the bytes or name of a raw file', async () => {
    const { key } = await board.candidate()
    const same = randomUUID()
    const put = (body: Uint8Array, name: string) =>
      board.call('POST', RESUME, {
        key,
        body,
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': `attachment; filename="${name}"`,
          'idempotency-key': same,
        },
      })
    expectStatus(await put(pdf('One'), 'cv.pdf'), 201)
    expect(isReplay(await put(pdf('One'), 'cv.pdf'))).toBe(true)
    expect([(await put(pdf('Two'), 'cv.pdf')).status, (await put(pdf('One'), 'b.pdf')).status]).toEqual([422, 422])
  })

  test('are replayed even when the account has reached its limit', async () => {
    const { key } = await board.candidate()
    const same = randomUUID()
    await send(key, same, formOf(pdf('First')))
    for (let n = 0; n < 9; n++) await send(key, randomUUID(), formOf(pdf(`Number ${n}`)))
    expect((await send(key, randomUUID(), formOf(pdf('Too many')))).body.code).toBe('limit_reached')
    expect(isReplay(await send(key, same, formOf(pdf('First'))))).toBe(true)
  })
})

describe('stored responses', () => {
  test('are replayed unchanged after the resource was deleted', async () => {
    const key = randomUUID()
    const { id } = await makeWebhook(board, employer)
    const request = { path: `${WEBHOOKS}/${id}/test`, key: employer.key, body: {} }
    const first = expectStatus(await sendWith(board, key, request), 200)
    expectStatus(await board.delete(`${WEBHOOKS}/${id}`, employer.key), 204)
    const sent = board.receiver.sent.length
    expect((await sendWith(board, key, request)).text).toBe(first.text)
    expect(board.receiver.sent).toHaveLength(sent)
  })

  test('reveal no secret and no personal data to readers of the database', async () => {
    const candidate = { first_name: 'Wilhelmina', last_name: 'Once-Kept', email: 'wilhelmina@kept.example' }
    const key = randomUUID()
    const registered = await sendWith(board, key, { path: '/v1/candidates', body: candidate })
    const made = await sendWith(board, key, await posts.createApiKey!(board))
    const webhook = await sendWith(board, key, await posts.createWebhook!(board))
    const stored = await board.database.read((db) => db.selectFrom('idempotent_answer').selectAll().execute())
    expect(stored.length).toBeGreaterThan(2)
    const texts = JSON.stringify(stored)
    const { api_key } = registered.body.data
    for (const secret of [key, api_key, made.body.data.key, webhook.body.data.secret, 'Once-Kept', 'kept.example']) {
      expect(texts).not.toContain(secret)
    }
    expect(await wholeDatabase(board.database)).not.toContain(api_key)
  })

  test('are deleted when the person is erased, including those of the registration', async () => {
    const request = await posts.registerCandidate!(board)
    const key = randomUUID()
    const { id, api_key } = (await sendWith(board, key, request)).body.data
    await sendWith(board, key, { path: '/v1/api-keys', key: api_key, body: { name: 'Further' } })
    const rows = () =>
      board.database.read((db) =>
        db.selectFrom('idempotent_answer').select('id').where('account_id', '=', id).execute(),
      )
    expect(await rows()).toHaveLength(2)
    expectStatus(await board.delete('/v1/candidates/profile', api_key), 204)
    expect(await rows()).toEqual([])
    const anew = await sendWith(board, key, request)
    expect([anew.status, anew.body.data.id === id, isReplay(anew)]).toEqual([201, false, false])
  })

  test('are kept for a day and then deleted', async () => {
    const key = randomUUID()
    const first = await sendWith(board, key, newJob())
    board.clock.advance(DAY_MS - 1)
    await runTask(board, 'idempotent-answers')
    expect((await sendWith(board, key, newJob())).text).toBe(first.text)
    board.clock.advance(1)
    const next = await sendWith(board, key, newJob())
    expect([next.status, isReplay(next), next.body.data.id === first.body.data.id]).toEqual([201, false, false])
    expect((await sendWith(board, key, newJob())).text).toBe(next.text)
    await runTask(board, 'idempotent-answers')
    expect(await countOf('idempotent_answer')).toBe(1)
    board.clock.advance(DAY_MS)
    await runTask(board, 'idempotent-answers')
    expect(await countOf('idempotent_answer')).toBe(0)
  })

  test('cause a 409 if no key can decrypt them, and the request is not executed again', async () => {
    const key = randomUUID()
    await sendWith(board, key, newJob())
    await board.database.inTx((tx) => tx.updateTable('idempotent_answer').set({ answer_sealed: 'v1.x' }).execute())
    const jobs = await countOf('job')
    const answer = await sendWith(board, key, newJob())
    expect([answer.status, answer.body.code, await countOf('job')]).toEqual([409, 'conflict', jobs])
  })
})

describe.runIf(isOnPostgres)('two processes', () => {
  const second = new Board()
  beforeAll(async () => {
    second.database = await openDatabase({ url: board.database.url!, poolSize: 8 })
    second.clock.time = board.clock.time
    await second.start()
  })
  afterAll(() => second.stop())

  /** Runs `during` while a transaction holds the locks that the statement `lock` takes. */
  const whileLocked = <T>(lock: string, during: () => Promise<T>): Promise<T> =>
    board.database.inTx(async (tx) => {
      await sql.raw(lock).execute(tx)
      return during()
    })
  /** Returns the number of requests that hold the lock on their idempotency key. */
  const countClaims = async () => {
    const { rows } = await second.database.read((db) =>
      sql<{ count: number }>`
        select count(*) as count from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
        db,
      ),
    )
    return rows[0]!.count
  }

  test('share idempotency keys: a request gets 409 while another process runs it, and the stored response afterwards', async () => {
    const candidate = await board.candidate()
    const request = { ...(await posts.createJobAlert!(board)), key: candidate.key }
    const key = randomUUID()
    let first: Promise<Answer> | undefined
    const refused = await whileLocked(`select id from candidate where id = '${candidate.id}' for update`, async () => {
      first = sendWith(board, key, request)
      await expect.poll(countClaims).toBe(1)
      return sendWith(second, key, request)
    })
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_in_progress'])
    const done = await first!
    expect([done.status, isReplay(done)]).toEqual([201, false])
    const again = await sendWith(second, key, request)
    expect([again.text, isReplay(again)]).toEqual([done.text, true])
    expect((await board.get(request.path, candidate.key)).body.data).toHaveLength(1)
  })

  test.each(['createJob', 'registerCandidate'])(
    'return the response of the faster process, and undo the work of the slower process: %s',
    async (operationId) => {
      const request = await posts[operationId]!(board)
      const key = randomUUID()
      const held = holdTransactions(second)
      const slower = sendWith(second, key, request)
      await held.arrived
      // The slower request has looked up its idempotency key and found nothing.
      const faster = expectStatus(await sendWith(board, key, request), 201)
      const before = [await countOf('job'), await countOf('account')]
      held.release()
      const answer = await slower
      expect([answer.status, answer.text, isReplay(answer)]).toEqual([201, replayOf(faster.text), true])
      expect([await countOf('job'), await countOf('account')]).toEqual(before)
    },
  )

  test('together execute simultaneous requests with one key only once', async () => {
    for (let round = 0; round < 10; round++) {
      const jobs = await countOf('job')
      const key = randomUUID()
      const answers = await Promise.all([board, second, board, second].map((one) => sendWith(one, key, newJob())))
      expect(await countOf('job')).toBe(jobs + 1)
      const good = answers.filter(({ status }) => status === 201)
      expect(new Set(good.map(({ text }) => text)).size).toBe(1)
      expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    }
  })

  test('do not read stored responses for requests without a key', async () => {
    const job = await whileLocked('lock table idempotent_answer in access exclusive mode', () =>
      board.post('/v1/jobs', employer.key, jobBody()),
    )
    expect(job.status).toBe(201)
  })
})
