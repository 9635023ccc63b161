/**
 * A webhook receiver without dependencies: uses HTTPS, verifies signatures, and handles each event once.
 *
 *   SECRET=whsec_… CERT=cert.pem KEY=key.pem PORT=8443 node receiver.mjs
 *
 * Keeps the IDs of handled events in memory. In production, store them in your database, in the same transaction as the
 * work.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

const { SECRET, CERT, KEY, PORT = '8443', HOST = '127.0.0.1' } = process.env
if (!SECRET || !CERT || !KEY) {
  console.error('Set SECRET, CERT and KEY')
  process.exit(78)
}

const BODY_BYTES_MAX = 512 * 1024
const TOLERANCE_SECONDS = 300
const REMEMBERED_MAX = 100_000

function verify(rawBody, header) {
  const members = String(header)
    .split(',')
    .map((member) => member.split('='))
  const times = members.filter(([scheme]) => scheme === 't').map(([, value]) => value)
  if (times.length !== 1 || !/^\d{1,12}$/.test(times[0])) return false
  if (Math.abs(Date.now() / 1000 - times[0]) > TOLERANCE_SECONDS) return false
  const mac = Buffer.from(createHmac('sha256', SECRET).update(`${times[0]}.`).update(rawBody).digest('hex'))
  return members.some(([scheme, value = '']) => {
    const given = Buffer.from(value)
    return scheme === 'v1' && given.length === mac.length && timingSafeEqual(given, mac)
  })
}

/** IDs of handled events, oldest first. */
const done = new Set()

function handle(event) {
  console.log(`${event.created_at} ${event.type} ${event.id}`)
}

/** Handles a request and returns the response status. */
function receive(request, rawBody) {
  if (!verify(rawBody, request.headers['x-service-signature'])) return 401
  const event = JSON.parse(rawBody.toString())
  if (done.has(event.id)) return 200
  handle(event)
  done.add(event.id)
  if (done.size > REMEMBERED_MAX) done.delete(done.values().next().value)
  return 200
}

const server = createServer({ cert: readFileSync(CERT), key: readFileSync(KEY) }, async (request, response) => {
  const chunks = []
  let length = 0
  try {
    if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end()
    for await (const chunk of request) {
      chunks.push(chunk)
      length += chunk.length
      if (length > BODY_BYTES_MAX) return response.writeHead(413, { connection: 'close' }).end()
    }
    response.writeHead(receive(request, Buffer.concat(chunks))).end()
  } catch (error) {
    // The service delivers the event again.
    console.error(error)
    response.writeHead(500).end()
  }
})
server.listen(Number(PORT), HOST, () => console.log(`Listening on https://${HOST}:${server.address().port}/`))
