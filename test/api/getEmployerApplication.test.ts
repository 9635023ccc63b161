import { beforeAll, expect, test } from 'vitest'
import { setStatus, world } from '../support/applications.ts'
import { ADMIN_KEY } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { insertResume } from '../support/resumes.ts'

describeOperation('getEmployerApplication', ({ board, status }) => {
  let made: Awaited<ReturnType<typeof world>>
  beforeAll(async () => {
    made = await world(board)
  })
  const path = (id: string) => `/v1/employers/applications/${id}`
  const request = async () => ({ method: 'GET', path: path(made.application.id), key: made.employer.key })

  status(200, () => {
    test("returns the employer's view, to admins too", async () => {
      const candidate = await board.candidate({ first_name: 'Lin', last_name: 'Vale', email: 'lin@vale.example' })
      await board.database.inTx((tx) =>
        tx
          .updateTable('candidate')
          .set({ phone: '+46 31 000', location: 'Gothenburg', headline: 'Welder' })
          .where('id', '=', candidate.id)
          .execute(),
      )
      const resumeId = await insertResume(board, candidate.id)
      const { application, employer } = await world(board, { candidate })
      const applied_at = board.clock.now().toISOString()
      board.clock.advance(1_000)
      const updated_at = board.clock.now().toISOString()
      await board.put(path(application.id), employer.key, { status: 'rejected', reason: 'No license' })
      const answer = await board.get(path(application.id), employer.key)
      expect(answer.body).toEqual({
        data: {
          id: application.id,
          job: application.job,
          candidate: {
            id: candidate.id,
            name: 'Lin Vale',
            email: 'lin@vale.example',
            phone: '+46 31 000',
            location: 'Gothenburg',
            headline: 'Welder',
          },
          cover_letter: 'I build batteries.',
          custom_questions: {},
          resume: {
            id: resumeId,
            filename: 'ada.pdf',
            content_type: 'application/pdf',
            size_bytes: 1234,
            url: `https://board.example/v1/candidates/resume/${resumeId}`,
          },
          status: 'rejected',
          rating: null,
          tags: [],
          source: null,
          applied_at,
          updated_at,
          withdrawn_at: null,
          status_history: [
            { status: 'pending', at: applied_at, reason: null, by: null },
            { status: 'rejected', at: updated_at, reason: 'No license', by: null },
          ],
        },
      })
      expect((await board.get(path(application.id), ADMIN_KEY)).body).toEqual(answer.body)
    })

    test('still returns withdrawn applications and applications to deleted jobs', async () => {
      const { application, candidate, employer, job } = await world(board)
      await setStatus(board, employer, application.id, 'reviewed')
      await board.post(`/v1/candidates/applications/${application.id}/withdraw`, candidate.key)
      await board.delete(`/v1/jobs/${job.id}`, employer.key)
      const { data } = (await board.get(path(application.id), employer.key)).body
      expect(data).toMatchObject({ status: 'reviewed', job: application.job, withdrawn_at: expect.any(String) })
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))
})
