/** Pipelined requests on one connection. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, expect, test, vi } from 'vitest'
import type * as pipelining from '../../src/http/pipelining.ts'
import { useBoard } from '../support/board.ts'
import { rawRequest } from '../support/raw.ts'

/** Called with every request before it is handled. */
const beginning = vi.hoisted(() => vi.fn<(request: IncomingMessage, response: ServerResponse) => void>())
vi.mock('../../src/http/pipelining.ts', async (importActual) => {
  const { oneAtATime } = await importActual<typeof pipelining>()
  const noted: typeof oneAtATime = (handle) =>
    oneAtATime((request, response) => {
      beginning(request, response)
      handle(request, response)
    })
  return { oneAtATime: noted }
})
const board = useBoard()
beforeEach(() => void beginning.mockClear())

const open = (): Socket => {
  const { hostname, port } = new URL(board.address)
  return connect(Number(port), hostname).on('error', () => {})
}
const begun = () => beginning.mock.calls.map(([request]) => request.url)

const ask = (path: string, connection = 'keep-alive') => rawRequest('GET', path, { connection })

test('each pipelined request starts after the previous response was sent', async () => {
  const { key } = await board.candidate()
  const finished: boolean[] = []
  let before: ServerResponse | undefined
  beginning.mockClear()
  beginning.mockImplementation((_request, response) => {
    if (before) finished.push(before.writableFinished)
    before = response
  })
  const client = open()
  const request = rawRequest('GET', '/v1/me', { authorization: `Bearer ${key}`, connection: 'keep-alive' })
  client.write(request.repeat(20) + ask('/healthz', 'close'))
  const answers = await text(client)
  beginning.mockReset()
  expect(answers.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(21)
  expect(finished).toEqual(new Array(20).fill(true))
})

test.each(['/', '/v1'])('other clients are served between pipelined requests: %s', async (path) => {
  const [many, other] = [open(), open()]
  many.write(ask(path).repeat(100))
  other.write(ask('/healthz', 'close'))
  await text(other)
  expect(begun().indexOf('/healthz')).toBeLessThan(50)
  many.destroy()
})

test('processing pauses while the client does not read', async () => {
  const client = open().pause()
  client.write(ask('/v1/openapi.json').repeat(100))
  // Other clients' requests give the service time to continue. The kernel buffers little for the silent client.
  for (let n = 0; n < 20; n++) await board.get('/v1')
  expect(begun().filter((url) => url === '/v1/openapi.json').length).toBeLessThan(60)
  client.destroy()
})

test('the connection is closed when more than 100 requests wait', async () => {
  const client = open()
  client.write(ask('/v1').repeat(102))
  await text(client)
  expect(begun().length).toBeLessThan(102)
  const patient = open()
  patient.write(ask('/v1').repeat(100) + ask('/v1', 'close'))
  expect((await text(patient)).match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(101)
})

test('requests after a response that closes the connection are ignored', async () => {
  board.service.stopping.announce()
  const client = open()
  client.write(ask('/v1') + ask('/v1/openapi.json'))
  expect((await text(client)).match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(1)
  expect(begun()).toEqual(['/v1'])
})

test('an idle connection keeps neither its last request body nor its last response', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { oneAtATime } = await vi.importActual<typeof pipelining>('../../src/http/pipelining.ts')
  const bodies: WeakRef<object>[] = []
  const server = createServer(
    oneAtATime((_request, response) => {
      const body = { file: new Uint8Array(1_000) }
      bodies.push(new WeakRef(body))
      response.on('error', () => body)
      response.end('ok')
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3))
  let received = ''
  client.on('data', (chunk) => {
    received += chunk
  })
  await expect.poll(() => received.match(/\r\n\r\nok/g)).toHaveLength(3)
  expect(bodies).toHaveLength(3)
  await expect
    .poll(() => {
      collect()
      return bodies.map((body) => body.deref())
    })
    .toEqual([undefined, undefined, undefined])
  expect(client.readyState).toBe('open')
  client.destroy()
  server.close()
})

test('a handler that reads only part of a body can still respond', async () => {
  const { oneAtATime } = await vi.importActual<typeof pipelining>('../../src/http/pipelining.ts')
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    for await (const _chunk of request) break
    response.end('ok')
  }
  const server = createServer(oneAtATime((request, response) => void answer(request, response))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  client.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\nabcde')
  expect(await text(client)).toContain('\r\n\r\nok')
  server.close()
})
