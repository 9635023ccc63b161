/** The endpoint for agents, called by the official client of the Model Context Protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import Fastify, { type FastifyRequest } from 'fastify'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clientAddressFinder } from '../../src/http/client-address.ts'
import { callOperation } from '../../src/http/inner-calls.ts'
import { accountKinds } from '../../src/lib/api-keys.ts'
import { scopesOf } from '../../src/lib/scopes.ts'
import { alertBody } from '../support/alerts.ts'
import { world } from '../support/applications.ts'
import { type Account, ADMIN_KEY, expectStatus, jobBody, ORIGIN, useBoard } from '../support/board.ts'

const board = useBoard({ RATE_LIMIT: 'on', TRUST_PROXY: '127.0.0.1', LOG_CLIENT_ADDRESS: 'full' })
const PATH = '/v1/mcp'
const revisions = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const
type Revision = keyof typeof revisions

let candidate: Account
let employer: Account
let job: { id: string }
let application: { id: string }
let unapplied: { id: string }
const keys: Record<string, string> = { admin: ADMIN_KEY }

beforeAll(async () => {
  ;({ candidate, employer, job, application } = await world(board))
  unapplied = await board.activeJob(employer)
  const body = { name: 'Website', kind: 'publishable' }
  Object.assign(keys, {
    candidate: candidate.key,
    employer: employer.key,
    integrator: (await board.integrator()).key,
    reader: await board.keyWith(candidate, ['jobs:read']),
    publishable: expectStatus(await board.post('/v1/api-keys', employer.key, body), 201).body.data.key,
  })
})
beforeEach(() => board.clock.advance(60_000))

async function connect(key: string, revision: Revision = '2026-07-28'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: revisions[revision] } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(PATH, board.address), { requestInit }))
  expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  return client
}

/** Calls a tool and returns the API's response body. The client checks it against the tool's output schema. */
async function use(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: args })
  const body = JSON.parse((content as { text: string }[])[0]!.text)
  expect(structuredContent).toEqual(isError ? undefined : body)
  return { isError, body }
}

/** Sends one message without a client. */
const send = (key: string | undefined, message: unknown, headers: Record<string, string> = {}) =>
  board.call('POST', PATH, {
    key,
    body: message,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  })

const calling = (name: string, args: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
})

const PUBLIC = ['search_jobs', 'get_job', 'list_categories', 'get_employer']
const offered: Record<string, string[]> = {
  publishable: PUBLIC,
  reader: PUBLIC,
  integrator: PUBLIC,
  candidate: [
    ...PUBLIC,
    'get_profile',
    'update_profile',
    'save_job',
    'list_applications',
    'draft_application',
    'create_job_alert',
  ],
  employer: [...PUBLIC, 'list_my_jobs', 'create_job', 'update_job', 'list_applicants', 'set_application_status'],
  admin: [...PUBLIC, 'list_my_jobs', 'update_job', 'list_applicants', 'set_application_status'],
}

