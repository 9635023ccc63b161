import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { hasNoTag } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteBlock', ({ board, status }) => {
  const path = '/v1/admin/blocks'
  let count = 0
  const create = async () => {
    const body = { kind: 'address', value: `gone-${++count}@blocked.example`, reason: 'Spam' }
    return expectStatus(await board.post(path, ADMIN_KEY, body), 201).body.data
  }
  const request = async () => ({ method: 'DELETE', path: `${path}/${(await create()).id}` })

  status(204, () => {
    test('lifts the block immediately, and records that in the activity log', async () => {
      const { id, value } = await create()
      const register = () => board.post('/v1/employers', undefined, { name: 'Back', email: value })
      expect((await register()).status).toBe(403)
      expectStatus(await board.delete(`${path}/${id}`, ADMIN_KEY), 204)
      expect((await register()).status).toBe(201)
      const actions = await board.database.read((db) =>
        db
          .selectFrom('operator_action')
          .select('action')
          .where('subject', '=', `address ${value}`)
          .orderBy('id')
          .execute(),
      )
      expect(actions.map(({ action }) => action)).toEqual(['block.create', 'block.delete'])
    })
  })

  status(404, () => {
    test('does not find a block that was deleted or never existed', async () => {
      const { id } = await create()
      expectStatus(await board.delete(`${path}/${id}`, ADMIN_KEY), 204)
      for (const gone of [id, 'block_00000000000000000000000000', 'x', '%00']) {
        expect((await board.delete(`${path}/${gone}`, ADMIN_KEY)).status).toBe(404)
      }
    })
  })

  status(412, () => hasNoTag(board, 'admin', request))
})
