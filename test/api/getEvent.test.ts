import { expect, test } from 'vitest'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getEvent', ({ board, status }) => {
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
})
