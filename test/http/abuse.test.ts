/** Malicious or slow clients, on real connections with shorter timeouts than in production. */
import type { Server } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { watchEventLoop } from '../../src/http/pressure.ts'
import { AppError } from '../../src/lib/errors.ts'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { rawRequest, sendRaw } from '../support/raw.ts'

const board = useBoard()
let candidate: Account
beforeAll(async () => {
  candidate = await board.candidate()
})

/** Opens a connection, writes `text`, and returns everything received until the server closes the connection. */
async function hold(text: string, onOpen: (socket: Socket) => void = () => {}): Promise<string> {
  const { hostname, port } = new URL(board.address)
  const chunks: Buffer[] = []
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(text)
      onOpen(socket)
    })
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
  return Buffer.concat(chunks).toString()
}

describe('an idle or slow connection', () => {
  const server = () => board.service.app.server as Server
  beforeAll(() => {
    expect([server().headersTimeout, server().requestTimeout, server().timeout]).toEqual([20_000, 60_000, 60_000])
    expect(server().maxConnections).toBe(10_000)
    server().headersTimeout = 300
    server().requestTimeout = 600
  })

  test('is closed if it sends nothing, part of a head or body, an unfinished chunked body, or endless header lines', async () => {
    const { key } = await board.employer()
    const post = `POST /v1/jobs HTTP/1.1\r\nhost: board\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
    const drip = (socket: Socket) => {
      const timer = setInterval(() => socket.write('x: y\r\n'), 50)
      socket.on('close', () => clearInterval(timer))
    }
    const answers = await Promise.all([
      hold(''),
      hold('GET /v1/jobs HTTP/1.1\r\nhost: board\r\nx: '),
      hold(`${post}content-length: 1000\r\n\r\n{"title":`),
      hold(`${post}transfer-encoding: chunked\r\n\r\n5\r\n{"tit\r\n`),
      hold('GET /v1/jobs HTTP/1.1\r\nhost: board\r\n', drip),
    ])
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /)
      expect(answer).toContain('"code":"request_timeout"')
    }
  }, 20_000)

  test('is closed if its client does not read the responses', async () => {
    server().timeout = 500
    const { hostname, port } = new URL(board.address)
    const client = connect(Number(port), hostname)
      .pause()
      .on('error', () => {})
    const ended = new Promise((resolve) => server().once('connection', (socket) => socket.once('close', resolve)))
    client.write('GET /v1/openapi.json HTTP/1.1\r\nhost: board\r\n\r\n'.repeat(200))
    await ended
    client.destroy()
    expect((await board.get('/healthz')).status).toBe(200)
    server().timeout = 60_000
  }, 20_000)

  test('does not affect later requests of other clients', async () => {
    expect((await board.get('/v1/jobs', candidate.key)).status).toBe(200)
  })
})

describe('an oversized request', () => {
  test('is refused if it has too many headers or a header that is too long', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`x-${n}`, 'y']))
    for (const headers of [many, { 'x-long': 'x'.repeat(17_000) }, { authorization: `Bearer ${'x'.repeat(17_000)}` }]) {
      const answer = await sendRaw(board.address, rawRequest('GET', '/v1/jobs', headers))
      expect([answer.status, answer.text]).toEqual([431, expect.stringContaining('"code":"headers_too_large"')])
    }
  })

  test('is refused if its body is too long, with or without a Content-Length', async () => {
    const headers = { authorization: `Bearer ${(await board.employer()).key}`, 'content-type': 'application/json' }
    const announced = rawRequest('POST', '/v1/jobs', { ...headers, 'content-length': '5000000000' })
    expect((await sendRaw(board.address, announced)).status).toBe(413)
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
    const chunked = rawRequest('POST', '/v1/jobs', { ...headers, 'transfer-encoding': 'chunked' }, chunk.repeat(2))
    expect((await sendRaw(board.address, chunked)).status).toBe(413)
  })
})

