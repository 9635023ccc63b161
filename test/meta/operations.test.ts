/**
 * The requests that every operation refuses in the same way, sent to each operation. Every documented operation also
 * has a test file, with a block for each documented status that no request here receives.
 */
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { AccountKind } from '../../src/lib/api-keys.ts'
import { type CallOptions, expectStatus } from '../support/board.ts'
import {
  checkQueryFirst,
  creating,
  fill,
  type Operation,
  parametersIn,
  useEveryOperation,
} from '../support/every-operation.ts'
import { faultsOf } from '../support/operation.ts'

const folder = new URL('../api/', import.meta.url)
const { board, owners, strangers, leavers, operations, permitted, bodyOf, refused } = useEveryOperation()

/** Statuses that many operations share. This file and test/http/ test them for all operations at once. */
const common = [304, 406, 414, 429, 431, 503]

type Refusal = readonly [name: string, options: CallOptions, query?: string]

/**
 * Registers a test: each operation that documents the status refuses the requests with this status, the code and the
 * faults.
 */
function refuses(
  status: number,
  code: string,
  what: string,
  refusals: (operation: Operation) => readonly Refusal[],
  faults: (refusal: Refusal) => readonly string[] = () => [],
): void {
  test(`refuses ${what} with ${status}, and changes nothing`, async () => {
    const notes = await refused(async (operation, note) => {
      if (!operation.statuses.includes(status)) return
      const { key, ids } = permitted(operation)
      for (const refusal of refusals(operation)) {
        const [name, options, query = ''] = refusal
        const answer = await board.call(operation.method, fill(operation.path, ids) + query, { key, ...options })
        const expected = [status, code, ...faults(refusal)]
        // createPayment also reports its unknown job.
        const seen = [answer.status, answer.body?.code, ...faultsOf(answer)].slice(0, expected.length)
        if (seen.join() !== expected.join()) note(name, ...seen)
      }
    })
    expect(notes).toEqual([])
  })
}

const withHeaders = (headers: Record<string, string>, body?: unknown): CallOptions => ({ headers, body })

