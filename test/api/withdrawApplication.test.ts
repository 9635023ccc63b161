import { expect, test } from 'vitest'
import { applicationCount, mails, setStatus, world } from '../support/applications.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('withdrawApplication', ({ board, status }) => {
  const path = (id: string) => `/v1/candidates/applications/${id}/withdraw`

  status(200, () => {
    test('keeps the status, sets withdrawn_at and decrements application_count', async () => {
      const { application, candidate, employer, job } = await world(board)
      await setStatus(board, employer, application.id, 'contacted')
      expect(await applicationCount(board, employer, job.id)).toBe(1)
      const before = (await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)).body.data
      board.clock.advance(1_000)
      const answer = await board.post(path(application.id), candidate.key, { reason: 'Found another' })
      const now = board.clock.now().toISOString()
      expect([answer.status, answer.body]).toEqual([200, { data: { ...before, withdrawn_at: now, updated_at: now } }])
      expect(answer.body.data.status).toBe('contacted')
      expect(await applicationCount(board, employer, job.id)).toBe(0)
      const seen = (await board.get(`/v1/employers/applications/${application.id}`, employer.key)).body.data
      expect(seen).toMatchObject({ status: 'contacted', withdrawn_at: now })
    })

    test('writes application.withdrawn and emails the employer once, even if the request is repeated', async () => {
      const { application, candidate, employer, job } = await world(board)
      board.clock.advance(1_000)
      const first = await board.post(path(application.id), candidate.key)
      const told = await board.events('application.withdrawn')
      const { name, email } = (await board.get(`/v1/employers/applications/${application.id}`, employer.key)).body.data
        .candidate
      expect(told.at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'application.withdrawn',
        created_at: board.clock.now().toISOString(),
        data: {
          application: {
            id: application.id,
            job: { id: job.id, title: job.title, company: job.company },
            candidate: { id: candidate.id, name, email },
            status: 'pending',
            applied_at: application.applied_at,
            withdrawn_at: board.clock.now().toISOString(),
          },
        },
      })
      board.clock.advance(1_000)
      const again = await board.post(path(application.id), candidate.key, { reason: 'Again' })
      expect([again.status, again.body]).toEqual([200, first.body])
      expect((await board.events('application.withdrawn')).length).toBe(told.length)
      expect(await applicationCount(board, employer, job.id)).toBe(0)
      const rows = await board.database.read((db) =>
        db.selectFrom('event').selectAll().where('subject_id', '=', application.id).execute(),
      )
      for (const row of rows) expect(row).toMatchObject({ employer_id: employer.id, candidate_id: candidate.id })
      expect((await mails(board, application.id)).map(({ kind }) => kind)).toEqual([
        'application-received',
        'application-sent',
        'application-withdrawn',
      ])
    })

    test('accepts a reason, an empty object, a null reason, an empty body and no body', async () => {
      for (const body of [{ reason: 'x'.repeat(2_000) }, {}, { reason: null }, '', undefined]) {
        const { application, candidate } = await world(board)
        expect((await board.post(path(application.id), candidate.key, body)).status).toBe(200)
      }
    })

    test.each(['close', 'delete'])('withdraws an application after the job left the board (%s)', async (how) => {
      const { application, candidate, employer, job } = await world(board)
      if (how === 'delete') await board.delete(`/v1/jobs/${job.id}`, employer.key)
      else await board.post(`/v1/jobs/${job.id}/close`, employer.key)
      expect((await board.post(path(application.id), candidate.key)).status).toBe(200)
    })
  })

  status(409, () => {
    test.each(['rejected', 'hired'])('refuses an application that is %s', async (reached) => {
      const { application, candidate, employer, job } = await world(board)
      await setStatus(board, employer, application.id, reached)
      const answer = await board.post(path(application.id), candidate.key)
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({ code: 'invalid_transition', state: reached, allowed: [] })
      expect(await applicationCount(board, employer, job.id)).toBe(1)
    })
  })

  status(422, () => {
    test.each([
      [7, '#/reason invalid_type'],
      ['  ', '#/reason too_short'],
      ['x'.repeat(2_001), '#/reason too_long'],
    ])('refuses the reason %j', async (reason, fault) => {
      const { application, candidate } = await world(board)
      const answer = await board.post(path(application.id), candidate.key, { reason })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })
  })
})
