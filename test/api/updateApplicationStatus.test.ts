import { describe, expect, test } from 'vitest'
import { applicationStatusMails } from '../../src/features/applications/applications.mails.ts'
import { transitions } from '../../src/features/applications/applications.schemas.ts'
import { mails, setStatus, world } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('updateApplicationStatus', ({ board, status }) => {
  const path = (id: string) => `/v1/employers/applications/${id}`
  const request = async () => {
    const { application, employer } = await world(board)
    return { method: 'PUT', path: path(application.id), body: { status: 'reviewed' }, key: employer.key }
  }
  const statuses = ['pending', 'reviewed', 'contacted', 'rejected', 'hired'] as const
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const))
  /** Creates an application with this status. */
  const reached = async (from: string) => {
    const made = await world(board)
    if (from !== 'pending') await setStatus(board, made.employer, made.application.id, from)
    return made
  }

  status(200, () => {
    test.each(pairs.filter(([from, to]) => transitions[from].includes(to)))('changes %s to %s', async (from, to) => {
      const { application, employer } = await reached(from)
      board.clock.advance(1_000)
      const before = (await board.get(path(application.id), employer.key)).body.data
      const answer = await board.put(path(application.id), employer.key, { status: to, reason: ' Noted ' })
      const now = board.clock.now().toISOString()
      const status_history = [...before.status_history, { status: to, at: now, reason: 'Noted', by: null }]
      expect([answer.status, answer.body]).toEqual([
        200,
        { data: { ...before, status: to, updated_at: now, status_history } },
      ])
      expect((await board.get(path(application.id), employer.key)).body).toEqual(answer.body)
    })

    test('writes application.status_updated for the employer and the candidate, and sends the candidate an email', async () => {
      const { application, candidate, employer } = await reached('contacted')
      board.clock.advance(1_000)
      const { candidate: person } = await setStatus(board, employer, application.id, 'hired')
      const now = board.clock.now()
      expect((await board.events('application.status_updated')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'application.status_updated',
        created_at: now.toISOString(),
        data: {
          application: {
            id: application.id,
            job: application.job,
            candidate: { id: candidate.id, name: person.name, email: person.email },
            status: 'hired',
            applied_at: application.applied_at,
            updated_at: now.toISOString(),
          },
          previous_status: 'contacted',
        },
      })
      const rows = await board.database.read((db) =>
        db.selectFrom('event').selectAll().where('subject_id', '=', application.id).execute(),
      )
      for (const row of rows) expect(row).toMatchObject({ employer_id: employer.id, candidate_id: candidate.id })
      expect((await mails(board, application.id)).at(-1)).toEqual({
        kind: 'application-status',
        account_id: candidate.id,
        subject_id: application.id,
        details: { status: 'hired', position: 3 },
        due_at: now,
      })
    })

    test('stores a rating and distinct tags, with or without a status, and hides them from the candidate', async () => {
      const { application, candidate, employer } = await world(board)
      const before = (await board.get(path(application.id), employer.key)).body.data
      const own = (await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)).body
      expect(before).toMatchObject({ rating: null, tags: [] })
      board.clock.advance(1_000)
      const assessed = { rating: 4, tags: ['Élan', 'On site'] }
      const answer = await board.put(path(application.id), employer.key, {
        ...{ rating: 4, tags: ['Élan', ' On site ', 'elan'] },
      })
      expect([answer.status, answer.body.data]).toEqual([200, { ...before, ...assessed }])
      expect((await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)).body).toEqual(own)
      expect((await mails(board, application.id)).map(({ kind }) => kind)).not.toContain('application-status')
      const moved = await board.put(path(application.id), employer.key, { status: 'reviewed', rating: null, tags: [] })
      expect(moved.body.data).toMatchObject({ status: 'reviewed', rating: null, tags: [] })
    })

    test('sends no email if notify is false, and otherwise stores the message for the email', async () => {
      const { application, candidate, employer } = await world(board)
      const status = async (body: object) => {
        expect((await board.put(path(application.id), employer.key, body)).status).toBe(200)
        const sent = await mails(board, application.id)
        return sent.filter(({ kind }) => kind === 'application-status').map(({ details }) => details)
      }
      expect(await status({ status: 'reviewed', notify: false })).toEqual([])
      expect(await status({ status: 'contacted', message: 'Call me.' })).toEqual([{ status: 'contacted', position: 3 }])
      expect(await status({ status: 'contacted', message: 'Call me.' })).toHaveLength(1)
      const exported = (await board.get('/v1/candidates/export', candidate.key)).body.data.applications
      expect(exported[0].status_history.at(-1)).toMatchObject({ status: 'contacted', message: 'Call me.' })
      const refused = await board.put(path(application.id), employer.key, { status: 'contacted', message: 'Again.' })
      expect([refused.status, faultsOf(refused)]).toEqual([422, ['#/message not_allowed']])
    })

    test('sends the email about a rejection after ten minutes, unless the employer reverts the rejection', async () => {
      const { application, employer } = await world(board)
      const pending = async () =>
        (await mails(board, application.id)).flatMap(({ kind, details, due_at }) =>
          kind === 'application-status' ? [[details.status, due_at.getTime() - board.clock.now().getTime()]] : [],
        )
      await setStatus(board, employer, application.id, 'rejected')
      expect(await pending()).toEqual([['rejected', 600_000]])
      await setStatus(board, employer, application.id, 'reviewed')
      expect(await pending()).toEqual([['reviewed', 0]])
    })

    test('never sends the email about a reverted rejection, even if the employer rejects the application again without an email', async () => {
      const { application, employer } = await world(board)
      const move = async (body: object) => expectStatus(await board.put(path(application.id), employer.key, body), 200)
      await move({ status: 'rejected', message: 'By mistake.' })
      const composed = async () => {
        const mail = (await mails(board, application.id)).find(({ kind }) => kind === 'application-status')!
        const queued = {
          id: 'mail_x',
          repeats: null,
          member_id: null,
          ...mail,
          details: mail.details as Record<string, unknown>,
        }
        return board.database.read((db) => applicationStatusMails((id) => id).compose(db, queued, board.clock.now()))
      }
      expect((await composed())!.paragraphs).toContain('By mistake.')
      await move({ status: 'reviewed', notify: false })
      await move({ status: 'rejected', notify: false })
      expect(await composed()).toBeUndefined()
    })

    describe.each(statuses)('setting the status %s again', (to) => {
      test('changes nothing: no event, no history entry, no email', async () => {
        const { application, employer } = await reached(to)
        const before = (await board.get(path(application.id), employer.key)).body
        const events = (await board.events()).length
        const sent = (await mails(board, application.id)).length
        board.clock.advance(1_000)
        const again = await board.put(path(application.id), employer.key, { status: to, reason: 'Again' })
        expect([again.status, again.body]).toEqual([200, before])
        expect((await board.events()).length).toBe(events)
        expect((await mails(board, application.id)).length).toBe(sent)
      })
    })

    test('accepts an edited GET response', async () => {
      const { application, employer } = await world(board, {
        job: { custom_questions: [{ id: 'why', label: 'Why?', type: 'text', required: false }] },
        body: { custom_questions: { why: 'Because.' } },
      })
      const { data } = (await board.get(path(application.id), employer.key)).body
      const answer = await board.put(path(application.id), employer.key, { ...data, status: 'reviewed', reason: null })
      expect([answer.status, answer.body.data.status]).toEqual([200, 'reviewed'])
      expect((await board.put(path(application.id), employer.key, answer.body.data)).body).toEqual(answer.body)
    })

    test('changes nothing for {}', async () => {
      const { application, employer } = await world(board)
      const before = (await board.get(path(application.id), employer.key)).body
      expect((await board.put(path(application.id), employer.key, {})).body).toEqual(before)
    })

    test('accepts the unmodified resource of a withdrawn application', async () => {
      const { application, candidate, employer } = await world(board)
      await board.post(`/v1/candidates/applications/${application.id}/withdraw`, candidate.key)
      const { data } = (await board.get(path(application.id), employer.key)).body
      expect((await board.put(path(application.id), employer.key, data)).body.data).toEqual(data)
    })

    test('lets admins change the status, even after the job was deleted', async () => {
      const { application, employer, job } = await world(board)
      await board.delete(`/v1/jobs/${job.id}`, employer.key)
      const answer = await board.put(path(application.id), ADMIN_KEY, { status: 'rejected' })
      expect([answer.status, answer.body.data.status]).toEqual([200, 'rejected'])
    })
  })

  status(409, () => {
    const refused = pairs.filter(([from, to]) => from !== to && !transitions[from].includes(to))
    test.each(refused)('refuses a change from %s to %s', async (from, to) => {
      const { application, employer } = await reached(from)
      const before = (await board.get(path(application.id), employer.key)).body
      const answer = await board.put(path(application.id), employer.key, { status: to })
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({ code: 'invalid_transition', state: from, allowed: transitions[from] })
      expect((await board.get(path(application.id), employer.key)).body).toEqual(before)
    })

    test('refuses a withdrawn application', async () => {
      const { application, candidate, employer } = await world(board)
      await board.post(`/v1/candidates/applications/${application.id}/withdraw`, candidate.key)
      const answer = await board.put(path(application.id), employer.key, { status: 'reviewed' })
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({ code: 'invalid_transition', state: 'withdrawn', allowed: [] })
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'employer', request))

  status(422, () => {
    test.each([
      [{ status: 'withdrawn' }, ['#/status not_allowed']],
      [{ status: null }, ['#/status invalid_type', '#/status not_allowed']],
      [{ status: 7, reason: 7 }, ['#/status invalid_type', '#/status not_allowed', '#/reason invalid_type']],
      [{ reason: ' ' }, ['#/reason too_short']],
      [{ status: 'hired', reason: 'x'.repeat(2_001) }, ['#/reason too_long']],
      [{ cover_letter: 'Better.', status: 'hired' }, ['#/cover_letter read_only_field']],
      [
        { withdrawn_at: '2026-01-01T00:00:00.000Z', id: 'x' },
        ['#/withdrawn_at read_only_field', '#/id read_only_field'],
      ],
      [{ candidate: { name: 'Other' } }, ['#/candidate read_only_field']],
      [{ status_history: [] }, ['#/status_history read_only_field']],
      [{ message: 'Hello' }, ['#/message not_allowed']],
      [{ status: 'reviewed', notify: false, message: 'Hello' }, ['#/message not_allowed']],
      [
        { rating: 6, tags: ['x'.repeat(41)], notify: null },
        ['#/notify invalid_type', '#/rating too_large', '#/tags/0 too_long'],
      ],
    ])('refuses %j', async (body, faults) => {
      const { application, employer } = await world(board)
      const answer = await board.put(path(application.id), employer.key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
      expect((await board.get(path(application.id), employer.key)).body.data.status).toBe('pending')
    })
  })
})
