/** Checks the effects of suspensions and of their end. Some tests use a second process on the same database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { apply } from '../support/applications.ts'
import { type Account, ADMIN_KEY, Board, expectStatus } from '../support/board.ts'
import { mailsIn, runAlerts } from '../support/mails.ts'
import { useMonotonic } from '../support/monotonic.ts'
import { describeOperation } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { openStream } from '../support/streams.ts'
import { runTask } from '../support/tasks.ts'
import { dispatch, makeWebhook } from '../support/webhooks.ts'

describeOperation('suspendAccount', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/accounts/${id}/suspend`
  const suspend = async ({ id }: { id: string }) =>
    expectStatus(await board.post(pathOf(id), ADMIN_KEY, { reason: 'Not a company' }), 200).body.data
  const resume = async ({ id }: { id: string }) =>
    expectStatus(await board.post(`/v1/admin/accounts/${id}/resume`, ADMIN_KEY, {}), 200).body.data

  status(200, () => {
    test('returns the account, and records the reason once', async () => {
      const employer = await board.employer()
      const account = await suspend(employer)
      expect(account).toMatchObject({ id: employer.id, suspended_at: board.clock.now().toISOString() })
      board.clock.advance(1_000)
      expect((await suspend(employer)).suspended_at).toBe(account.suspended_at)
      const actions = await board.database.read((db) =>
        db.selectFrom('operator_action').select(['action', 'note']).where('subject', '=', employer.id).execute(),
      )
      expect(actions).toEqual([{ action: 'account.suspend', note: 'Not a company' }])
    })

    test("refuses the account's keys and sessions until the account is resumed", async () => {
      for (const account of [await board.employer(), await board.candidate(), await board.integrator()]) {
        const inside = await visitor(board, account)
        await suspend(account)
        const answer = await board.get('/v1/me', account.key)
        expect([answer.status, answer.body.code]).toEqual([403, 'account_suspended'])
        expect((await inside.get('/account')).status).toBe(403)
        await resume(account)
        expect((await board.get('/v1/me', account.key)).status).toBe(200)
        expect((await inside.get('/account')).status).toBe(200)
      }
    })

    test('ends event streams, and refuses agents and publishable keys until the account is resumed', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      const body = { name: 'Website', kind: 'publishable' }
      const website = expectStatus(await board.post('/v1/api-keys', employer.key, body), 201).body.data.key
      const open = () =>
        openStream(board, { cookies: new Map() }, '/v1/events/stream', { authorization: `Bearer ${employer.key}` })
      const asked = async () => [
        (await searchAsAgent(board, employer.key, id)).status,
        (await board.get('/v1/jobs', website)).status,
        (await board.get('/v1/events', employer.key)).status,
      ]
      const stream = await open()
      while ((await stream.next()).type !== 'job.updated');
      const readAll = async () => {
        for (;;) await stream.next()
      }
      const ended = expect(readAll()).rejects.toThrow('The stream ended')
      await suspend(employer)
      await runTask(board, 'authorities')
      await ended
      await expect(open()).rejects.toThrow('403')
      expect(await asked()).toEqual([403, 403, 403])
      await resume(employer)
      expect(await asked()).toEqual([200, 200, 200])
      await (await open()).close()
    })

    test('lets the suspended person sign out', async () => {
      const candidate = await board.candidate()
      const inside = await visitor(board, candidate)
      await suspend(candidate)
      const page = await inside.get('/me')
      expect((await inside.submit(page, '/sign-out')).seen).toContain('You’re signed out.')
      expect((await inside.get('/me')).path).toContain('/sign-in')
    })

    describe('the suspension of an employer', () => {
      const monotonic = useMonotonic()
      const other = new Board()
      let reader: Account
      let alert: { id: string }
      beforeAll(async () => {
        other.database = board.database
        await other.start()
        reader = await board.candidate()
        alert = await makeAlert(board, reader, { criteria: { search: 'quagmire' } })
      })
      afterAll(() => other.service.app.close())

      /** Returns a company's public data from both processes, after the other process has seen the latest change. */
      const shown = async (word: string, employerId: string, jobId: string, since: string) => {
        monotonic.advance(2_000)
        const both = []
        for (const at of [board, other]) {
          at.clock.time = board.clock.time
          const get = async (path: string) => expectStatus(await at.get(path, reader.key), 200).body
          const list = await get(`/v1/jobs?search=${word}&facets=category`)
          const mirror = await get(`/v1/jobs?updated_since=${since}&include_deleted=true&limit=100`)
          const entry = mirror.data.find(({ id }: { id: string }) => id === jobId)
          const categories = (await get('/v1/jobs/categories')).data as { slug: string; job_count: number }[]
          const guest = await visitor(at)
          both.push({
            total: list.meta.pagination.total,
            facet: list.meta.facets.category.length,
            category: categories.find(({ slug }) => slug === word)?.job_count ?? 0,
            company: (await get(`/v1/employers?name=${word}`)).meta.pagination.total,
            mirror: entry === undefined ? 'none' : 'deleted_at' in entry ? 'tombstone' : 'job',
            sitemap: (await guest.get('/sitemaps/jobs-1.xml')).text.includes(jobId),
            feeds: await Promise.all(
              ['atom', 'rss', 'jsonl', 'xml', 'json'].map(async (type) =>
                (await guest.get(`/jobs.${type}`)).text.includes(jobId),
              ),
            ),
            agent: (await searchAsAgent(at, reader.key, word)).text.includes(jobId),
            matches: (await get(`${ALERTS}/${alert.id}/matches`)).data.length,
            pages: [
              (await at.get(`/v1/jobs/${jobId}`, reader.key)).status,
              (await guest.get(`/jobs/${jobId}`)).status,
              (await at.get(`/v1/employers/${employerId}`, reader.key)).status,
              (await guest.get(`/companies/${employerId}`)).status,
              (await guest.get(`/jobs/${jobId}.md`)).status,
            ],
          })
        }
        return both
      }
      const on = {
        ...{ total: 1, facet: 1, category: 1, company: 1, mirror: 'job', sitemap: true },
        ...{ feeds: Array(5).fill(true), pages: Array(5).fill(200), agent: true, matches: 1 },
      }
      const off = {
        ...{ total: 0, facet: 0, category: 0, company: 0, mirror: 'tombstone', sitemap: false },
        ...{ feeds: Array(5).fill(false), pages: Array(5).fill(404), agent: false, matches: 0 },
      }

      test("hides the employer's jobs and company from lists, pages and feeds in every process until the account is resumed", async () => {
        const since = board.clock.now().toISOString().slice(0, 10)
        const employer = await board.employer({ name: 'Quagmire' })
        const { id } = await board.activeJob(employer, { title: 'Quagmire hand', category: 'quagmire' })
        const ask = () => shown('quagmire', employer.id, id, since)
        expect(await ask()).toEqual([on, on])
        await suspend(employer)
        expect(await ask()).toEqual([off, off])
        // Admins still see the job.
        expect((await board.get(`/v1/jobs/${id}`, ADMIN_KEY)).body.data).toMatchObject({ id, is_active: false })
        await resume(employer)
        expect(await ask()).toEqual([on, on])
      })

      test('takes effect immediately in the process that served the request', async () => {
        const employer = await board.employer()
        await board.activeJob(employer, { title: 'Immediately' })
        const total = async () =>
          (await board.get('/v1/jobs?search=immediately', reader.key)).body.meta.pagination.total
        expect(await total()).toBe(1)
        await suspend(employer)
        expect(await total()).toBe(0)
        await resume(employer)
        expect(await total()).toBe(1)
      })

      test('writes job.updated when a job leaves the board and when it returns', async () => {
        const employer = await board.employer()
        const { id } = await board.activeJob(employer)
        await suspend(employer)
        await resume(employer)
        const told = (await board.events('job.updated')).filter(
          ({ data }) => (data as never as { job: Job }).job.id === id,
        )
        expect(told.slice(-2).map(({ data }) => (data as never as { job: Job }).job.is_active)).toEqual([false, true])
      })

      test('keeps jobs out of alerts, which announce them once the account is resumed', async () => {
        const candidate = await board.candidate({ email: 'patient@candidate.example' })
        await makeAlert(board, candidate, { criteria: { search: 'cooper' }, frequency: 'instant' })
        const employer = await board.employer()
        await board.activeJob(employer, { title: 'Wet cooper' })
        await board.activeJob(await board.employer(), { title: 'Dry cooper' })
        const told = async () => {
          await runAlerts(board)
          const sent = await mailsIn(board.config.dataDir)
          const texts = sent
            .filter(({ to }) => to?.[0]?.address === 'patient@candidate.example')
            .map(({ text }) => text!)
          return ['Wet cooper', 'Dry cooper'].map((title) => texts.filter((text) => text.includes(title)).length)
        }
        await suspend(employer)
        expect(await told()).toEqual([0, 1])
        await resume(employer)
        expect(await told()).toEqual([1, 1])
        expect(await told()).toEqual([1, 1])
      })

      test('prevents applications, saves and reports', async () => {
        const employer = await board.employer()
        const { id } = await board.activeJob(employer)
        await board.post(`/v1/candidates/jobs/${id}/save`, reader.key)
        await suspend(employer)
        const saved = async () => (await board.get('/v1/candidates/jobs/saved', reader.key)).body.data
        for (const [path, body] of [
          [`/v1/candidates/jobs/${id}/apply`, { cover_letter: 'Hello' }],
          [`/v1/candidates/jobs/${id}/save`, {}],
          [`/v1/jobs/${id}/reports`, { reason: 'spam' }],
        ] as const) {
          expect((await board.post(path, reader.key, body)).status, path).toBe(404)
        }
        expect(await saved()).toEqual([])
        await resume(employer)
        expect((await saved()).map(({ job_id }: { job_id: string }) => job_id)).toEqual([id])
        expect(
          (await board.post(`/v1/candidates/jobs/${id}/apply`, reader.key, { cover_letter: 'Hello' })).status,
        ).toBe(201)
      })

      test('succeeds and leaves no job active, even with a simultaneous application and activation', async () => {
        for (let round = 0; round < 5; round++) {
          const employer = await board.employer()
          const posted = await board.activeJob(employer)
          const paid = await board.job(employer)
          await board.pay(employer, paid.id)
          const candidate = await board.candidate()
          const [, applied, activated] = await Promise.all([
            suspend(employer),
            board.post(`/v1/candidates/jobs/${posted.id}/apply`, candidate.key, { cover_letter: 'Hello' }),
            other.post(`/v1/jobs/${paid.id}/activate`, ADMIN_KEY),
          ])
          expect([201, 404]).toContain(applied.status)
          expect([200, 403]).toContain(activated.status)
          const left = await board.database.read((db) =>
            db
              .selectFrom('job')
              .select('id')
              .where('employer_id', '=', employer.id)
              .where('state', '=', 'active')
              .execute(),
          )
          expect(left).toEqual([])
          await resume(employer)
        }
      })

      test("prevents admins from activating or reopening the employer's jobs", async () => {
        const employer = await board.employer()
        const { id } = await board.activeJob(employer)
        await suspend(employer)
        for (const way of ['activate', 'reopen']) {
          const answer = await board.post(`/v1/jobs/${id}/${way}`, ADMIN_KEY)
          expect([answer.status, answer.body.code]).toEqual([403, 'account_suspended'])
        }
      })

      test("pauses the employer's webhooks, which send their backlog after the suspension", async () => {
        const employer = await board.employer()
        const { url } = await makeWebhook(board, employer, { events: ['job.created', 'job.updated'] })
        const sent = () => board.receiver.sent.filter((one) => one.url === url).length
        await board.job(employer)
        await suspend(employer)
        await dispatch(board)
        board.clock.advance(60_000)
        await dispatch(board)
        expect(sent()).toBe(0)
        await resume(employer)
        await dispatch(board)
        expect(sent()).toBe(1)
      })
    })

    describe('the suspension of a candidate', () => {
      test('hides the profile from employers, even if they received an application', async () => {
        const employer = await board.employer()
        const { id: jobId } = await board.activeJob(employer)
        const candidate = await board.candidate({ last_name: 'Hiddenberg' })
        await board.put('/v1/candidates/profile', candidate.key, { is_searchable: true })
        const application = await apply(board, candidate, jobId)
        const seen = async (key: string) => [
          (await board.get('/v1/candidates?search=hiddenberg', key)).body.data.length,
          (await board.get(`/v1/candidates/${candidate.id}`, key)).status,
        ]
        expect(await seen(employer.key)).toEqual([1, 200])
        await suspend(candidate)
        expect(await seen(employer.key)).toEqual([0, 404])
        expect(await seen(ADMIN_KEY)).toEqual([1, 200])
        // Employers keep applications that they already received.
        expect((await board.get(`/v1/employers/applications/${application.id}`, employer.key)).status).toBe(200)
        await resume(candidate)
        expect(await seen(employer.key)).toEqual([1, 200])
      })

      test('pauses alerts until the account is resumed', async () => {
        const candidate = await board.candidate({ email: 'resting@candidate.example' })
        const other = await board.candidate({ email: 'awake@candidate.example' })
        for (const each of [candidate, other]) {
          for (const frequency of ['instant', 'daily']) {
            await makeAlert(board, each, { criteria: { search: 'beekeeper' }, frequency })
          }
        }
        const employer = await board.employer()
        await board.activeJob(employer, { title: 'Beekeeper' })
        await suspend(candidate)
        const mailsTo = async (address: string) =>
          (await mailsIn(board.config.dataDir)).filter((mail) => mail.to?.[0]?.address === address).length
        board.clock.advance(86_400_000)
        await runAlerts(board)
        expect([await mailsTo('resting@candidate.example'), await mailsTo('awake@candidate.example')]).toEqual([0, 2])
        await resume(candidate)
        await runAlerts(board)
        // This email comes from the daily alert. The instant alert matches only later jobs.
        expect(await mailsTo('resting@candidate.example')).toBe(1)
        expect((await board.get(ALERTS, candidate.key)).body.data).toHaveLength(2)
      })
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'suspendAccount')

    test("refuses the admin's own account", async () => {
      const answer = await board.post(pathOf('adm_00000000000000000000000000'), ADMIN_KEY, { reason: 'Away' })
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    })
  })

  status(422, () => {
    test('requires a reason of at most 500 characters', async () => {
      const { id } = await board.employer()
      for (const body of [{}, { reason: ' ' }, { reason: 'x'.repeat(501) }]) {
        expect((await board.post(pathOf(id), ADMIN_KEY, body)).status).toBe(422)
      }
    })
  })
})

/** Calls the MCP tool search_jobs, as an agent does. */
const searchAsAgent = (board: Board, key: string, search: string) =>
  board.call('POST', '/v1/mcp', {
    key,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_jobs', arguments: { search } } },
  })

interface Job {
  id: string
  is_active: boolean
}