describe('every operation', () => {
  test('refuses other authentication schemes and malformed credentials with 401', async () => {
    const notes = await refused(async (operation, note) => {
      const { key, ids } = permitted(operation)
      for (const authorization of [`Basic ${key}`, 'Bearer', 'Bearer x', `Bearer ${key} ${key}`]) {
        const { status, headers } = await board.call(operation.method, fill(operation.path, ids), {
          ...withHeaders({ authorization }, bodyOf(operation)),
        })
        const challenge = headers.get('www-authenticate')
        if (status !== 401 || challenge !== 'Bearer error="invalid_token"') note(authorization.slice(0, 8), status)
      }
    })
    expect(notes).toEqual([])
  })

  test('refuses suspended accounts with 403', async () => {
    for (const { id } of Object.values(leavers)) {
      const path = `/v1/admin/accounts/${id}/suspend`
      expectStatus(await board.post(path, owners.admin.key, { reason: 'Spam' }), 200)
    }
    const notes = await refused(async (operation, note) => {
      for (const { key } of Object.values(leavers)) {
        const { ids } = permitted(operation)
        const answer = await board.call(operation.method, fill(operation.path, ids), { key, body: bodyOf(operation) })
        if (answer.status !== 403 || answer.body.code !== 'account_suspended') note(answer.status, answer.body.code)
      }
    })
    expect(notes).toEqual([])
  })

  test('treats malformed IDs and IDs of other resources like unknown IDs, before it checks the query and body, with few exceptions', async () => {
    const wrong = (id: string) => [
      ...['x', '%00', 'a%00b', '%ff', '..%2Fprofile', '%F0%9F%9A%97', "'%20or%201=1--", 'x'.repeat(300)],
      ...[id.toUpperCase(), `${id}0`, id.slice(0, -1), id.replace(/_.*/, '_'), id.replace(/_./, '_8')],
      ...[
        id.replace(/_.*/, '_00000000000000000000000000'),
        id.replace(/^[a-z]+_/, id.startsWith('job_') ? 'app_' : 'job_'),
      ],
    ]
    const notes = await refused(async (operation, note) => {
      if (parametersIn(operation.path) === 0 || creating.includes(operation.operationId)) return
      const { key, ids } = permitted(operation)
      const isQueryFirst = checkQueryFirst.includes(operation.operationId)
      for (const id of wrong(ids.at(-1)!).filter((id) => !ids.includes(id))) {
        for (const [query, body] of [
          ['', bodyOf(operation)],
          ['?color=red', operation.hasBody ? '{' : undefined],
        ] as const) {
          const path = fill(operation.path, [...ids.slice(0, -1), id])
          const answer = await board.call(operation.method, path + query, { key, body })
          if (operation.operationId === 'unsaveJob' && answer.status === 204) continue
          if (isQueryFirst && query !== '' && answer.status === 400) continue
          if (answer.status !== 404 || answer.body.code !== 'not_found')
            note(id, query, answer.status, answer.body?.code)
        }
      }
    })
    expect(notes).toEqual([])
  })

  test('treats a deleted job like an unknown job, with one exception', async () => {
    const { id } = await board.activeJob(owners.employer)
    expectStatus(await board.delete(`/v1/jobs/${id}`, owners.employer.key), 204)
    const notes = await refused(async (operation, note) => {
      if (!/\/jobs\/\{id\}/.test(operation.path) || operation.operationId === 'unsaveJob') return
      for (const kind of Object.keys(operation.callers) as AccountKind[]) {
        for (const body of operation.hasBody ? [bodyOf(operation), '{', []] : [undefined]) {
          const answer = await board.call(operation.method, fill(operation.path, [id]), { key: owners[kind].key, body })
          if (answer.status !== 404 || answer.body.code !== 'not_found') note(kind, body, answer.status)
        }
      }
    })
    expect(notes).toEqual([])
  })

  test("refuses to change another employer's job on the board, before it checks the body", async () => {
    const { id } = await board.activeJob(owners.employer)
    const changes: string[] = []
    const notes = await refused(async (operation, note) => {
      if (!operation.path.startsWith('/jobs/{id}') || operation.method === 'GET' || 'candidate' in operation.callers)
        return
      changes.push(operation.operationId)
      for (const body of [bodyOf(operation), '{', [], { reason: 7 }]) {
        const { key } = strangers.employer
        const answer = await board.call(operation.method, fill(operation.path, [id]), { key, body })
        if (answer.status !== 403 || answer.body.code !== 'not_owner') note(body, answer.status, answer.body.code)
      }
    })
    expect(notes).toEqual([])
    expect(changes.sort()).toEqual(['activateJob', 'closeJob', 'deleteJob', 'reopenJob', 'updateJob'])
  })

  refuses(
    400,
    'unknown_parameter',
    'unknown parameters',
    (operation) => [['unknown parameters', { body: bodyOf(operation) }, '?color=red&__proto__=1']],
    () => ['color unknown_parameter', '__proto__ unknown_parameter'],
  )

  refuses(400, 'invalid_json', 'unreadable bodies', ({ statuses }) =>
    statuses.includes(415)
      ? [
          ['malformed JSON', { body: '{"title":' }],
          ['text that is not JSON', { body: 'title=Engineer' }],
          ['more than one value', { body: '{} {}' }],
          ['unterminated nesting', { body: '['.repeat(100_000) }],
          ['deep nesting', { body: `${'['.repeat(500)}${']'.repeat(500)}` }],
          ['bytes that are not UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }],
        ]
      : [],
  )

  const [jsonBody, fileBody] = [1_048_577, 10_000_000].map((length) => Buffer.from(`"${'x'.repeat(length - 2)}"`))
  refuses(413, 'payload_too_large', 'large bodies', ({ takesFiles }) =>
    takesFiles ? [['ten megabytes', { body: fileBody }]] : [['a megabyte and a byte', { body: jsonBody }]],
  )

  refuses(415, 'unsupported_media_type', 'other content types and encodings', (operation) =>
    operation.takesFiles
      ? []
      : [
          ...['text/plain', 'application/x-www-form-urlencoded', 'application/xml'].map(
            (type) => [type, withHeaders({ 'content-type': type }, '{"a":1}')] as const,
          ),
          ['gzip', withHeaders({ 'content-encoding': 'gzip' }, gzipSync(JSON.stringify(bodyOf(operation) ?? {})))],
        ],
  )

  const takesBody = ({ hasBody }: Operation) => hasBody
  refuses(
    422,
    'validation_failed',
    'non-object bodies',
    (operation) =>
      takesBody(operation) ? ['null', '[]', '"text"', '1'].map((body) => [`the body ${body}`, { body }] as const) : [],
    () => ['# invalid_type'],
  )
  refuses(
    422,
    'validation_failed',
    'NUL and lone surrogates in any field',
    (operation) =>
      takesBody(operation)
        ? [['NUL and lone surrogates', { body: '{"name":"a\\u0000b","title":["\\ud800"],"deep":{"\\udfff":1}}' }]]
        : [],
    () => ['#/name invalid_text', '#/title/0 invalid_text', '#/deep/%EF%BF%BD invalid_text'],
  )
  refuses(
    422,
    'validation_failed',
    'unknown fields',
    (operation) =>
      takesBody(operation)
        ? [['unknown fields', { body: { ...(bodyOf(operation) as object), color: 1, 'a/b~c': 2 } }]]
        : [],
    () => ['#/color unknown_field', '#/a~1b~0c unknown_field'],
  )

  test.each([
    ['414 for a URL longer than 8 KiB', 414, '?'.padEnd(8_192, 'x'), {}],
    ['431 for headers longer than 16 KiB', 431, '', { 'x-long': 'x'.repeat(16_384) }],
  ])('returns %s', async (_what, status, query, headers) => {
    for (const [path, item] of Object.entries(board.contract.document.paths)) {
      for (const method of Object.keys(item)) {
        const target = `/v1${path.replace(/\{\w+\}/g, 'x')}${query}`
        const answer = await board.call(method.toUpperCase(), target, { headers })
        expect(answer.status, `${method} ${path}`).toBe(status)
      }
    }
  })
})

describe('the tests of operations', () => {
  test('have a file named after each operation', () => {
    expect(operations.length).toBeGreaterThan(20)
    const missing = operations.filter(({ operationId }) => !existsSync(new URL(`${operationId}.test.ts`, folder)))
    expect(missing.map(({ operationId }) => operationId)).toEqual([])
  })

  test('have one block for each declared status, except common statuses and errors received above, and no other blocks', () => {
    const differences = operations.flatMap(({ operationId, statuses }) => {
      const file = new URL(`${operationId}.test.ts`, folder)
      const source = existsSync(file) ? readFileSync(file, 'utf8') : ''
      const tested = [...source.matchAll(/^ +status\((\d{3}),/gm)].map(([, status]) => Number(status))
      const isReceived = (status: number) => board.seen.has(`${operationId} ${status}`)
      return [
        ...(new RegExp(`^describeOperation\\(\\s*'${operationId}',`, 'm').test(source)
          ? []
          : [`${operationId} has no describeOperation call in its file`]),
        ...statuses
          .filter((status) => !tested.includes(status) && !common.includes(status))
          .filter((status) => status < 400 || !isReceived(status))
          .map((status) => `${operationId} lacks ${status}`),
        ...tested
          .filter((status) => !statuses.includes(status))
          .map((status) => `${operationId} tests the undeclared status ${status}`),
        ...(new Set(tested).size < tested.length ? [`${operationId} has a status twice`] : []),
      ]
    })
    expect(differences).toEqual([])
  })
})
