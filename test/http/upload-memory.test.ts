/** Uploads share memory fairly, and release it however they end (decision 0079). */
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { UPLOAD_LIMITS } from '../../src/http/upload-memory.ts'
import { type Account, ADMIN_KEY, type Board, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { formOf, RESUME, sendForm, sendJson, sendRaw } from '../support/resumes.ts'

const MIB = 1_048_576
/** Maximum size of a body and of an account's bodies in memory, in bytes. */
const WHOLE = 8 * MIB
const limits = { ...UPLOAD_LIMITS, bodyBytes: 3 * WHOLE }

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Starts an upload on its own connection. `sent` is the part of the body to send. */
function begin(
  board: Board,
  { key }: Account,
  {
    bytes = WHOLE,
    sent = '',
    head = `content-length: ${bytes}`,
  }: { bytes?: number; sent?: string; head?: string } = {},
) {
  const { hostname, port } = new URL(board.address)
  const socket = connect(Number(port), hostname)
    .setEncoding('latin1')
    .on('error', () => {})
  sockets.push(socket)
  let answer = ''
  socket.on('data', (text) => {
    answer += text
  })
  socket.write(
    `POST ${RESUME} HTTP/1.1\r\nhost: board\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/octet-stream\r\n${head}\r\n\r\n${sent}`,
  )
  return { socket, answered: (text: string) => expect.poll(() => answer).toContain(text) }
}

async function gauges(board: Board) {
  const { text } = await board.get('/metrics', ADMIN_KEY)
  const valueIn = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)![1])
  return {
    body: valueIn('upload_bytes{stage="body"}'),
    copies: valueIn('upload_bytes{stage="copies"}'),
    waiting: valueIn('uploads_waiting{stage="body"}'),
  }
}
const expectGauges = (board: Board, wanted: Partial<Awaited<ReturnType<typeof gauges>>>) =>
  expect.poll(() => gauges(board)).toMatchObject(wanted)
const expectIdle = (board: Board) => expectGauges(board, { body: 0, copies: 0, waiting: 0 })

describe('an upload', () => {
  const board = useBoard()
  board.uploadLimits = limits

  test("waits for its own account's uploads, not for the uploads of other accounts", async () => {
    const [one, other] = [await board.candidate(), await board.candidate()]
    const slow = begin(board, one)
    await expectGauges(board, { body: WHOLE, waiting: 0 })
    const own = [1, 2, 3].map(() => sendRaw(board, one.key, pdf('Engineer')))
    await expectGauges(board, { body: WHOLE, waiting: 3 })
    expect((await sendRaw(board, other.key, pdf('Engineer'))).status).toBe(201)
    expect((await gauges(board)).waiting).toBe(3)
    slow.socket.destroy()
    expect((await Promise.all(own)).map(({ status }) => status)).toEqual([201, 201, 201])
    await expectIdle(board)
  })

  test('releases its bytes in every format when it is complete, and when it is refused', async () => {
    const { key } = await board.candidate()
    const file = pdf('Engineer')
    const answers = [
      await sendForm(board, key, formOf(file)),
      await sendJson(board, key, file),
      await sendRaw(board, key, file),
      await sendRaw(board, key, Buffer.from([0, 1, 2])),
      await sendRaw(board, key, new Uint8Array(6 * MIB)),
      await sendRaw(board, key, new Uint8Array(9 * MIB)).catch(() => undefined),
      await board.post(RESUME, key, { filename: 'cv.pdf', content_base64: '?' }),
      await board.callRaw('POST', RESUME, key, Buffer.from('{')),
    ]
    expect(answers.map((answer) => answer?.status ?? 413)).toEqual([201, 201, 201, 415, 413, 413, 422, 400])
    await expectIdle(board)
  })

  test('without a length counts as the largest possible upload, and releases its bytes when it exceeds that size', async () => {
    const one = await board.candidate()
    const head = 'transfer-encoding: chunked'
    const { socket, answered } = begin(board, one, { head, sent: '5\r\nabcde\r\n' })
    await expectGauges(board, { body: WHOLE })
    socket.write(`${(9 * MIB).toString(16)}\r\n`)
    socket.write(Buffer.alloc(9 * MIB, 'a'))
    await answered('413 Payload Too Large')
    socket.end('\r\n0\r\n\r\n')
    await expectIdle(board)
  })

  test('releases its bytes when its client disconnects while waiting or sending', async () => {
    const one = await board.candidate()
    const sending = begin(board, one, { sent: 'abc' })
    await expectGauges(board, { body: WHOLE })
    const waiting = begin(board, one)
    await expectGauges(board, { waiting: 1 })
    waiting.socket.destroy()
    await expectGauges(board, { body: WHOLE, waiting: 0 })
    sending.socket.destroy()
    await expectIdle(board)
  })

  test('releases its bytes only once the file is stored, even if its client disconnects earlier', async () => {
    const one = await board.candidate()
    const storing = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const inTx = board.database.inTx.bind(board.database)
    const held = vi.spyOn(board.database, 'inTx').mockImplementation(async (work) => {
      storing.resolve()
      await gate.promise
      return inTx(work)
    })
    const file = pdf('Engineer').toString('latin1')
    const { socket } = begin(board, one, { bytes: file.length })
    socket.write(file, 'latin1')
    await storing.promise
    const gone = new Promise((resolve) => socket.once('close', resolve))
    socket.destroy()
    await gone
    // The bytes in memory count until the file is stored.
    expect((await gauges(board)).copies).toBe(4 * file.length)
    gate.resolve()
    held.mockRestore()
    await expectIdle(board)
  })
})