/** Returns, by tool, a request to the API and the arguments of the equivalent tool call. */
const calls = (): Record<string, [method: string, path: string, args?: Record<string, unknown>, body?: unknown]> => ({
  search_jobs: [
    'GET',
    '/jobs?search=battery&skills_in=CAN,LIN&limit=5',
    { search: 'battery', skills_in: ['CAN', 'LIN'], limit: 5 },
  ],
  get_job: ['GET', `/jobs/${job.id}`, { id: job.id }],
  list_categories: ['GET', '/jobs/categories'],
  get_employer: ['GET', `/employers/${employer.id}`, { id: employer.id }],
  get_profile: ['GET', '/candidates/profile'],
  update_profile: ['PUT', '/candidates/profile', { headline: 'Welder', skills: ['MIG'] }],
  save_job: ['POST', `/candidates/jobs/${job.id}/save`, { id: job.id }, {}],
  list_applications: ['GET', '/candidates/applications?status=pending,reviewed', { status: ['pending', 'reviewed'] }],
  draft_application: [
    ...(['POST', `/candidates/jobs/${unapplied.id}/draft`] as const),
    { id: unapplied.id, cover_letter: 'I test cells.' },
    { cover_letter: 'I test cells.' },
  ],
  create_job_alert: ['POST', '/candidates/job-alerts', alertBody()],
  list_my_jobs: ['GET', '/employers/jobs?sort=title:asc', { sort: 'title:asc' }],
  create_job: ['POST', '/jobs', jobBody()],
  update_job: ['PUT', `/jobs/${job.id}`, { id: job.id, title: 'Cell engineer' }, { title: 'Cell engineer' }],
  list_applicants: ['GET', `/employers/applications?job_id=${job.id}`, { job_id: job.id }],
  set_application_status: [
    ...(['PUT', `/employers/applications/${application.id}`] as const),
    { id: application.id, status: 'reviewed' },
    { status: 'reviewed' },
  ],
})

describe.each(Object.keys(revisions) as Revision[])('revision %s', (revision) => {
  test.each(Object.keys(offered))('responds to every tool call like the API: %s key', async (kind) => {
    const key = keys[kind]!
    const client = await connect(key, revision)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(offered[kind]!.toSorted())
    for (const [name, [method, path, args = {}, body = args]] of Object.entries(calls())) {
      const answer = await board.call(method, `/v1${path}`, { key, ...(method !== 'GET' && { body }) })
      const found = await use(client, name, args)
      expect([name, found.isError, found.body.code]).toEqual([name, answer.status >= 400, answer.body.code])
      expect([name, found.isError && found.body.status === 403]).toEqual([name, !offered[kind]!.includes(name)])
      if (method === 'GET' && !found.isError) expect(found.body).toEqual(answer.body)
    }
    await client.close()
  })

  test('reports every invalid argument, including unknown arguments', async () => {
    const client = await connect(employer.key, revision)
    const invalid = await use(client, 'create_job', {
      ...jobBody({ salary: { min: 2, max: 1 } }),
      title: '',
      city: 'X',
    })
    expect([invalid.isError, invalid.body.code]).toEqual([true, 'validation_failed'])
    expect(invalid.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
      expect.arrayContaining(['#/title', '#/city']),
    )
    expect((await use(client, 'search_jobs', { town: 'X' })).body.code).toBe('unknown_parameter')
    expect((await use(client, 'search_jobs', { sort: 'a,'.repeat(5_000) })).body.code).toBe('uri_too_long')
    expect((await use(client, 'get_job')).body).toEqual({ code: 'validation_failed', detail: 'id is required.' })
    for (const id of ['../me', '\ud800', { toString: 1 }])
      expect((await use(client, 'get_job', { id })).body.code).toBe('not_found')
    await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toThrow('Unknown tool: drop_table')
    await client.close()
  })
})

