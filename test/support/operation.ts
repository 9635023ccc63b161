/** Shared tests of one operation, in a describe block for each status. Each block must have received its status. */
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import type { AccountKind } from '../../src/lib/api-keys.ts'
import { type Account, ADMIN_KEY, type Answer, type Board, type CallOptions, useBoard } from './board.ts'

export interface OperationTests {
  board: Board
  /** Defines a describe block that fails if the operation did not return this status inside it. */
  status(code: number, define: () => void): void
}

export function describeOperation(
  operationId: string,
  define: (tests: OperationTests) => void,
  environment: Record<string, string> = {},
): void {
  describe(operationId, () => {
    const board = useBoard(environment)
    define({
      board,
      status(code, defineBlock) {
        describe(String(code), () => {
          defineBlock()
          afterAll(() => {
            if (!board.seen.has(`${operationId} ${code}`)) throw new Error(`${operationId} never answered ${code} here`)
            board.seen.delete(`${operationId} ${code}`)
          })
        })
      },
    })
  })
}

/**
 * Creates a request when the test runs. `key` is the required account's key, if the request needs a particular account.
 */
export type RequestOf = () => Promise<{ method: string; path: string; body?: unknown; key?: string }>

/** The values that the refusals of a board share. A refused request changes nothing, so they need no fresh ones. */
const shared = new WeakMap<Board, Map<RequestOf | AccountKind, Promise<unknown>>>()

function share<T>(board: Board, of: RequestOf | AccountKind, make: () => Promise<T>): Promise<T> {
  if (!shared.has(board)) shared.set(board, new Map())
  const values = shared.get(board)!
  if (!values.has(of)) values.set(of, make())
  return values.get(of) as Promise<T>
}

const accountOf = (board: Board, kind: AccountKind): Promise<Account> => share(board, kind, () => board.account(kind))

/** Returns a request that an account of this kind may send. */
async function permitted(board: Board, kind: AccountKind, request: RequestOf) {
  const { method, path, body, key } = await share(board, request, request)
  return { method, path, body, key: key ?? (await accountOf(board, kind)).key }
}

async function send(
  board: Board,
  request: RequestOf,
  key: string | undefined,
  more: CallOptions = {},
): Promise<Answer> {
  const { method, path, body } = await share(board, request, request)
  return board.call(method, path, { key, body, ...more })
}

/**
 * Tests 401 for no key, garbage, and mistyped, expired and revoked keys. With a valid key, accounts of this `kind` are permitted.
 */
export function refusesBadKeys(board: Board, kind: AccountKind, request: RequestOf): void {
  test('refuses a request without a key and explains how to send one', async () => {
    const answer = await send(board, request, undefined)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.body.code).toBe('unauthorized')
  })

  test('refuses garbage, a mistyped key and another scheme alike', async () => {
    const { key } = await accountOf(board, kind)
    const mistyped = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
    for (const authorization of ['Bearer x', `Bearer ${mistyped}`, `Basic ${key}`, 'Bearer', `Bearer ${key} ${key}`]) {
      const answer = await send(board, request, undefined, { headers: { authorization } })
      expect(answer.status, authorization.slice(0, 8)).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    }
  })

  test('refuses an expired and a revoked key', async () => {
    const { key } = await accountOf(board, kind)
    const expires_at = new Date(board.clock.time + 1_000).toISOString()
    const short = (await board.post('/v1/api-keys', key, { name: 'Short', expires_at })).body.data
    const revoked = (await board.post('/v1/api-keys', key, { name: 'Revoked' })).body.data
    expect((await board.get('/v1/me', short.key)).status).toBe(200)
    expect((await board.get('/v1/me', revoked.key)).status).toBe(200)
    board.clock.advance(1_000)
    expect((await board.delete(`/v1/api-keys/${revoked.id}`, key)).status).toBe(204)
    expect((await send(board, request, short.key)).status).toBe(401)
    expect((await send(board, request, revoked.key)).status).toBe(401)
  })
}

/** Tests 403 for keys of these kinds, before any other part of the request is checked. */
export function refusesKinds(board: Board, kinds: readonly AccountKind[], code: string, request: RequestOf): void {
  test.each(kinds)('refuses %s accounts', async (kind) => {
    const { key } = await accountOf(board, kind)
    const answer = await send(board, request, key)
    expect([answer.status, answer.body.code]).toEqual([403, code])
  })
}

/** Tests 403 for a suspended account with an operation that any key may call. */
export function refusesSuspended(board: Board, request: RequestOf): void {
  test('refuses a suspended account', async () => {
    const { id, key } = await board.employer()
    const suspended = await board.post(`/v1/admin/accounts/${id}/suspend`, ADMIN_KEY, { reason: 'Spam' })
    expect(suspended.status).toBe(200)
    const answer = await send(board, request, key)
    expect([answer.status, answer.body.code]).toEqual([403, 'account_suspended'])
  })
}

