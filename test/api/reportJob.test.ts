import { beforeAll, expect, test } from 'vitest'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { REPORTS, report, uphold } from '../support/reports.ts'

describeOperation('reportJob', ({ board, status }) => {
  let owner: Account
  beforeAll(async () => {
    owner = await board.employer()
  })
  const pathOf = (id: string) => `/v1/jobs/${id}/reports`
  const send = (id: string, key: string, body: unknown = { reason: 'spam' }) => board.post(pathOf(id), key, body)
  const reportsOf = async (id: string) => (await board.get(`${REPORTS}?job_id=${id}`, ADMIN_KEY)).body.data

  status(201, () => {
    test('returns the report and shows it to admins', async () => {
      const { id } = await board.activeJob(owner, { title: 'Quick money' })
      const candidate = await board.candidate()
      const answer = await send(id, candidate.key, { reason: 'fraud', message: '  They want my bank card.  ' })
      const { data } = answer.body
      expect(answer.status).toBe(201)
      expect(answer.headers.get('location')).toBe(`${REPORTS}/${data.id}`)
      expect(data).toEqual({
        id: expect.stringMatching(/^rep_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        job_id: id,
        reason: 'fraud',
        message: 'They want my bank card.',
        status: 'open',
        created_at: board.clock.now().toISOString(),
      })
      expect(await reportsOf(id)).toEqual([
        {
          ...data,
          job: { title: 'Quick money', company: expect.any(String), employer_id: owner.id, removed_at: null },
          reporter_id: candidate.id,
          note: null,
          decided_at: null,
          decided_by: null,
        },
      ])
    })

    test.each(['candidate', 'employer', 'integrator', 'admin'] as const)(
      'lets %s accounts report a job',
      async (kind) => {
        const { id } = await board.activeJob(owner)
        expect((await send(id, (await board.account(kind)).key)).status).toBe(201)
      },
    )

    test('neither changes the job nor writes an event', async () => {
      const { id } = await board.activeJob(owner)
      const { key } = await board.candidate()
      const [job, events] = [(await board.get(`/v1/jobs/${id}`, key)).text, (await board.events()).length]
      expect((await send(id, key)).status).toBe(201)
      expect((await board.get(`/v1/jobs/${id}`, key)).text).toBe(job)
      expect((await board.events()).length).toBe(events)
    })

    test('accepts a closed job, and every reason', async () => {
      const { id } = await board.activeJob(owner)
      await board.post(`/v1/jobs/${id}/close`, owner.key)
      for (const body of [
        ...['spam', 'fraud', 'discrimination', 'expired', 'wrong_information'].map((reason) => ({ reason })),
        { reason: 'expired', message: null },
        { reason: 'other', message: 'x'.repeat(2_000) },
      ]) {
        expect((await send(id, (await board.candidate()).key, body)).status).toBe(201)
      }
      expect(await reportsOf(id)).toHaveLength(7)
    })

    test('accepts another report by the same account after a decision about the first', async () => {
      const by = await board.candidate()
      const { id, job_id } = await report(board, { by })
      await board.post(`${REPORTS}/${id}/dismiss`, ADMIN_KEY)
      expect((await send(job_id, by.key)).status).toBe(201)
    })
  })

  status(404, () => {
    test('does not find an unknown, never activated, deleted or removed job, whatever the body', async () => {
      const draft = await board.job(owner)
      const deleted = await board.activeJob(owner)
      await board.delete(`/v1/jobs/${deleted.id}`, owner.key)
      const removed = await uphold(board, await report(board))
      const { key } = await board.candidate()
      for (const id of ['job_00000000000000000000000001', 'x', '%00', draft.id, deleted.id, removed.job_id]) {
        for (const body of [undefined, '{', { reason: 'other' }]) {
          const answer = await send(id, key, body)
          expect([answer.status, answer.body.code], id).toEqual([404, 'not_found'])
        }
      }
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'reportJob')

    test('accepts only one of ten simultaneous reports by one account, and a report by another account', async () => {
      const { id } = await board.activeJob(owner)
      const { key } = await board.candidate()
      const answers = await Promise.all(Array.from({ length: 10 }, () => send(id, key, { reason: 'fraud' })))
      const made = answers.filter((answer) => answer.status === 201)
      expect(made).toHaveLength(1)
      for (const refused of answers.filter((answer) => answer !== made[0])) {
        expect([refused.status, refused.body.code]).toEqual([409, 'already_reported'])
        expect(refused.body.report_id).toBe(made[0]!.body.data.id)
      }
      expect(await reportsOf(id)).toHaveLength(1)
      expect((await send(id, (await board.candidate()).key)).status).toBe(201)
    })
  })

  status(422, () => {
    test.each([
      [{}, ['#/reason required']],
      [{ reason: 'boring' }, ['#/reason not_allowed']],
      [{ reason: 'other' }, ['#/message required']],
      [{ reason: 'other', message: null }, ['#/message required']],
      [{ reason: 'other', message: '  ' }, ['#/message too_short']],
      [
        { reason: 7, message: 'x'.repeat(2_001) },
        ['#/reason invalid_type', '#/reason not_allowed', '#/message too_long'],
      ],
      [{ reason: 'spam', job_id: 'x' }, ['#/job_id unknown_field']],
    ])('refuses %j', async (body, faults) => {
      const { id } = await board.activeJob(owner)
      const answer = await send(id, (await board.candidate()).key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
      expect(await reportsOf(id)).toEqual([])
    })
  })
})