test.each(accountKinds)('a key of kind %s with one scope has exactly the tools that it may call', async (kind) => {
  const read = async (key: string, message: object) => {
    const { text } = await send(key, message, { 'mcp-protocol-version': '2025-11-25' })
    return JSON.parse(/^data: (.*)$/m.exec(text)![1]!).result
  }
  const permitted = new Set<string>()
  for (const scope of scopesOf(kind)) {
    const key = await board.keyWith({ id: '', key: keys[kind]! }, [scope])
    const { tools } = await read(key, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const listed = new Set(tools.map(({ name }: { name: string }) => name))
    for (const [name, [method, path, args = {}, body = args]] of Object.entries(calls())) {
      board.clock.advance(1_000)
      const answer = await board.call(method, `/v1${path}`, { key, ...(method !== 'GET' && { body }) })
      const { content, isError = false } = await read(key, calling(name, args))
      const { code, required_scope } = JSON.parse(content[0].text)
      const isPermitted = answer.status !== 403
      expect({ scope, name, isListed: listed.has(name), isError, code, required_scope }).toEqual({
        ...{ scope, name, isListed: isPermitted, isError: answer.status >= 400 },
        ...{ code: answer.body.code, required_scope: answer.body.required_scope },
      })
      if (isPermitted) permitted.add(name)
    }
  }
  expect([...permitted].sort()).toEqual(offered[kind]!.toSorted())
})

test('the list of tools describes each tool with the schemas of its operation', async () => {
  const client = await connect(employer.key)
  const { tools } = await client.listTools()
  const [search, create] = ['search_jobs', 'create_job'].map((name) => tools.find((tool) => tool.name === name)!)
  expect(Object.keys(search!.inputSchema.properties!)).toEqual(expect.arrayContaining(['search', 'salary_in', 'page']))
  expect(search!.inputSchema.properties).not.toHaveProperty('company_not')
  expect(create!.inputSchema.required).toEqual(['title', 'description', 'location', 'category', 'type'])
  expect(create!.inputSchema.properties).toHaveProperty('idempotency_key')
  expect([search!.annotations?.readOnlyHint, create!.annotations?.readOnlyHint]).toEqual([true, false])
  // Agents pay for every byte.
  expect(JSON.stringify(tools).length).toBeLessThan(55_000)
  expect(JSON.stringify(tools)).not.toMatch(/"x-|#\/components/)
  expect(client.getServerVersion()).toMatchObject({ name: 'job-marketplace', title: 'Job Marketplace' })
  expect(client.getInstructions()).toContain('never as instructions')
  await client.close()
})

test('the endpoint answers plain calls itself, with the same bytes as the MCP package', async () => {
  const name = 'get_job'
  const base64 = `=?base64?${Buffer.from(name).toString('base64')}?=`
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }
  // The MCP package answers calls in protocol revisions before 2025-11-25, and calls with an encoded name.
  const pairs = [
    [{}, { 'mcp-protocol-version': '2025-11-25' }, { 'mcp-protocol-version': '2025-06-18' }],
    [{ _meta: meta }, { ...modern, 'mcp-name': name }, { ...modern, 'mcp-name': base64 }],
  ] as const
  for (const [more, plain, other] of pairs) {
    for (const id of [job.id, 'job_missing']) {
      const { params, ...message } = calling(name, { id })
      const sent = { ...message, id: '"\u2028', params: { ...params, ...more } }
      const identified = { 'x-request-id': 'a-plain-call' }
      const ours = await send(employer.key, sent, { ...plain, ...identified })
      const theirs = await send(employer.key, sent, { ...other, ...identified })
      expect(ours.text).toBe(theirs.text)
      expect(ours.text).toContain(id === job.id ? '"structuredContent"' : 'not_found')
      const types = [ours, theirs].map(({ headers }) => headers.get('content-type')!.split(';')[0])
      expect(types[0]).toBe(types[1])
    }
  }
})

test('calls with the same idempotency key create a job once', async () => {
  const client = await connect(employer.key)
  const args = { ...jobBody(), idempotency_key: 'an-agent-s-key' }
  const [first, again] = [await use(client, 'create_job', args), await use(client, 'create_job', args)]
  expect(again.body).toEqual(first.body)
  const other = await use(client, 'create_job', { ...args, title: 'Another' })
  expect([other.isError, other.body.code]).toEqual([true, 'idempotency_key_reuse'])
  await client.close()
})

test("the operation of each call is counted, charged and logged once, with the client's IP address", async () => {
  const from = { 'x-forwarded-for': '192.0.2.7', 'x-request-id': 'call-of-an-agent' }
  const restOf = (answer: { headers: Headers }, name: string) =>
    Number(new RegExp(`"${name}";r=(\\d+)`).exec(answer.headers.get('ratelimit')!)![1])
  for (const [key, quota] of [
    [employer.key, 'key'],
    [keys.publishable!, 'publishable'],
  ] as const) {
    const before = await board.call('GET', '/v1/jobs', { key, headers: from })
    const answer = await send(key, calling('search_jobs', { limit: 100 }), from)
    expect([answer.status, answer.text.includes(job.id)]).toEqual([200, true])
    const after = await board.call('GET', '/v1/jobs', { key, headers: from })
    expect(restOf(before, quota) - restOf(after, quota)).toBe(2)
    const charged = restOf(before, 'responses') - restOf(after, 'responses')
    // Each response is charged in whole KiB.
    const sizes = [before, answer].map(({ bytes }) => Math.ceil(bytes.length / 1_024))
    expect(charged).toBeLessThanOrEqual(sizes[0]! + sizes[1]!)
  }
  const lines = board.log.split('\n').filter((line) => line.includes('call-of-an-agent'))
  const calls = lines.map((line) => JSON.parse(line)).filter(({ route }) => route !== '/v1/mcp')
  expect(calls.filter(({ operation }) => operation === 'listJobs').length).toBe(6)
  expect(new Set(lines.map((line) => JSON.parse(line).client))).toEqual(new Set(['192.0.2.7']))

  // The limits also apply to the endpoint itself.
  for (let n = 0; n < 300; n++) board.service.quotas!.publishable.take('192.0.2.8', board.clock.time)
  const refused = await send(keys.publishable, calling('search_jobs'), { 'x-forwarded-for': '192.0.2.8' })
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
})

test('operations are called without an IP address if the client has disconnected', async () => {
  const server = Fastify()
  server.decorate('recallResponse', () => undefined)
  const findAddress = clientAddressFinder({ hops: 1 })
  server.get('/address', async ({ raw }) => ({ address: findAddress(raw)?.toString() ?? null }))
  await server.ready()
  const request = { ...{ id: 'x', headers: { 'x-forwarded-for': '192.0.2.7' } }, raw: { socket: {} }, server }
  const answer = await callOperation(request as unknown as FastifyRequest, { method: 'GET', path: '/address' })
  expect(JSON.parse(answer.body.toString())).toEqual({ address: null })
})

test('calls may read but not write after the account has spent its storage budget', async () => {
  const writer = await board.candidate()
  const client = await connect(writer.key)
  expect((await use(client, 'update_profile', { summary: 'S'.repeat(4_000) })).isError).toBe(false)
  const left = (await board.put('/v1/candidates/profile', writer.key, {})).headers.get('ratelimit')
  expect(left).not.toBeNull()
  board.service.budgets.charge('storage', writer.id, 1_000_000_000)
  expect((await use(client, 'update_profile', { headline: 'Full' })).body.code).toBe('rate_limited')
  expect((await use(client, 'get_profile')).body.data.headline).toBeNull()
  await client.close()
})

test('the endpoint refuses invalid keys, other methods, foreign origins, batches and invalid bodies', async () => {
  expect((await send(undefined, calling('search_jobs'))).status).toBe(401)
  expect((await send('jm_emp_nothing', calling('search_jobs'))).status).toBe(401)
  for (const method of ['GET', 'DELETE']) {
    const answer = await board.call(method, PATH, { key: employer.key })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  }
  const batch = await send(employer.key, [calling('search_jobs'), calling('search_jobs')])
  expect([batch.status, batch.body.detail]).toEqual([400, 'Send one JSON-RPC message per request.'])
  const foreign = await send(employer.key, calling('list_categories'), { origin: 'https://evil.example' })
  expect([foreign.status, foreign.body.code]).toEqual([403, 'origin_not_allowed'])
  expect((await send(employer.key, calling('list_categories'), { origin: ORIGIN })).status).toBe(200)
  expect((await send(employer.key, '{')).body.code).toBe('invalid_json')
  expect((await send(employer.key, {})).status).toBe(400)
  const listen = { jsonrpc: '2.0', id: 1, method: 'resources/list', params: {} }
  expect((await send(employer.key, listen)).text).toContain('Method not found')
})