/** Tests 403 for a key of the right kind without the scope. */
export function refusesMissingScope(board: Board, kind: AccountKind, scope: string, request: RequestOf): void {
  test(`refuses a key without ${scope}`, async () => {
    const account = await accountOf(board, kind)
    const other = scope === 'jobs:read' ? 'profile:read' : 'jobs:read'
    const answer = await send(board, request, await board.keyWith(account, [other]))
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope'])
    expect(answer.body.required_scope).toBe(scope)
  })
}

/** Tests 400 for query parameters that the operation does not know. */
export function refusesUnknownParameters(board: Board, kind: AccountKind, request: RequestOf): void {
  test('reports all unknown query parameters', async () => {
    const { method, path, body, key } = await permitted(board, kind, request)
    const answer = await board.call(method, `${path}${path.includes('?') ? '&' : '?'}colour=red&__proto__=1`, {
      key,
      body,
    })
    expect([answer.status, answer.body.code]).toEqual([400, 'unknown_parameter'])
    expect(answer.body.errors.map((fault: { parameter: string }) => fault.parameter)).toEqual(['colour', '__proto__'])
  })
}

/** Tests 400, 413 and 415 for unreadable bodies, each with nothing changed. Apart from its body, the request must be valid. */
export const unreadableBodies = {
  /** Use in the 400 block. */
  400: (board: Board, kind: AccountKind, request: RequestOf): void => {
    test.each([
      ['malformed JSON', '{"title":'],
      ['text that is not JSON', 'title=Engineer'],
      ['more than one value', '{} {}'],
      ['unterminated nesting', '['.repeat(100_000)],
      ['deep nesting', `${'['.repeat(500)}${']'.repeat(500)}`],
    ])('refuses %s', async (_what, body) => {
      const { method, path, key } = await permitted(board, kind, request)
      const answer = await board.call(method, path, { key, body })
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_json'])
    })

    test('refuses a body that is not UTF-8', async () => {
      const { method, path, key } = await permitted(board, kind, request)
      const answer = await board.callRaw(method, path, key, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_json'])
    })
  },
  /** Use in the 413 block. */
  413: (board: Board, kind: AccountKind, request: RequestOf): void => {
    test('refuses a body of ten megabytes', async () => {
      const { method, path, key } = await permitted(board, kind, request)
      const answer = await board.call(method, path, { key, body: JSON.stringify({ title: 'x'.repeat(10_000_000) }) })
      expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large'])
    })
  },
  /** Use in the 415 block. */
  415: (board: Board, kind: AccountKind, request: RequestOf): void => {
    test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
      'refuses the content type %s',
      async (type) => {
        const { method, path, key } = await permitted(board, kind, request)
        const answer = await board.call(method, path, { key, body: '{"a":1}', headers: { 'content-type': type } })
        expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
      },
    )

    test('refuses a compressed body and explains that compression is not supported', async () => {
      const { method, path, body, key } = await permitted(board, kind, request)
      const headers = { 'content-encoding': 'gzip' }
      const answer = await board.call(method, path, { key, body: gzipSync(JSON.stringify(body ?? {})), headers })
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
      expect(answer.headers.get('accept-encoding')).toBe('identity')
    })
  },
  /** Use in the 422 block. */
  422: (board: Board, kind: AccountKind, request: RequestOf): void => {
    test('refuses NUL characters and lone surrogates in any field', async () => {
      const { method, path, key } = await permitted(board, kind, request)
      const body = '{"name":"a\\u0000b","title":["\\ud800"],"deep":{"\\udfff":1}}'
      const answer = await board.call(method, path, { key, body })
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
      expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual([
        '#/name',
        '#/title/0',
        '#/deep/%EF%BF%BD',
      ])
    })

    test.each(['null', '[]', '"text"', '1'])('refuses a body that is %s', async (body) => {
      const { method, path, key } = await permitted(board, kind, request)
      const answer = await board.call(method, path, { key, body })
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        [{ pointer: '#', code: 'invalid_type', detail: 'the body must be an object.' }],
      ])
    })

    test('reports all unknown fields', async () => {
      const { method, path, body, key } = await permitted(board, kind, request)
      const answer = await board.call(method, path, { key, body: { ...(body as object), colour: 1, 'a/b~c': 2 } })
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual([
        { pointer: '#/colour', code: 'unknown_field', detail: expect.any(String) },
        { pointer: '#/a~1b~0c', code: 'unknown_field', detail: expect.any(String) },
      ])
    })
  },
}

/** Returns the errors in a response, as `pointer code`. */
export function faultsOf(answer: Answer): string[] {
  return (answer.body.errors ?? []).map(
    (fault: { pointer?: string; parameter?: string; code: string }) =>
      `${fault.pointer ?? fault.parameter} ${fault.code}`,
  )
}
