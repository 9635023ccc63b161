import { expect, test } from 'vitest'
import { type Account, ADMIN_KEY, expectStatus } from '../support/board.ts'
import { hasNoTag } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'

describeOperation('endSession', ({ board, status }) => {
  const sessionsOf = async ({ id }: Account): Promise<string[]> => {
    const answer = await board.get(`/v1/admin/accounts/${id}/sessions`, ADMIN_KEY)
    return expectStatus(answer, 200).body.data.map((session: { id: string }) => session.id)
  }
  const pathOf = (accountId: string, id: string) => `/v1/admin/accounts/${accountId}/sessions/${id}`
  const begun = async () => {
    const employer = await board.employer()
    const inside = await visitor(board, employer)
    return { employer, inside, id: (await sessionsOf(employer))[0]! }
  }
  const request = async () => {
    const { employer, id } = await begun()
    return { method: 'DELETE', path: pathOf(employer.id, id) }
  }

  status(204, () => {
    test('ends one session and leaves the other sessions open', async () => {
      const { employer, inside, id } = await begun()
      const later = await visitor(board, employer)
      expectStatus(await board.delete(pathOf(employer.id, id), ADMIN_KEY), 204)
      expect((await inside.get('/account')).path).toContain('/sign-in')
      expect((await later.get('/account')).path).toBe('/account')
    })
  })

  status(404, () => {
    test('does not find a session that has ended or belongs to another account', async () => {
      const { employer, id } = await begun()
      const other = await board.employer()
      for (const path of [
        pathOf(other.id, id),
        pathOf(employer.id, 'ses_00000000000000000000000000'),
        pathOf(employer.id, 'x'),
        pathOf('emp_00000000000000000000000000', id),
      ]) {
        expect((await board.delete(path, ADMIN_KEY)).status, path).toBe(404)
      }
      expectStatus(await board.delete(pathOf(employer.id, id), ADMIN_KEY), 204)
      expect((await board.delete(pathOf(employer.id, id), ADMIN_KEY)).status).toBe(404)
    })
  })

  status(412, () => hasNoTag(board, 'admin', request))
})
