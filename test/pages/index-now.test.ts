/** IndexNow announcements of changed jobs, sent to a local receiver. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { jobPath } from '../../src/features/jobs/index.ts'
import { useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { visitor } from '../support/pages.ts'
import { runTask, runTogether, taskOf } from '../support/tasks.ts'

interface Announcement {
  urlList: string[]
}

const received: Announcement[] = []
let status = 202
/** The number of requests in progress, and its maximum. */
const open = { now: 0, most: 0 }
const receiver = createServer(async (request, response) => {
  open.most = Math.max(open.most, ++open.now)
  received.push((await json(request)) as Announcement)
  open.now--
  response.writeHead(status).end('{}')
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const key = 'test-key-0123456789'
const { port } = receiver.address() as AddressInfo
const board = useBoard({ INDEXNOW_KEY: key, INDEXNOW_URL: `http://127.0.0.1:${port}/indexnow` })
afterAll(() => void receiver.close())

const urlOf = (job: { id: string; title: string }) => `https://board.example${jobPath(job)}`
/** Sets the test clock to the real time, because changes have the database's time. */
const keepTime = () => board.clock.advance(Date.now() - board.clock.time)

/** Runs the task and returns the announced URLs. */
async function announced(): Promise<string[]> {
  keepTime()
  received.length = 0
  await runTask(board, 'index-now')
  const whole = {
    host: 'board.example',
    key,
    keyLocation: `https://board.example/${key}.txt`,
    urlList: expect.anything(),
  }
  for (const one of received) expect(one).toEqual(whole)
  return received.flatMap(({ urlList }) => urlList)
}

/**
 * Returns the URLs that the task announces until it has announced all changes. Transactions of other tests on the
 * same server can delay announcements, and changes close to such a transaction are announced again.
 */
async function allAnnounced(): Promise<string[]> {
  const seen = new Set<string>()
  const now = new Date()
  const find = async () => board.database.read((db) => db.selectFrom('index_now').selectAll().executeTakeFirst())
  for (let row = await find(); !row || row.announced_until < now; row = await find()) {
    for (const url of await announced()) seen.add(url)
  }
  return [...seen].sort()
}

test('the task announces each job that appears, changes or leaves the board, and no others', async () => {
  keepTime()
  const employer = await board.employer()
  const old = await board.activeJob(employer, { title: 'Old job' })
  expect((await (await visitor(board)).get(`/${key}.txt`)).text).toBe(key)
  await allAnnounced()
  await board.job(employer, { title: 'Draft' })
  const job = await board.activeJob(employer, { title: 'New job' })
  const [imported] = await insertJobs(board, [{ title: 'Imported job' }])
  const urls = [urlOf(job), urlOf({ id: imported!, title: 'Imported job' })]
  expect(await allAnnounced()).toEqual(urls.sort())
  await board.post(`/v1/jobs/${old.id}/close`, employer.key)
  await board.put(`/v1/jobs/${job.id}`, employer.key, { description: 'Another text.' })
  expect(await allAnnounced()).toEqual([urlOf(old), urlOf(job)].sort())
})

test('the task repeats refused announcements after its lease ends, in one process at a time', async () => {
  const employer = await board.employer()
  const job = await board.activeJob(employer, { title: 'Refused job' })
  status = 429
  const refused = () => announced().then(() => '', String)
  await expect.poll(refused).toContain('IndexNow answered a batch with status 429 (URLs: 1)')
  status = 200
  // The failed round still holds the lease.
  expect(await announced()).toEqual([])
  board.clock.advance(600_001)
  Object.assign(open, { now: 0, most: 0 })
  received.length = 0
  await runTogether([taskOf(board, 'index-now'), taskOf(board, 'index-now')])
  expect([...new Set(received.flatMap(({ urlList }) => urlList))]).toEqual([urlOf(job)])
  expect(open.most).toBe(1)
})
