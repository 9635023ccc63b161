import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { discardSlowly } from '../../src/http/unread-bodies.ts'

let server: Server
let clients: Socket[] = []

afterEach(async () => {
  for (const client of clients) client.destroy()
  clients = []
  await new Promise((resolve) => server.close(resolve))
})

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<void> {
  server = createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

/** Connects, and sends a request head and this many bytes of the body. */
function sendPart(contentLength: number, bytes: number): Socket {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  clients.push(client)
  client.on('error', () => {})
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${contentLength}\r\n\r\n`
  // With a single write, the first chunk is slightly smaller than the server's buffer, so Node reads a second chunk.
  client.write(Buffer.concat([Buffer.from(head), Buffer.alloc(bytes)]))
  return client
}

async function untilBufferIsFull(request: IncomingMessage): Promise<void> {
  while (request.readableLength < request.readableHighWaterMark) await setImmediate()
}

test('a body whose buffer is full is still discarded slowly after the response', async () => {
  const discarding = Promise.withResolvers<number>()
  await listen(async (request, response) => {
    if (request.method === 'GET') return void response.end('next')
    await untilBufferIsFull(request)
    discardSlowly(request)
    response.writeHead(429).end()
    response.on('close', () => discarding.resolve(request.listenerCount('data')))
  })
  const client = sendPart(500_000, 500_000)
  // Node removes the listener if it discards the body itself.
  expect(await discarding.promise).toBe(1)
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  let received = ''
  for await (const chunk of client) {
    received += chunk
    if (received.includes('next')) break
  }
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 429', 'HTTP/1.1 200'])
})

test('when more than 100 bodies are being discarded, the oldest connection is closed', async () => {
  const begun: IncomingMessage[] = []
  await listen((request) => {
    begun.push(request)
    discardSlowly(request)
  })
  const oldest = sendPart(1_000_000, 1_000)
  await once(server, 'request')
  const isClosed = once(oldest, 'close')
  for (let n = 0; n < 99; n++) sendPart(1_000_000, 1_000)
  while (begun.length < 100) await once(server, 'request')
  expect(begun.some(({ destroyed }) => destroyed)).toBe(false)
  sendPart(1_000_000, 1_000)
  await isClosed
  expect(begun.filter(({ destroyed }) => destroyed)).toEqual([begun[0]])
})
