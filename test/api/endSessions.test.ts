import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { hasNoTag } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'

describeOperation('endSessions', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/accounts/${id}/sessions`
  const request = async () => ({ method: 'DELETE', path: pathOf((await board.employer()).id) })

  status(204, () => {
    test('ends every session of the account, but leaves its keys and other accounts unaffected', async () => {
      const [employer, other] = [await board.employer(), await board.employer()]
      const [here, there, elsewhere] = [
        await visitor(board, employer),
        await visitor(board, employer),
        await visitor(board, other),
      ]
      expectStatus(await board.delete(pathOf(employer.id), ADMIN_KEY), 204)
      for (const one of [here, there]) expect((await one.get('/account')).path).toContain('/sign-in')
      expect((await elsewhere.get('/account')).path).toBe('/account')
      expect((await board.get('/v1/me', employer.key)).status).toBe(200)
      // A second request succeeds although no sessions are left.
      expectStatus(await board.delete(pathOf(employer.id), ADMIN_KEY), 204)
      const actions = await board.database.read((db) =>
        db.selectFrom('operator_action').select('action').where('subject', '=', employer.id).execute(),
      )
      expect(actions[0]).toEqual({ action: 'account.end_sessions' })
    })
  })

  status(412, () => hasNoTag(board, 'admin', request))
})
