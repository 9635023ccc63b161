import { expect, test } from 'vitest'
import { apply } from '../support/applications.ts'
import { type Account, ADMIN_KEY, expectStatus } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { REPORTS, report, uphold } from '../support/reports.ts'

describeOperation('upholdReport', ({ board, status }) => {
  const pathOf = (id: string) => `${REPORTS}/${id}/uphold`
  /** Creates a removed job and returns it with its employer. */
  const removed = async (overrides = {}) => {
    const employer = await board.employer()
    const job = await board.activeJob(employer, overrides)
    await uphold(board, await report(board, { jobId: job.id }))
    return { employer, job }
  }
  const expectRemoved = async (employer: Account, path: string, body: object = {}) => {
    const answer = await board.post(path, employer.key, body)
    expect([answer.status, answer.body.code]).toEqual([409, 'job_removed'])
    expect(answer.body).toMatchObject({
      detail: 'The operator removed this job: It is not a job',
      reason: 'It is not a job',
      removed_at: expect.any(String),
    })
  }

  status(200, () => {
    test('hides the job from everyone except its employer and admins', async () => {
      const reader = await board.candidate()
      const employer = await board.employer()
      const job = await board.activeJob(employer, { title: 'Quicksilver' })
      await board.post(`/v1/candidates/jobs/${job.id}/save`, reader.key)
      const made = await report(board, { jobId: job.id })
      board.clock.advance(1_000)
      const answer = await board.post(pathOf(made.id), ADMIN_KEY, { reason: 'It asks for money.' })
      const decided_at = board.clock.now().toISOString()
      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject({ status: 'upheld', note: 'It asks for money.', decided_at })
      expect((await board.get('/v1/jobs?search=quicksilver', reader.key)).body.data).toEqual([])
      expect((await board.get('/v1/candidates/jobs/saved', reader.key)).body.data).toEqual([])
      expect((await board.get(`/v1/employers/${employer.id}`, reader.key)).body.data.open_positions).toBe(0)
      for (const { key } of [reader, await board.employer(), await board.integrator()]) {
        expect((await board.get(`/v1/jobs/${job.id}`, key)).status).toBe(404)
      }
      for (const key of [employer.key, ADMIN_KEY]) {
        expect((await board.get(`/v1/jobs/${job.id}`, key)).body.data.is_active).toBe(false)
      }
      const own = (await board.get('/v1/employers/jobs?state=closed', employer.key)).body.data
      expect(own).toMatchObject([{ id: job.id, is_active: false }])
      const application = { cover_letter: 'Me' }
      expect((await board.post(`/v1/candidates/jobs/${job.id}/apply`, reader.key, application)).status).toBe(404)
      expect((await board.put(`/v1/jobs/${job.id}`, (await board.employer()).key, {})).status).toBe(404)
    })

    test('writes the same job.updated event as closing, and reports to mirrors that the job left the board', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      const made = await report(board, { jobId: id })
      const since = board.clock.now().toISOString()
      board.clock.advance(1_000)
      await uphold(board, made)
      const { data } = (await board.get(`/v1/employers/jobs`, employer.key)).body
      const { application_count: _, source: __, ...form } = data[0]
      expect((await board.events('job.updated')).at(-1)).toMatchObject({
        created_at: board.clock.now().toISOString(),
        data: { job: form, changed_fields: ['is_active'], previous: { is_active: true } },
      })
      const changes = await board.get(`/v1/jobs?updated_since=${since}&include_deleted=true&limit=100`, ADMIN_KEY)
      expect(changes.body.data).toContainEqual({ id, deleted_at: board.clock.now().toISOString() })
    })

    test('upholds all open reports about the job, but no decided reports and no reports about other jobs', async () => {
      const { id: jobId } = await board.activeJob(await board.employer())
      const before = await report(board, { jobId })
      await board.post(`${REPORTS}/${before.id}/dismiss`, ADMIN_KEY)
      const [one, two, other] = [await report(board, { jobId }), await report(board, { jobId }), await report(board)]
      await uphold(board, two)
      const statusOf = async ({ id }: { id: string }) =>
        (await board.get(`${REPORTS}/${id}`, ADMIN_KEY)).body.data.status
      expect(await Promise.all([before, one, two, other].map(statusOf))).toEqual([
        ...['dismissed', 'upheld', 'upheld', 'open'],
      ])
    })

    test('prevents the employer and admins from reactivating the job without a restore', async () => {
      const { employer, job } = await removed()
      await expectRemoved(employer, `/v1/jobs/${job.id}/reopen`)
      await expectRemoved(employer, `/v1/jobs/${job.id}/activate`)
      await expectRemoved(await board.account('admin'), `/v1/jobs/${job.id}/reopen`)
      await expectRemoved(employer, '/v1/employers/payments', { job_id: job.id, products: ['job-post'] })
      // The employer may still edit the removed job.
      const mended = await board.put(`/v1/jobs/${job.id}`, employer.key, { title: 'Mended' })
      expect([mended.status, mended.body.data.is_active]).toEqual([200, false])
    })

    test('applies to closed and expired jobs, even if the employer has paid or changes the expiry', async () => {
      const employer = await board.employer()
      const closed = await board.activeJob(employer)
      await board.post(`/v1/jobs/${closed.id}/close`, employer.key)
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const expired = await board.activeJob(employer, { expires_at })
      const reports = [await report(board, { jobId: closed.id }), await report(board, { jobId: expired.id })]
      await board.pay(employer, expired.id, ['urgent'])
      board.clock.advance(1_000)
      for (const made of reports) await uphold(board, made)
      await expectRemoved(employer, `/v1/jobs/${closed.id}/reopen`)
      await expectRemoved(employer, `/v1/jobs/${expired.id}/activate`)
      const later = new Date(board.clock.time + 86_400_000).toISOString()
      expectStatus(await board.put(`/v1/jobs/${expired.id}`, employer.key, { expires_at: later }), 200)
      await expectRemoved(employer, `/v1/jobs/${expired.id}/activate`)
      expect((await board.get('/v1/jobs', employer.key)).body.data.map(({ id }: { id: string }) => id)).not.toContain(
        expired.id,
      )
    })

    test('keeps applications for the employer and the candidate', async () => {
      const employer = await board.employer()
      const job = await board.activeJob(employer)
      const candidate = await board.candidate()
      const { id } = await apply(board, candidate, job.id)
      await uphold(board, await report(board, { jobId: job.id }))
      expect((await board.get(`/v1/candidates/applications/${id}`, candidate.key)).status).toBe(200)
      expect((await board.get(`/v1/employers/applications/${id}`, employer.key)).status).toBe(200)
    })

    test('decides reports about a deleted job without removing anything', async () => {
      const employer = await board.employer()
      const { id: jobId } = await board.activeJob(employer)
      const made = await report(board, { jobId })
      await board.delete(`/v1/jobs/${jobId}`, employer.key)
      expect(await uphold(board, made)).toMatchObject({ status: 'upheld', job: { removed_at: null } })
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'upholdReport')

    test("accepts only one of ten simultaneous decisions, and refuses the others with the report's state", async () => {
      const made = await report(board)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          n % 2
            ? board.post(pathOf(made.id), ADMIN_KEY, { reason: 'No' })
            : board.post(`${REPORTS}/${made.id}/dismiss`, ADMIN_KEY),
        ),
      )
      const done = answers.filter((answer) => answer.status === 200)
      expect(done).toHaveLength(1)
      const { status: state } = done[0]!.body.data
      for (const answer of answers.filter((answer) => answer !== done[0])) {
        expect(answer.status).toBe(409)
        expect(answer.body).toMatchObject({ code: 'invalid_transition', state, allowed: [] })
      }
      const again = await board.post(pathOf(made.id), ADMIN_KEY, { reason: 'Again' })
      expect([again.status, again.body.state]).toEqual([409, state])
    })
  })

  status(422, () => {
    test.each([
      [{}, '#/reason required'],
      [{ reason: ' ' }, '#/reason too_short'],
      [{ reason: null }, '#/reason invalid_type'],
      [{ reason: 'x'.repeat(501) }, '#/reason too_long'],
    ])('refuses %j, and decides nothing', async (body, fault) => {
      const { id } = await report(board)
      const answer = await board.post(pathOf(id), ADMIN_KEY, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
      expect((await board.get(`${REPORTS}/${id}`, ADMIN_KEY)).body.data.status).toBe('open')
    })
  })
})
