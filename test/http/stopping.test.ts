/** Closing the listening socket of a busy server. The e2e test with the same name stops a whole process. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Stopping } from '../../src/http/stopping.ts'
import { rawRequest } from '../support/raw.ts'

const CONNECTIONS = 50
/**
 * How long each accepted connection blocks the event loop, in milliseconds. Accepting all connections takes longer than
 * the wait for a quiet turn.
 */
const WORK_MS = 30

test('waiting connections are served, even if accepting them occupies the event loop', async () => {
  const server = createServer((_request, response) => response.end())
  server.on('connection', () => {
    const end = performance.now() + WORK_MS
    while (performance.now() < end);
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // The kernel completes these connections before the event loop can accept any of them.
  const answers = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(rawRequest('GET', '/', { connection: 'close' }))
    return text(socket)
  })
  await new Stopping().stopListening(server)
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})