describe('a slow client', () => {
  const board = useBoard()
  board.uploadLimits = { ...limits, patienceMs: 100 }

  test('is disconnected only when other uploads wait for the memory that it holds', async () => {
    const slow = [await board.candidate(), await board.candidate(), await board.candidate()]
    const uploads = slow.map((account) => begin(board, account))
    await expectGauges(board, { body: 3 * WHOLE, waiting: 0 })
    const { key } = await board.candidate()
    expect((await sendRaw(board, key, pdf('Engineer'))).status).toBe(201)
    await uploads[0]!.answered('408 Request Timeout')
    await expectGauges(board, { body: 2 * WHOLE, copies: 0, waiting: 0 })
    for (const { socket } of uploads) socket.destroy()
    await expectIdle(board)
    // No other upload waits, so this upload may take as long as any request.
    const alone = begin(board, slow[0]!, { bytes: 3 })
    await expectGauges(board, { body: 3 })
    for (let n = 0; n < 20; n++) await board.get('/metrics', ADMIN_KEY)
    alone.socket.write('abc')
    await alone.answered('201 Created')
  })
})

describe('an upload that waits too long', () => {
  const board = useBoard()
  board.uploadLimits = { ...limits, waitMs: 100 }

  test('is refused, whether its own account or other accounts hold the memory', async () => {
    const [one, two, three, four] = await Promise.all([1, 2, 3, 4].map(() => board.candidate()))
    begin(board, one!)
    await expectGauges(board, { body: WHOLE })
    const own = await sendRaw(board, one!.key, pdf('Engineer'))
    expect([own.status, own.body.code, own.headers.get('retry-after')]).toEqual([429, 'rate_limited', '5'])
    expect(own.body.detail).toContain('"upload-bytes"')
    begin(board, two!)
    begin(board, three!)
    await expectGauges(board, { body: 3 * WHOLE })
    const others = await sendRaw(board, four!.key, pdf('Engineer'))
    expect([others.status, others.body.code, others.headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
  })
})

describe('an upload beyond the budget', () => {
  const board = useBoard({ RATE_LIMIT: 'on' })

  test('gets its response before its body is read, and its connection remains usable', async () => {
    const one = await board.candidate()
    board.service.budgets.charge('storage', one.id, 1_000_000_000)
    const { socket, answered } = begin(board, one, { bytes: MIB + 1_000 })
    await answered('429 Too Many Requests')
    socket.write(Buffer.alloc(MIB + 1_000, 'a'))
    socket.write(`GET /v1/jobs HTTP/1.1\r\nhost: board\r\nauthorization: Bearer ${one.key}\r\n\r\n`)
    await answered('200 OK')
    await expectIdle(board)
  })
})
