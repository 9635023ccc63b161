import { expect, test } from 'vitest'
import { applicationStatusMails } from '../../src/features/applications/applications.mails.ts'
import { mails, setStatus, world } from '../support/applications.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('updateEmailTemplate', ({ board, status }) => {
  const path = (of: string) => `/v1/employers/email-templates/${of}`
  const subject = 'Welcome to {{ employer.name }}, {{candidate.first_name}}'
  const request = async () => {
    const { key } = await board.employer()
    return { method: 'PUT', path: path('hired'), body: { subject }, key }
  }

  status(200, () => {
    test("stores the employer's texts, and uses them only in emails about its applications", async () => {
      const { application, employer, job } = await world(board)
      const other = await board.employer()
      await board.put(path('hired'), other.key, { subject: 'Other', text: 'Other' })
      const text = ' You start as {{job.title}}.\n\n$& {{candidate.first_name}}! '
      const answer = await board.put(path('hired'), employer.key, { subject, text })
      expect([answer.status, answer.body.data]).toEqual([200, { status: 'hired', subject, text: text.trim() }])
      expect((await board.get(path('hired'), employer.key)).body).toEqual(answer.body)
      await setStatus(board, employer, application.id, 'hired')
      const [mail] = (await mails(board, application.id)).filter(({ kind }) => kind === 'application-status')
      const composed = async () => {
        const queued = {
          id: 'mail_x',
          repeats: null,
          member_id: null,
          ...mail!,
          details: mail!.details as Record<string, unknown>,
        }
        const message = await board.database.read((db) =>
          applicationStatusMails((id) => id).compose(db, queued, board.clock.now()),
        )
        return [message!.subject, ...message!.paragraphs]
      }
      const { company, title } = (await board.get(`/v1/jobs/${job.id}`, employer.key)).body.data
      const first = (
        await board.get(`/v1/employers/applications/${application.id}`, employer.key)
      ).body.data.candidate.name.split(' ')[0]
      expect(await composed()).toEqual([`Welcome to ${company}, ${first}`, `You start as ${title}.`, `$& ${first}!`])
      const shorter = await board.put(path('hired'), employer.key, { subject: null })
      expect(shorter.body.data).toEqual({ status: 'hired', subject: null, text: text.trim() })
      expect((await composed())[0]).toBe(`You’re hired: ${title} at ${company}`)
    })
  })

  status(412, () => {
    changesOnlyWhatMatches(board, 'employer', request)

    test('is returned for all but one of four simultaneous changes to the same version', async () => {
      const { key } = await board.employer()
      const tag = (await board.get(path('hired'), key)).headers.get('etag')!
      const bodies = [{ subject: 'A' }, { subject: 'B' }, { text: 'C' }, { text: 'D' }]
      const change = (body: object) => board.call('PUT', path('hired'), { key, body, headers: { 'if-match': tag } })
      const answers = await Promise.all(bodies.map(change))
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412])
    })
  })

  status(404, () => {
    test('is returned for a status without a template', async () => {
      const { key } = await board.employer()
      for (const of of ['pending', 'withdrawn']) {
        expect((await board.put(path(of), key, { text: 'x' })).status).toBe(404)
      }
    })
  })

  status(422, () => {
    test.each([
      [{ subject: 'a\nb' }, ['#/subject invalid_text']],
      [{ subject: 'Hello {{candidate.email}}' }, ['#/subject not_allowed']],
      [{ text: '{{}}', subject: '' }, ['#/subject too_short']],
      [{ text: 'x'.repeat(5_001) }, ['#/text too_long']],
      [{ status: 'rejected' }, ['#/status read_only_field']],
    ])('refuses %j', async (body, faults) => {
      const { key } = await board.employer()
      const answer = await board.put(path('hired'), key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
      expect((await board.get(path('hired'), key)).body.data).toEqual({ status: 'hired', subject: null, text: null })
    })
  })
})
