import { expect, test } from 'vitest'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import {
  describeOperation,
  refusesBadKeys,
  refusesMissingScope,
  refusesUnknownParameters,
} from '../support/operation.ts'

describeOperation('getEvent', ({ board, status }) => {
  const UNKNOWN = 'evt_00000000000000000000000000'
  const pathOf = (id: string) => `/v1/events/${id}`
  const registrationOf = async ({ id }: Account) => {
    const row = await board.database.read((db) =>
      db.selectFrom('event').select(['id', 'body']).where('subject_id', '=', id).executeTakeFirstOrThrow(),
    )
    return row
  }
  const request = async () => {
    const employer = await board.employer()
    return { method: 'GET', path: pathOf((await registrationOf(employer)).id), key: employer.key }
  }

  status(200, () => {
    test('returns the event byte for byte as delivered, to its owner, admins and integrators', async () => {
      const integrator = await board.integrator()
      for (const owner of [
        await board.employer({ name: '"\\</script>\u{1F697} é', description: 'a\u2028b\n' }),
        await board.candidate({ first_name: 'Zoë \u{1F697}' }),
      ]) {
        const { id, body } = await registrationOf(owner)
        for (const key of [owner.key, ADMIN_KEY, integrator.key]) {
          expect((await board.get(pathOf(id), key)).text).toBe(`{"data":${body}}`)
        }
      }
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))

  status(400, () => refusesUnknownParameters(board, 'employer', request))

  status(401, () => refusesBadKeys(board, 'employer', request))

  status(403, () => {
    refusesMissingScope(board, 'employer', 'webhooks:read', request)
    refusesMissingScope(board, 'candidate', 'webhooks:read', request)
  })

  status(404, () => {
    test.each([UNKNOWN, 'evt_x', 'x', '%00', 'job_00000000000000000000000000'])(
      'does not find event %s',
      async (id) => {
        const { key } = await board.employer()
        for (const each of [key, ADMIN_KEY]) {
          const answer = await board.get(pathOf(id), each)
          expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
        }
      },
    )

    test.each(['employer', 'candidate'] as const)('hides events of other accounts from a %s', async (kind) => {
      const { key } = await board.account(kind)
      for (const other of [await board.employer(), await board.candidate()]) {
        const { id } = await registrationOf(other)
        const [foreign, unknown] = [await board.get(pathOf(id), key), await board.get(pathOf(UNKNOWN), key)]
        const { request_id: _, instance: __, ...rest } = foreign.body
        expect([foreign.status, unknown.body]).toEqual([404, expect.objectContaining(rest)])
      }
    })
  })
})
