import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getAccount', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/accounts/${id}`
  const request = async () => ({ method: 'GET', path: pathOf((await board.employer()).id) })
  const none = {
    jobs_inactive: 0,
    jobs_active: 0,
    jobs_expired: 0,
    jobs_closed: 0,
    payments: 0,
    applications_received: 0,
    applications: 0,
    resumes: 0,
    saved_jobs: 0,
    job_alerts: 0,
    webhooks: 0,
  }

  status(200, () => {
    test('returns an account with its keys, resource counts and budgets, but without the secrets of the keys', async () => {
      const employer = await board.employer({ name: 'Counted Cars', email: 'hello@counted.example' })
      const created_at = board.clock.now().toISOString()
      await board.job(employer)
      await board.activeJob(employer)
      const closed = await board.activeJob(employer)
      expectStatus(await board.post(`/v1/jobs/${closed.id}/close`, employer.key), 200)
      const short = await board.activeJob(employer, { expires_at: new Date(board.clock.time + 1_000).toISOString() })
      const deleted = await board.job(employer)
      expectStatus(await board.delete(`/v1/jobs/${deleted.id}`, employer.key), 204)
      board.clock.advance(1_000)
      const answer = await board.get(pathOf(employer.id), ADMIN_KEY)
      expect(short.is_active).toBe(true)
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          data: {
            id: employer.id,
            kind: 'employer',
            name: 'Counted Cars',
            email: 'hello@counted.example',
            created_at,
            suspended_at: null,
            api_keys: [expect.objectContaining({ name: 'First key', kind: 'employer', last4: employer.key.slice(-4) })],
            holdings: { ...none, jobs_inactive: 1, jobs_active: 1, jobs_closed: 1, jobs_expired: 1, payments: 3 },
            budgets: ['search-time', 'storage', 'storage-burst', 'responses', 'emails', 'extraction-time'].map((name) =>
              expect.objectContaining({ name, used: expect.any(Number), quota: expect.any(Number) }),
            ),
          },
        },
      ])
      expect(answer.text).not.toContain(employer.key.slice(8))
    })

    test('returns candidate and admin accounts', async () => {
      const { id } = await board.candidate()
      expect((await board.get(pathOf(id), ADMIN_KEY)).body.data).toMatchObject({ kind: 'candidate', holdings: none })
      const { data } = (await board.get(pathOf('adm_00000000000000000000000000'), ADMIN_KEY)).body
      expect(data).toMatchObject({ kind: 'admin', email: null, api_keys: [] })
    })
  })

  status(304, () => answersNotModified(board, 'admin', request))
})
