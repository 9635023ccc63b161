import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { REPORTS, report, uphold } from '../support/reports.ts'

describeOperation('dismissReport', ({ board, status }) => {
  const pathOf = (id: string) => `${REPORTS}/${id}/dismiss`

  status(200, () => {
    test('keeps the job, and dismisses all its open reports', async () => {
      const employer = await board.employer()
      const job = await board.activeJob(employer)
      const [one, two] = [await report(board, { jobId: job.id }), await report(board, { jobId: job.id })]
      const events = (await board.events()).length
      board.clock.advance(1_000)
      const answer = await board.post(pathOf(two.id), ADMIN_KEY, { note: 'It is a job.' })
      const decided = { status: 'dismissed', note: 'It is a job.', decided_at: board.clock.now().toISOString() }
      expect(answer.body.data).toMatchObject({ ...two, ...decided })
      expect((await board.get(`${REPORTS}/${one.id}`, ADMIN_KEY)).body.data).toMatchObject(decided)
      expect((await board.get(`/v1/jobs/${job.id}`, employer.key)).body.data.is_active).toBe(true)
      expect((await board.events()).length).toBe(events)
    })

    test('accepts an empty object, a null note, an empty body and no body', async () => {
      for (const body of [{}, { note: null }, '', undefined]) {
        const answer = await board.post(pathOf((await report(board)).id), ADMIN_KEY, body)
        expect([answer.status, answer.body.data.note]).toEqual([200, null])
      }
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'dismissReport')

    test('refuses a report that was already decided', async () => {
      const made = await report(board)
      await uphold(board, made)
      const answer = await board.post(pathOf(made.id), ADMIN_KEY)
      expect([answer.status, answer.body.code]).toEqual([409, 'invalid_transition'])
      expect(answer.body).toMatchObject({ state: 'upheld', allowed: [] })
    })
  })

  status(422, () => {
    test.each([
      [7, '#/note invalid_type'],
      ['  ', '#/note too_short'],
      ['x'.repeat(501), '#/note too_long'],
    ])('refuses the note %j', async (note, fault) => {
      const answer = await board.post(pathOf((await report(board)).id), ADMIN_KEY, { note })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })
  })
})
