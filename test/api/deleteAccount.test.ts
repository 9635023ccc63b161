import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { makeWebhook } from '../support/webhooks.ts'
import { wholeDatabase } from '../support/whole-database.ts'

describeOperation('deleteAccount', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/accounts/${id}`
  const request = async () => ({ method: 'DELETE', path: pathOf((await board.employer()).id) })

  status(204, () => {
    test("erases a candidate's personal data", async () => {
      const candidate = await board.candidate({ last_name: 'Oxenstierna', email: 'leaves@private.example' })
      await board.put('/v1/candidates/profile', candidate.key, { headline: 'Unmistakable headline' })
      expectStatus(await board.delete(pathOf(candidate.id), ADMIN_KEY), 204)
      expect((await board.get('/v1/me', candidate.key)).status).toBe(401)
      expect((await board.get(pathOf(candidate.id), ADMIN_KEY)).status).toBe(404)
      const left = await wholeDatabase(board.database)
      for (const text of ['Oxenstierna', 'leaves@private.example', 'Unmistakable']) expect(left).not.toContain(text)
    })

    test('closes an employer account, even if it is suspended', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      expectStatus(await board.post(`${pathOf(employer.id)}/suspend`, ADMIN_KEY, { reason: 'Spam' }), 200)
      expectStatus(await board.delete(pathOf(employer.id), ADMIN_KEY), 204)
      expect((await board.get('/v1/me', employer.key)).status).toBe(401)
      for (const path of [pathOf(employer.id), `/v1/jobs/${id}`, `/v1/employers/${employer.id}`]) {
        expect((await board.get(path, ADMIN_KEY)).status, path).toBe(404)
      }
      const { data } = (await board.get(`/v1/admin/accounts?search=${employer.id}`, ADMIN_KEY)).body
      expect(data).toEqual([])
    })

    test('deletes an integrator with its keys and webhooks', async () => {
      const integrator = await board.integrator()
      const { id } = await makeWebhook(board, integrator)
      expectStatus(await board.delete(pathOf(integrator.id), ADMIN_KEY), 204)
      expect((await board.get('/v1/me', integrator.key)).status).toBe(401)
      expect(await wholeDatabase(board.database)).not.toContain(id)
    })

    test("records only the account's ID and kind in the activity log", async () => {
      const { id } = await board.candidate()
      expectStatus(await board.delete(pathOf(id), ADMIN_KEY), 204)
      const actions = await board.database.read((db) =>
        db.selectFrom('operator_action').select(['action', 'note']).where('subject', '=', id).execute(),
      )
      expect(actions).toEqual([{ action: 'account.delete', note: 'candidate' }])
    })

    test('lets one of three simultaneous requests succeed, and returns 404 to the others', async () => {
      for (const make of [board.candidate, board.employer]) {
        const { id } = await make.call(board)
        const answers = await Promise.all([1, 2, 3].map(() => board.delete(pathOf(id), ADMIN_KEY)))
        expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404, 404])
      }
    })
  })

  status(409, () => {
    test("refuses the admin's own account", async () => {
      const answer = await board.delete(pathOf('adm_00000000000000000000000000'), ADMIN_KEY)
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'admin', request))
})
