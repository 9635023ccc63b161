/** Webhooks as operators and integrators use them, with real processes, real TLS, and the commands from the guide. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { jobBody } from '../support/board.ts'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'
import { makeCertificate, Receivers } from '../support/receivers.ts'

let folder: string
let environment: Record<string, string>
let database: (Database & { url?: string }) | undefined
let running: ServiceProcess[] = []
const receivers = new Receivers()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-webhooks-'))
  database = isOnPostgres ? await openTestDatabase() : undefined
  environment = {
    PORT: String(await freePort()),
    DATA_DIR: join(folder, 'data'),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
    ...(database?.url && { DATABASE_URL: database.url }),
  }
  copyMigratedDatabase(environment.DATA_DIR!)
})

afterEach(async () => {
  for (const service of running) await service.signal('SIGKILL')
  running = []
  await receivers.close()
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

function run(args: string[], more: Record<string, string> = {}): ServiceProcess {
  const service = new ServiceProcess(args, { ...environment, ...more })
  running.push(service)
  return service
}

async function serve(more: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = run(['serve'], more)
  await service.printed(/"msg":"working"/)
  return service
}

async function call(method: string, path: string, key = '', body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${environment.PORT}${path}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  return { status: response.status, body: (await response.json()) as any }
}

const register = async () =>
  (await call('POST', '/v1/employers', '', { name: 'E', email: 'e@e.example' })).body.data.api_key

test('a delivery in flight completes after SIGTERM, and the next process sends pending deliveries', async () => {
  const certificate = await makeCertificate(['127.0.0.1'])
  receivers.certificate = certificate
  await writeFile(join(folder, 'ca.pem'), certificate.cert)
  const arrived = Promise.withResolvers<ServerResponse>()
  const receiver = await receivers.https((response) => {
    if (receiver.received.length === 1) arrived.resolve(response)
    else response.end()
  })
  const trust = { WEBHOOK_CA_FILE: join(folder, 'ca.pem') }
  const first = await serve(trust)
  const key = await register()
  const url = `https://127.0.0.1:${receiver.port}/`
  const { id } = (await call('POST', '/v1/webhooks', key, { url, events: ['job.created'] })).body.data
  await call('POST', '/v1/jobs', key, jobBody())
  const answer = await arrived.promise
  const finished = first.signal('SIGTERM')
  await first.printed(/"msg":"stopping"/)
  answer.end()
  expect(await finished).toMatchObject({ code: 0 })

  const http = run(['serve', '--only', 'http'], trust)
  await http.printed(/"msg":"listening"/)
  await call('POST', '/v1/jobs', key, jobBody())
  expect(await http.signal('SIGTERM')).toMatchObject({ code: 0 })
  const second = await serve(trust)
  const deliveries = async () =>
    (await call('GET', `/v1/webhooks/${id}/deliveries`, key)).body.data.map((one: Record<string, unknown>) => [
      one.status,
      one.attempt_count,
    ])
  await expect.poll(deliveries, { timeout: 20_000 }).toEqual(Array(2).fill(['delivered', 1]))
  expect(receiver.received.length).toBe(2)
  expect(await second.signal('SIGTERM')).toMatchObject({ code: 0 })
})

test('`webhooks listen` explains how the service can reach it, and then shows deliveries', async () => {
  const before = await serve({ WEBHOOK_ALLOW_CIDRS: '' })
  const key = await register()
  const listen = () => run(['webhooks', 'listen', '--key', key, '--events', 'job.created,job.deleted'])
  const refused = await listen().finished
  expect([refused.code, refused.stderr]).toEqual([1, ''])
  const [, cidrs, file] = /WEBHOOK_ALLOW_CIDRS=(\S+) WEBHOOK_CA_FILE=(\S+)/.exec(refused.stdout)!
  await before.signal('SIGTERM')

  await serve({ WEBHOOK_ALLOW_CIDRS: cidrs!, WEBHOOK_CA_FILE: file! })
  const listener = listen()
  await listener.printed(/Listening as wh_/)
  const job = (await call('POST', '/v1/jobs', key, jobBody())).body.data
  await listener.printed(new RegExp(`^verified  job\\.created evt_\\w+  attempt 1\\n.*"id":"${job.id}"`, 'm'))
  const { code, stdout } = await listener.signal('SIGINT')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Removed wh_\w+\n$/)])
  expect((await call('GET', '/v1/webhooks', key)).body.data).toEqual([])
})
