/**
 * Found in an attack test: invented session cookies caused an unlimited number of database queries, or locked out other
 * users on the same network.
 */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { readsWhileArriving } from '../support/gathering.ts'
import { visitor } from '../support/pages.ts'

const environment = { RATE_LIMIT: 'on', PUBLIC_BASE_URL: 'http://127.0.0.1', TRUST_PROXY: '127.0.0.1' }
const board = useBoard(environment)
const token = () => randomBytes(32).toString('base64url')
const SPENT = 61

/** Returns the number of database reads during an action. */
async function readsDuring(work: () => Promise<unknown>): Promise<number> {
  const { read } = board.database
  let count = 0
  board.database.read = (question) => {
    count++
    return read(question)
  }
  await work().finally(() => {
    board.database.read = read
  })
  return count
}

const from = (network: string, cookie?: string) => ({
  headers: { 'x-forwarded-for': network, ...(cookie !== undefined && { cookie: `session=${cookie}` }) },
})

test('an invented cookie is looked up once', async () => {
  const guest = await visitor(board)
  const cookie = token()
  const first = await readsDuring(() => guest.send('GET', '/docs', from('192.0.2.1', cookie)))
  const again = await readsDuring(() => guest.send('GET', '/docs', from('192.0.2.1', cookie)))
  expect([first, again]).toEqual([1, 0])
})

test('a network that invents many cookies causes few queries, and locks nobody out', async () => {
  const [mine, guest] = [await visitor(board, await board.employer({ name: 'Northgear Works' })), await visitor(board)]
  const network = '192.0.2.2'
  const session = mine.cookies.get('session')!
  const invent = () => guest.send('GET', '/docs', from(network, token()))
  for (let n = 0; n < SPENT; n++) await invent()
  expect((await invent()).status).toBe(429)
  const reads = await readsWhileArriving(board, 100, () => Promise.all(Array.from({ length: 100 }, invent)))
  expect(reads).toBeLessThan(4)
  // After the restart, the process has not seen this session.
  await board.restart(environment)
  for (let n = 0; n < SPENT; n++) await invent()
  expect((await guest.send('GET', '/account', from(network, session))).status).toBe(200)
  // Requests without a cookie or from other networks are unaffected.
  expect((await guest.send('GET', '/docs', from(network))).status).toBe(200)
  expect((await guest.send('GET', '/docs', from('192.0.2.3', token()))).status).toBe(200)
})
