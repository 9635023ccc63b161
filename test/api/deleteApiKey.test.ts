import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KeyRing } from '../../src/features/accounts/index.ts'
import { unconditionally } from '../../src/lib/entity-tags.ts'
import { type Account, Board, expectStatus } from '../support/board.ts'
import { idsOf } from '../support/collection.ts'
import { hasNoTag } from '../support/conditional.ts'
import { useMonotonic } from '../support/monotonic.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteApiKey', ({ board, status }) => {
  const make = async (account: Account) =>
    expectStatus(await board.post('/v1/api-keys', account.key, { name: 'Further' }), 201).body.data
  const request = async () => {
    const account = await board.candidate()
    return { method: 'DELETE', path: `/v1/api-keys/${(await make(account)).id}`, key: account.key }
  }

  status(204, () => {
    test('revokes a key immediately, even if it was just used, and leaves other keys valid', async () => {
      const account = await board.candidate()
      const { id, key } = await make(account)
      expect((await board.get('/v1/me', key)).status).toBe(200)
      const answer = await board.delete(`/v1/api-keys/${id}`, account.key)
      expect([answer.status, answer.text]).toEqual([204, ''])
      const refused = await board.get('/v1/me', key)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
      expect(idsOf(await board.get('/v1/api-keys', account.key))).not.toContain(id)
    })

    test('revokes the calling key itself', async () => {
      const { key } = await board.employer()
      const { id } = (await board.get('/v1/me', key)).body.data.key
      expect((await board.delete(`/v1/api-keys/${id}`, key)).status).toBe(204)
      expect((await board.get('/v1/me', key)).status).toBe(401)
    })

    test('lets an admin revoke other keys of the same account', async () => {
      const operator = await board.account('admin')
      const { id, key } = await make(operator)
      expect((await board.delete(`/v1/api-keys/${id}`, operator.key)).status).toBe(204)
      expect((await board.get('/v1/me', key)).status).toBe(401)
      expect((await board.get('/v1/me', operator.key)).status).toBe(200)
    })

    test('accepts an empty body, with and without a content type', async () => {
      const account = await board.candidate()
      for (const headers of [{}, { 'content-type': 'application/json' }]) {
        const { id } = await make(account)
        const answer = await board.call('DELETE', `/v1/api-keys/${id}`, { key: account.key, headers })
        expect(answer.status).toBe(204)
      }
    })

    describe('with a second process on the same database', () => {
      const monotonic = useMonotonic()
      const second = new Board()
      beforeAll(async () => {
        second.database = board.database
        await second.start()
      })
      afterAll(() => second.service.app.close())

      test('revokes the key in that process within two seconds', async () => {
        const account = await board.candidate()
        const { id, key } = await make(account)
        expect((await second.get('/v1/me', key)).status).toBe(200)
        expect((await board.delete(`/v1/api-keys/${id}`, account.key)).status).toBe(204)
        monotonic.advance(2_000)
        expect((await second.get('/v1/me', key)).status).toBe(401)
      })
    })

    test('keeps the key revoked despite a concurrent lookup', async () => {
      const account = await board.candidate()
      const { id, key } = await make(account)
      let letGo = () => {}
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      let isRead = () => {}
      const read = new Promise<void>((resolve) => {
        isRead = resolve
      })
      // The first lookup reads the key before the revocation and returns after it.
      let isFirst = true
      const ring = new KeyRing(
        {
          ...board.database,
          async read(question) {
            const answer = await board.database.read(question)
            if (isFirst) {
              isFirst = false
              isRead()
              await held
            }
            return answer
          },
        },
        board.clock,
        [],
        async () => {},
      )
      const looking = ring.findActor(key)
      await read
      await ring.revoke(account.id, id, unconditionally)
      letGo()
      await looking
      expect(await ring.findActor(key)).toBeUndefined()
    })
  })

  status(404, () => {
    test('returns 404 for a key that was already revoked', async () => {
      const account = await board.candidate()
      const { id } = await make(account)
      expect((await board.delete(`/v1/api-keys/${id}`, account.key)).status).toBe(204)
      expect((await board.delete(`/v1/api-keys/${id}`, account.key)).status).toBe(404)
    })

    test('does not revoke the admin key from the environment', async () => {
      const { key } = await board.account('admin')
      const { id } = (await board.get('/v1/me', key)).body.data.key
      expect((await board.delete(`/v1/api-keys/${id}`, key)).status).toBe(404)
      expect((await board.get('/v1/me', key)).status).toBe(200)
    })
  })

  status(412, () => hasNoTag(board, 'candidate', request))
})
