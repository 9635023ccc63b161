/** Feeds of all jobs: their cost in requests, and the limit on simultaneous feeds. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'

const board = useBoard({ RATE_LIMIT: 'on', TRUST_PROXY: '127.0.0.1' })
const JOBS = 1_000
/** The number of requests that a feed counts as, out of 600 per minute. */
const COST = JOBS / 100

beforeAll(async () => {
  // The feed must exceed the socket buffers. Otherwise, an unread feed would not stay in progress.
  const description = 'x'.repeat(15_000)
  await insertJobs(
    board,
    Array.from({ length: JOBS }, (_, n) => ({ title: `Job ${n}`, description })),
  )
})

const ask = (path: string, network: string) =>
  fetch(`${board.address}${path}`, { headers: { 'x-forwarded-for': network } })
const remaining = ({ headers }: Response) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')![1])

test('a feed costs as many requests as its pages would', async () => {
  const jsonl = await ask('/jobs.jsonl', '192.0.2.1')
  expect(remaining(jsonl)).toBe(600 - COST)
  expect((await jsonl.text()).trim().split('\n')).toHaveLength(JOBS)
  const none = await ask('/jobs.xml?search=zzzz', '192.0.2.1')
  expect([none.status, remaining(none)]).toEqual([200, 600 - COST - 1])
  await none.text()
})

test('a feed that exceeds the remaining quota is refused before it starts', async () => {
  const network = '192.0.2.2'
  board.service.quotas!.address.take(network, board.clock.time, 600 - COST + 1)
  const refused = await ask('/jobs.jsonl', network)
  expect(refused.status).toBe(429)
  await refused.text()
  expect((await ask('/jobs.jsonl?search=zzzz', network)).status).toBe(200)
})

/** Requests a feed on a new connection without reading it. A used connection's buffers may hold a whole feed. */
async function askAndLeave(path: string, network: string): Promise<IncomingMessage> {
  const asked = get(board.address + path, { agent: false, headers: { 'x-forwarded-for': network } })
  const [response] = await once(asked, 'response')
  return response
}

test('a network may have three feeds in progress, independently of other networks', async () => {
  const network = '192.0.2.4'
  const left = await Promise.all([1, 2, 3].map(() => askAndLeave('/jobs.xml', network)))
  expect(left.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  const fourth = await ask('/jobs.jsonl', network)
  expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, '10'])
  await fourth.text()
  const other = await ask('/jobs.jsonl', '192.0.2.5')
  expect(other.status).toBe(200)
  await other.text()
  for (const response of left) response.destroy()
  const status = async () => {
    const response = await ask('/jobs.jsonl?search=zzzz', network)
    await response.text()
    return response.status
  }
  await expect.poll(status, { timeout: 30_000 }).toBe(200)
})
