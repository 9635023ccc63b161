/** A collector on loopback receives the spans of a service. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeLoopbackCertificate } from '../../src/commands/certificate.ts'
import { ADMIN_KEY, jobBody } from '../support/board.ts'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'
import { type Received, Receivers } from '../support/receivers.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number }
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CLIENT_SPAN = '00f067aa0ba902b7'
/** Kinds of spans in OTLP. */
const [INTERNAL, SERVER, CLIENT] = [1, 2, 3]

const spans: Span[] = []
const resources: string[] = []
const collector = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
    resources.push(JSON.stringify(resource.attributes))
    spans.push(...scopeSpans.flatMap((scope: { spans: Span[] }) => scope.spans))
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
const receivers = new Receivers()
let folder: string
let database: Awaited<ReturnType<typeof openTestDatabase>> | undefined
let service: ServiceProcess
let address: string

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
const childrenOf = (span: Span) => spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)

async function call(method: string, path: string, key = ADMIN_KEY, body?: object, headers = {}) {
  const response = await fetch(address + path, {
    method,
    headers: {
      ...{ authorization: `Bearer ${key}`, ...headers },
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  return { status: response.status, id: response.headers.get('x-request-id'), ...((await response.json()) as any) }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-tracing-'))
  if (isOnPostgres) database = await openTestDatabase()
  copyMigratedDatabase(folder)
  receivers.certificate = makeLoopbackCertificate(new Date())
  await writeFile(join(folder, 'ca.pem'), receivers.certificate.cert)
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  service = new ServiceProcess(['serve'], {
    ...(database && { DATABASE_URL: database.url }),
    ...{ DATA_DIR: folder, PORT: String(port), ADMIN_API_KEY: ADMIN_KEY, FAST_PATH: 'on' },
    ...{ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_CA_FILE: join(folder, 'ca.pem') },
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as { port: number }).port}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  await service.printed(/"working"/)
})
afterAll(async () => {
  await service.signal('SIGKILL')
  await receivers.close()
  collector.close()
  await database?.close()
  await rm(folder, { recursive: true })
})

test('the service exports spans of requests, handlers, queries, tasks and webhook attempts', async () => {
  const delivered = Promise.withResolvers<Received>()
  const receiver = await receivers.https((response, received) => {
    response.end()
    delivered.resolve(received)
  })
  const company = { name: 'Motor', email: 'jobs@motor.example' }
  const employer = (await call('POST', '/v1/employers', ADMIN_KEY, company)).data
  const key = employer.api_key
  const webhook = { url: `https://127.0.0.1:${receiver.port}/`, events: ['job.created'] }
  const { data: hook } = await call('POST', '/v1/webhooks', key, webhook)
  const traceparent = `00-${TRACE}-${CLIENT_SPAN}-01`
  const created = await call('POST', '/v1/jobs', key, jobBody(), { traceparent })
  expect(created.status).toBe(201)
  // The second response comes from the fast path.
  const lists = [await call('GET', '/v1/jobs', key), await call('GET', '/v1/jobs', key)]
  const missing = await call('GET', '/v1/nothing?token=hush', key)
  const { headers } = await delivered.promise
  await service.signal('SIGTERM')

  const of = (requestId: string) => spans.find((span) => attributesOf(span).request_id === requestId)!
  const request = of(created.id)
  expect(request).toMatchObject({ name: 'POST /v1/jobs', kind: SERVER, traceId: TRACE, parentSpanId: CLIENT_SPAN })
  expect(attributesOf(request)).toMatchObject({
    ...{ 'http.request.method': 'POST', 'http.route': '/v1/jobs', 'http.response.status_code': 201 },
    ...{ operation: 'createJob', account_id: employer.id, resource_id: created.data.id },
  })
  const handler = childrenOf(request).find(({ name }) => name === 'handle createJob')!
  expect(handler.kind).toBe(INTERNAL)
  const texts = childrenOf(handler).map((span) => attributesOf(span)['db.query.text'])
  expect(texts).toContainEqual(expect.stringMatching(/^with\s.* from employer where id = \$\d/s))
  // Spans contain neither submitted values nor query strings, which may contain tokens.
  for (const hidden of [jobBody().title, 'hush', 'motor.example']) {
    expect(spans.filter((span) => JSON.stringify(span).includes(String(hidden)))).toEqual([])
  }
  expect(of(missing.id)).toMatchObject({ name: 'GET', status: {} })
  for (const { id } of lists) expect(of(id)).toMatchObject({ name: 'GET /v1/jobs', kind: SERVER })
  const attempt = spans.find(({ name }) => name === 'webhook attempt')!
  expect(attempt.kind).toBe(CLIENT)
  expect(attributesOf(attempt)).toMatchObject({
    ...{ webhook_id: hook.id, event_type: 'job.created', attempt: 1, 'http.response.status_code': 200 },
    delivery_id: headers['x-service-delivery-id'],
  })
  expect(spans.map(({ name }) => name)).toContain('task webhooks')
  expect(new Set(resources).size).toBe(1)
  expect(resources[0]).toContain('"deployment.environment.name"')
  expect(resources[0]).toContain('"job-marketplace"')

  // Log lines name the same traces.
  const lines = service.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const traceOf = (id: string) => lines.find(({ request_id }) => request_id === id).trace_id
  for (const { id } of [created, missing, ...lists]) expect(traceOf(id)).toBe(of(id).traceId)
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  }
})
