/** Stopping a real process with SIGTERM, as a supervisor does, with requests in progress. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { copyMigratedDatabase, isOnPostgres, openTestDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'
import { rawRequest } from '../support/raw.ts'

let folder: string
let port: number
let database: (Database & { url?: string }) | undefined
let service: ServiceProcess

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-stopping-'))
  port = await freePort()
  database = isOnPostgres ? await openTestDatabase() : undefined
  copyMigratedDatabase(folder)
})

afterEach(async () => {
  await service.signal('SIGKILL')
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

async function start(stopDelayS: number): Promise<void> {
  service = new ServiceProcess(['serve'], {
    ...{ PORT: String(port), DATA_DIR: folder, STOP_DELAY_S: String(stopDelayS) },
    ...(database?.url && { DATABASE_URL: database.url }),
  })
  await service.printed(/"msg":"working"/)
}

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Returns a registration request, which needs no API key, for a persistent connection. */
function registration(n: number): string {
  const body = JSON.stringify({ name: `Employer ${n}`, email: `e${n}@employer.example` })
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  return rawRequest('POST', '/v1/employers', { ...headers, connection: 'keep-alive' }, body)
}

test('after SIGTERM, requests on connections in the kernel backlog are still served', async () => {
  await start(0)
  service.child.kill('SIGSTOP')
  const sockets = await Promise.all(Array.from({ length: 50 }, open))
  for (const [n, socket] of sockets.entries()) socket.write(registration(n))
  service.child.kill('SIGTERM')
  service.child.kill('SIGCONT')
  const answers = await Promise.all(sockets.map((socket) => text(socket)))
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  // Node may serve the first connections before it sees the signal. Their responses still announce a persistent
  // connection.
  expect(answers.some((answer) => /\r\nConnection: close\r\n/i.test(answer))).toBe(true)
  expect((await service.finished).code).toBe(0)
})

test('after SIGTERM, the process reports that it is not ready, still serves requests and closes each connection', async () => {
  await start(3)
  const kept = await open()
  kept.write(rawRequest('GET', '/healthz', { connection: 'keep-alive' }))
  const [first] = (await once(kept, 'data')) as [Buffer]
  expect(first.toString()).toMatch(/\r\nConnection: keep-alive\r\n/i)
  service.child.kill('SIGTERM')
  await service.printed(/"msg":"stopping"/)
  const ask = async (socket: Socket, request: string) => {
    socket.write(request)
    return text(socket)
  }
  expect(await ask(kept, registration(1))).toMatch(/^HTTP\/1\.1 201 [\s\S]+\r\nConnection: close\r\n/i)
  const keepAlive = { connection: 'keep-alive' }
  expect(await ask(await open(), rawRequest('GET', '/readyz', keepAlive))).toMatch(/^HTTP\/1\.1 503 /)
  expect(await ask(await open(), rawRequest('GET', '/healthz', keepAlive))).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ask(await open(), registration(2))).toMatch(/^HTTP\/1\.1 201 /)
  const { code, stdout } = await service.finished
  expect(code, stdout).toBe(0)
})

test('after a second signal, the process exits immediately', async () => {
  await start(300)
  service.child.kill('SIGTERM')
  await service.printed(/"msg":"stopping"/)
  // Signals within half a second count as one.
  const again = setInterval(() => service.child.kill('SIGTERM'), 100)
  expect((await service.signal('SIGTERM')).code).toBe(1)
  clearInterval(again)
})
