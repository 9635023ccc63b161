import { expect, test } from 'vitest'
import { applicationsPersonalData } from '../../src/features/applications/applications.personal-data.ts'
import { world } from '../support/applications.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'

describeOperation('createApplicationNote', ({ board, status }) => {
  const path = (id: string) => `/v1/employers/applications/${id}/notes`

  status(201, () => {
    test('stores a note that the candidate does not see in the application, but can export and erase', async () => {
      const { application, candidate, employer } = await world(board)
      const own = (await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)).text
      const answer = await board.post(path(application.id), employer.key, { text: ' Asks\nfor Thursday. ' })
      const created_at = board.clock.now().toISOString()
      const note = { id: expect.stringMatching(/^note_/), text: 'Asks\nfor Thursday.', by: null, created_at }
      expect([answer.status, answer.body.data]).toEqual([201, note])
      expect((await board.get(path(application.id), employer.key)).body.data).toEqual([answer.body.data])
      expect((await board.get(`/v1/candidates/applications/${application.id}`, candidate.key)).text).toBe(own)
      const exported = (await board.get('/v1/candidates/export', candidate.key)).body.data.applications
      expect(exported[0].notes).toEqual([{ text: 'Asks\nfor Thursday.', created_at }])
      await board.delete('/v1/candidates/profile', candidate.key)
      expect((await board.get(path(application.id), employer.key)).body.data).toEqual([])
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'createApplicationNote')

    test('refuses notes about an erased candidate, and more than a hundred notes', async () => {
      const { application, candidate, employer } = await world(board)
      const at = board.clock.now()
      const rows = Array.from({ length: 100 }, (_, n) => ({ id: `note_${application.id}_${n}`, text: 'x' }))
      await board.database.inTx((tx) =>
        tx
          .insertInto('application_note')
          .values(rows.map((row) => ({ ...row, application_id: application.id, created_at: at })))
          .execute(),
      )
      const full = await board.post(path(application.id), employer.key, { text: 'One more' })
      expect([full.status, full.body.code, full.body.limit]).toEqual([409, 'limit_reached', 100])
      await board.database.inTx((tx) => applicationsPersonalData.erase(tx, candidate.id, at))
      const late = await board.post(path(application.id), employer.key, { text: 'Late' })
      expect([late.status, late.body.code, late.body.state]).toEqual([409, 'invalid_transition', 'erased'])
    })
  })

  status(422, () => {
    test.each([
      [{}, ['#/text required']],
      [{ text: ' ' }, ['#/text too_short']],
      [{ text: 'x'.repeat(5_001) }, ['#/text too_long']],
    ])('refuses %j', async (body, faults) => {
      const { application, employer } = await world(board)
      const answer = await board.post(path(application.id), employer.key, body)
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
    })
  })
})
