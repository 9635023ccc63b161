import { beforeAll, expect, test } from 'vitest'
import { setStatus, world } from '../support/applications.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { insertResume } from '../support/resumes.ts'

describeOperation('getApplication', ({ board, status }) => {
  let made: Awaited<ReturnType<typeof world>>
  beforeAll(async () => {
    made = await world(board)
  })
  const path = (id: string) => `/v1/candidates/applications/${id}`
  const request = async () => ({ method: 'GET', path: path(made.application.id), key: made.candidate.key })

  status(200, () => {
    test("adds the answers, resume and history to the list resource, without the employer's reasons", async () => {
      const candidate = await board.candidate()
      const resumeId = await insertResume(board, candidate.id)
      const custom_questions = [{ id: 'why', label: 'Why?', type: 'text', required: true }]
      const { application, employer, job } = await world(board, {
        candidate,
        job: { custom_questions },
        body: { custom_questions: { why: 'Because.' }, cover_letter: 'Hello.' },
      })
      const applied_at = board.clock.now().toISOString()
      board.clock.advance(1_000)
      const employerPath = `/v1/employers/applications/${application.id}`
      await board.put(employerPath, employer.key, { status: 'reviewed', reason: 'Weak letter' })
      const answer = await board.get(path(application.id), candidate.key)
      const updated_at = board.clock.now().toISOString()
      expect(answer.body).toEqual({
        data: {
          id: application.id,
          job: {
            id: job.id,
            title: job.title,
            company: job.company,
            location: job.location,
            type: job.type,
            salary: null,
          },
          cover_letter: 'Hello.',
          status: 'reviewed',
          applied_at,
          updated_at,
          withdrawn_at: null,
          custom_questions: { why: 'Because.' },
          resume: {
            id: resumeId,
            filename: 'ada.pdf',
            content_type: 'application/pdf',
            size_bytes: 1234,
            url: `https://board.example/v1/candidates/resume/${resumeId}`,
          },
          status_history: [
            { status: 'pending', at: applied_at },
            { status: 'reviewed', at: updated_at },
          ],
        },
      })
      expect(answer.text).not.toContain('Weak letter')
    })

    test('still returns an application after its job was deleted', async () => {
      const { application, candidate, employer, job } = await world(board)
      await setStatus(board, employer, application.id, 'contacted')
      await board.delete(`/v1/jobs/${job.id}`, employer.key)
      const { data } = (await board.get(path(application.id), candidate.key)).body
      expect(data).toMatchObject({ status: 'contacted', job: application.job })
    })
  })

  status(304, () => answersNotModified(board, 'candidate', request))
})
