import { expect, test } from 'vitest'
import { allScopes } from '../../src/lib/scopes.ts'
import { ADMIN_KEY } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('getMe', ({ board, status }) => {
  const request = async () => ({ method: 'GET', path: '/v1/me' })

  status(200, () => {
    test("shows a candidate the account and the key's permissions", async () => {
      const { id, key } = await board.candidate({
        first_name: 'Ada',
        last_name: 'King',
        email: 'Ada.King@mail.example',
      })
      const answer = await board.get('/v1/me', key)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        data: {
          account_id: id,
          kind: 'candidate',
          name: 'Ada King',
          email: 'Ada.King@mail.example',
          scopes: [
            'profile:read',
            'profile:write',
            'applications:read',
            'applications:write',
            'jobs:read',
            'jobs:write',
            'alerts:read',
            'alerts:write',
            'webhooks:read',
            'webhooks:write',
          ],
          key: { id: expect.stringMatching(/^key_[0-7][0-9a-z]{25}$/), name: 'First key', last4: key.slice(-4) },
        },
      })
    })

    test("shows an employer the account and the key's permissions", async () => {
      const { id, key } = await board.employer({ name: 'Voltaire Vans', email: 'jobs@voltaire.example' })
      const { data } = (await board.get('/v1/me', key)).body
      expect(data).toMatchObject({ account_id: id, kind: 'employer', name: 'Voltaire Vans' })
      expect(data.email).toBe('jobs@voltaire.example')
      expect(data.scopes).toEqual([
        'profile:read',
        'profile:write',
        'applications:read',
        'applications:write',
        'jobs:read',
        'jobs:write',
        'candidates:read',
        'candidates:write',
        'payments:read',
        'payments:write',
        'webhooks:read',
        'webhooks:write',
      ])
    })

    test('shows an integrator the account, without an email address', async () => {
      const { id, key } = await board.integrator()
      const { data } = (await board.get('/v1/me', key)).body
      expect(data).toMatchObject({ account_id: id, kind: 'integrator', email: null })
      expect(data.scopes.filter((scope: string) => /^(?:admin|payments|alerts)/.test(scope))).toEqual([])
    })

    test('shows every permission for the admin key from the environment', async () => {
      const { data } = (await board.get('/v1/me', ADMIN_KEY)).body
      expect(data).toEqual({
        account_id: 'adm_00000000000000000000000000',
        kind: 'admin',
        name: 'Operator',
        email: null,
        scopes: [...allScopes],
        key: { id: 'key_00000000000000000000000000', name: 'ADMIN_API_KEY', last4: ADMIN_KEY.slice(-4) },
      })
    })

    test("requires no particular scope, and shows only the key's scopes", async () => {
      const limited = await board.keyWith(await board.employer(), ['jobs:read'])
      const { data } = (await board.get('/v1/me', limited)).body
      expect([data.scopes, data.key.name]).toEqual([['jobs:read'], 'Limited'])
    })

    test('accepts the authentication scheme in any letter case', async () => {
      const { id, key } = await board.candidate()
      for (const authorization of [`bearer ${key}`, `BEARER  ${key}`]) {
        const answer = await board.call('GET', '/v1/me', { headers: { authorization } })
        expect(answer.body.data.account_id).toBe(id)
      }
    })

    test('shows the new name of a renamed employer immediately', async () => {
      const { key } = await board.employer({ name: 'Before' })
      expect((await board.get('/v1/me', key)).body.data.name).toBe('Before')
      await board.put('/v1/employers/profile', key, { name: 'After' })
      expect((await board.get('/v1/me', key)).body.data.name).toBe('After')
    })
  })

  status(304, () => answersNotModified(board, 'candidate', request))
})
