import { expect, test } from 'vitest'
import { expectStatus } from '../support/board.ts'
import { claim, claimsOf, companyOf } from '../support/claims.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getClaim', ({ board, status }) => {
  status(200, () => {
    test('returns the claim exactly as createClaim did', async () => {
      const employer = await companyOf(board)
      const made = await claim(board, employer)
      expect(expectStatus(await board.get(`${claimsOf(employer)}/${made.id}`, employer.key), 200).body.data).toEqual(
        made,
      )
    })
  })

  status(404, () => {
    test('does not find claims of other accounts', async () => {
      const { id } = await claim(board, await companyOf(board))
      const employer = await companyOf(board)
      expect((await board.get(`${claimsOf(employer)}/${id}`, employer.key)).status).toBe(404)
    })
  })
})
