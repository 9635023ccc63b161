/** The client has a method for every operation, and each method sends the documented request. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { JobMarketplace, JobMarketplaceError } from '../../packages/client/src/index.ts'
import { nameOfAll, operations } from '../../packages/client/src/operations.ts'
import { renderClientTypes } from '../../scripts/client-types.ts'
import { operationsOf } from '../../src/http/openapi-document.ts'
import { pdf } from '../support/documents.ts'
import { fill, parametersIn, useEveryOperation } from '../support/every-operation.ts'
import { png } from '../support/pictures.ts'

const world = useEveryOperation()
const { board } = world

/** Statuses of responses to a malformed or forbidden request, or to a wrong path. */
const WRONG = [400, 401, 403, 404, 405, 406, 411, 415, 422]

const table = Object.entries(operations).flatMap(([resource, methods]) =>
  Object.entries(methods).map(([name, spec]) => {
    const [method, path, input] = spec.split(' ') as [string, string, string?]
    return { resource, name, method, path, input }
  }),
)

/** Additional methods for an operation, with parameters that select another response. */
const SECOND = ['listChanges', 'poll']

const documented = () => operationsOf(board.contract.document)

test('the types match the OpenAPI document', async () => {
  const file = join(import.meta.dirname, '../../packages/client/src/api.ts')
  await expect(renderClientTypes(board.contract.document)).toMatchFileSnapshot(file)
})

test('the table lists every operation with its kind of input', () => {
  const expected = documented().map(({ method, path, parameters = [], requestBody }) => {
    const media = Object.keys(requestBody?.content ?? {})
    const json = requestBody?.content['application/json']?.schema.properties ?? {}
    const hasPages = parameters.some(({ name }) => name === 'cursor')
    const isStream = path.endsWith('/stream')
    const input = isStream
      ? 'stream'
      : hasPages
        ? 'query'
        : media.includes('multipart/form-data')
          ? 'file'
          : Object.keys(json).length > 0
            ? 'body'
            : undefined
    return { method, path, input }
  })
  const listed = table.filter(({ name }) => !SECOND.includes(name))
  const line = ({ method, path, input }: (typeof expected)[number]) => [method, path, input].join(' ')
  expect(listed.map(line).sort()).toEqual(expected.map(line).sort())
})

test('every method sends the documented request', async () => {
  const sent: string[] = []
  /** Records a request, and checks the response against the OpenAPI document, unless it is an event stream. */
  const record: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    sent.push(`${init!.method} ${pathname}`)
    const response = await fetch(input, init)
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    const text = await response.clone().text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const answer = { status: response.status, headers: response.headers, text }
    board.contract.check(init!.method!, pathname, { ...answer, body: isJson && text ? JSON.parse(text) : undefined })
    return response
  }
  const wrong: unknown[] = []
  const called = new Set<string>()
  // Other operations need the resources and accounts, so deletions of resources, and then of accounts, come last.
  const turnOf = ({ method, path }: (typeof table)[number]) =>
    method !== 'DELETE' ? 0 : /\/profile$|accounts\/\{id\}$/.test(path) ? 2 : 1
  const draft = world.shelves['/employers/jobs/{id}']!.things[0]!.ids[0]!
  const posted = world.permitted(world.operations.find(({ operationId }) => operationId === 'saveJob')!).ids[0]!
  /** Body fields that refer to existing jobs. */
  const existing: Record<string, object> = {
    createPayment: { job_id: draft },
    decideDuplicates: { job_ids: [draft, posted] },
  }
  const inOrder = [...table].sort((a, b) => turnOf(a) - turnOf(b))
  for (const { resource, name, method, path, input } of inOrder) {
    const { operationId } = documented().find((one) => one.method === method && one.path === path)!
    const operation = world.operations.find((one) => one.operationId === operationId)
    const { key, ids: known } = operation ? world.permitted(operation) : { key: undefined, ids: [] }
    const ids = known.slice(0, parametersIn(path))
    const isResume = path.startsWith('/candidates')
    const file = isResume
      ? new File([new Uint8Array(pdf('Ada King'))], 'cv.pdf')
      : new File([new Uint8Array(png(8, 8))], 'logo.png')
    const body = operation && input === 'body' ? (world.bodyOf(operation) as object) : undefined
    const query = name === 'listChanges' ? { updated_since: board.clock.now(), include_deleted: true } : {}
    const inputs: Record<string, unknown> = {
      query,
      poll: {},
      body: body && { ...body, ...existing[operationId] },
      file,
    }
    const client = new JobMarketplace({ baseUrl: board.address, ...(key && { apiKey: key }), fetch: record })
    const methods = client[resource as keyof JobMarketplace] as unknown as Record<
      string,
      (...args: unknown[]) => unknown
    >
    const args = [...ids, ...(input ? [inputs[input]] : []), { retries: 0 }]
    sent.length = 0
    try {
      if (input !== 'stream') await methods[name]!(...args)
      if (input === 'stream') for await (const _ of methods[name]!(...args) as AsyncIterable<unknown>) break
      if (input === 'query') for await (const _ of methods[nameOfAll(name)]!(...args) as AsyncIterable<unknown>) break
    } catch (error) {
      if (!(error instanceof JobMarketplaceError)) throw error
      if (WRONG.includes(error.status!)) wrong.push([`${resource}.${name}`, error.status, error.message, error.errors])
    }
    expect([...new Set(sent)]).toEqual([`${method} ${fill(path, ids)}`])
    called.add(operationId)
  }
  expect(wrong).toEqual([])
  expect(called.size).toBe(documented().length)
})
