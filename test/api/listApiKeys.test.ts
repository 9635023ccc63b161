import { expect, test } from 'vitest'
import type { Account } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { useMonotonic } from '../support/monotonic.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('listApiKeys', ({ board, status }) => {
  const monotonic = useMonotonic()
  const list = async (key: string, query: string) => (await board.get(`/v1/api-keys?${query}`, key)).body
  const namesOf = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name)
  /** Creates another key for the account. */
  const make = async (account: Account, body: Record<string, unknown>) =>
    (await board.post('/v1/api-keys', account.key, body)).body.data

  const collection = async () => {
    const account = await board.candidate()
    const names = ['one', 'two', 'three', 'four']
    for (const name of names) {
      board.clock.advance(1_000)
      await make(account, { name })
    }
    const { data } = (await board.get('/v1/api-keys', account.key)).body
    expect(namesOf({ data })).toEqual([...names.toReversed(), 'First key'])
    const ids = data.map(({ id }: { id: string }) => id)
    return { path: '/v1/api-keys', key: account.key, ids, otherSort: 'name' }
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test("shows only the account's keys, newest first, exactly as documented and without the secrets", async () => {
      const account = await board.employer()
      await board.employer()
      board.clock.advance(1_000)
      const further = await make(account, {
        name: 'Reporting',
        scopes: ['jobs:read'],
        expires_at: '2030-01-01T00:00:00+01:00',
      })
      const answer = await board.get('/v1/api-keys', account.key)
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual([
        {
          id: further.id,
          name: 'Reporting',
          kind: 'employer',
          scopes: ['jobs:read'],
          prefix: 'jm_emp_',
          last4: further.key.slice(-4),
          created_at: board.clock.now().toISOString(),
          last_used_at: null,
          expires_at: '2029-12-31T23:00:00.000Z',
          ...{ allowed_origins: null, created_by: null, key: null },
        },
        expect.objectContaining({ name: 'First key', last4: account.key.slice(-4), expires_at: null }),
      ])
      expect(answer.text).not.toContain(further.key)
      expect(answer.text).not.toContain(account.key)
      expect(answer.body.meta).toMatchObject({
        sort: { fields: ['created_at'], directions: ['desc'] },
        filters_applied: {},
      })
    })

    test('records when a key was last used, at most once a minute', async () => {
      const account = await board.candidate()
      const lastUse = async () => {
        await board.service.keyRing.flushUses()
        return (await list(account.key, 'limit=1')).data[0].last_used_at
      }
      await board.get('/v1/me', account.key)
      const first = board.clock.now().toISOString()
      expect(await lastUse()).toBe(first)
      // The key is cached for a second.
      monotonic.advance(2_000)
      board.clock.advance(30_000)
      await board.get('/v1/me', account.key)
      expect(await lastUse()).toBe(first)
      monotonic.advance(2_000)
      board.clock.advance(31_000)
      await board.get('/v1/me', account.key)
      expect(await lastUse()).toBe(board.clock.now().toISOString())
    })

    test('sorts by name, ignoring case and accents, and by times, with missing times last in both directions', async () => {
      const account = await board.candidate()
      await make(account, { name: 'éclair', expires_at: '2031-01-01' })
      await make(account, { name: 'Zebra', expires_at: '2030-01-01' })
      await make(account, { name: 'Eagle' })
      expect(namesOf(await list(account.key, 'sort=name'))).toEqual(['Eagle', 'éclair', 'First key', 'Zebra'])
      expect(namesOf(await list(account.key, 'sort=name:desc'))).toEqual(['Zebra', 'First key', 'éclair', 'Eagle'])
      expect(namesOf(await list(account.key, 'sort=expires_at,name'))).toEqual([
        'Zebra',
        'éclair',
        'Eagle',
        'First key',
      ])
      expect(namesOf(await list(account.key, 'sort=expires_at:desc,name:asc'))).toEqual([
        'éclair',
        'Zebra',
        'Eagle',
        'First key',
      ])
      const firstKeyIsUsed = ['sort=last_used_at,name', 'sort=last_used_at:desc,name:asc']
      await board.service.keyRing.flushUses()
      for (const query of firstKeyIsUsed) {
        expect(namesOf(await list(account.key, query))).toEqual(['First key', 'Eagle', 'éclair', 'Zebra'])
      }
    })

    test('filters by name, creation and expiry, and echoes the filters', async () => {
      const account = await board.candidate()
      const before = board.clock.now().toISOString()
      board.clock.advance(1_000)
      await make(account, { name: 'Éclair', expires_at: '2031-01-01' })
      await make(account, { name: 'Zebra', expires_at: '2030-01-01T12:00:00Z' })
      const cases: [string, string[], Record<string, unknown>][] = [
        ['name=eclair', ['Éclair'], { name: 'eclair' }],
        ['name_not=eclair', ['Zebra', 'First key'], { name_not: 'eclair' }],
        ['name_in=ZEBRA,nothing', ['Zebra'], { name_in: ['ZEBRA', 'nothing'] }],
        [`created_at=${before}`, ['First key'], { created_at: before }],
        [`created_at_gt=${before}`, ['Zebra', 'Éclair'], { created_at_gt: before }],
        [`created_at_lte=${before}`, ['First key'], { created_at_lte: before }],
        ['expires_at_lt=2030-06-01', ['Zebra'], { expires_at_lt: '2030-06-01' }],
        [
          'expires_at_gte=2030-01-01T13:00:00%2B01:00',
          ['Zebra', 'Éclair'],
          { expires_at_gte: '2030-01-01T13:00:00+01:00' },
        ],
        ['name=&expires_at_gt=2030-06-01', ['Éclair'], { expires_at_gt: '2030-06-01' }],
      ]
      for (const [query, names, applied] of cases) {
        const body = await list(account.key, query)
        expect([namesOf(body).sort(), body.meta.filters_applied, body.meta.pagination.total], query).toEqual([
          names.toSorted(),
          applied,
          names.length,
        ])
      }
    })

    test('includes expired keys but not revoked keys', async () => {
      const account = await board.candidate()
      const expired = await make(account, { name: 'Expired', expires_at: new Date(board.clock.time + 1).toISOString() })
      const revoked = await make(account, { name: 'Revoked' })
      board.clock.advance(1)
      await board.delete(`/v1/api-keys/${revoked.id}`, account.key)
      const ids = idsOf(await board.get('/v1/api-keys', account.key))
      expect([ids.includes(expired.id), ids.includes(revoked.id)]).toEqual([true, false])
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test('refuses a suffix that a parameter does not support', async () => {
      const { key } = await board.candidate()
      const answer = await board.get('/v1/api-keys?name_gt=a', key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, ['name_gt invalid_parameter']])
    })
  })
})