describe('the request log', () => {
  const evil = 'x\u2028y\u001b[31m","level":60,"msg":"forged\n{"level":60,"msg":"forged"}\r\n'

  test('has one JSON object per line, regardless of what clients send', async () => {
    const { key } = candidate
    const encoded = encodeURIComponent(evil)
    const before = board.log.length
    await board.get(`/v1/jobs/${encoded}`, key)
    await board.get(`/${encoded}`)
    await board.get(`/v1/jobs?search=${encoded}&${encoded}=1`, key)
    await board.post('/v1/jobs', key, evil)
    await board.post('/v1/employers', undefined, { name: evil, email: evil, [evil]: evil })
    await board.put('/v1/candidates/profile', key, { first_name: evil, skills: [evil] })
    for (const name of [
      'x-request-id',
      'x-forwarded-for',
      'user-agent',
      'referer',
      'authorization',
      'origin',
      'accept',
    ]) {
      const value = Buffer.from('"}\u2028\u001b[2J\t{"level":60,"msg":"forged"}')
        .toString('latin1')
        .replace('\u001b', '')
      await sendRaw(board.address, Buffer.from(rawRequest('GET', '/v1/me', { [name]: value }), 'latin1'))
    }
    await sendRaw(board.address, `GET /\u001b[31m HTTP/1.1\r\nhost: board\r\n\r\n`)
    await sendRaw(board.address, `${evil}\r\n\r\n`)
    const written = board.log.slice(before)
    expect(written).not.toMatch(/forged|\u2028/)
    const lines = written.trim().split('\n')
    expect(lines.length).toBeGreaterThan(12)
    for (const line of lines) {
      expect(line).not.toMatch(/\p{Cc}/u)
      const logged = JSON.parse(line)
      // One request has an X-Forwarded-For header, although no proxy is trusted.
      if (logged.level === 40) expect(logged.msg).toMatch(/^TRUST_PROXY does not list this proxy/)
      else expect(logged).toMatchObject({ level: 30, msg: 'request', request_id: expect.stringMatching(/^[\w.-]+$/) })
    }
  })
})

describe('an overload', () => {
  afterEach(() => {
    board.pressure.isHigh = false
  })

  test('causes 503 with Retry-After while the event loop is late, except on /healthz', async () => {
    board.pressure.isHigh = true
    for (const path of ['/v1/jobs', '/v1/nothing', '/readyz', '/checkout/x', '/v1']) {
      const answer = await board.get(path, candidate.key)
      expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '2'])
    }
    expect((await board.get('/healthz')).status).toBe(200)
    board.pressure.isHigh = false
    expectStatus(await board.get('/v1/jobs', candidate.key), 200)
  })

  test('is detected when the event loop is late repeatedly, not after one pause', async () => {
    // These times are a fifth of those in production.
    const pressure = watchEventLoop({ turnMsMax: 200, sampleMs: 100 })
    const block = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    }
    const turn = () => new Promise((resolve) => setTimeout(resolve))
    await turn()
    block(500)
    for (let n = 0; n < 5; n++) await turn()
    expect(pressure.isHigh).toBe(false)
    for (let n = 0; n < 20 && !pressure.isHigh; n++) {
      block(210)
      await turn()
    }
    expect(pressure.isHigh).toBe(true)
    pressure.stop()
  }, 60_000)

  test('makes the service refuse further queries once too many wait', async () => {
    const { database } = board
    const ask = () => database.read((db) => db.selectFrom('account').select('id').limit(1).execute())
    const all = await Promise.allSettled(Array.from({ length: 3_000 }, ask))
    const refused = all.filter((one) => one.status === 'rejected')
    expect(refused.length).toBeGreaterThan(1_500)
    expect(refused.length).toBeLessThan(2_100)
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(AppError)
      expect(reason).toMatchObject({ code: 'unavailable', options: { headers: { 'retry-after': '2' } } })
    }
    expect(await ask()).toHaveLength(1)
  })

  test('makes the service refuse further queries even while the database does not respond', async () => {
    // Simulates a server that accepts connections but never responds.
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const database = await openDatabase({ url: `postgres://nobody@127.0.0.1:${port}/nothing`, poolSize: 2 })
    const codes: string[] = []
    const ask = () =>
      database.read((db) => db.selectFrom('account').select('id').execute()).catch((error) => codes.push(error.code))
    const asked = [ask()]
    // Until the first query has asked the pool for a connection, the others are not counted.
    await expect.poll(() => sockets.length).toBe(1)
    asked.push(...Array.from({ length: 1_500 }, ask))
    await asked.at(-1)
    expect(codes.length).toBe(499)
    silent.close()
    const ending = setInterval(() => {
      for (const socket of sockets) socket.destroy()
    }, 10)
    await Promise.all(asked)
    clearInterval(ending)
    expect(new Set(codes)).toEqual(new Set(['unavailable']))
    await database.close()
  }, 30_000)
})
