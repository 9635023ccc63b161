import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { apply } from '../support/applications.ts'
import { expectStatus, ORIGIN } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { upload } from '../support/resumes.ts'
import { runTask } from '../support/tasks.ts'

const custom_questions = [
  { id: 'weeks', label: 'Notice period in weeks', type: 'number', required: true },
  { id: 'tools', label: 'Tools', type: 'multi_select', required: true, options: ['CAN', 'LIN'] },
]

describeOperation('draftApplication', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/candidates/jobs/${id}/draft`
  const stored = (ids: readonly string[]) =>
    board.database.read((db) =>
      db.selectFrom('application_draft').selectAll().where('candidate_id', 'in', ids).execute(),
    )
  const sentBy = async (key: string) => (await board.get('/v1/candidates/applications', key)).body.data

  status(201, () => {
    test('stores a draft that the candidate can send on a page, and sends nothing by itself', async () => {
      const employer = await board.employer()
      const candidate = await board.candidate()
      const job = await board.activeJob(employer, { title: 'Cell tester', custom_questions })
      const { id: resume_id } = await upload(board, candidate, pdf('Old'), 'old.pdf')
      board.clock.advance(1)
      await upload(board, candidate, pdf('New'), 'new.pdf')
      const body = {
        cover_letter: 'Drafted <b>letter</b>',
        resume_id,
        custom_questions: { tools: ['LIN'] },
        source: 'Agent',
      }
      const url = `${ORIGIN}/jobs/${job.id}/apply`
      const answer = expectStatus(await board.post(pathOf(job.id), candidate.key, body), 201)
      expect(answer.headers.get('location')).toBe(url)
      expect(answer.body.data).toEqual({
        job: { id: job.id, title: 'Cell tester', company: job.company },
        cover_letter: body.cover_letter,
        resume_id,
        custom_questions: { tools: ['LIN'] },
        url,
        created_at: board.clock.now().toISOString(),
        expires_at: new Date(board.clock.time + DAY_MS).toISOString(),
      })
      expect(await sentBy(candidate.key)).toEqual([])
      expect((await board.get('/v1/employers/applications', employer.key)).body.data).toEqual([])
      const exported = (await board.get('/v1/candidates/export', candidate.key)).body.data
      expect(exported.application_drafts).toMatchObject([{ cover_letter: body.cover_letter, source: 'agent' }])

      const person = await visitor(board, candidate)
      expect(
        (await person.get('/me/applications')).document.querySelector(`a[href="/jobs/${job.id}/apply"]`),
      ).toBeTruthy()
      const page = await person.get(`/jobs/${job.id}/apply`)
      expect(page.seen).toContain('Nothing has been sent yet')
      expect(page.document.querySelector('[name="cover_letter"]')!.textContent.trim()).toBe(body.cover_letter)
      const sent = await person.submit(page, `/jobs/${job.id}/apply`, { 'custom_questions[weeks]': '4' })
      const [application] = await sentBy(candidate.key)
      expect(sent.path).toBe(`/me/applications/${application.id}`)
      const one = (await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)).body.data
      expect(one).toMatchObject({ cover_letter: body.cover_letter, custom_questions: { weeks: 4, tools: ['LIN'] } })
      expect(one.resume.id).toBe(resume_id)
      expect(await stored([candidate.id])).toEqual([])
    })

    test('replaces an earlier draft for the same job, and deletes drafts on expiry, on discard and with the account', async () => {
      const job = await board.activeJob(await board.employer())
      const [candidate, other, erased] = [await board.candidate(), await board.candidate(), await board.candidate()]
      const draft = (key: string, cover_letter = 'First') => board.post(pathOf(job.id), key, { cover_letter })
      const ids = [candidate.id, other.id, erased.id]
      for (const { key } of [candidate, other, erased]) expectStatus(await draft(key), 201)
      board.clock.advance(DAY_MS / 2)
      expectStatus(await draft(candidate.key, 'Second'), 201)
      expectStatus(await board.delete('/v1/candidates/profile', erased.key), 204)
      expect((await stored(ids)).map(({ cover_letter }) => cover_letter).sort()).toEqual(['First', 'Second'])
      const person = await visitor(board, candidate)
      const page = await person.get(`/jobs/${job.id}/apply`)
      expect(page.seen).toContain('Second')
      board.clock.advance(DAY_MS / 2)
      expect((await (await visitor(board, other)).get(`/jobs/${job.id}/apply`)).seen).not.toContain('First')
      await runTask(board, 'application-drafts')
      expect((await stored(ids)).map(({ candidate_id }) => candidate_id)).toEqual([candidate.id])
      const after = await person.submit(page, `/jobs/${job.id}/apply/discard`)
      expect(after.seen).toContain('Draft discarded.')
      expect(await stored(ids)).toEqual([])
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'draftApplication')

    test('refuses closed jobs, a second application, and the twenty-first draft', async () => {
      const employer = await board.employer()
      const candidate = await board.candidate()
      const draft = async (id: string) => {
        const answer = await board.post(pathOf(id), candidate.key, { cover_letter: 'Hello' })
        return [answer.status, answer.body.code]
      }
      const [job, applied, closed] = [
        await board.activeJob(employer),
        await board.activeJob(employer),
        await board.activeJob(employer),
      ]
      await apply(board, candidate, applied.id)
      expectStatus(await board.post(`/v1/jobs/${closed.id}/close`, employer.key, {}), 200)
      expect(await draft(applied.id)).toEqual([409, 'already_applied'])
      expect(await draft(closed.id)).toEqual([409, 'job_not_open'])
      for (let n = 0; n < 20; n++) {
        const { id } = await board.activeJob(employer)
        expect(await draft(id)).toEqual([201, undefined])
      }
      expect(await draft(job.id)).toEqual([409, 'limit_reached'])
      board.clock.advance(DAY_MS)
      expect(await draft(job.id)).toEqual([201, undefined])
    })
  })

  status(422, () => {
    test('reports the same errors as an application, except missing answers', async () => {
      const job = await board.activeJob(await board.employer(), { custom_questions })
      const { key } = await board.candidate()
      const body = { cover_letter: ' ', resume_id: 'res_x', custom_questions: { weeks: 'four', color: 1 } }
      const answer = expectStatus(await board.post(pathOf(job.id), key, body), 422)
      expect(faultsOf(answer).sort()).toEqual([
        '#/cover_letter too_short',
        '#/custom_questions/color unknown_field',
        '#/custom_questions/weeks invalid_type',
        '#/resume_id not_found',
      ])
    })
  })
})
