import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AccountKind } from '../../src/lib/api-keys.ts'
import { scopesOf } from '../../src/lib/scopes.ts'
import { expectStatus } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { wholeDatabase } from '../support/whole-database.ts'

describeOperation('createApiKey', ({ board, status }) => {
  const create = async (key: string, body: Record<string, unknown>) =>
    expectStatus(await board.post('/v1/api-keys', key, { name: 'Further', ...body }), 201).body.data

  status(201, () => {
    test('creates a key exactly as documented, with the scopes of its creator and no expiry', async () => {
      const { key } = await board.candidate()
      const answer = await board.post('/v1/api-keys', key, { name: '  Reporting  ' })
      expect(answer.status).toBe(201)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('location')).toBe('/v1/api-keys')
      const made = answer.body.data.key
      expect(made).toMatch(/^jm_cand_[0-9A-Za-z]{38}$/)
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^key_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
          name: 'Reporting',
          kind: 'candidate',
          scopes: [...scopesOf('candidate')],
          prefix: 'jm_cand_',
          last4: made.slice(-4),
          created_at: board.clock.now().toISOString(),
          last_used_at: null,
          expires_at: null,
          allowed_origins: null,
          created_by: null,
          key: made,
        },
      })
    })

    test('creates a secret key if the request specifies that kind', async () => {
      const { key } = await board.candidate()
      const made = await create(key, { kind: 'secret', allowed_origins: [] })
      expect([made.kind, made.allowed_origins]).toEqual(['candidate', null])
    })

    test.each<AccountKind>(['employer', 'integrator', 'admin'])(
      'creates publishable keys of %s accounts, and shows them again in lists',
      async (kind) => {
        const account = await board.account(kind)
        const body = { kind: 'publishable', allowed_origins: ['https://www.example.com/', 'http://localhost:5173'] }
        const made = await create(account.key, body)
        expect(made).toMatchObject({
          ...{ kind: 'publishable', scopes: ['jobs:read'], prefix: 'jm_pub_', last4: made.key.slice(-4) },
          ...{ key: expect.stringMatching(/^jm_pub_[0-9A-Za-z]{38}$/), expires_at: null },
          allowed_origins: ['https://www.example.com', 'http://localhost:5173'],
        })
        const open = await create(account.key, { kind: 'publishable', allowed_origins: [], scopes: ['jobs:read'] })
        expect(open.allowed_origins).toBeNull()
        const { data } = (await board.get('/v1/api-keys?limit=100', account.key)).body
        expect(data).toContainEqual(made)
        const secret = data.filter(({ kind }: { kind: string }) => kind !== 'publishable')
        expect(secret.map(({ key }: { key: null }) => key)).toEqual(secret.map(() => null))
        expect((await board.get('/v1/jobs', made.key)).status).toBe(200)
        expect((await board.delete(`/v1/api-keys/${made.id}`, account.key)).status).toBe(204)
        expect((await board.get('/v1/jobs', made.key)).status).toBe(401)
      },
    )

    test.each<AccountKind>(['candidate', 'employer', 'integrator', 'admin'])(
      'creates keys that act as the %s account',
      async (kind) => {
        const account = await board.account(kind)
        const { key } = await create(account.key, {})
        const { data } = (await board.get('/v1/me', key)).body
        expect([data.account_id, data.kind, data.scopes]).toEqual([account.id, kind, [...scopesOf(kind)]])
      },
    )

    test('shows the key once, and stores only its hash and its last four characters', async () => {
      const account = await board.employer()
      const { id, key } = await create(account.key, {})
      const stored = await board.database.read((db) =>
        db.selectFrom('api_key').select(['hash', 'last4']).where('id', '=', id).executeTakeFirstOrThrow(),
      )
      expect(stored).toEqual({ hash: createHash('sha256').update(key).digest('hex'), last4: key.slice(-4) })
      const everything = await wholeDatabase(board.database)
      expect(everything).toContain(stored.hash)
      for (const secret of [key, account.key]) expect(everything).not.toContain(secret.slice(8, -6))
      expect((await board.get('/v1/api-keys', account.key)).text).not.toContain(key.slice(8, -6))
    })

    test('limits the new key to the requested scopes', async () => {
      const { key } = await board.employer()
      const limited = await create(key, { scopes: ['profile:write', 'jobs:read'] })
      expect(limited.scopes).toEqual(['profile:write', 'jobs:read'])
      expect((await board.get('/v1/jobs', limited.key)).status).toBe(200)
      expect((await board.get('/v1/employers/profile', limited.key)).status).toBe(403)
      expect((await create(limited.key, {})).scopes).toEqual(['profile:write', 'jobs:read'])
    })

    test('keeps a key valid until expires_at, to the millisecond', async () => {
      const { key } = await board.candidate()
      const expires_at = new Date(board.clock.time + 5_000).toISOString()
      const short = await create(key, { expires_at })
      expect(short.expires_at).toBe(expires_at)
      board.clock.advance(4_999)
      expect((await board.get('/v1/me', short.key)).status).toBe(200)
      board.clock.advance(1)
      expect((await board.get('/v1/me', short.key)).status).toBe(401)
      expect((await board.get('/v1/me', key)).status).toBe(200)
    })

    test.each([
      ['2026-12-24', '2026-12-24T23:59:59.999Z'],
      ['2026-12-24T12:00:00.5+05:30', '2026-12-24T06:30:00.500Z'],
      [null, null],
    ])('accepts %s as expires_at', async (sent, kept) => {
      const { key } = await board.candidate()
      expect((await create(key, { expires_at: sent })).expires_at).toBe(kept)
    })

    test('never lets a new key outlive the expiring key that created it', async () => {
      const { key } = await board.candidate()
      const expires_at = new Date(board.clock.time + 60_000).toISOString()
      const short = await create(key, { expires_at })
      expect((await create(short.key, {})).expires_at).toBe(expires_at)
      expect((await create(short.key, { expires_at: null })).expires_at).toBe(expires_at)
      const sooner = new Date(board.clock.time + 30_000).toISOString()
      expect((await create(short.key, { expires_at: sooner })).expires_at).toBe(sooner)
    })

    test('accepts names of one to a hundred characters of any kind', async () => {
      const { key } = await board.candidate()
      for (const name of ['x', '\u{1F511}'.repeat(100), "'; drop table api_key; --", '<b>']) {
        expect((await create(key, { name })).name).toBe(name)
      }
    })
  })

  status(409, () => {
    refusesWhileRunning(board, 'createApiKey')

    test('limits an account to a hundred valid keys, even with simultaneous requests', async () => {
      const account = await board.candidate()
      const expires_at = new Date(board.clock.time + 60_000).toISOString()
      for (let made = 1; made < 97; made++) await create(account.key, { expires_at })
      const { key, id } = await create(account.key, { expires_at })
      const wanted = { name: 'One of the last' }
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => board.post('/v1/api-keys', account.key, wanted)),
      )
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 201, 409, 409, 409, 409])
      const refused = await board.post('/v1/api-keys', account.key, wanted)
      expect([refused.body.code, refused.body.limit]).toEqual(['limit_reached', 100])
      // The account's other keys share the limit; other accounts do not.
      expect((await board.post('/v1/api-keys', key, { ...wanted, expires_at })).status).toBe(409)
      expect((await board.post('/v1/api-keys', (await board.candidate()).key, wanted)).status).toBe(201)
      // Deleting a key makes room for one key. The expiry of many keys makes room for many.
      expect((await board.delete(`/v1/api-keys/${id}`, account.key)).status).toBe(204)
      await create(account.key, { expires_at })
      expect((await board.post('/v1/api-keys', account.key, wanted)).status).toBe(409)
      board.clock.advance(60_000)
      await create(account.key, {})
    })
  })

  status(422, () => {
    test('refuses scopes that the calling key lacks', async () => {
      const limited = await board.keyWith(await board.employer(), ['profile:write', 'jobs:read'])
      const body = { name: 'More', scopes: ['jobs:read', 'jobs:write', 'payments:write'] }
      const answer = await board.post('/v1/api-keys', limited, body)
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual([
        { pointer: '#/scopes/1', code: 'not_allowed', detail: 'The calling key does not have the scope jobs:write.' },
        {
          pointer: '#/scopes/2',
          code: 'not_allowed',
          detail: 'The calling key does not have the scope payments:write.',
        },
      ])
    })

    test.each<[AccountKind, string]>([
      ['candidate', 'payments:read'],
      ['candidate', 'admin:write'],
      ['employer', 'alerts:read'],
      ['employer', 'admin:read'],
      ['integrator', 'payments:read'],
      ['integrator', 'admin:write'],
    ])('refuses a key of a %s account with the scope %s', async (kind, scope) => {
      const { key } = await board.account(kind)
      const answer = await board.post('/v1/api-keys', key, { name: 'More', scopes: [scope] })
      expect(answer.body.errors).toEqual([
        {
          pointer: '#/scopes/0',
          code: 'not_allowed',
          detail: `Keys of ${kind} accounts cannot have the scope ${scope}.`,
        },
      ])
    })

    test("refuses an expiry later than the calling key's", async () => {
      const { key } = await board.candidate()
      const short = await create(key, { expires_at: new Date(board.clock.time + 60_000).toISOString() })
      const later = new Date(board.clock.time + 60_001).toISOString()
      const answer = await board.post('/v1/api-keys', short.key, { name: 'Later', expires_at: later })
      expect([answer.status, faultsOf(answer)]).toEqual([422, ['#/expires_at invalid_range']])
    })

    test.each<[string, Record<string, unknown>, string]>([
      ['a missing name', {}, '#/name required'],
      ['an empty name', { name: ' \t ' }, '#/name too_short'],
      ['a long name', { name: 'x'.repeat(101) }, '#/name too_long'],
      ['a name that is not text', { name: 5 }, '#/name invalid_type'],
      ['a null name', { name: null }, '#/name invalid_type'],
      ['an empty list of scopes', { name: 'n', scopes: [] }, '#/scopes too_few'],
      ['null scopes', { name: 'n', scopes: null }, '#/scopes invalid_type'],
      ['the same scope twice', { name: 'n', scopes: ['jobs:read', 'jobs:read'] }, '#/scopes duplicate'],
      ['an unknown scope', { name: 'n', scopes: ['jobs:all'] }, '#/scopes/0 not_allowed'],
      ['scopes as text', { name: 'n', scopes: 'jobs:read' }, '#/scopes invalid_type'],
      ['an expiry that is not a time', { name: 'n', expires_at: 'never' }, '#/expires_at invalid_format'],
      ['an expiry as a number', { name: 'n', expires_at: 1_900_000_000 }, '#/expires_at invalid_type'],
      [
        'an expiry at the current time',
        { name: 'n', expires_at: '2026-03-02T09:00:00Z' },
        '#/expires_at invalid_range',
      ],
      ['an expiry long ago', { name: 'n', expires_at: '2020-01-01' }, '#/expires_at invalid_range'],
      ['a chosen key', { name: 'n', key: 'jm_adm_x' }, '#/key unknown_field'],
      ['an unknown kind', { name: 'n', kind: 'admin' }, '#/kind not_allowed'],
      ['a publishable key of a candidate', { name: 'n', kind: 'publishable' }, '#/kind not_allowed'],
      [
        'origins of a secret key',
        { name: 'n', allowed_origins: ['https://a.example'] },
        '#/allowed_origins not_allowed',
      ],
    ])('refuses %s', async (_title, body, fault) => {
      const { key } = await board.candidate()
      const answer = await board.post('/v1/api-keys', key, body)
      expect([answer.status, answer.body.code, faultsOf(answer)]).toEqual([422, 'validation_failed', [fault]])
    })

    test.each<[string, unknown, string]>([
      ['a path', ['https://a.example', 'https://b.example/jobs'], '#/allowed_origins/1 invalid_format'],
      ['a value that is not a URL', ['a.example'], '#/allowed_origins/0 invalid_format'],
      ['a wildcard', ['*'], '#/allowed_origins/0 invalid_format'],
      ['too many origins', Array.from({ length: 21 }, (_, n) => `https://${n}.example`), '#/allowed_origins too_many'],
      ['text instead of a list', 'https://a.example', '#/allowed_origins invalid_type'],
    ])('refuses allowed_origins with %s', async (_title, allowed_origins, fault) => {
      const { key } = await board.employer()
      const answer = await board.post('/v1/api-keys', key, { name: 'n', kind: 'publishable', allowed_origins })
      expect([answer.status, faultsOf(answer)]).toEqual([422, [fault]])
    })

    test('refuses publishable keys with scopes other than jobs:read, and creators without jobs:read', async () => {
      const employer = await board.employer()
      const body = { name: 'n', kind: 'publishable', scopes: ['jobs:read', 'jobs:write'] }
      expect(faultsOf(await board.post('/v1/api-keys', employer.key, body))).toEqual(['#/scopes not_allowed'])
      const limited = await board.keyWith(employer, ['profile:write'])
      const answer = await board.post('/v1/api-keys', limited, { name: 'n', kind: 'publishable' })
      expect(faultsOf(answer)).toEqual(['#/scopes/0 not_allowed'])
    })

    test('reports schema and rule errors in one response', async () => {
      const { key } = await board.candidate()
      const body = { name: '', scopes: ['admin:read'], expires_at: '2020-01-01', color: 1 }
      expect(faultsOf(await board.post('/v1/api-keys', key, body)).sort()).toEqual([
        '#/color unknown_field',
        '#/expires_at invalid_range',
        '#/name too_short',
        '#/scopes/0 not_allowed',
      ])
    })

    test('does not create a key when it refuses a request', async () => {
      const { key } = await board.candidate()
      await board.post('/v1/api-keys', key, { name: 'n', scopes: ['admin:read'] })
      expect((await board.get('/v1/api-keys', key)).body.meta.pagination.total).toBe(1)
    })
  })
})
