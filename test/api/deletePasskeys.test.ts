import { expect, test } from 'vitest'
import { OPERATOR_ID } from '../../src/features/accounts/index.ts'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { hasNoTag } from '../support/conditional.ts'
import { joined, joinedStaff } from '../support/members.ts'
import { describeOperation } from '../support/operation.ts'
import { type Visitor, visitor } from '../support/pages.ts'
import { storedPasskey } from '../support/passkeys.ts'

describeOperation('deletePasskeys', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/admin/accounts/${id}/passkeys`
  const request = async () => ({ method: 'DELETE', path: pathOf((await board.candidate()).id) })
  const passkeysOf = (accountId: string) =>
    board.database.read((db) => db.selectFrom('passkey').select('id').where('account_id', '=', accountId).execute())
  const isIn = async (who: Visitor) => (await who.get('/account')).path === '/account'

  status(204, () => {
    test('removes all passkeys of an account and its members, and ends their sessions', async () => {
      const [employer, other] = [await board.employer(), await board.employer()]
      const { member, visitor: inside } = await joined(board, employer, 'recruiter')
      await storedPasskey(board, employer)
      await storedPasskey(board, employer, member.id)
      const elsewhere = await storedPasskey(board, other)
      expectStatus(await board.delete(pathOf(employer.id), ADMIN_KEY), 204)
      expect(await passkeysOf(employer.id)).toEqual([])
      expect(await passkeysOf(other.id)).toEqual([{ id: elsewhere }])
      expect(await isIn(inside)).toBe(false)
      expect((await board.get('/v1/me', employer.key)).status).toBe(200)
    })

    test('lets admins remove the passkeys of one staff member on the account page, and records the removal', async () => {
      const [lost, kept] = [
        await joinedStaff(board, 'moderator', 'Lost Phone'),
        await joinedStaff(board, 'admin', 'Kept'),
      ]
      await storedPasskey(board, { id: OPERATOR_ID }, lost.member.id)
      const own = await storedPasskey(board, { id: OPERATOR_ID }, kept.member.id)
      const admin = await visitor(board, { key: ADMIN_KEY })
      const page = await admin.get(`/desk/accounts/${OPERATOR_ID}`)
      expect(page.seen).toContain('Remove all passkeys of Lost Phone?')
      const action = `/desk/accounts/${OPERATOR_ID}/passkeys/remove`
      const after = await admin.submit(page, action, { member_id: lost.member.id })
      expect(after.seen).toContain('Passkeys removed, and sessions ended.')
      expect(await passkeysOf(OPERATOR_ID)).toEqual([{ id: own }])
      expect([await isIn(lost.visitor), await isIn(kept.visitor), await isIn(admin)]).toEqual([false, true, true])
      const activity = await admin.get('/desk/activity')
      expect(activity.seen).toMatch(/Removed passkeys of .+/)
      expect(activity.seen).toContain(lost.member.email)
    })
  })

  status(404, () => {
    test("does not find an unknown account, or another account's member", async () => {
      expect((await board.delete(pathOf('emp_00000000000000000000000000'), ADMIN_KEY)).status).toBe(404)
      const [employer, other] = [await board.employer(), await board.employer()]
      const { member } = await joined(board, other, 'viewer')
      await storedPasskey(board, employer)
      await storedPasskey(board, other, member.id)
      const admin = await visitor(board, { key: ADMIN_KEY })
      const at = `/desk/accounts/${employer.id}`
      const after = await admin.submit(await admin.get(at), `${at}/passkeys/remove`, { member_id: member.id })
      expect(after.status).toBe(404)
      expect([await passkeysOf(employer.id), await passkeysOf(other.id)]).toEqual([
        [expect.anything()],
        [expect.anything()],
      ])
    })
  })

  status(412, () => hasNoTag(board, 'admin', request))
})
