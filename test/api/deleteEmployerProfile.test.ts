import { expect, test } from 'vitest'
import { apply } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'
import { runTask } from '../support/tasks.ts'
import { dispatch, makeWebhook } from '../support/webhooks.ts'
import { wholeDatabase } from '../support/whole-database.ts'

describeOperation('deleteEmployerProfile', ({ board, status }) => {
  const path = '/v1/employers/profile'
  const request = async () => ({ method: 'DELETE', path })

  status(204, () => {
    test('removes jobs, webhooks, keys and sessions, but lets candidates keep their applications', async () => {
      const employer = await board.employer({ name: 'Closing Cars', email: 'bye@closing.example' })
      const candidate = await board.candidate()
      const [posted, draft] = [await board.activeJob(employer, { title: 'Closing soon' }), await board.job(employer)]
      const application = await apply(board, candidate, posted.id)
      const inside = await visitor(board, employer)
      await runTask(board, 'mail')
      const limited = await board.keyWith(employer, ['jobs:read'])
      const webhook = await makeWebhook(board, employer, { events: ['job.deleted'] })

      const answer = await board.delete(path, employer.key)
      expect([answer.status, answer.text]).toEqual([204, ''])

      for (const key of [employer.key, limited]) expect((await board.get('/v1/me', key)).status).toBe(401)
      expect((await inside.get('/employer/jobs')).path).toContain('/sign-in')
      const told = (await board.events('job.deleted')).map(
        ({ data }) => (data as never as { job: { id: string } }).job.id,
      )
      expect(told.sort()).toEqual([posted.id, draft.id].sort())
      await dispatch(board)
      expect(board.receiver.sent.filter(({ url }) => url === webhook.url)).toEqual([])
      for (const gone of [`/v1/jobs/${posted.id}`, `/v1/employers/${employer.id}`]) {
        for (const key of [candidate.key, ADMIN_KEY]) expect((await board.get(gone, key)).status, gone).toBe(404)
      }
      expect((await board.get('/v1/employers?name=closing cars', candidate.key)).body.data).toEqual([])
      const kept = await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)
      expect(kept.body.data.job).toMatchObject({ id: posted.id, title: 'Closing soon', company: 'Closing Cars' })
      expect(await wholeDatabase(board.database)).not.toContain('bye@closing.example')
    })

    test("frees the email address for a new account, which gets none of the previous account's data", async () => {
      const registration = { name: 'Again Autos', email: 'again@employer.example' }
      const first = await board.employer(registration)
      await board.activeJob(first)
      expectStatus(await board.delete(path, first.key), 204)
      const second = await board.employer(registration)
      expect(second.id).not.toBe(first.id)
      expect((await board.get('/v1/employers/jobs', second.key)).body.data).toEqual([])
    })

    test('lets one of three simultaneous requests close the account', async () => {
      const { key } = await board.employer()
      const answers = await Promise.all([1, 2, 3].map(() => board.delete(path, key)))
      expect(answers.map((answer) => answer.status).sort()).toEqual([204, 401, 401])
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'employer', request))
})
