import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { claim, companyOf, verify } from '../support/claims.ts'
import { hasNoTag } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteVerification', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/employers/${id}/verification`

  status(204, () => {
    test('removes the verification, ends the claim, and records the action', async () => {
      const { domain, ...employer } = await companyOf(board)
      const { id, dns_record: record } = await claim(board, employer)
      board.network = { texts: async () => [record.value] }
      await board.restart()
      expect((await verify(board, employer, id)).state).toBe('verified')
      expectStatus(await board.delete(pathOf(employer.id), ADMIN_KEY), 204)
      const { data } = (await board.get(`/v1/employers/${employer.id}`, employer.key)).body
      expect([data.is_verified, data.verified_domain]).toEqual([false, null])
      const again = await board.post(`/v1/employers/${employer.id}/claims/${id}/verify`, employer.key, {})
      expect(again.status).toBe(404)
      const actions = await board.database.read((db) => db.selectFrom('operator_action').selectAll().execute())
      expect(actions).toContainEqual(
        expect.objectContaining({ action: 'account.unverify', subject: employer.id, note: domain }),
      )
    })
  })

  status(412, () =>
    hasNoTag(board, 'admin', async () => {
      const { domain: verified_domain, id } = await companyOf(board)
      await board.database.inTx((tx) =>
        tx.updateTable('employer').set({ verified_domain }).where('id', '=', id).execute(),
      )
      return { method: 'DELETE', path: pathOf(id) }
    }),
  )

  status(404, () => {
    test('returns 404 for employers that are not verified or do not exist', async () => {
      const { id } = await companyOf(board)
      expect((await board.delete(pathOf(id), ADMIN_KEY)).status).toBe(404)
      expect((await board.delete(pathOf('emp_00000000000000000000000000'), ADMIN_KEY)).status).toBe(404)
    })
  })
})
