import { beforeAll, describe, expect, test } from 'vitest'
import { applicationCount, apply, mails } from '../support/applications.ts'
import { type Account, jobBody } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { insertResume } from '../support/resumes.ts'

describeOperation('applyToJob', ({ board, status }) => {
  let owner: Account
  let candidate: Account
  beforeAll(async () => {
    owner = await board.employer({ name: 'Berg Motion' })
    candidate = await board.candidate({ first_name: 'Ada', last_name: 'Berg', email: 'ada@berg.example' })
  })
  const body = { cover_letter: 'I build batteries.' }
  const send = (id: string, sent: unknown = body, key = candidate.key) =>
    board.post(`/v1/candidates/jobs/${id}/apply`, key, sent)
  const read = async (id: string, key = candidate.key) =>
    (await board.get(`/v1/candidates/applications/${id}`, key)).body.data

  status(201, () => {
    test('returns exactly the documented receipt and a Location header', async () => {
      const job = await board.activeJob(owner, { title: 'Battery engineer' })
      const answer = await send(job.id)
      expect(answer.status).toBe(201)
      const now = board.clock.now().toISOString()
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^app_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
          job: { id: job.id, title: 'Battery engineer', company: 'Berg Motion' },
          status: 'pending',
          applied_at: now,
          updated_at: now,
        },
      })
      const location = answer.headers.get('location')
      expect(location).toBe(`/v1/candidates/applications/${answer.body.data.id}`)
      expect((await board.get(location!, candidate.key)).body.data).toMatchObject({
        ...answer.body.data,
        cover_letter: 'I build batteries.',
      })
    })

    test('writes application.submitted for the employer and the candidate, exactly as specified', async () => {
      const job = await board.activeJob(owner)
      const { updated_at: _, ...told } = await apply(board, candidate, job.id)
      expect((await board.events('application.submitted')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'application.submitted',
        created_at: told.applied_at,
        data: {
          application: { ...told, candidate: { id: candidate.id, name: 'Ada Berg', email: 'ada@berg.example' } },
        },
      })
      const row = await board.database.read((db) =>
        db.selectFrom('event').selectAll().where('subject_id', '=', told.id).executeTakeFirstOrThrow(),
      )
      expect(row).toMatchObject({ employer_id: owner.id, candidate_id: candidate.id })
    })

    test('queues one email to the employer and one to the candidate', async () => {
      const { id } = await apply(board, candidate, (await board.activeJob(owner)).id)
      const at = board.clock.now()
      expect(await mails(board, id)).toEqual([
        { kind: 'application-received', account_id: owner.id, subject_id: id, details: {}, due_at: at },
        { kind: 'application-sent', account_id: candidate.id, subject_id: id, details: {}, due_at: at },
      ])
    })

    test('accepts applications to a company without an account, and emails only the candidate', async () => {
      const [id] = await insertJobs(board, [{ company: 'Nobody Motors' }])
      const { id: applicationId } = await apply(board, candidate, id!)
      expect((await mails(board, applicationId)).map(({ kind }) => kind)).toEqual(['application-sent'])
    })

    test("increments the job's application count", async () => {
      const job = await board.activeJob(owner)
      expect(await applicationCount(board, owner, job.id)).toBe(0)
      await apply(board, candidate, job.id)
      await apply(board, await board.candidate(), job.id)
      expect(await applicationCount(board, owner, job.id)).toBe(2)
    })

    test('accepts cover letters of 1 to 20,000 characters, and trims them', async () => {
      for (const [letter, kept] of [
        ['  x\n', 'x'],
        [` ${'ä'.repeat(20_000)} `, 'ä'.repeat(20_000)],
        ['👩‍🔧'.repeat(5_000).slice(0, 20_000), undefined],
      ] as const) {
        const { id } = await apply(board, candidate, (await board.activeJob(owner)).id, { cover_letter: letter })
        expect((await read(id)).cover_letter).toBe(kept ?? letter)
      }
    })

    describe('the resume', () => {
      test('is the requested one or, by default, the newest that was not deleted', async () => {
        const who = await board.candidate()
        const day = (n: number) => new Date(board.clock.time + n * 86_400_000)
        const older = await insertResume(board, who.id, { created_at: day(1) })
        const newer = await insertResume(board, who.id, { created_at: day(2) })
        await insertResume(board, who.id, { created_at: day(3), deleted_at: day(4) })
        await insertResume(board, candidate.id, { created_at: day(5) })
        for (const [resume_id, expected] of [
          [undefined, newer],
          [null, newer],
          [older, older],
          [newer, newer],
        ]) {
          const { id } = await apply(board, who, (await board.activeJob(owner)).id, { resume_id })
          expect((await read(id, who.key)).resume).toEqual({
            id: expected,
            filename: 'ada.pdf',
            content_type: 'application/pdf',
            size_bytes: 1234,
            url: `https://board.example/v1/candidates/resume/${expected}`,
          })
        }
      })

      test('is null if the candidate has no resume', async () => {
        const who = await board.candidate()
        const { id } = await apply(board, who, (await board.activeJob(owner)).id)
        expect((await read(id, who.key)).resume).toBeNull()
      })
    })

    test('stores answers to custom questions, and treats null and blank answers as absent', async () => {
      const custom_questions = [
        { id: 'why', label: 'Why?', type: 'text', required: true },
        { id: 'more', label: 'More?', type: 'textarea', required: false },
        { id: 'notice', label: 'Notice', type: 'number', required: false },
        { id: 'tools', label: 'Tools', type: 'multi_select', required: false, options: ['CAN', 'LIN'] },
        { id: 'car', label: 'Car?', type: 'boolean', required: true },
      ]
      const job = await board.activeJob(owner, { custom_questions })
      const answers = { why: ' Because. ', more: ' \u3164 ', notice: null, tools: ['LIN', 'CAN'], car: false }
      const { id } = await apply(board, candidate, job.id, { custom_questions: answers })
      expect((await read(id)).custom_questions).toEqual({ why: 'Because.', tools: ['LIN', 'CAN'], car: false })
    })

    test.each([[undefined], [null], [{}]])('treats %j as no answers', async (custom_questions) => {
      const { id } = await apply(board, candidate, (await board.activeJob(owner)).id, { custom_questions })
      expect((await read(id)).custom_questions).toEqual({})
    })

    test('stores the source in lower case, and shows it to the employer but not to the candidate', async () => {
      const job = await board.activeJob(owner)
      const { id } = await apply(board, candidate, job.id, { source: ' LinkedIn ' })
      const received = await board.get(`/v1/employers/applications/${id}`, owner.key)
      expect(received.body.data.source).toBe('linkedin')
      expect(await read(id)).not.toHaveProperty('source')
    })

    test('accepts another application after a withdrawal', async () => {
      const job = await board.activeJob(owner)
      const first = await apply(board, candidate, job.id)
      await board.post(`/v1/candidates/applications/${first.id}/withdraw`, candidate.key)
      const second = await apply(board, candidate, job.id)
      expect(second.id).not.toBe(first.id)
      expect(await applicationCount(board, owner, job.id)).toBe(1)
    })

    test('accepts applications again once the job is reopened', async () => {
      const job = await board.activeJob(owner)
      await board.post(`/v1/jobs/${job.id}/close`, owner.key)
      await board.post(`/v1/jobs/${job.id}/reopen`, owner.key)
      expect((await send(job.id)).status).toBe(201)
    })
  })

  status(409, () => {
    test('refuses a second application and returns the ID of the first', async () => {
      const job = await board.activeJob(owner)
      const first = await apply(board, candidate, job.id)
      const events = (await board.events()).length
      const answer = await send(job.id, { cover_letter: 'Once more.' })
      expect([answer.status, answer.body.code]).toEqual([409, 'already_applied'])
      expect(answer.body.application_id).toBe(first.id)
      expect((await board.events()).length).toBe(events)
      expect(await applicationCount(board, owner, job.id)).toBe(1)
      expect((await read(first.id)).cover_letter).toBe('I build batteries.')
    })

    test('refuses a closed job, and any job from the millisecond it expires', async () => {
      const closed = await board.activeJob(owner)
      await board.post(`/v1/jobs/${closed.id}/close`, owner.key)
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const expiring = await board.activeJob(owner, { expires_at })
      board.clock.advance(1_000)
      for (const { id } of [closed, expiring]) {
        const answer = await send(id)
        expect([answer.status, answer.body.code]).toEqual([409, 'job_not_open'])
        expect(await applicationCount(board, owner, id)).toBe(0)
      }
    })
  })

  status(422, () => {
    test.each([
      [{}, ['#/cover_letter required']],
      [{ cover_letter: null }, ['#/cover_letter invalid_type']],
      [{ cover_letter: ' \n ' }, ['#/cover_letter too_short']],
      [{ cover_letter: 'x'.repeat(20_001) }, ['#/cover_letter too_long']],
      [{ ...body, source: 'x'.repeat(51) }, ['#/source too_long']],
      [{ ...body, resume_id: 7 }, ['#/resume_id invalid_type']],
      [{ ...body, custom_questions: [] }, ['#/custom_questions invalid_type']],
      [{ ...body, custom_questions: 'no' }, ['#/custom_questions invalid_type']],
      [{ ...body, custom_questions: { why: 'x' } }, ['#/custom_questions/why unknown_field']],
      [{ ...body, status: 'hired' }, ['#/status unknown_field']],
    ])('refuses %j', async (sent, faults) => {
      const { id } = await board.activeJob(owner)
      const answer = await send(id, sent)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
      expect(await applicationCount(board, owner, id)).toBe(0)
    })

    test("returns the same error for malformed resume IDs and for unknown, deleted and other candidates' resumes", async () => {
      const foreign = await insertResume(board, (await board.candidate()).id)
      const deleted = await insertResume(board, candidate.id, { deleted_at: board.clock.now() })
      const { id } = await board.activeJob(owner)
      const unknown = `${foreign.slice(0, -1)}${foreign.endsWith('0') ? '1' : '0'}`
      const answers = []
      for (const resume_id of [foreign, deleted, unknown, '', 'nonsense', '../etc', 'x'.repeat(5_000)]) {
        const answer = await send(id, { ...body, resume_id })
        expect([answer.status, faultsOf(answer)]).toEqual([422, ['#/resume_id not_found']])
        answers.push(JSON.stringify([answer.body.detail, answer.body.errors]))
      }
      expect(new Set(answers).size).toBe(1)
    })

    test('reports all errors at once, including errors in the answers', async () => {
      const custom_questions = [
        { id: 'why', label: 'Why?', type: 'text', required: true },
        { id: 'salary', label: 'Salary', type: 'number', required: true },
        { id: 'start', label: 'Start', type: 'date', required: false },
        { id: 'page', label: 'Page', type: 'url', required: false },
        { id: 'shift', label: 'Shift', type: 'single_select', required: false, options: ['day', 'night'] },
        { id: 'tools', label: 'Tools', type: 'multi_select', required: false, options: ['CAN', 'LIN'] },
        { id: 'car', label: 'Car?', type: 'boolean', required: true },
      ]
      const { id } = await board.activeJob(owner, { custom_questions })
      const answers = {
        why: ' ',
        salary: '5',
        start: '2026-02-30',
        page: 'ftp://x',
        shift: 'noon',
        tools: ['CAN', 7],
        x: 1,
      }
      const answer = await send(id, { cover_letter: '', color: 1, resume_id: 'res_none', custom_questions: answers })
      expect(answer.status).toBe(422)
      expect(faultsOf(answer).sort()).toEqual([
        '#/color unknown_field',
        '#/cover_letter too_short',
        '#/custom_questions/car required',
        '#/custom_questions/page invalid_format',
        '#/custom_questions/salary invalid_type',
        '#/custom_questions/shift not_allowed',
        '#/custom_questions/start invalid_format',
        '#/custom_questions/tools/1 not_allowed',
        '#/custom_questions/why required',
        '#/custom_questions/x unknown_field',
        '#/resume_id not_found',
      ])
    })

    test('validates the body before it refuses a closed job', async () => {
      const { id } = await board.activeJob(owner)
      await board.post(`/v1/jobs/${id}/close`, owner.key)
      expect((await send(id, {})).status).toBe(422)
    })

    test('reports at most a hundred answers to unknown questions', async () => {
      const { id } = await board.job(owner, jobBody())
      await board.pay(owner, id)
      await board.post(`/v1/jobs/${id}/activate`, owner.key)
      const custom_questions = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`q${n}`, n]))
      const answer = await send(id, { ...body, custom_questions })
      expect([answer.status, answer.body.errors.length]).toEqual([422, 100])
    })
  })
})
