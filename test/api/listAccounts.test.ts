import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('listAccounts', ({ board, status }) => {
  const path = '/v1/admin/accounts'
  const find = async (query: string) => idsOf(await board.get(`${path}?${query}`, ADMIN_KEY))

  const collection = async () => {
    const ids: string[] = []
    for (const name of ['Alder', 'birch', 'Cedar', 'dogwood', 'Elm']) {
      board.clock.advance(1_000)
      ids.unshift((await board.employer({ name: `${name} of the grove` })).id)
    }
    return { path: `${path}?search=of+the+grove`, key: ADMIN_KEY, ids, otherSort: 'name' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('returns accounts exactly as documented, and finds them by name, email address and ID', async () => {
      const { id } = await board.employer({ name: 'Ångström Autos', email: 'Mail@Angstrom.example' })
      const answer = await board.get(`${path}?search=angstrom`, ADMIN_KEY)
      expect(answer.body.data).toEqual([
        {
          id,
          kind: 'employer',
          name: 'Ångström Autos',
          email: 'Mail@Angstrom.example',
          created_at: board.clock.now().toISOString(),
          suspended_at: null,
        },
      ])
      expect(await find('search=MAIL@ANGSTROM')).toEqual([id])
      expect(await find(`search=${id}`)).toEqual([id])
      expect(await find('search=angstrom&kind_not=employer')).toEqual([])
      expect(await find('search=angstrom&is_suspended=true')).toEqual([])
      await board.put('/v1/employers/profile', (await board.employer({ name: 'Before' })).key, { name: 'Afterwards' })
      expect((await find('search=afterwards')).length).toBe(1)
    })

    test('sorts by name, ignoring case', async () => {
      const names = ['beech Trees', 'Ash Trees', 'alder Trees']
      for (const name of names) await board.employer({ name })
      const { data } = (await board.get(`${path}?search=trees&sort=name:asc`, ADMIN_KEY)).body
      expect(data.map(({ name }: { name: string }) => name)).toEqual(['alder Trees', 'Ash Trees', 'beech Trees'])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test('reports invalid filters', async () => {
      const answer = await board.get(`${path}?kind=robot&is_suspended=maybe&created_at_gte=soon`, ADMIN_KEY)
      expect([answer.status, faultsOf(answer)]).toEqual([
        400,
        ['kind invalid_parameter', 'is_suspended invalid_parameter', 'created_at_gte invalid_parameter'],
      ])
    })
  })
})
