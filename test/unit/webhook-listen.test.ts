import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeLoopbackCertificate } from '../../src/commands/certificate.ts'
import { listen } from '../../src/commands/listen.ts'
import { createWebhookClient } from '../../src/features/webhooks/webhooks.client.ts'
import { createGuard } from '../../src/features/webhooks/webhooks.guard.ts'
import { newWebhookSecret } from '../../src/features/webhooks/webhooks.signature.ts'
import { systemClock } from '../../src/lib/time.ts'

const secret = newWebhookSecret()
let folder: string
let api: Server
/** The listener's requests to the service: method, path, key and body. */
let asked: { what: string; key: string | undefined; body: string }[]
let status: number
let port: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-listen-'))
  asked = []
  status = 201
  api = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push({ what: `${request.method} ${request.url}`, key: request.headers.authorization, body })
    if (request.method === 'DELETE') return response.writeHead(204).end()
    response.writeHead(status, { 'content-type': 'application/json' })
    const faults = { detail: 'The body is invalid.', errors: [{ detail: 'url must be public.' }] }
    response.end(JSON.stringify(status === 201 ? { data: { id: 'webhook_1', secret } } : faults))
  }).listen(0, '127.0.0.1')
  await once(api, 'listening')
  port = (api.address() as AddressInfo).port
})

afterEach(async () => {
  api.close()
  await rm(folder, { recursive: true, force: true })
})

function start() {
  const lines: string[] = []
  const ending = new AbortController()
  const { promise: isReady, resolve } = Promise.withResolvers<void>()
  const print = (line: string) => {
    lines.push(line)
    if (line.includes('WEBHOOK_CA_FILE')) resolve()
  }
  const code = listen({
    api: `http://127.0.0.1:${port}`,
    key: 'jm_key',
    events: ['job.created'],
    port: 0,
    folder,
    print,
    signal: ending.signal,
  })
  const end = () => {
    ending.abort()
    return code
  }
  return { lines, isReady, end, code }
}

test('`webhooks listen` registers a webhook, verifies and prints deliveries, and removes the webhook', async () => {
  const listener = start()
  await listener.isReady
  const { url, events } = JSON.parse(asked[0]!.body)
  expect([asked[0]!.what, asked[0]!.key, events]).toEqual(['POST /v1/webhooks', 'Bearer jm_key', ['job.created']])
  const client = createWebhookClient({
    guard: createGuard({ allowCidrs: ['127.0.0.1/32'] }),
    clock: systemClock,
    timeoutMs: 5_000,
    ca: await readFile(join(folder, 'webhook-listener.pem'), 'utf8'),
  })
  const attempt = {
    url,
    body: '{"id":"evt_1"}',
    eventId: 'evt_1',
    eventType: 'job.created',
    deliveryId: 'd',
    number: 1,
  }
  expect(await client.send({ ...attempt, secrets: [secret] })).toMatchObject({ status: 200 })
  expect(await client.send({ ...attempt, secrets: ['another'] })).toMatchObject({ status: 401 })
  await client.close()
  expect(listener.lines.slice(2)).toEqual([
    'verified  job.created evt_1  attempt 1',
    '  {"id":"evt_1"}',
    'NOT VERIFIED  job.created evt_1  attempt 1',
    '  {"id":"evt_1"}',
  ])
  expect(await listener.end()).toBe(0)
  expect(asked.at(-1)!.what).toBe('DELETE /v1/webhooks/webhook_1')
})

test('`webhooks listen` keeps its certificate, because the service reads it at startup', async () => {
  const file = join(folder, 'webhook-listener.pem')
  const certificates = []
  for (let run = 0; run < 2; run++) {
    const listener = start()
    await listener.isReady
    certificates.push(await readFile(file, 'utf8'))
    await listener.end()
  }
  expect(certificates[1]).toBe(certificates[0])
  const mode = (await stat(join(folder, 'webhook-listener.key'))).mode & 0o777
  if (process.platform !== 'win32') expect(mode).toBe(0o600)
})

test('`webhooks listen` explains how the service can reach it if the service refuses its URL', async () => {
  status = 422
  const listener = start()
  expect(await listener.code).toBe(1)
  expect(listener.lines).toEqual([
    'Could not create the webhook: The body is invalid.',
    '  url must be public.',
    'To allow deliveries to this machine, start the service with',
    `  WEBHOOK_ALLOW_CIDRS=127.0.0.1/32 WEBHOOK_CA_FILE=${join(folder, 'webhook-listener.pem')}`,
  ])
})

test('`webhooks listen` reports that no service responds', async () => {
  api.close()
  api.closeAllConnections()
  const listener = start()
  expect(await listener.code).toBe(1)
  expect(listener.lines).toEqual([expect.stringMatching(/^No service responds at http:\/\/127\.0\.0\.1:\d+\.$/)])
})

test('`webhooks listen` creates certificates for 127.0.0.1 that are signed with their own key and valid for a year', () => {
  for (let i = 0; i < 50; i++) {
    const { cert } = makeLoopbackCertificate(new Date('2026-03-02T09:00:00.000Z'))
    const read = new X509Certificate(cert)
    expect([read.checkIP('127.0.0.1'), read.checkIP('127.0.0.2')]).toEqual(['127.0.0.1', undefined])
    expect(read.verify(read.publicKey)).toBe(true)
    expect([read.validFromDate, read.validToDate]).toEqual([
      new Date('2026-03-02T09:00:00.000Z'),
      new Date('2027-03-02T09:00:00.000Z'),
    ])
  }
})
